import type { HttpSourceTarget } from "./http-target.ts";
import { type LearnedSource, packConnections, targetHash, unpackConnections } from "./learned-source.ts";
import type { ReadRequest, SourceConnection } from "./read-source.ts";
import { isFresh, type SourceMemory, type ToldConnections } from "./source-memory.ts";

export interface BookIo {
  readonly memory: SourceMemory;
  readonly now: () => number;
  /** The grant of ours that the source is read under: it stands where the server names none of its own. */
  readonly grantId?: string | undefined;
  /** What was kept of an earlier schema read, of whatever isolate. */
  readonly learned?: LearnedSource | undefined;
  /** Takes what a schema read told, where that is news. */
  readonly keep?: ((learned: LearnedSource) => void) | undefined;
}

/** What is known of a source's connections: by this isolate, by what D1 kept, and by what one stream's schema said in this request. */
export function connectionBook(target: HttpSourceTarget, { memory, now, learned, keep, grantId }: BookIo) {
  const hash = targetHash(target);
  const own = learned !== undefined && learned.targetHash === hash ? learned : undefined;
  const kept: ToldConnections | undefined =
    own === undefined
      ? undefined
      : { connections: unpackConnections(own.connections), atMs: own.learnedAtMs };
  const byStream = new Map<string, readonly SourceConnection[]>();
  const named = (connection: SourceConnection): SourceConnection =>
    connection.grantId === null ? { ...connection, grantId: grantId ?? null } : connection;
  /** The newest that names any: what was kept may be of another isolate, after this one asked. */
  const told = (): ToldConnections | undefined => {
    const standing = memory.recall(target);
    if (standing?.isClient === false) return undefined;
    const remembered = standing?.told;
    if (remembered === undefined) return kept;
    return kept !== undefined && kept.connections.length > 0 && kept.atMs > remembered.atMs
      ? kept
      : remembered;
  };
  const known = () => (told()?.connections ?? []).map(named);
  return {
    known,
    areFresh: () => {
      const remembered = memory.recall(target)?.told;
      return remembered !== undefined && isFresh(remembered, now());
    },
    haveStream: (stream: string) => byStream.has(stream),
    having: (stream: string): readonly SourceConnection[] =>
      byStream.get(stream)?.map(named) ?? known().filter(({ streams }) => streams?.includes(stream) ?? true),
    /** What a schema of one stream, of every connection, named. */
    noteStream: ({ query }: ReadRequest, connections: readonly SourceConnection[]): void => {
      const [stream, ...more] = query.filter(([name]) => name === "stream").map(([, value]) => value);
      const isOfAll = query.every(([name]) => ["stream", "view", "detail"].includes(name));
      if (stream === undefined || more.length > 0 || !isOfAll) return;
      byStream.set(
        stream,
        connections.filter(({ streams }) => streams?.includes(stream) ?? true),
      );
    },
    /** Gives what a whole schema named to be kept, where something else was. */
    keep: (connections: readonly SourceConnection[]): void => {
      const text = packConnections(connections);
      if (own?.connections === text) return;
      keep?.({ source: target.name, targetHash: hash, connections: text, learnedAtMs: now() });
    },
  };
}
