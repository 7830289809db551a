import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { isRecord } from "../../../src/json.ts";
import { RECORD_ROW_BODY_MAX_BYTES } from "../../../src/limits/records.ts";
import { readManifestTexts } from "../../../src/records/grant/read-manifest-texts.ts";
import { jsonChunks } from "../../../src/records/ingest/chunks.ts";
import { columnValues, cursorValue, rowColumns, rowScalars } from "../../../src/records/ingest/row-values.ts";
import { streamForm } from "../../../src/records/manifest/stream-form.ts";
import { documentsOf } from "../../../src/records/search/documents.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { indexStatements } from "../../../src/records/store/reindex-statements.ts";
import { ReindexStore } from "../../../src/records/store/reindex-store.ts";
import { broken, freshNotes, note, notesManifest, NOW_MS, rows, write } from "./ingest-rig.ts";

beforeEach(freshNotes);

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const integer = { type: "integer" };

interface Shape {
  readonly fields: Readonly<Record<string, object>>;
  readonly cursor: string | null;
  readonly lexical: readonly string[];
}

const FIRST: Shape = { fields: { a: text, b: text, c: integer }, cursor: "b", lexical: ["a"] };

function manifest({ fields, cursor, lexical }: Shape) {
  return notesManifest((stream) => ({
    ...stream,
    cursor_field: cursor,
    schema: { type: "object", properties: { id: text, at: time, ...fields } },
    query: { search: { lexical_fields: lexical } },
  }));
}

async function load(shape: Shape) {
  const loaded = await new ManifestStore(env.DB).load(manifest(shape), NOW_MS);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.reason));
  return loaded.value;
}

const store = (rowsCount?: number) => new ReindexStore(env.DB, new BodyStore(env.ARTIFACTS), rowsCount);

function membersOf(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  return isRecord(value) ? Object.keys(value) : [];
}

/** What of the rows does not say what the manifest that counts makes of their bodies. */
async function wrong(): Promise<readonly string[]> {
  const [kept] = await rows("SELECT manifest, slots FROM record_manifests");
  const loaded = readManifestTexts(String(kept?.["manifest"]), String(kept?.["slots"]));
  const form = loaded === undefined ? undefined : streamForm(loaded, "notes");
  if (form === undefined) throw new Error("no manifest");
  const [feed] = await rows("SELECT id, is_reordered FROM record_feeds WHERE stream = 'notes'");
  const live = await rows(
    `SELECT r.record_key, v.data, v.data_object FROM records r JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version
ORDER BY r.record_key`,
  );
  const records = await Promise.all(
    live.map(async ({ record_key, data, data_object }) => {
      const isLarge = typeof data_object === "string";
      const body = isLarge ? await (await env.ARTIFACTS.get(data_object))?.text() : String(data);
      const parsed = parseExactJson(body ?? "", { duplicates: "refuse" });
      if (!parsed.ok || !isRecord(parsed.value)) throw new Error("no body");
      return { key: String(record_key), row: isLarge ? String(data) : null, data: parsed.value };
    }),
  );
  const found: string[] = [];
  const columns = rowColumns(form, null);
  const compared = [
    ...(feed?.["is_reordered"] === 1 ? [] : ["cursor_value"]),
    ...columns.map(({ slot }) => slot),
  ];
  const values = records.map(({ key, data }) => [
    key,
    ...(feed?.["is_reordered"] === 1 ? [] : [cursorValue(form.stream, data)]),
    ...columnValues(columns, data),
  ]);
  for (const chunk of jsonChunks(values)) {
    const differing = await rows(
      `SELECT r.record_key FROM json_each(?) j JOIN records r ON r.record_key = json_extract(j.value, '$[0]') WHERE ${compared
        .map((column, index) => `r.${column} IS NOT json_extract(j.value, '$[${index + 1}]')`)
        .join(" OR ")}`,
      chunk,
    );
    found.push(...differing.map(({ record_key }) => `row ${String(record_key)}`));
  }
  for (const { key, row, data } of records) {
    const wanted = row === null ? [] : membersOf(rowScalars([form], data));
    const has = new Set(row === null ? [] : membersOf(row));
    if (wanted.some((name) => !has.has(name))) found.push(`scalars ${key}`);
  }
  const documents = await rows(
    `SELECT d.record_key, s.field, (SELECT group_concat(substr(term, length('s' || s.id || 'x') + 1), ' ') FROM
(SELECT term FROM record_terms_at WHERE doc = d.id ORDER BY offset)) AS terms FROM record_documents d
JOIN record_scopes s ON s.id = d.scope_id WHERE s.field IN (SELECT value FROM json_each(?)) ORDER BY d.record_key, s.field`,
    JSON.stringify(form.stream.lexicalFields),
  );
  const told = documents.map(
    ({ record_key, field, terms }) => `${String(record_key)} ${String(field)} ${String(terms)}`,
  );
  const meant = records
    .flatMap(({ key, data }) =>
      documentsOf(form.stream, data).map(({ field, terms }) => `${key} ${field} ${terms}`),
    )
    .toSorted();
  if (JSON.stringify(told.toSorted()) !== JSON.stringify(meant)) found.push("documents");
  return [...found, ...(await broken()).map((law) => JSON.stringify(law))];
}

const shapes = fc.record({
  fields: fc.record(
    {
      a: fc.constantFrom(text, time, integer, { type: "boolean" }),
      b: fc.constantFrom(text, integer),
      c: fc.constantFrom(integer, { type: "number" }, text),
      d: fc.constantFrom(text, integer, { type: "array" }),
    },
    { requiredKeys: ["a", "b"] },
  ),
  cursor: fc.constantFrom("b", "b", "at", null),
  lexical: fc.constantFrom(["a"], ["b"], ["a", "b"], []),
});

const values = fc.constantFrom<unknown>("two words", "Word", "2026-01-01T00:00:00Z", 7, 1.5, true, null, [
  "x",
  "y",
]);
const lines = fc.array(
  fc.tuple(
    fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6", "k7"),
    fc.option(fc.record({ a: values, b: values, c: values, d: values }), { nil: null, freq: 6 }),
  ),
  { minLength: 1, maxLength: 8 },
);

describe("indexing anew", () => {
  it("keeps rows as the old manifest has them until the end, and then as the new one, whoever writes meanwhile", async () => {
    let emitted = 0;
    const put = async (some: readonly (readonly [string, object | null])[]) => {
      emitted += 1;
      await write(
        some.map(([key, data]) =>
          data === null
            ? { key, deleted: true }
            : note(key, data, new Date(NOW_MS + emitted * 1_000).toISOString()),
        ),
      );
    };
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.array(fc.tuple(shapes, fc.array(lines, { maxLength: 3 })), { minLength: 1, maxLength: 3 }),
        async (first, loads) => {
          await freshNotes();
          await load(FIRST);
          await put([...first, ["k9", { a: "last", b: 1 }]]);
          for (const [shape, writes] of loads) {
            const before = await rows("SELECT manifest FROM record_manifests");
            const { isWaiting } = await load(shape);
            expect(await wrong()).toEqual([]);
            const now = await rows("SELECT manifest FROM record_manifests");
            expect(!isWaiting || JSON.stringify(now) === JSON.stringify(before)).toBe(true);
            // Not always to the end: another one comes while this one waits.
            for (const some of writes) {
              await store(2).step("notes", NOW_MS);
              expect(await wrong()).toEqual([]);
              await put(some);
              expect(await wrong()).toEqual([]);
            }
          }
          for (let step = 0; !(await store(3).step("notes", NOW_MS)).done; step += 1)
            expect(step).toBeLessThan(20);
          expect(await wrong()).toEqual([]);
          const last = loads.at(-1)?.[0];
          const [kept] = await rows("SELECT manifest FROM record_manifests");
          expect(last === undefined || kept?.["manifest"] === JSON.stringify(manifest(last))).toBe(true);
          expect(
            await rows("SELECT * FROM record_feeds WHERE reindex_hash IS NOT NULL OR is_reordered = 1"),
          ).toEqual([]);
        },
      ),
      { numRuns: 6 },
    );
  });

  it("reads bodies from the bucket, and keeps what conditions look for there", async () => {
    await load(FIRST);
    await write([note("large", { a: "words", late: 7, e: "x".repeat(RECORD_ROW_BODY_MAX_BYTES) })]);
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`n${index}`, integer]));
    const { isWaiting } = await load({ ...FIRST, fields: { ...FIRST.fields, ...many, late: integer } });
    expect(isWaiting).toBe(true);
    while (!(await store().step("notes", NOW_MS)).done);
    expect(await wrong()).toEqual([]);
    expect(await rows("SELECT data FROM record_versions")).toEqual([{ data: '{"late":7}' }]);
  });

  it("is overtaken by a writer and begins that batch again", async () => {
    await load(FIRST);
    await write([note("k1", { a: "one" }), note("k2", { a: "two" })]);
    await load({ ...FIRST, lexical: ["a", "b"] });
    const racing = new ReindexStore(
      new Proxy(env.DB, {
        get(target, name) {
          if (name === "batch")
            return async (statements: D1PreparedStatement[]) => {
              await write([note("k1", { a: "three", b: "four" }, "2026-02-01T00:00:00Z")]);
              return target.batch(statements);
            };
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function"
            ? (...args: unknown[]): unknown => Reflect.apply(value, target, args)
            : value;
        },
      }),
      new BodyStore(env.ARTIFACTS),
    );
    expect(await racing.step("notes", NOW_MS)).toEqual({ records: 0, done: false });
    expect(await wrong()).toEqual([]);
    while (!(await store().step("notes", NOW_MS)).done);
    expect(await wrong()).toEqual([]);
  });

  it("begins anew with a manifest that waited before, after another one counted or waited", async () => {
    const wanted: Shape = { ...FIRST, fields: { ...FIRST.fields, d: text }, lexical: ["a", "b"] };
    for (const other of [FIRST, { ...FIRST, lexical: ["b"] }]) {
      await freshNotes();
      await load(FIRST);
      await write([note("k1", { a: "one", b: "two", d: "three" }), note("k2", { a: "four", b: "five" })]);
      await load(wanted);
      await store(1).step("notes", NOW_MS);
      await load(other);
      await write([note("k1", { a: "six", b: "seven", d: "eight" }, "2026-02-01T00:00:00Z")]);
      await load(wanted);
      while (!(await store().step("notes", NOW_MS)).done);
      expect(await wrong()).toEqual([]);
    }
  });

  it("finds every row by an index, so that a step costs what it writes", async () => {
    await load(FIRST);
    await write([note("k1", { a: "one", b: "two" })]);
    await load({ fields: { ...FIRST.fields, a: integer, d: text }, cursor: null, lexical: ["b"] });
    const [kept] = await rows("SELECT manifest, slots, next_manifest, next_slots FROM record_manifests");
    const form = (of: "" | "next_") => {
      const loaded = readManifestTexts(String(kept?.[`${of}manifest`]), String(kept?.[`${of}slots`]));
      const found = loaded === undefined ? undefined : streamForm(loaded, "notes");
      if (found === undefined) throw new Error("no stream");
      return found;
    };
    const feed = {
      id: 1,
      headVersion: 1,
      isReordered: false,
      after: null,
      before: form(""),
      next: form("next_"),
    };
    const row = { key: "k1", version: 1, consentTime: null, isInBucket: true, data: { b: "two" } };
    const statements = indexStatements("hash", feed, [row], true, new Map([["b", 1]]));
    expect(statements).toHaveLength(7);
    for (const { sql, values } of statements) {
      for (const { detail } of await rows(`EXPLAIN QUERY PLAN ${sql}`, ...values)) {
        expect(detail).not.toMatch(
          /^SCAN (?!json_each|j |k |record_terms VIRTUAL TABLE INDEX 0:=)|\(feed_id=\?\)/,
        );
      }
    }
  });
});
