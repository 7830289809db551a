import { staticListing } from "../catalog/primitives/static-listing.ts";
import type { ListedServer, ListFailure } from "../catalog/refresh/refresh-ports.ts";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import type { UpstreamFailure } from "../errors.ts";
import { LOG_RECORD_MAX_CHARS, REFRESH_LISTING_MAX_MS } from "../limits.ts";
import { oneLine } from "../scrub/log-line.ts";
import { type Redactor, redactorFor } from "../scrub/redactor.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import { fail, type Result } from "../result.ts";
import type { TargetName } from "../server-target.ts";
import type { Fetch } from "../upstream/guarded-fetch.ts";
import { faultOfFailure, messageOfListing } from "../fault-of-failure.ts";
import { GENESIS } from "../spine/fault/generation.ts";
import { type ListedKind, listServer } from "../upstream/listing.ts";
import { upstreamTarget } from "../upstream/targets.ts";
import { buffers } from "./buffers.ts";
import { scrubbedEntry } from "./scrubbed-entry.ts";
import { envLookup, scrubberFor } from "./scrubber.ts";

/** No kind could be listed, for one reason. */
function nothing(failure: ListFailure): ListedServer {
  const failed = fail(failure);
  return { tools: failed, resources: failed, templates: failed, prompts: failed };
}

/**
 * Lists all that one configured server has at one of its targets, within the server's deadline and `REFRESH_LISTING_MAX_MS`, on a session that is
 * ended after it: a refresh is too rare to keep one. Each page is turned into what the refresh reads before the next one is
 * asked for. Neither the definitions nor the reasons have a configured secret in them, nor, where `redact` is on, what looks
 * like one: what is made of a definition is cut and stored, and half a secret cannot be found again. The fault says in our own words what the detail says in the server's.
 * What a static server lists stands in its block.
 */
export async function listUpstream(
  config: Config,
  server: string,
  place: TargetName,
  env: Env,
  fetch: Fetch,
): Promise<ListedServer> {
  const block = Object.hasOwn(config.mcpServers, server) ? config.mcpServers[server] : undefined;
  if (block === undefined) return nothing({ message: "the server is not configured", detail: "" });
  const scrubber = scrubberFor(config, env);
  const redactor = redactorFor(config.gateway.redact, block.redact);
  const read = (entry: unknown, kind: ListedKind) => scrubbedEntry(entry, scrubber, redactor, kind);
  if (block.type === "static") return staticListing(block, read);
  const lookup = envLookup(env);
  const rules = { allowLoopback: env.LOOMGATE_DEVELOPMENT !== undefined };
  const target = upstreamTarget(server, block, lookup, rules, place);
  if (!target.ok) {
    const detail = target.reason.map(({ key, message }) => `${key}: ${message}`).join("; ");
    return nothing({ message: `the configuration is not usable: ${detail}`, detail: "" });
  }
  const timeoutMs = Math.min(target.value.timeoutMs, REFRESH_LISTING_MAX_MS);
  const io = { fetch, newId: () => crypto.randomUUID(), buffers, sessions: "end", ...rules } as const;
  const { answer } = await listServer({ ...target.value, timeoutMs }, undefined, io, read);
  const told = <Entry>(listing: Result<Entry, UpstreamFailure>): Result<Entry, ListFailure> =>
    listing.ok ? listing : fail(listFailure(listing.reason, scrubber, redactor));
  if (!answer.ok) return nothing(listFailure(answer.reason, scrubber, redactor));
  const { tools, resources, templates, prompts } = answer.value;
  return {
    tools: told(tools),
    resources: resources && told(resources),
    templates: templates && told(templates),
    prompts: prompts && told(prompts),
  };
}

function listFailure(
  failure: UpstreamFailure,
  scrubber: Scrubber,
  redactor: Redactor | undefined,
): ListFailure {
  const message = messageOfListing(failure);
  const detail = redactor?.text(scrubber.text(failure.detail)).text ?? failure.detail;
  return {
    message,
    detail: oneLine(scrubber.cut(detail, LOG_RECORD_MAX_CHARS)),
    // Nothing in it is the server's, so that there is nothing to take out of it either.
    fault: faultOfFailure({ ...failure, detail: message }, GENESIS, (text) => text),
  };
}
