import { sha256Hex } from "../../identity/digest.ts";
import { isJsonArray, parsedJson } from "../../json.ts";
import { RECORD_SOURCE_LEARNED_MAX_BYTES } from "../../limits/records.ts";
import type { HttpSourceTarget } from "./http-target.ts";
import type { SourceConnection } from "./read-source.ts";

/** What an external source's schema told of its connections, as D1 keeps it for isolates that never asked. */
export interface LearnedSource {
  /** The name that the configuration gives it. */
  readonly source: string;
  /** Of {@link targetHash}: with another address or bearer it counts for nothing. */
  readonly targetHash: string;
  /** Of {@link packConnections}. */
  readonly connections: string;
  /** In epoch milliseconds. */
  readonly learnedAtMs: number;
}

const encoder = new TextEncoder();

/** Stands for an address and a bearer, and tells neither. */
export function targetHash({ base, bearer }: Pick<HttpSourceTarget, "base" | "bearer">): string {
  return sha256Hex(`${base}\n${bearer}`);
}

/** Connections as a bounded text, in the order of the document: without their streams where there are too many; then none. */
export function packConnections(connections: readonly SourceConnection[]): string {
  const whole = connections.map(({ streams, ...each }) => packed(each, streams ?? null));
  const bare = connections.map((each) => packed(each, null));
  const fitting = [whole, bare, []]
    .map((rows) => JSON.stringify(rows))
    .find((text) => encoder.encode(text).length <= RECORD_SOURCE_LEARNED_MAX_BYTES);
  return fitting ?? "[]";
}

function packed(
  { connectionId, connectorKey, grantId, displayName }: Omit<SourceConnection, "streams">,
  streams: readonly string[] | null,
): readonly unknown[] {
  return [connectionId, connectorKey, grantId, displayName, streams];
}

/** What was packed; nothing of a text that is damaged. */
export function unpackConnections(text: string): readonly SourceConnection[] {
  const rows = parsedJson(text);
  if (!isJsonArray(rows)) return [];
  return rows.flatMap((row): readonly SourceConnection[] => {
    if (!isJsonArray(row)) return [];
    const [connectionId, connectorKey, grantId, displayName, streams] = row;
    if (typeof connectionId !== "string" || typeof connectorKey !== "string") return [];
    const named = isJsonArray(streams) ? streams.filter((name) => typeof name === "string") : undefined;
    return [
      {
        connectionId,
        connectorKey,
        grantId: typeof grantId === "string" ? grantId : null,
        displayName: typeof displayName === "string" ? displayName : null,
        ...(named === undefined ? {} : { streams: named }),
      },
    ];
  });
}
