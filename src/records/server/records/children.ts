import type { FieldKind } from "../../manifest/manifest.ts";
import { coveredRows, isOrdered } from "../covered.ts";
import { BODY_JOIN, fieldValue } from "../filter/field-value.ts";
import { groupBy } from "../group-by.ts";
import type { ServerPorts, Statement } from "../ports.ts";
import type { Expansion } from "./expansion.ts";
import { orderColumns } from "./position.ts";
import { bySlot } from "./row-choice.ts";
import { storedRecord, type StoredRecord } from "./stored.ts";

/** Some parents of one feed, and the relations to follow from them. */
export interface Family {
  readonly parents: readonly StoredRecord[];
  readonly expansions: readonly Expansion[];
}

/** The children of one parent, in order; one more than the limit where there are more. */
export interface Children {
  readonly expansion: Expansion;
  readonly records: readonly StoredRecord[];
}

/** The children of all the parents, one statement a relation and feed and one round trip for all, without their bodies. */
export async function readChildren(
  families: readonly Family[],
  ports: ServerPorts,
): Promise<ReadonlyMap<StoredRecord, readonly Children[]>> {
  const questions = families.flatMap(({ parents, expansions }) =>
    parents.length === 0 ? [] : expansions.map((expansion) => ({ parents, expansion })),
  );
  if (questions.length === 0) return new Map();
  const answers = await ports.sql.read(
    questions.map(({ parents, expansion }) => childrenStatement(parents, expansion)),
  );
  const children = new Map<StoredRecord, Children[]>();
  for (const [index, { parents, expansion }] of questions.entries()) {
    const byParent = groupBy(answers[index] ?? [], (row) => String(row["parent"]));
    for (const parent of parents) {
      const own = children.get(parent) ?? [];
      const rows = byParent.get(parent.key) ?? [];
      own.push({ expansion, records: rows.map((row) => storedRecord(expansion.child, row)) });
      children.set(parent, own);
    }
  }
  return children;
}

function childrenStatement(parents: readonly StoredRecord[], expansion: Expansion): Statement {
  const { child, limit } = expansion;
  const take = limit + 1;
  const keys = keysOfParent(expansion, take);
  return {
    // Each parent's keys are looked up on their own, and no further than its limit: a window over all children would read all.
    sql: `SELECT p.value AS parent, c.record_key, c.version, c.emitted_at, ${orderColumns(child, "c")}, v.data_bytes
FROM json_each(?) p
CROSS JOIN records c ON c.feed_id = ? AND c.record_key IN (${keys.sql})
CROSS JOIN record_versions v ON v.feed_id = c.feed_id AND v.version = c.version
ORDER BY p.key, ${isOrdered(child) ? "c.cursor_value IS NULL, c.cursor_value, " : ""}c.record_key`,
    values: [JSON.stringify(parents.map(({ key }) => key)), child.feedId, ...keys.values],
  };
}

/** The first keys of the parent `p` in the children's order. */
function keysOfParent(expansion: Expansion, take: number): Statement {
  if (!isOrdered(expansion.child)) return keysWhere(expansion, "", "r.record_key", take);
  const first = keysWhere(expansion, "AND r.cursor_value IS NOT NULL", "r.cursor_value, r.record_key", take);
  const last = keysWhere(expansion, "AND r.cursor_value IS NULL", "r.record_key", take);
  return {
    sql: `SELECT * FROM (${first.sql}) UNION ALL SELECT * FROM (${last.sql}) LIMIT ?`,
    values: [...first.values, ...last.values, take],
  };
}

function keysWhere({ child, foreignKey }: Expansion, more: string, order: string, take: number): Statement {
  const covered = coveredRows(child);
  const { sql: value, needsBody } = fieldValue(child, foreignKey);
  const slot = child.slots.get(foreignKey.name);
  const index = slot === undefined ? "" : bySlot(slot);
  return {
    sql: `SELECT r.record_key FROM records r ${index} ${needsBody ? BODY_JOIN : ""} WHERE ${covered.sql} AND ${isKeyOf(foreignKey.kind, value)} ${more} ORDER BY ${order} LIMIT ?`,
    values: [...covered.values, take],
  };
}

/** Keys are texts. A number is the parent's where its digits are the key's, not where both are the same number. */
function isKeyOf(kind: FieldKind, value: string): string {
  const isNumber = kind === "integer" || kind === "number";
  return isNumber ? `${value} = p.value AND CAST(${value} AS TEXT) = p.value` : `${value} = p.value`;
}
