import type { ListFailure } from "../catalog/refresh/refresh-ports.ts";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import { fail, ok, type Result } from "../result.ts";
import { listTools } from "../upstream/connection.ts";
import type { Fetch } from "../upstream/guarded-fetch.ts";
import { publicMessage } from "../upstream/public-message.ts";
import { upstreamTarget } from "../upstream/targets.ts";
import { envLookup, scrubberFor } from "./scrubber.ts";

/**
 * Lists all tools of one configured server, within the server's deadline, on a session that is ended after it: a refresh is
 * too rare to keep one. Neither reason has a configured secret in it.
 */
export async function listUpstream(
  config: Config,
  server: string,
  env: Env,
  fetch: Fetch,
): Promise<Result<readonly unknown[], ListFailure>> {
  const block = Object.hasOwn(config.mcpServers, server) ? config.mcpServers[server] : undefined;
  if (block === undefined) return fail({ message: "the server is not configured", detail: "" });
  const lookup = envLookup(env);
  const rules = { allowLoopback: env.LOOMGATE_DEVELOPMENT !== undefined };
  const target = upstreamTarget(server, block, lookup, rules);
  if (!target.ok) {
    const detail = target.reason.map(({ key, message }) => `${key}: ${message}`).join("; ");
    return fail({ message: `the configuration is not usable: ${detail}`, detail: "" });
  }
  const { answer } = await listTools(target.value, undefined, {
    fetch,
    newId: () => crypto.randomUUID(),
    sessions: "end",
    ...rules,
  });
  if (answer.ok) return ok(answer.value.tools);
  const scrubber = scrubberFor(config, env);
  return fail({ message: publicMessage(answer.reason), detail: scrubber.text(answer.reason.detail) });
}
