import { RECORD_SOURCE_MEMORY_MAX_COUNT, RECORD_TOKEN_KIND_MEMORY_MS } from "../../limits/records.ts";
import { createScrubber, type Scrubber } from "../../scrub/scrub.ts";
import type { HttpSourceTarget } from "./http-target.ts";
import type { SourceConnection, SourceProfile } from "./read-source.ts";

/** What a source's schema told of its bearer. */
export interface Standing {
  /** Whether it may be used: it is a client's, or nothing was said of it. */
  readonly isClient: boolean;
  readonly profile: SourceProfile;
  /** What the document's shape alone said. */
  readonly shape: SourceProfile | undefined;
  /** What the newest whole document named; undefined before there was one. */
  readonly told: ToldConnections | undefined;
  /** Whether the server makes the compact form itself. */
  readonly compact: boolean;
  /** When the bearer's kind was told, in epoch milliseconds. */
  readonly atMs: number;
}

export interface ToldConnections {
  readonly connections: readonly SourceConnection[];
  /** In epoch milliseconds. */
  readonly atMs: number;
}

interface Remembered {
  standing: Standing | undefined;
  readonly scrubber: Scrubber;
}

/** What an isolate remembers of external sources: plain values, so that requests may share them. */
export interface SourceMemory {
  /** What is remembered of a source and its bearer, however old. */
  recall(target: HttpSourceTarget): Standing | undefined;
  remember(target: HttpSourceTarget, standing: Standing): void;
  scrubberOf(target: HttpSourceTarget): Scrubber;
}

export function createSourceMemory(): SourceMemory {
  const known = new Map<string, Remembered>();
  const entry = ({ base, bearer }: HttpSourceTarget): Remembered => {
    const key = `${base} ${bearer}`;
    const found = known.get(key) ?? { standing: undefined, scrubber: createScrubber([bearer]) };
    known.delete(key);
    known.set(key, found);
    for (const oldest of known.keys()) {
      if (known.size <= RECORD_SOURCE_MEMORY_MAX_COUNT) break;
      known.delete(oldest);
    }
    return found;
  };
  return {
    recall: (target) => entry(target).standing,
    remember: (target, standing) => {
      entry(target).standing = standing;
    },
    scrubberOf: (target) => entry(target).scrubber,
  };
}

/** Whether what is remembered may still decide anything (PDPP: a positive answer about a token is good for 60 s). */
export function isFresh({ atMs }: { readonly atMs: number }, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < RECORD_TOKEN_KIND_MEMORY_MS;
}
