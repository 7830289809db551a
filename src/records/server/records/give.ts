import { RECORDS_PAGE_MAX_BYTES } from "../../../limits/records.ts";
import { bareObject } from "../../../json.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import type { ServerPorts } from "../ports.ts";
import { readChildren, type Children } from "./children.ts";
import type { Expansion } from "./expansion.ts";
import { grantedProjection, projectBody, type Projection } from "./projection.ts";
import { recordObject } from "./record-object.ts";
import { readBodies, type StoredRecord } from "./stored.ts";

/** What a request asks of one feed, judged. */
export interface FeedPlan {
  readonly feed: CoveredFeed;
  readonly projection: Projection;
  readonly expansions: readonly Expansion[];
}

export interface Given {
  readonly objects: readonly object[];
  /** How many of the records were given: fewer where their bodies together are too large. */
  readonly count: number;
}

/** The records as the wire has them, with their children. Bodies are read only of what is given. */
export async function giveRecords(
  records: readonly StoredRecord[],
  plans: readonly FeedPlan[],
  ports: ServerPorts,
): Promise<Given> {
  const planOf = new Map(plans.map((plan) => [plan.feed, plan]));
  const families = plans.map(({ feed, expansions }) => ({
    parents: records.filter((record) => record.feed === feed),
    expansions,
  }));
  const children = await readChildren(families, ports);
  const fitting = fittingRecords(records, children);
  const bodies = await readBodies(
    fitting.flatMap(({ record, expanded }) => [record, ...expanded.flatMap(({ shown }) => shown)]),
    ports,
  );
  const objects = fitting.flatMap(({ record, expanded }) => {
    const projection = planOf.get(record.feed)?.projection;
    if (projection === undefined) return [];
    const object = objectOf(record, projection, bodies);
    if (object === undefined) return [];
    if (expanded.length === 0) return [object];
    return [{ ...object, expanded: expandedMembers(expanded, bodies) }];
  });
  return { objects, count: fitting.length };
}

/** The children that are shown of a relation. */
interface Shown {
  readonly expansion: Expansion;
  readonly shown: readonly StoredRecord[];
  readonly hasMore: boolean;
}

interface Fitting {
  readonly record: StoredRecord;
  readonly expanded: readonly Shown[];
}

/** The records whose bodies fit one answer together; of the first one, as many children as fit. */
function fittingRecords(
  records: readonly StoredRecord[],
  children: ReadonlyMap<StoredRecord, readonly Children[]>,
): readonly Fitting[] {
  const fitting: Fitting[] = [];
  let bytes = 0;
  for (const record of records) {
    const isFirst = fitting.length === 0;
    bytes += record.dataBytes;
    const expanded = (children.get(record) ?? []).map(({ expansion, records: found }): Shown => {
      const offered = found.slice(0, expansion.limit);
      const shown: StoredRecord[] = [];
      for (const child of offered) {
        bytes += child.dataBytes;
        if (isFirst && bytes > RECORDS_PAGE_MAX_BYTES) break;
        shown.push(child);
      }
      return { expansion, shown, hasMore: found.length > shown.length };
    });
    if (!isFirst && bytes > RECORDS_PAGE_MAX_BYTES) break;
    fitting.push({ record, expanded });
  }
  return fitting;
}

function expandedMembers(
  expanded: readonly Shown[],
  bodies: ReadonlyMap<StoredRecord, string>,
): Readonly<Record<string, unknown>> {
  const members = bareObject<unknown>();
  for (const { expansion, shown, hasMore } of expanded) {
    const projection = grantedProjection(expansion.child);
    const data = shown.flatMap((child) => objectOf(child, projection, bodies) ?? []);
    const { name, cardinality } = expansion.relationship;
    members[name] =
      cardinality === "has_one" ? (data[0] ?? null) : { data, has_more: hasMore, object: "list" };
  }
  return members;
}

function objectOf(
  record: StoredRecord,
  projection: Projection,
  bodies: ReadonlyMap<StoredRecord, string>,
): object | undefined {
  const text = bodies.get(record);
  if (text === undefined) return undefined;
  return recordObject(record.feed, { ...record, data: projectBody(text, projection) });
}
