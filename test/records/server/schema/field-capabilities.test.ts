import { describe, expect, it } from "vitest";
import { memberOf } from "../../../../src/json.ts";
import type { FieldKind } from "../../../../src/records/manifest/manifest.ts";
import {
  compactCapabilities,
  fieldCapabilities,
} from "../../../../src/records/server/schema/field-capabilities.ts";
import { feedOf, judged, stream } from "../aggregate/query-rig.ts";

const KINDS: readonly FieldKind[] = ["text", "integer", "number", "boolean", "time", "date", "other"];
const all = new Set<string>(KINDS);
/** A manifest that declares everything of every field, whatever it holds. */
const bold = feedOf({
  stream: {
    ...stream,
    fields: new Map(KINDS.map((kind) => [kind, { name: kind, kind, schema: {}, required: false }])),
    rangeFilters: new Map(KINDS.map((kind) => [kind, ["gte"]])),
    aggregations: {
      count: true,
      sum: all,
      min: all,
      max: all,
      groupBy: all,
      groupByTime: all,
      countDistinct: all,
    },
  },
});

/** The request that each aggregation of a field is. */
const requests: Readonly<Record<string, (field: string) => Readonly<Record<string, string>>>> = {
  count_distinct: (field) => ({ metric: "count_distinct", field }),
  group_by: (field) => ({ metric: "count", group_by: field }),
  group_by_time: (field) => ({ metric: "count", group_by_time: field, granularity: "day" }),
  max: (field) => ({ metric: "max", field }),
  min: (field) => ({ metric: "min", field }),
  sum: (field) => ({ metric: "sum", field }),
};

describe("what the schema says of a field that a manifest declares aggregations of", () => {
  it.each(KINDS)("is usable where a request for it is answered, and only there: %s", (kind) => {
    const aggregation = memberOf(memberOf(fieldCapabilities(bold), kind), "aggregation");
    const usable = Object.keys(requests).filter(
      (name) => judged(requests[name]?.(kind) ?? {}, bold) === "ok",
    );
    for (const name of Object.keys(requests)) {
      expect([name, memberOf(aggregation, name)]).toEqual([
        name,
        usable.includes(name)
          ? { declared: true, usable: true }
          : { declared: true, usable: false, reason: "field_type_not_supported" },
      ]);
    }
    const line = String(memberOf(compactCapabilities(bold), kind));
    const told = /(?:^|,)a=([^,]*)/.exec(line)?.[1]?.split("|") ?? [];
    expect(told).toEqual(usable.length === 0 ? ["unusable:field_type_not_supported"] : usable);
  });

  it("is none of an array's or an object's, ranges neither", () => {
    const other = memberOf(fieldCapabilities(bold), "other");
    expect(memberOf(other, "range_filter")).toEqual({
      declared: true,
      usable: false,
      operators: ["gte"],
      reason: "field_type_not_supported",
    });
    expect(memberOf(compactCapabilities(bold), "other")).toBe(
      "r=unusable:field_type_not_supported,a=unusable:field_type_not_supported",
    );
  });

  it("names the grant first where it covers the field not", () => {
    const narrow = { ...bold, fields: new Set(["integer"]) };
    const aggregation = memberOf(memberOf(fieldCapabilities(narrow), "text"), "aggregation");
    expect(memberOf(aggregation, "min")).toEqual({
      declared: true,
      usable: false,
      reason: "field_not_granted",
    });
  });
});
