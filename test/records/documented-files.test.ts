import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readLines } from "../../src/records/ingest/read-lines.ts";
import { readManifest } from "../../src/records/manifest/read-manifest.ts";

const TEXT = readFileSync(resolve(import.meta.dirname, "../../docs/records.md"), "utf8");

/** The fenced block of this kind that holds this text. */
function block(kind: string, held: string): string {
  const found = TEXT.split("\n```").find((part) => part.startsWith(`${kind}\n`) && part.includes(held));
  return found?.slice(kind.length) ?? "";
}

describe("the files that docs/records.md shows", () => {
  it("are a manifest that uses everything that is read, and records of its stream", () => {
    const manifest = readManifest(JSON.parse(block("json", "connector_key")));
    expect(manifest).toMatchObject({ ok: true, value: { connectorKey: "notebook" } });
    const notes = manifest.ok ? manifest.value.streams.get("notes") : undefined;
    expect(notes).toMatchObject({
      cursorField: "written_at",
      consentTimeField: "written_at",
      relationships: [{ expand: { defaultLimit: 3 } }],
      views: [{ id: "short" }],
      aggregations: { count: true },
    });
    const lines = readLines(block("ndjson", "emitted_at").trim());
    const read = lines.ok ? lines.value : [];
    const members = read.flatMap((line) => (line.kind === "data" ? Object.keys(line.data) : []));
    expect(read.map(({ key }) => key)).toEqual(["n1", "n2", "n3"]);
    expect(members.filter((name) => notes?.fields.has(name) !== true)).toEqual([]);
  });
});
