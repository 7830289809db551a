import { describe, expect, it } from "vitest";
import { readManifest } from "../../../src/records/manifest/read-manifest.ts";
import { planReload } from "../../../src/records/manifest/reload.ts";
import { assignSlots, foreignKeysOf, readSlots, writeSlots } from "../../../src/records/manifest/slots.ts";
import { manifestOf, NOTES } from "../ingest/stream.ts";

const text = { type: "string" };

function connector(properties: object, change: object = {}) {
  const read = readManifest(manifestOf({ name: "notes", schema: { properties }, ...change }));
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  const stream = read.value.streams.get("notes");
  if (stream === undefined) throw new Error("no stream");
  return { manifest: read.value, stream };
}

describe("columns", () => {
  it("go first to fields that are compared, grouped or joined by, then in the manifest's order", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, text]));
    const { manifest, stream } = connector(many, {
      query: { range_filters: { f19: ["gte"] }, aggregations: { group_by: ["f18"] } },
      relationships: [{ name: "r", stream: "notes", foreign_key: "f17", cardinality: "has_many" }],
    });
    const slots = assignSlots(stream, new Map(), foreignKeysOf(manifest, "notes"));
    expect([...slots]).toEqual([
      ["f17", "t1"],
      ["f18", "t2"],
      ["f19", "t3"],
      ...Array.from({ length: 9 }, (_, index) => [`f${index}`, `t${index + 4}`]),
    ]);
  });

  it("are of the field's type, and a field that is no single value has none", () => {
    const { stream } = connector(NOTES.schema.properties);
    expect(Object.fromEntries(assignSlots(stream))).toEqual({
      id: "t1",
      title: "t2",
      at: "d1",
      size: "n1",
      price: "n2",
      done: "t3",
    });
  });

  it("stay with their field, and are free again when it is gone or of another type", () => {
    const { stream } = connector({ b: text, a: text, n: text });
    const kept = assignSlots(
      stream,
      new Map([
        ["a", "t1"],
        ["gone", "t2"],
        ["n", "n1"],
      ]),
    );
    expect(Object.fromEntries(kept)).toEqual({ a: "t1", b: "t2", n: "t3" });
  });

  it("come back as they were stored, and what is none is left out", () => {
    const slots = new Map([
      [
        "__proto__",
        new Map([
          ["__proto__", "t12"],
          ["constructor", "d8"],
        ] as const),
      ],
    ]);
    expect(readSlots(JSON.parse(writeSlots(slots)))).toEqual(slots);
    expect(readSlots({ s: { a: "t13", b: "x1", c: 1, d: "t1; DROP" }, t: [] })).toEqual(
      new Map([
        ["s", new Map()],
        ["t", new Map()],
      ]),
    );
    expect(readSlots(null)).toEqual(new Map());
  });
});

describe("a manifest in place of another", () => {
  const before = connector(
    { id: text, at: { type: "string", format: "date-time" }, gone: text },
    { cursor_field: "at", primary_key: "id", query: { search: { lexical_fields: ["id"] } } },
  );
  const old = { manifest: before.manifest, slots: new Map([["notes", assignSlots(before.stream)]]) };
  const after = (properties: object, change: object = {}) =>
    connector(
      { id: text, at: { type: "string", format: "date-time" }, ...properties },
      { cursor_field: "at", primary_key: ["id"], query: { search: { lexical_fields: ["id"] } }, ...change },
    ).manifest;

  const planned = (manifest: typeof before.manifest, used: readonly string[]) => {
    const plan = planReload(old, manifest, new Set(used));
    if (!plan.ok) throw new Error(JSON.stringify(plan.reason));
    return {
      slots: Object.fromEntries(plan.value.slots.get("notes") ?? []),
      reindexed: plan.value.reindexed,
    };
  };

  it("gives new fields of what was written columns that nothing is in, and has the rows indexed anew", () => {
    const grown = after({ added: text });
    expect(planned(grown, [])).toEqual({ slots: { id: "t1", at: "d1", added: "t2" }, reindexed: [] });
    // `gone` is read in t2 until all rows have the new column.
    expect(planned(grown, ["notes"])).toEqual({
      slots: { id: "t1", at: "d1", added: "t3" },
      reindexed: ["notes"],
    });
    expect(planned(after({ gone: { type: "boolean" } }), ["notes"])).toEqual({
      slots: { id: "t1", at: "d1", gone: "t3" },
      reindexed: ["notes"],
    });
  });

  it.each([
    ["nothing", after({ gone: text }), false],
    ["a field less", after({}), false],
    ["other words", after({}, { query: {} }), false],
    ["another primary key", after({}, { primary_key: ["at"] }), false],
    ["a field that is no single value", after({ tags: { type: "array" } }), false],
    ["a date for a time", after({ at: { type: "string", format: "date" } }), true],
    ["another order", after({}, { cursor_field: null }), true],
    ["more words", after({ gone: text }, { query: { search: { lexical_fields: ["id", "gone"] } } }), true],
  ])("that has %s is taken, and rows are indexed anew where they differ", (_, manifest, isReindexed) => {
    expect(planned(manifest, ["notes"]).reindexed).toEqual(isReindexed ? ["notes"] : []);
    expect(planned(manifest, []).reindexed).toEqual([]);
  });

  it("may not change what grants of written records go by", () => {
    for (const [manifest, message] of [
      [after({}, { consent_time_field: "at" }), "consent_time_field changes"],
      [{ ...after({}), streams: new Map() }, "the stream is gone"],
    ] as const) {
      expect(planReload(old, manifest, new Set(["notes"]))).toEqual({
        ok: false,
        reason: [{ stream: "notes", message }],
      });
      expect(planReload(old, manifest, new Set()).ok).toBe(true);
    }
  });
});
