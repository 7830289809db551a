import type { Config } from "../../config.ts";
import { httpRecordSources } from "../../config-records-schema.ts";
import type { EnvLookup } from "../../config-env.ts";
import type { BufferBudget } from "../../upstream/buffer-budget.ts";
import type { Fetch } from "../../upstream/guarded-fetch.ts";
import type { Coverage, Holder } from "../grant/coverage.ts";
import { createBareSeal, type Seal } from "../seal/seal.ts";
import { RECORD_SOURCE_LEARN_MS } from "../../limits/records.ts";
import { orAbort, startDeadline } from "../../upstream/deadline.ts";
import { createHttpSource } from "./http-source.ts";
import { httpSourceTarget } from "./http-target.ts";
import { createPackageSource, type PackageMember } from "./package-source.ts";
import type { LearnedSource } from "./learned-source.ts";
import type { ReadSource } from "./read-source.ts";
import { COMPACT_SCHEMA } from "./schema-document.ts";
import { createSourceMemory } from "./source-memory.ts";

/** What of the sources a bearer's living grants are about. */
export interface GrantedSources {
  readonly holder: Holder;
  /** Of the embedded server: one coverage for each grant, of that grant alone. */
  readonly embedded: readonly { readonly grantId: string; readonly coverage: Coverage }[];
  /** External ones by the name that the configuration gives them, as the grants name them. */
  readonly external: readonly { readonly grantId: string; readonly source: string }[];
  /** What D1 kept of these. */
  readonly learned: readonly LearnedSource[];
}

export interface ExternalIo {
  readonly fetch: Fetch;
  readonly buffers: BufferBudget;
  /** Development only: http and loopback addresses. */
  readonly allowLoopback: boolean;
  /** The Worker's variables: where a source's bearer is. */
  readonly lookup: EnvLookup;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** For the operator's log; never a bearer's text. */
  readonly log: (line: string) => void;
  /** Ends the reads early. */
  readonly signal?: AbortSignal;
  /** Keeps what a source's schema told of its connections, where that is news. */
  readonly keep: (learned: LearnedSource) => void;
}

export interface SourcesIo extends ExternalIo {
  /** The embedded server over one coverage, with cursors of this seal. */
  readonly embedded: (coverage: Coverage, seal: Seal) => ReadSource;
  readonly seal: Seal;
}

/** One an isolate: it holds values only, no promises. */
const memory = createSourceMemory();

/**
 * Where a bearer reads: nowhere (undefined), from the one source that its grants are about, or from several as one. A grant
 * about a source that the configuration no longer has counts for nothing. One call a request: the source serves that request alone.
 */
export function openSources(config: Config, granted: GrantedSources, io: SourcesIo): ReadSource | undefined {
  const members = [...embeddedMembers(config, granted, io), ...externalMembers(config, granted, io)];
  const [first] = members;
  // A package that nothing was put into yet: it reads, and there is nothing.
  const isEmpty = granted.embedded.length === 0 && granted.external.length === 0;
  if (isEmpty && granted.holder.kind === "package")
    return io.embedded({ holder: granted.holder, feeds: [] }, io.seal);
  if (members.length <= 1) return first?.source;
  return createPackageSource({ holder: granted.holder, members, ...io });
}

function embeddedMembers(
  { records }: Config,
  { embedded }: GrantedSources,
  io: SourcesIo,
): readonly PackageMember[] {
  if (!records.sources.some(({ kind }) => kind === "d1")) return [];
  const bare = createBareSeal(io.now);
  return embedded.map(({ grantId, coverage }) => ({
    id: grantId,
    name: coverage.feeds[0]?.displayName ?? coverage.feeds[0]?.connectionId ?? grantId,
    authority: "embedded",
    source: io.embedded(coverage, io.seal),
    searched: io.embedded(coverage, bare),
  }));
}

function externalMembers(
  config: Config,
  { external, learned }: Pick<GrantedSources, "external" | "learned">,
  io: ExternalIo,
): readonly PackageMember[] {
  return httpRecordSources(config).flatMap((source) => {
    // Two grants about one source are the same reads.
    const grant = external.find((candidate) => candidate.source === source.name);
    if (grant === undefined) return [];
    const target = httpSourceTarget(source, io.lookup, io);
    const { name, url } = source;
    const own = { grantId: grant.grantId, learned: learned.find((each) => each.source === name) };
    const opened = createHttpSource(target, { ...io, ...own, memory });
    return [{ id: name, name, authority: url, source: opened }];
  });
}

/**
 * Reads the schemas of these sources, so that what they have is kept before their first reader comes. Waits a few seconds at
 * most; one that is down, or not set up, is learnt by a later read.
 */
export async function learnSources(
  config: Config,
  granted: Pick<GrantedSources, "external">,
  io: ExternalIo,
): Promise<void> {
  const deadline = startDeadline(RECORD_SOURCE_LEARN_MS, io.signal);
  const { signal } = deadline;
  const members = externalMembers(config, { ...granted, learned: [] }, { ...io, signal });
  await Promise.allSettled(members.map(({ source }) => orAbort(source.get(COMPACT_SCHEMA), signal)));
  deadline.stop();
}
