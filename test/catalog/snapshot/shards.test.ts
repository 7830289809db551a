import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { parseShard, planShards, shardPlanHash, shardText } from "../../../src/catalog/snapshot/shards.ts";
import { SHARD_MAX_BYTES, SHARD_MIN_BYTES } from "../../../src/limits.ts";

const item = (id: string, definitionBytes: number) => ({
  id,
  definitionHash: `hash of ${id}`,
  definitionBytes,
  schemaHash: "s",
  schemaBytes: 2,
});

const many = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => item(`ns:tool_${String(at).padStart(6, "0")}#00000000`, bytes));

const sizes = (shards: readonly (readonly { readonly definitionBytes: number }[])[]) =>
  shards.map((shard) => shard.reduce((sum, { definitionBytes }) => sum + definitionBytes, 0));

describe("shards", () => {
  it("hold every tool once and in order, and stay within their bounds", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 600_000 }), { maxLength: 60 }), (lengths) => {
        const items = lengths.map((bytes, at) => item(`ns:t${String(at).padStart(3, "0")}`, bytes));
        const shards = planShards(items);
        expect(shards.flat()).toEqual(items);
        for (const [at, bytes] of sizes(shards).entries()) {
          expect(bytes <= SHARD_MAX_BYTES || shards[at]?.length === 1).toBe(true);
        }
      }),
    );
  });

  it("are few hundred for 10,000 tools of 4 KB, and one for a small catalog", () => {
    const shards = planShards(many(10_000, 4_096));
    expect(shards.length).toBeLessThan(320);
    expect(Math.min(...sizes(shards.slice(0, -1)))).toBeGreaterThanOrEqual(SHARD_MIN_BYTES);
    expect(planShards(many(20, 4_096))).toHaveLength(1);
    expect(planShards([])).toEqual([]);
  });

  it("mostly stay as they are when a tool comes, goes or changes", async () => {
    const items = many(10_000, 4_096);
    const hashes = (all: typeof items) => Promise.all(planShards(all).map((shard) => shardPlanHash(shard)));
    const before = new Set(await hashes(items));
    const changes = [
      items.toSpliced(4_321, 1),
      items.toSpliced(4_321, 0, item("ns:tool_004320_new", 4_096)),
      items.with(4_321, { ...item("ns:tool_004321#00000000", 4_096), definitionHash: "another" }),
    ];
    for (const changed of changes) {
      const rewritten = (await hashes(changed)).filter((hash) => !before.has(hash));
      expect(rewritten.length).toBeGreaterThan(0);
      expect(rewritten.length).toBeLessThanOrEqual(4);
    }
  });

  it("give each definition back exactly as it was written", () => {
    const definition: unknown = JSON.parse('{"name":"\\ud800","__proto__":{"a":1},"n":[100,null]}');
    const items = [{ definitionHash: "h", definitionBytes: 1, schemaHash: "s", schemaBytes: 7 }];
    const text = shardText(items, () => JSON.stringify(definition));
    const parsed = parseShard(text ?? "");
    expect(parsed?.get("h")).toEqual({ definition, schemaHash: "s", schemaBytes: 7 });
    expect(Object.hasOwn(parsed?.get("h")?.definition ?? {}, "__proto__")).toBe(true);
    expect(shardText(items, () => undefined)).toBeUndefined();
  });

  it("give numbers back as they were written, beside the definition that is judged by", () => {
    const json = '{"name":"a","inputSchema":{"maximum":18446744073709551615,"default":1e400,"x":[1.0]}}';
    const items = [{ definitionHash: "h", definitionBytes: 1, schemaHash: "s", schemaBytes: 7 }];
    const parsed = parseShard(shardText(items, () => json) ?? "")?.get("h");
    expect(exactJsonText(parsed?.written)).toBe(json);
    const plain = { maximum: 2 ** 64, default: Number.MAX_VALUE, x: [1] };
    expect(parsed?.definition).toEqual({ name: "a", inputSchema: plain });
  });

  it("of another format are none", () => {
    for (const text of [
      "{}",
      "[]",
      '{"format":2,"definitions":[]}',
      '{"format":1,"definitions":[[1]]}',
      "null",
    ]) {
      expect(parseShard(text)).toBeUndefined();
    }
  });
});
