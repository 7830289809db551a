import type { ListedEntry } from "../catalog/refresh/listed-entry.ts";
import type { ListFailure } from "../catalog/refresh/refresh-ports.ts";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import { LOG_RECORD_MAX_CHARS, REFRESH_LISTING_MAX_MS } from "../limits.ts";
import { oneLine } from "../scrub/log-line.ts";
import { redactorFor } from "../scrub/redactor.ts";
import { fail, ok, type Result } from "../result.ts";
import type { TargetName } from "../server-target.ts";
import { listTools } from "../upstream/connection.ts";
import type { Fetch } from "../upstream/guarded-fetch.ts";
import { faultOfFailure, messageOfFailure } from "../fault-of-failure.ts";
import { GENESIS } from "../spine/fault/generation.ts";
import { upstreamTarget } from "../upstream/targets.ts";
import { buffers } from "./buffers.ts";
import { scrubbedEntry } from "./scrubbed-entry.ts";
import { envLookup, scrubberFor } from "./scrubber.ts";

/**
 * Lists all tools of one configured server at one of its targets, within the server's deadline and `REFRESH_LISTING_MAX_MS`, on a session that is
 * ended after it: a refresh is too rare to keep one. Each page is turned into what the refresh reads before the next one is
 * asked for. Neither the definitions nor the reasons have a configured secret in them, nor, where `redact` is on, what looks
 * like one: what is made of a definition is cut and stored, and half a secret cannot be found again. The fault says in our own words what the detail says in the server's.
 */
export async function listUpstream(
  config: Config,
  server: string,
  place: TargetName,
  env: Env,
  fetch: Fetch,
): Promise<Result<ListedEntry[], ListFailure>> {
  const block = Object.hasOwn(config.mcpServers, server) ? config.mcpServers[server] : undefined;
  if (block === undefined) return fail({ message: "the server is not configured", detail: "" });
  const lookup = envLookup(env);
  const rules = { allowLoopback: env.LOOMGATE_DEVELOPMENT !== undefined };
  const target = upstreamTarget(server, block, lookup, rules, place);
  if (!target.ok) {
    const detail = target.reason.map(({ key, message }) => `${key}: ${message}`).join("; ");
    return fail({ message: `the configuration is not usable: ${detail}`, detail: "" });
  }
  const timeoutMs = Math.min(target.value.timeoutMs, REFRESH_LISTING_MAX_MS);
  const scrubber = scrubberFor(config, env);
  const io = { fetch, newId: () => crypto.randomUUID(), buffers, sessions: "end", ...rules } as const;
  const redactor = redactorFor(config.gateway.redact, block.redact);
  const { answer } = await listTools({ ...target.value, timeoutMs }, undefined, io, (tool) =>
    scrubbedEntry(tool, scrubber, redactor),
  );
  if (answer.ok) return ok(answer.value.tools);
  const failure = answer.reason;
  const message = messageOfFailure(failure);
  const detail = redactor?.text(scrubber.text(failure.detail)).text ?? failure.detail;
  return fail({
    message,
    detail: oneLine(scrubber.cut(detail, LOG_RECORD_MAX_CHARS)),
    // Nothing in it is the server's, so that there is nothing to take out of it either.
    fault: faultOfFailure({ ...failure, detail: message }, GENESIS, (text) => text),
  });
}
