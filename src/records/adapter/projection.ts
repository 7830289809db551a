import { type JsonObject, isRecord, memberOf } from "../../json.ts";

/**
 * A payload's fields that were asked for, whatever a source sent besides; with `fields` undefined all. A requested path keeps
 * its first member.
 */
export function projected(payload: JsonObject, fields: readonly string[] | undefined): JsonObject {
  if (fields === undefined) return payload;
  const wanted = new Set(fields.flatMap((field) => [field, field.split(".")[0] ?? field]));
  return Object.fromEntries(Object.entries(payload).filter(([name]) => wanted.has(name)));
}

/** The member of a payload that says which record it is, where it has one; `fields` never takes it away. */
const IDENTITY_FIELD = "id";

const EXPANDED = "expanded";

/** What stands beside a payload to tell whose record it is, when it came, and what came with it. */
const ENVELOPE: ReadonlySet<string> = new Set([
  "object",
  "id",
  "stream",
  "connection_id",
  "connector_instance_id",
  "connector_key",
  "connector_id",
  "display_name",
  "emitted_at",
  EXPANDED,
  "deleted",
  "deleted_at",
]);

/**
 * A record of a page with its payload narrowed, and nothing beside it that could tell more of it; with `fields` undefined all.
 * Children are only there where they were asked for (`expanded`), and then as the source gives them: `fields` are the parent's.
 */
export function projectedRecord(
  record: unknown,
  fields: readonly string[] | undefined,
  expanded: boolean,
): unknown {
  const payload = memberOf(record, "data");
  if (!isRecord(record)) return record;
  if (fields === undefined && (expanded || !Object.hasOwn(record, EXPANDED))) return record;
  const kept = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (name === EXPANDED && !expanded) return [];
    if (fields === undefined || ENVELOPE.has(name)) return [[name, value]];
    return name === "data" && isRecord(payload)
      ? [[name, projected(payload, [IDENTITY_FIELD, ...fields])]]
      : [];
  });
  return Object.fromEntries(kept);
}
