import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readManifest } from "../../../src/records/manifest/read-manifest.ts";
import seed from "../../fixtures/records/seed.json";
import { manifestOf, NOTES } from "../ingest/stream.ts";

function pathsOf(value: unknown): unknown {
  const read = readManifest(value);
  return read.ok ? [] : read.reason.map(({ path }) => path);
}

const notes = (change: object) => manifestOf({ ...NOTES, ...change });
const withField = (name: string, schema: unknown) =>
  notes({
    schema: {
      type: "object",
      properties: Object.fromEntries([...Object.entries(NOTES.schema.properties), [name, schema]]),
    },
  });

describe("a manifest", () => {
  it("is read with everything that it declares", () => {
    const [mail] = seed.manifests;
    const read = readManifest(mail);
    if (!read.ok) throw new Error(JSON.stringify(read.reason));
    const { connectorKey, connectorId, displayName, streams } = read.value;
    expect([connectorKey, connectorId, displayName, [...streams.keys()]]).toEqual([
      "testmail",
      "testmail",
      "Test Mail",
      ["threads", "messages"],
    ]);
    expect(streams.get("threads")).toMatchObject({
      semantics: "mutable_state",
      primaryKey: ["id"],
      cursorField: "updated_at",
      relationships: [
        {
          name: "messages",
          stream: "messages",
          foreignKey: "thread_id",
          cardinality: "has_many",
          expand: { defaultLimit: 2, maxLimit: 5 },
        },
      ],
      lexicalFields: ["subject"],
      source: mail?.streams[0],
    });
    const messages = streams.get("messages");
    expect(
      [...(messages?.fields.values() ?? [])].map(({ name, kind, required }) => [name, kind, required]),
    ).toEqual([
      ["id", "text", true],
      ["thread_id", "text", false],
      ["sender", "text", false],
      ["body", "text", false],
      ["size", "integer", false],
      ["sent_at", "time", false],
    ]);
    expect(messages?.rangeFilters.get("size")).toEqual(["gte", "lte"]);
    expect(messages?.views).toEqual([
      { id: "headers", label: "Headers", fields: ["id", "sender", "sent_at"] },
    ]);
    expect(messages?.aggregations?.groupBy).toEqual(new Set(["sender"]));
  });

  it("takes what published manifests have: nullable fields, no relations, expansion without limits, `append`", () => {
    const read = readManifest({
      connector_id: "https://registry.example/connectors/notes",
      connector_key: "notes",
      streams: [
        {
          name: "parents",
          semantics: "append",
          schema: {
            properties: {
              id: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
              child: { type: "string" },
            },
          },
          relationships: [
            { name: "children", stream: "children", foreign_key: "parent", cardinality: "has_many" },
            { name: "child", stream: "children", foreign_key: "child", cardinality: "has_one" },
          ],
          query: { expand: [{ name: "children" }, { name: "child" }], search: {} },
        },
        { name: "children", schema: { properties: { parent: { type: ["null", "string"] } } } },
      ],
    });
    if (!read.ok) throw new Error(JSON.stringify(read.reason));
    const parents = read.value.streams.get("parents");
    expect(read.value.connectorId).toBe("https://registry.example/connectors/notes");
    expect(parents?.semantics).toBe("append_only");
    expect(parents?.fields.get("id")?.kind).toBe("date");
    expect(parents?.relationships.map(({ expand }) => expand)).toEqual([
      { defaultLimit: 10, maxLimit: 50 },
      null,
    ]);
    expect(parents?.aggregations).toBeNull();
  });

  it("is refused with all of its problems and their places", () => {
    for (const [value, paths] of [
      [null, [""]],
      [[], [""]],
      [{}, ["/connector_key", "/streams"]],
      [{ connector_key: "-", streams: [] }, ["/connector_key", "/streams"]],
      [{ connector_key: "a", streams: [{}] }, ["/streams/0/name", "/streams/0/schema/properties"]],
      [{ connector_key: "a", streams: [NOTES, NOTES] }, ["/streams/1/name"]],
      [notes({ cursor_field: "gone" }), ["/streams/0/cursor_field"]],
      [notes({ cursor_field: "tags" }), ["/streams/0/cursor_field"]],
      [notes({ consent_time_field: "size" }), ["/streams/0/consent_time_field"]],
      [notes({ primary_key: ["id", "__proto__"] }), ["/streams/0/primary_key/1"]],
      [notes({ semantics: "other" }), ["/streams/0/semantics"]],
      [notes({ name: "a\u0000b" }), ["/streams/0/name"]],
      [notes({ name: "n".repeat(10_000) }), ["/streams/0/name"]],
      [
        notes({ views: [{ id: "v", fields: ["id", "gone"] }, { id: "v" }] }),
        ["/streams/0/views/0/fields/1", "/streams/0/views/1/id"],
      ],
      [
        notes({ relationships: [{ name: "r", stream: "gone", foreign_key: "id", cardinality: "has_many" }] }),
        ["/streams/0/relationships/0/stream"],
      ],
      [
        notes({
          relationships: [{ name: "r", stream: "notes", foreign_key: "gone", cardinality: "has_many" }],
        }),
        ["/streams/0/relationships/0/foreign_key"],
      ],
      [
        notes({ relationships: [{ name: "r", stream: "notes", foreign_key: "id", cardinality: "many" }] }),
        ["/streams/0/relationships/0/cardinality"],
      ],
      [notes({ query: { expand: [{ name: "gone" }] } }), ["/streams/0/query/expand/0/name"]],
      [
        notes({ query: { range_filters: { tags: ["gte"], gone: ["gte"], size: ["like"] } } }),
        ["tags", "gone", "size"].map((name) => `/streams/0/query/range_filters/${name}`),
      ],
      [
        notes({ query: { aggregations: { sum: ["title"], group_by_time: ["size"], min: ["gone"] } } }),
        ["sum", "min/0", "group_by_time"].map((name) => `/streams/0/query/aggregations/${name}`),
      ],
      [notes({ query: { search: { lexical_fields: "title" } } }), ["/streams/0/query/search/lexical_fields"]],
      [withField('a"b', { type: "string" }), ['/streams/0/schema/properties/a"b']],
      [withField("a/~", 7), ["/streams/0/schema/properties/a~1~0"]],
    ] as const)
      expect([JSON.stringify(value).slice(0, 200), pathsOf(value)]).toEqual([
        JSON.stringify(value).slice(0, 200),
        paths,
      ]);
  });

  it("may name a field `__proto__` or `constructor`", () => {
    const read = readManifest(
      JSON.parse(
        JSON.stringify(withField("constructor", { type: "string" }))
          .replace('"title"', '"__proto__"')
          .replace('["title"]', '["__proto__"]'),
      ),
    );
    if (!read.ok) throw new Error(JSON.stringify(read.reason));
    const fields = read.value.streams.get("notes")?.fields;
    expect([fields?.get("__proto__")?.kind, fields?.get("constructor")?.kind]).toEqual(["text", "text"]);
  });

  it("is bounded in streams, fields, depth and bytes", () => {
    const streams = Array.from({ length: 1_000 }, (_, index) => ({ ...NOTES, name: `s${index}` }));
    expect(pathsOf({ connector_key: "a", streams })).toEqual(["/streams"]);
    expect(readManifest({ connector_key: "a", streams: streams.slice(0, 200) }).ok).toBe(true);
    const properties = Object.fromEntries(
      Array.from({ length: 301 }, (_, index) => [`f${index}`, { type: "string" }]),
    );
    expect(pathsOf(manifestOf({ name: "n", schema: { properties } }))).toEqual([
      "/streams/0/schema/properties",
    ]);
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { items: deep };
    expect(pathsOf(withField("deep", deep))).toEqual([""]);
    expect(pathsOf(notes({ description: "ä".repeat(400_000) }))).toEqual([""]);
    const wrong = Array.from({ length: 100 }, () => ({}));
    expect(pathsOf({ connector_key: "a", streams: wrong })).toHaveLength(20);
  });

  it("never makes the reader throw", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.keys(NOTES), "relationships", "views"),
        (value, member) => {
          expect(typeof readManifest(value).ok).toBe("boolean");
          expect(typeof readManifest(notes({ [member]: value })).ok).toBe("boolean");
          expect(
            typeof readManifest(
              notes({
                query: {
                  [member]: value,
                  expand: value,
                  search: value,
                  range_filters: value,
                  aggregations: value,
                },
              }),
            ).ok,
          ).toBe("boolean");
        },
      ),
    );
  });
});
