import { RECORD_BODIES_AT_ONCE_COUNT } from "../../../limits/records.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { groupBy } from "../group-by.ts";
import type { Row, ServerPorts, Statement } from "../ports.ts";
import { orderValueOf, type Position } from "./position.ts";

/** A record that a grant covers, without its body. */
export interface StoredRecord {
  readonly feed: CoveredFeed;
  readonly key: string;
  readonly version: number;
  readonly emittedAt: string;
  readonly dataBytes: number;
  readonly position: Position;
}

/** A row with `record_key`, `version`, `emitted_at`, `data_bytes` and the order's columns. */
export function storedRecord(feed: CoveredFeed, row: Row): StoredRecord {
  const key = String(row["record_key"]);
  return {
    feed,
    key,
    version: Number(row["version"]),
    emittedAt: String(row["emitted_at"]),
    dataBytes: Number(row["data_bytes"]),
    position: { order: orderValueOf(row), key, connectionId: feed.connectionId },
  };
}

/** A body's place: in its row, or in the bucket under its key. */
interface BodyPlace {
  readonly data: string | null;
  readonly object: string | null;
}

function bodyPlace({ data, data_object: object }: Row): BodyPlace {
  return {
    data: typeof data === "string" ? data : null,
    object: typeof object === "string" ? object : null,
  };
}

/**
 * The bodies of the records, in one round trip and then from the bucket. A record's version is never written again, so what
 * is read here is the record whose key was read before; one that was cleared away meanwhile has none.
 */
export async function readBodies(
  records: readonly StoredRecord[],
  ports: ServerPorts,
): Promise<ReadonlyMap<StoredRecord, string>> {
  const byFeed = groupBy(records, ({ feed }) => feed.feedId);
  const rows = await ports.sql.read([...byFeed].map(([feedId, own]) => bodiesStatement(feedId, own)));
  const places = new Map<string, BodyPlace>();
  for (const [index, feedId] of [...byFeed.keys()].entries()) {
    for (const row of rows[index] ?? []) places.set(`${feedId} ${String(row["version"])}`, bodyPlace(row));
  }
  const texts = await bodyTexts(
    records.map(({ feed, version }) => places.get(`${feed.feedId} ${version}`)),
    ports,
  );
  const bodies = new Map<StoredRecord, string>();
  for (const [index, record] of records.entries()) {
    const text = texts[index];
    if (text !== undefined) bodies.set(record, text);
  }
  return bodies;
}

function bodiesStatement(feedId: number, records: readonly StoredRecord[]): Statement {
  return {
    sql: "SELECT version, data, data_object FROM record_versions WHERE feed_id = ? AND version IN (SELECT value FROM json_each(?))",
    values: [feedId, JSON.stringify(records.map(({ version }) => version))],
    isByVersion: true,
  };
}

/** The bodies, in the order of their places. A row whose body is in the bucket has a part of it, for conditions only. */
async function bodyTexts(
  places: readonly (BodyPlace | undefined)[],
  { bodies }: Pick<ServerPorts, "bodies">,
): Promise<readonly (string | undefined)[]> {
  const texts = places.map((place) => (place?.object === null ? (place.data ?? undefined) : undefined));
  const large = places.flatMap((place, index) =>
    place === undefined || place.object === null ? [] : [{ index, object: place.object }],
  );
  for (let start = 0; start < large.length; start += RECORD_BODIES_AT_ONCE_COUNT) {
    const some = large.slice(start, start + RECORD_BODIES_AT_ONCE_COUNT);
    const read = await Promise.all(some.map(async ({ object }) => bodies.read(object)));
    for (const [at, { index }] of some.entries()) texts[index] = read[at];
  }
  return texts;
}
