import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { readManifest } from "../../../src/records/manifest/read-manifest.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";

const FOLDER = "scripts/start/demo-records";
const demos = readdirSync(FOLDER).map((file): [string, unknown] => [
  file,
  JSON.parse(readFileSync(`${FOLDER}/${file}`, "utf8")),
]);

function rowsOf(demo: unknown, stream: string): readonly unknown[] {
  const rows = memberOf(memberOf(demo, "records"), stream);
  return isJsonArray(rows) ? rows : [];
}

describe.each(demos)("the records of the start: %s", (_, demo) => {
  const read = readManifest(memberOf(demo, "manifest"));
  const streams = read.ok ? [...read.value.streams.values()] : [];

  it("has a manifest that is read, with relations, views and searched fields", () => {
    expect(read).toMatchObject({ ok: true });
    expect(streams.some(({ relationships }) => relationships.length > 0)).toBe(true);
    expect(streams.some(({ views }) => views.length > 0)).toBe(true);
    expect(streams.every(({ lexicalFields }) => lexicalFields.length > 0)).toBe(true);
  });

  it("has records of every stream, under keys of their own, of declared fields alone", () => {
    const records = memberOf(demo, "records");
    expect(isRecord(records) ? Object.keys(records) : []).toEqual(streams.map(({ name }) => name));
    for (const { name, fields } of streams) {
      const rows = rowsOf(demo, name);
      const ids = new Set(rows.map((row) => memberOf(row, "id")));
      expect(ids.size).toBe(rows.length);
      expect(rows.length).toBeGreaterThan(0);
      const unknown = rows.flatMap((row) =>
        Object.keys(isRecord(row) ? row : {}).filter((field) => !fields.has(field)),
      );
      expect(unknown).toEqual([]);
    }
  });

  it("has a time where one is declared, and a parent where a relation names one", () => {
    for (const { name, fields, relationships } of streams) {
      const times = [...fields.values()].filter(({ kind }) => kind === "time" || kind === "date");
      const bad = rowsOf(demo, name).filter((row) =>
        times.some((field) => canonicalTime(String(memberOf(row, field.name))) === undefined),
      );
      expect(bad).toEqual([]);
      const ids = new Set(rowsOf(demo, name).map((row) => memberOf(row, "id")));
      for (const { stream, foreignKey } of relationships) {
        const orphans = rowsOf(demo, stream).filter((row) => !ids.has(memberOf(row, foreignKey)));
        expect(orphans).toEqual([]);
      }
    }
  });
});
