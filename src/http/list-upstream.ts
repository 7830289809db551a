import type { ListFailure } from "../catalog/refresh/refresh-ports.ts";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import { memberOf } from "../json.ts";
import { LOG_RECORD_MAX_CHARS, REFRESH_LISTING_MAX_MS } from "../limits.ts";
import { oneLine } from "../scrub/log-line.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import { listTools } from "../upstream/connection.ts";
import type { Fetch } from "../upstream/guarded-fetch.ts";
import { publicMessage } from "../upstream/public-message.ts";
import { upstreamTarget } from "../upstream/targets.ts";
import { buffers } from "./buffers.ts";
import { envLookup, scrubberFor } from "./scrubber.ts";

/**
 * Lists all tools of one configured server, within the server's deadline and `REFRESH_LISTING_MAX_MS`, on a session that is ended after it: a refresh is
 * too rare to keep one. Neither the definitions nor the reasons have a configured secret in them: what is made of a
 * definition is cut and stored, and half a secret cannot be found again.
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
  const timeoutMs = Math.min(target.value.timeoutMs, REFRESH_LISTING_MAX_MS);
  const { answer } = await listTools({ ...target.value, timeoutMs }, undefined, {
    fetch,
    newId: () => crypto.randomUUID(),
    buffers,
    sessions: "end",
    ...rules,
  });
  const scrubber = scrubberFor(config, env);
  if (answer.ok) return ok(answer.value.tools.map((tool) => scrubbedTool(tool, scrubber)));
  const { detail } = answer.reason;
  return fail({
    message: publicMessage(answer.reason),
    detail: oneLine(scrubber.cut(detail, LOG_RECORD_MAX_CHARS)),
  });
}

/**
 * A tool whose name has a secret in it cannot be called by what is left of the name, and its name cannot be kept: its place
 * stays, so that the report names it by its number as a tool without a name.
 */
function scrubbedTool(tool: unknown, scrubber: Scrubber): unknown {
  const name = memberOf(tool, "name");
  return typeof name === "string" && scrubber.text(name) !== name ? {} : scrubber.value(tool);
}
