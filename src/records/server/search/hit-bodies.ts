import { isRecord, parsedJson, type JsonObject } from "../../../json.ts";
import type { Row, ServerPorts } from "../ports.ts";
import { bodiesStatement } from "./statements.ts";

/** Bodies that are read at once: an isolate has 128 MB, and a body takes a few times its size while it is parsed. */
const BODIES_MAX_BYTES = 4_194_304;

/**
 * The rows with their bodies, in order, few at a time, so that large ones are never held together. A body is for excerpts:
 * its numbers are doubles. Empty where it was cleared away after the search.
 */
export async function* withBodies(
  rows: readonly Row[],
  { sql, bodies }: Pick<ServerPorts, "sql" | "bodies">,
): AsyncGenerator<readonly [row: Row, body: JsonObject]> {
  for (const group of groupsOf(rows)) {
    const ids = group.flatMap(({ data, data_object: object, version_id: id }) =>
      data === null && object === null && typeof id === "number" ? [id] : [],
    );
    const [read = []] = ids.length === 0 ? [] : await sql.read([bodiesStatement(ids)]);
    // An id may be another version's since the search, once those above it went with their connection; a feed's is not.
    const texts = new Map(read.map(({ id, feed_id, data }) => [`${String(feed_id)} ${String(id)}`, data]));
    for (const row of group) {
      const { data, data_object: object } = row;
      const known = `${String(row["feed_id"])} ${String(row["version_id"])}`;
      const text = typeof object === "string" ? await bodies.read(object) : (data ?? texts.get(known));
      const body = typeof text === "string" ? parsedJson(text) : undefined;
      yield [row, isRecord(body) ? body : {}];
    }
  }
}

function groupsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups: Row[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = row["data"] === null && row["data_object"] === null ? Number(row["data_bytes"]) : 0;
    if (bytes + size > BODIES_MAX_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(row);
    bytes += size;
  }
  return groups;
}
