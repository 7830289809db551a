import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { columnValue as inColumn } from "../../../src/records/ingest/row-values.ts";
import type { FieldKind } from "../../../src/records/manifest/manifest.ts";
import { conditionsOf } from "../../../src/records/server/filter/conditions.ts";
import { BODY_JOIN, fieldValue } from "../../../src/records/server/filter/field-value.ts";
import { parseFilters } from "../../../src/records/server/filter/filters.ts";
import { matchesFilters } from "../../../src/records/server/records/filter-match.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { columnValue, feedOf, store, streamOf } from "./aggregate-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeAll(async () => {
  await freshDatabase();
});

/** What SQL reads of a field without a column, as text, for each body. */
async function readFields(
  name: string,
  kind: FieldKind,
  bodies: readonly string[],
): Promise<readonly unknown[]> {
  const field = { name, kind, schema: {}, required: false };
  const { sql } = fieldValue(feedOf(streamOf({}), { slots: new Map() }), field);
  const { results } = await env.DB.prepare(
    `SELECT CAST(${sql} AS TEXT) AS x FROM (SELECT value AS data, key AS place FROM json_each(?)) v ORDER BY place`,
  )
    .bind(JSON.stringify(bodies))
    .all();
  return results.map((row) => row["x"]);
}

const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), minLength: count, maxLength: count });
/** Mostly times, often almost. */
const nearTimes = fc
  .tuple(
    fc.constantFrom("0000", "0001", "1969", "2024", "2026", "9999", "10000", "-001"),
    fc.constantFrom("-01-01", "-02-29", "-02-30", "-12-31", "-13-01", "-1-1", "-06-15", "-00-10"),
    fc.constantFrom("", "T", "t", " ", "  ", "TT", "x"),
    fc.constantFrom("", "00:00", "23:59", "24:00", "29:00", "10:05", "1:05", "10:60"),
    fc.constantFrom("", ":00", ":59", ":60", ":5", ":"),
    fc.oneof(
      fc.constantFrom("", ".", ".0", ".5", ".9999999", ".1.2", "..5", `.${"1".repeat(31)}`),
      digits(3).map((f) => `.${f}`),
    ),
    fc.constantFrom(
      "",
      "Z",
      "z",
      "+00:00",
      "-00:30",
      "+05:45",
      "+0545",
      "-23:59",
      "+24:00",
      "+14:60",
      "+5:00",
      "Zulu",
      " Z",
      "+",
    ),
  )
  .map((parts) => parts.join(""));

describe("a field without a column", () => {
  it("is no time in SQL where a clock is begun and does not come, or the year is none", async () => {
    const times = [
      "2026-01-01T",
      "2026-01-01t",
      "2026-01-01 ",
      "2026-01-01TZ",
      "2026-01-01T10",
      "2026-01-01T10:",
      "2026-01-01T+05:00",
      "0000-01-01T00:00:59.000+0545",
      "9999-12-31T23:59:59-00:01",
    ];
    const read = await readFields(
      "at",
      "time",
      times.map((time) => JSON.stringify({ at: time })),
    );
    expect(read).toEqual(times.map((time) => canonicalTime(time) ?? null));
    expect(read).toEqual(times.map(() => null));
  });

  it("is the same time in SQL as in the columns", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 9, arbitrary: nearTimes }, { weight: 1, arbitrary: fc.string() }), {
          minLength: 50,
          maxLength: 200,
        }),
        async (times) => {
          const bodies = times.map((time) => JSON.stringify({ at: time }));
          const read = await readFields("at", "time", bodies);
          expect(times.map((time, index) => [time, read[index]])).toEqual(
            times.map((time) => [time, canonicalTime(time) ?? null]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it("is the same number, text and truth value, and nothing where the type is another", async () => {
    const values = [
      "1",
      "-0",
      "1.0",
      "1e2",
      "1.5",
      "9007199254740993",
      "9223372036854775807",
      "1e999",
      '"1"',
      '"true"',
      "true",
      "false",
      "null",
      "[1]",
      '{"a":1}',
      '""',
      '"\\u0061"',
    ];
    const bodies = values.map((value) => `{"x":${value}}`);
    for (const [index, kind] of (["text", "integer", "number", "boolean"] as const).entries()) {
      const field = { name: "x", kind, schema: {}, required: false };
      const slot = kind === "text" || kind === "boolean" ? "t1" : "n1";
      const feed = feedOf(streamOf({ x: kind }), { feedId: 10 + index, slots: new Map([["x", slot]]) });
      await store(
        feed,
        bodies.map((data, index) => ({ key: `k${100 + index}`, data })),
      );
      const stored = await env.DB.prepare(
        `SELECT CAST(${slot} AS TEXT) AS x FROM records WHERE feed_id = ? ORDER BY record_key`,
      )
        .bind(feed.feedId)
        .all();
      expect(await readFields("x", kind, bodies)).toEqual(stored.results.map((row) => row["x"]));
      expect(bodies.filter((data) => columnValue(data, field) !== null).length).toBeGreaterThan(1);
    }
  });

  it("is the same number in SQL as in the columns, however it is written", async () => {
    const sign = fc.constantFrom("", "-");
    const whole = fc.oneof(
      fc.constantFrom(
        "0",
        "1",
        "10",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
      ),
      fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
      digits(250).map((text) => `9${text}`),
    );
    const fraction = fc.oneof(
      fc.constantFrom("", ".0", ".5", ".000000", ".9999999999999999999999"),
      digits(3).map((f) => `.${f}`),
    );
    const exponent = fc.oneof(
      fc.constantFrom("", "", "e0", "E+2", "e-2", "e15", "E-400", "e400", "e-99999999999999999999", "e18"),
      fc.integer({ min: -20, max: 20 }).map((n) => `e${n}`),
    );
    await env.DB.prepare("CREATE TABLE as_column (place INTEGER PRIMARY KEY, n NUMERIC)").run();
    const numbers = fc.tuple(sign, whole, fraction, exponent).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(numbers, { minLength: 50, maxLength: 100 }),
        fc.constantFrom<"integer" | "number">("integer", "number"),
        async (texts, kind) => {
          const values = texts.map((text) => {
            const parsed = parseExactJson(text, { duplicates: "refuse" });
            return inColumn(kind, parsed.ok ? parsed.value : null);
          });
          const [, , stored] = await env.DB.batch<Record<string, unknown>>([
            env.DB.prepare("DELETE FROM as_column"),
            // As ingest writes a column: out of JSON, and with the column's own type.
            env.DB.prepare(
              "INSERT INTO as_column SELECT key, json_extract(?1, '$[' || key || ']') FROM json_each(?1)",
            ).bind(exactJsonText(values)),
            env.DB.prepare("SELECT CAST(n AS TEXT) AS x FROM as_column ORDER BY place"),
          ]);
          const read = await readFields(
            "n",
            kind,
            texts.map((text) => `{"n":${text}}`),
          );
          expect(texts.map((text, index) => [text, read[index]])).toEqual(
            texts.map((text, index) => [text, stored?.results[index]?.["x"]]),
          );
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it("may have any name", async () => {
    for (const name of [
      'a"b',
      "a'b",
      "a.b",
      "a[0]",
      "$",
      "\\",
      "\\u0061",
      "a?b",
      "🙂",
      "__proto__",
      "-- x",
      " ",
      "é",
      "\n",
    ]) {
      const body = JSON.stringify(Object.fromEntries([[name, "found"]]));
      expect([name, ...(await readFields(name, "text", [body, '{"other":1}']))]).toEqual([
        name,
        "found",
        null,
      ]);
    }
  });
});

describe("filters over records", () => {
  it("find the same records with a column and without one", async () => {
    const kinds = { who: "text", size: "integer", at: "time", seen: "boolean" } as const;
    const stream = streamOf(kinds);
    const records = [
      '{"who":"ann","size":9007199254740993,"at":"2026-01-01T12:00:00+02:00","seen":true}',
      '{"who":"ANN","size":9007199254740992,"at":"2026-01-01T10:00:00Z","seen":false}',
      '{"who":"o\'n\\"n?","size":-5,"at":"2026-01-01T10:00:00.001Z","seen":"true"}',
      '{"who":null,"size":"5","at":"then"}',
      JSON.stringify({ who: `${"x".repeat(5_000)}1`, size: 1.5 }),
      JSON.stringify({ who: `${"x".repeat(5_000)}2`, size: 1e3 }),
    ].map((data, index) => ({ key: `k${index}`, data }));
    const asked: readonly (readonly [string, string, readonly string[]])[] = [
      ["filter[who]", "ann", ["k0"]],
      ["filter[who]", "o'n\"n?", ["k2"]],
      ["filter[who]", `${"x".repeat(5_000)}2`, ["k5"]],
      ["filter[size]", "9007199254740993", ["k0"]],
      ["filter[size]", "9007199254740992.0", ["k1"]],
      ["filter[size]", "1000", ["k5"]],
      ["filter[size]", "5", []],
      ["filter[at]", "2026-01-01T10:00:00Z", ["k0", "k1"]],
      ["filter[at]", "2026-01-01T05:00:00-05:00", ["k0", "k1"]],
      ["filter[seen]", "true", ["k0"]],
    ];
    const ranges: typeof asked = [
      ["filter[size][gt]", "9007199254740992", ["k0"]],
      ["filter[size][lt]", "0.5", ["k2"]],
      ["filter[size][gte]", "-5", ["k0", "k1", "k2", "k5"]],
      ["filter[at][gt]", "2026-01-01T10:00:00Z", ["k2"]],
      ["filter[at][lte]", "2026-01-01T11:00:00.0010+01:00", ["k0", "k1", "k2"]],
    ];
    for (const [feedId, slots] of [
      [901, feedOf(stream).slots],
      [902, new Map()],
    ] as const) {
      const feed = feedOf(stream, { feedId, slots });
      await store(feed, records);
      for (const [name, value, keys] of [...asked, ...ranges]) {
        const [, key = "", operator] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(name) ?? [];
        const read = parseFilters([{ name, key, operator: operator ?? null, value }], feed);
        if (!read.ok) throw new Error(read.reason.message);
        const { sql, values } = conditionsOf(read.value, feed);
        const { results } = await env.DB.prepare(
          `SELECT r.record_key AS k FROM records r ${BODY_JOIN} WHERE r.feed_id = ? AND ${sql} ORDER BY k`,
        )
          .bind(feedId, ...values)
          .all();
        expect([name, ...results.map((row) => row["k"])]).toEqual([name, ...keys]);
      }
    }
  });

  it("find of a state in the history what they find of a row, whatever the size of a number", async () => {
    const numbers = [
      "0.1",
      "0.10000000000000000001",
      "9007199254740992",
      "9007199254740993.0",
      "9007199254740993.5",
      "9007199254740994",
    ];
    numbers.push(
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551616",
      "18446744073709551617",
      "1234567890123456768.1",
    );
    const range = ["gte", "gt", "lte", "lt"] as const;
    const feed = feedOf(streamOf({ n: "number" }, { rangeFilters: new Map([["n", range]]) }), {
      feedId: 903,
      slots: new Map(),
    });
    await store(
      feed,
      numbers.map((text, index) => ({ key: `k${100 + index}`, data: `{"n":${text}}` })),
    );
    for (const value of numbers)
      for (const operator of [null, ...range]) {
        const read = parseFilters([{ name: "filter[n]", key: "n", operator, value }], feed);
        if (!read.ok) throw new Error(read.reason.message);
        const { sql, values } = conditionsOf(read.value, feed);
        const { results } = await env.DB.prepare(
          `SELECT r.record_key AS k FROM records r ${BODY_JOIN} WHERE r.feed_id = 903 AND ${sql} ORDER BY k`,
        )
          .bind(...values)
          .all();
        const found = numbers.flatMap((text, index) =>
          matchesFilters(`{"n":${text}}`, read.value) ? [`k${100 + index}`] : [],
        );
        expect([value, operator, ...found]).toEqual([value, operator, ...results.map((row) => row["k"])]);
      }
  });
});
