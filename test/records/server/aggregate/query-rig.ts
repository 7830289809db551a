import type { CoveredFeed } from "../../../../src/records/grant/coverage.ts";
import type { FieldKind, StreamManifest } from "../../../../src/records/manifest/manifest.ts";
import { fieldOf, parseQuery } from "../../../../src/records/server/aggregate/query.ts";
import type { PdppProblem } from "../../../../src/records/problem.ts";
import { parseParameters } from "../../../../src/records/server/parameters.ts";

const KINDS: Readonly<Record<string, FieldKind>> = {
  who: "text",
  size: "integer",
  at: "time",
  tags: "other",
};

export const stream: StreamManifest = {
  name: "things",
  semantics: "append_only",
  primaryKey: ["id"],
  cursorField: null,
  consentTimeField: null,
  fields: new Map(
    Object.entries(KINDS).map(([name, kind]) => [name, { name, kind, schema: {}, required: false }]),
  ),
  relationships: [],
  views: [],
  rangeFilters: new Map(),
  lexicalFields: [],
  aggregations: {
    count: true,
    sum: new Set(["size"]),
    min: new Set(["size", "at"]),
    max: new Set(["size", "at"]),
    groupBy: new Set(["who", "tags"]),
    groupByTime: new Set(["at", "who"]),
    countDistinct: new Set(["who"]),
  },
  source: {},
};

export function feedOf(changes: Partial<CoveredFeed> = {}): CoveredFeed {
  return {
    feedId: 1,
    connectionId: "cin_a",
    connectorKey: "k",
    connectorId: "k",
    connectorName: null,
    displayName: null,
    grantId: null,
    stream,
    slots: new Map(),
    fields: null,
    resources: null,
    since: null,
    until: null,
    ...changes,
  };
}

/** `ok`, or the code of the refusal. */
export function judged(query: Readonly<Record<string, string>>, feed = feedOf()): string {
  return refusalOf(query, feed)?.code ?? "ok";
}

export function refusalOf(query: Readonly<Record<string, string>>, feed = feedOf()): PdppProblem | undefined {
  const one = ["metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"];
  const parsed = parseParameters({ path: [], query: Object.entries(query) }, { one });
  if (!parsed.ok) return parsed.reason;
  const read = parseQuery(parsed.value.parameters);
  if (!read.ok) return read.reason;
  const field = fieldOf(read.value, feed);
  return field.ok ? undefined : field.reason;
}
