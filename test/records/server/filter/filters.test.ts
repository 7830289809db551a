import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalTime } from "../../../../src/records/time/canonical-time.ts";
import type { CoveredFeed } from "../../../../src/records/grant/coverage.ts";
import type { FieldKind } from "../../../../src/records/manifest/manifest.ts";
import { conditionsOf } from "../../../../src/records/server/filter/conditions.ts";
import { parseFilters, readableField } from "../../../../src/records/server/filter/filters.ts";
import { parseParameters } from "../../../../src/records/server/parameters.ts";

const KINDS: Readonly<Record<string, FieldKind>> = {
  who: "text",
  size: "integer",
  rate: "number",
  seen: "boolean",
  at: "time",
  on: "date",
  tags: "other",
  secret: "text",
  __proto__x: "text",
};

const feed: CoveredFeed = {
  feedId: 1,
  connectionId: "cin_a",
  connectorKey: "k",
  connectorId: "k",
  connectorName: null,
  displayName: null,
  grantId: "grt_1",
  stream: {
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
    rangeFilters: new Map([
      ["size", ["gte", "lte"]],
      ["at", ["gte", "gt", "lte", "lt"]],
      ["secret", ["gte"]],
    ]),
    lexicalFields: [],
    aggregations: null,
    source: {},
  },
  slots: new Map([
    ["who", "t1"],
    ["size", "n1"],
    ["at", "d1"],
  ]),
  fields: new Set(Object.keys(KINDS).filter((name) => name !== "secret")),
  resources: null,
  since: null,
  until: null,
};

/** Filters by their parameters, or the code of the refusal. */
function judged(query: readonly (readonly [string, string])[]) {
  const parsed = parseParameters({ path: [], query }, { keyed: ["filter"] });
  if (!parsed.ok) return parsed.reason.code;
  const read = parseFilters(parsed.value.parameters.keyed("filter"), feed);
  return read.ok
    ? read.value.map(({ field, operator, value }) => [field.name, operator, value])
    : read.reason.code;
}

const one = (name: string, value = "1") => judged([[name, value]]);

describe("filters", () => {
  it("are exact on every single value and compare where the manifest says so", () => {
    expect(one("filter[who]", "ann")).toEqual([["who", "eq", "ann"]]);
    expect(one("filter[who]", "")).toEqual([["who", "eq", ""]]);
    expect(one("filter[seen]", "true")).toEqual([["seen", "eq", "true"]]);
    expect(
      judged([
        ["filter[size][gte]", "50"],
        ["filter[size][lte]", "80"],
      ]),
    ).toEqual([
      ["size", "gte", "50"],
      ["size", "lte", "80"],
    ]);
    expect(judged([])).toEqual([]);
  });

  it("are refused where they are undeclared, malformed or given twice", () => {
    for (const [name, code] of [
      ["filter[size][gt]", "invalid_request"],
      ["filter[who][gte]", "invalid_request"],
      ["filter[size][eq]", "invalid_request"],
      ["filter[size][__proto__]", "invalid_request"],
      ["filter[size][]", "invalid_request"],
      ["filter[]", "invalid_request"],
      ["filter", "invalid_request"],
      ["filter[size", "invalid_request"],
      ["filter[size]]", "invalid_request"],
      ["filter[size][gte][x]", "invalid_request"],
      ["filter[[size]]", "invalid_request"],
      ["filter[tags]", "invalid_request"],
      ["filter[nope]", "unknown_field"],
      ["filter[nope][gte]", "unknown_field"],
      ["filter[__proto__]", "unknown_field"],
      ["filter[constructor]", "unknown_field"],
      ["filter[secret]", "field_not_granted"],
      ["filter[secret][gte]", "field_not_granted"],
    ] as const) {
      expect([name, one(name)]).toEqual([name, code]);
    }
    expect(
      judged([
        ["filter[who]", "ann"],
        ["filter[who]", "ann"],
      ]),
    ).toBe("invalid_request");
    expect(
      judged(Array.from({ length: 33 }, (_, index) => [`filter[${"x".repeat(index)}]`, "1"] as const)),
    ).toBe("invalid_request");
  });

  it("are refused with the fields that can be read, and with no other", () => {
    const messageOf = (fields: CoveredFeed["fields"], name: string) => {
      const refused = readableField({ ...feed, fields }, name, "fields");
      return refused.ok ? null : refused.reason.message;
    };
    const granted = new Set(["who", "size"]);
    expect(messageOf(granted, "nope")).toBe("things has no field nope. Fields that can be read: who, size.");
    expect(messageOf(granted, "secret")).toBe(
      "The grant does not cover the field secret. Fields that can be read: who, size.",
    );
    expect(messageOf(null, "nope")).toContain(": who, size, rate, seen, at, on, tags, secret, __proto__x.");
    const names = Array.from({ length: 300 }, (_, index) => `f${index}`);
    const many = new Map(
      names.map((name) => [name, { name, kind: "text" as const, schema: {}, required: false }]),
    );
    const wide = readableField(
      { ...feed, fields: null, stream: { ...feed.stream, fields: many } },
      "x",
      "fields",
    );
    expect(wide.ok ? null : wide.reason.message).toMatch(/: f0, f1, .*, f29 and 270 more\.$/);
  });

  it("take only values of the field's type", () => {
    for (const [name, value] of [
      ["size", "many"],
      ["size", ""],
      ["size", "0x10"],
      ["size", "007"],
      ["size", "+5"],
      ["size", " 5"],
      ["size", "NaN"],
      ["size", "Infinity"],
      ["rate", "1."],
      ["rate", "1e99999999999999"],
      ["rate", "1".repeat(10_000)],
      ["seen", "yes"],
      ["seen", "TRUE"],
      ["at", "yesterday"],
      ["at", "2026-02-30"],
      ["at", "1767225600"],
      ["on", ""],
    ] as const) {
      expect([name, value, one(`filter[${name}]`, value)]).toEqual([name, value, "invalid_request"]);
    }
  });

  it("have one spelling for one instant and for one whole number of 64 bits", () => {
    for (const time of ["2026-01-01T10:00:00Z", "2026-01-01T12:00:00.000+02:00", "2026-01-01 10:00"]) {
      expect(one("filter[at]", time)).toEqual([["at", "eq", "2026-01-01T10:00:00"]]);
    }
    for (const number of ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"]) {
      expect(one("filter[size]", number)).toEqual([["size", "eq", "9007199254740993"]]);
    }
    expect(one("filter[size]", "-9223372036854775808")).toEqual([["size", "eq", "-9223372036854775808"]]);
    expect(one("filter[size]", "-0.0")).toEqual([["size", "eq", "0"]]);
    expect(one("filter[rate]", "12345678901234567890")).toEqual([["rate", "eq", "12345678901234567890"]]);
    expect(one("filter[rate]", "1.50")).toEqual([["rate", "eq", "1.50"]]);
  });

  it("never throw, and never put a foreign text into SQL", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (inside, value) => {
        judged([[`filter[${inside}]`, value]]);
        judged([[`filter[size][${inside}]`, value]]);
        judged([[inside, value]]);
        const marked = `'"?${value}`;
        const field = feed.stream.fields.get("who");
        if (field === undefined) throw new Error("no field");
        const conditions = conditionsOf([{ field, operator: "eq", value: marked }], feed);
        expect(conditions.sql).toBe("r.t1 = ?");
        expect(conditions.values).toHaveLength(1);
      }),
    );
  });

  it("say when a body must be read", () => {
    const needs = (name: string) => {
      const field = feed.stream.fields.get(name);
      if (field === undefined) throw new Error(`no field ${name}`);
      const value = field.kind === "time" ? (canonicalTime("2026-01-01") ?? "") : "1";
      return conditionsOf([{ field, operator: "eq", value }], feed).needsBody;
    };
    expect([needs("who"), needs("size"), needs("at")]).toEqual([false, false, false]);
    expect([needs("rate"), needs("on"), needs("seen")]).toEqual([true, true, true]);
    expect(conditionsOf([], feed)).toEqual({ sql: "", values: [], needsBody: false });
  });
});
