import type { CallLimits, RateLimits } from "../../config.ts";
import { globTest, idForms } from "../globs.ts";
import { oncePerObject } from "../../once-per-object.ts";
import { VERB_OF } from "../verb.ts";

/** One count that a call goes into, with its limits; at least one is there. */
export interface Bucket {
  /** `tool_execute`, or `tool:<id>`. */
  readonly name: string;
  /** Calls in any sixty seconds. */
  readonly perMinute?: number;
  /** Calls in one session, or of one principal, altogether. */
  readonly perSession?: number;
}

/** The counts that a call has to fit in, and whose counts they are. */
export interface CallBuckets {
  readonly per: RateLimits["per"];
  /** The meta-tool's first, then the tool's own. */
  readonly buckets: readonly Bucket[];
}

const toolLimits = oncePerObject((tools: RateLimits["tools"]) =>
  // A glob that is none names every tool: a limit that was meant for somebody must not vanish.
  Object.entries(tools).map(([glob, limits]) => ({ names: globTest(glob, true), limits })),
);

/**
 * The counts of a call (seed 000 §4.5); `null` where nothing limits it, so that it goes on as if there were no limits at
 * all. A verb also counts each of what it is done to for itself: the first glob that names it gives the limits, even if it gives none.
 */
export function bucketsFor(
  metaTool: string,
  toolId: string | undefined,
  rateLimits: RateLimits,
): CallBuckets | null {
  const buckets = bucketOf(metaTool, metaToolLimits(metaTool, rateLimits));
  if (isVerb(metaTool) && toolId !== undefined) {
    const ids = idForms(toolId);
    // No key of digits alone can name an id, so that the order of the keys is the order in the file.
    const first = toolLimits(rateLimits.tools).find(({ names }) => ids.some(names));
    buckets.push(...bucketOf(`tool:${toolId}`, first?.limits));
  }
  return buckets.length === 0 ? null : { per: rateLimits.per, buckets };
}

function metaToolLimits(metaTool: string, rateLimits: RateLimits): CallLimits | undefined {
  switch (metaTool) {
    case "tool_browse":
    case "tool_execute":
    case "tool_view":
    case "tool_hydrate":
    case "resource_browse":
    case "resource_read":
    case "prompt_browse":
    case "prompt_get":
      return rateLimits[metaTool];
    default:
      return undefined;
  }
}

function isVerb(metaTool: string): boolean {
  return Object.values(VERB_OF).some((verb) => verb.metaTool === metaTool);
}

function bucketOf(name: string, limits: CallLimits | undefined): Bucket[] {
  const perMinute = limits?.max_calls_per_minute;
  const perSession = limits?.max_calls_per_session;
  if (perMinute === undefined && perSession === undefined) return [];
  return [
    {
      name,
      ...(perMinute === undefined ? {} : { perMinute }),
      ...(perSession === undefined ? {} : { perSession }),
    },
  ];
}
