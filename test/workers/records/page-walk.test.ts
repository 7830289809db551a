import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isExactNumber } from "../../../src/exact-json/exact-number.ts";
import { memberOf } from "../../../src/json.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import {
  grantOf,
  inPageOrder,
  isCovered,
  LAB_RECORDS,
  type LabData,
  type LabStream,
  loadLab,
  NARROWING,
  newConnection,
  writeAll,
} from "./lab.ts";
import { coverageOf, dataOf, emptyRecords, found, read, textOf, walk, withQuery } from "./read-rig.ts";

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
});

const names: readonly LabStream[] = ["times", "numbers", "words", "plain"];

/** Which record of which connection each of a walk's is. */
function placesOf(pages: readonly unknown[]): readonly unknown[] {
  return pages
    .flatMap((page) => dataOf(page))
    .map((record) => [memberOf(record, "connection_id"), memberOf(record, "id")]);
}

const text = (data: LabData, name: string): string | undefined => {
  const value = memberOf(data, name);
  return typeof value === "string" ? value : undefined;
};

/** Filters, and what they mean. */
const FILTERS: readonly (readonly [query: string, passes: (data: LabData) => boolean])[] = [
  ["", () => true],
  ["filter[word]=a", (data) => text(data, "word") === "a"],
  ["filter[word]=", (data) => text(data, "word") === ""],
  ["filter[number]=1", (data) => memberOf(data, "number") === 1],
  [
    "filter[number]=9007199254740993",
    (data) => /^9007199254740993(?:\.0)?$/.test(String(exactOf(memberOf(data, "number")))),
  ],
  ["filter[number][gte]=1&filter[number][lt]=2", (data) => isBetween(memberOf(data, "number"), 1, 2)],
  [
    "filter[number][lt]=2&filter[number][gte]=1&filter[word]=a",
    (data) => isBetween(memberOf(data, "number"), 1, 2) && text(data, "word") === "a",
  ],
  [
    "filter[at]=2026-01-01T00:00:00Z",
    (data) => canonicalTime(text(data, "at") ?? "") === "2026-01-01T00:00:00",
  ],
  ["filter[at][gte]=2026-02-01", (data) => (canonicalTime(text(data, "at") ?? "") ?? "") >= "2026-02-01"],
  ["filter[folder_id]=a", (data) => text(data, "folder_id") === "a"],
];

function exactOf(value: unknown): unknown {
  return isExactNumber(value) ? value.text : value;
}

function isBetween(value: unknown, from: number, to: number): boolean {
  const number = isExactNumber(value) ? Number(value.text) : value;
  return typeof number === "number" && number >= from && number < to;
}

describe("a walk by pages", () => {
  it("gives every covered record once, in order, whatever the order, limit, grants and connections", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom("asc", "desc"),
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.tuple(LAB_RECORDS, NARROWING), { minLength: 1, maxLength: 3 }),
        fc.oneof(fc.constant(FILTERS[0]), fc.constantFrom(...FILTERS)),
        async (stream, direction, limit, connections, [filter, passes] = ["", () => true]) => {
          const sources = [];
          for (const [records, narrowing] of connections) {
            const connectionId = await newConnection();
            await writeAll(connectionId, stream, records);
            // What is filtered by has to be granted.
            const fields = filter === "" ? narrowing.fields : null;
            sources.push({ connectionId, records, narrowing: { ...narrowing, fields } });
          }
          const coverage = await coverageOf(
            sources.map(({ connectionId, narrowing }) => grantOf(connectionId, { [stream]: narrowing })),
          );
          const covered = sources.flatMap(({ connectionId, records, narrowing }) =>
            records
              .filter((record) => isCovered(record, narrowing) && passes(record.data))
              .map((record) => ({ connectionId, record, fields: narrowing.fields })),
          );
          const pages = await walk(
            `/v1/streams/${stream}/records?order=${direction}&limit=${limit}&count=exact&${filter}`,
            coverage,
          );
          expect(placesOf(pages)).toEqual(
            inPageOrder(stream, covered, direction).map(({ connectionId, record }) => [
              connectionId,
              record.key,
            ]),
          );
          for (const page of pages) {
            expect(memberOf(memberOf(page, "meta"), "count")).toEqual({
              kind: "exact",
              value: covered.length,
            });
            expect(dataOf(page).length).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it("parts records of one key and one place in the order by their connections, page by page", async () => {
    const connections = [await newConnection(), await newConnection(), await newConnection()];
    const keys = ["a", "b"];
    for (const stream of ["times", "plain"] as const) {
      for (const connectionId of connections) {
        await writeAll(
          connectionId,
          stream,
          keys.map((key) => ({ key, data: { id: key, at: "2026-01-01" } })),
        );
      }
      const coverage = await coverageOf(connections.map((id) => grantOf(id, { [stream]: {} })));
      const places = keys.flatMap((key) => connections.map((connectionId) => [connectionId, key]));
      const path = `/v1/streams/${stream}/records?limit=1`;
      expect(placesOf(await walk(`${path}&order=asc`, coverage))).toEqual(places);
      expect(placesOf(await walk(path, coverage))).toEqual(places.toReversed());
    }
  });

  it("sees every record that nobody touches once, whatever else is written meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        LAB_RECORDS,
        fc.array(fc.tuple(LAB_RECORDS, fc.boolean()), { maxLength: 5 }),
        fc.constantFrom("asc", "desc"),
        async (stream, records, writes, direction) => {
          const connectionId = await newConnection();
          await writeAll(connectionId, stream, records);
          const touched = new Set<string>();
          const coverage = await coverageOf([grantOf(connectionId, { [stream]: {} })]);
          const pages = await walk(
            `/v1/streams/${stream}/records?limit=2&order=${direction}`,
            coverage,
            async (page) => {
              const [written, isDeleted] = writes[page - 1] ?? [[], false];
              for (const { key } of written) touched.add(key);
              await writeAll(
                connectionId,
                stream,
                written.map(({ key, data }) => ({
                  key,
                  data: isDeleted ? null : { ...data, touched: page },
                })),
              );
            },
          );
          const seen = pages.flatMap((page) => dataOf(page).map((record) => memberOf(record, "id")));
          for (const { key } of records.filter((record) => !touched.has(record.key))) {
            expect(seen.filter((id) => id === key)).toEqual([key]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("a cursor", () => {
  it("goes on whatever else is to be told beside the records, and however the same order is said", async () => {
    const connectionId = await newConnection();
    await writeAll(
      connectionId,
      "times",
      ["a", "b", "c"].map((key) => ({ key, data: { id: key, word: "w" } })),
    );
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    const path = "/v1/streams/times/records";
    const said = {
      desc: [{}, { order: "desc" }, { sort: "-at" }, { count: "exact" }, { window: "exact" }],
      asc: [{ order: "asc" }, { sort: "at" }, { sort: "+at" }, { order: "asc", count: "estimated" }],
    } as const;
    for (const [direction, ways] of Object.entries(said)) {
      for (const first of ways) {
        const cursor = textOf(
          await found(withQuery(path, { ...first, limit: "1" }), coverage),
          "next_cursor",
        );
        for (const next of ways) {
          const page = await found(withQuery(path, { ...next, limit: "1", cursor }), coverage);
          expect([direction, dataOf(page).map((record) => memberOf(record, "id"))]).toEqual([
            direction,
            ["b"],
          ]);
        }
      }
    }
  });

  it("opens only with the grant, the path and the parameters that it came with, the limit aside", async () => {
    const [one, other] = [await newConnection(), await newConnection()];
    for (const connectionId of [one, other]) {
      for (const stream of ["times", "plain"]) {
        await writeAll(
          connectionId,
          stream,
          ["a", "b", "c"].map((key) => ({ key, data: { id: key, word: "w" } })),
        );
      }
    }
    const coverage = await coverageOf([grantOf(one, { times: {}, plain: {} })]);
    const path = "/v1/streams/times/records?filter[word]=w";
    const cursor = textOf(await found(withQuery(path, { limit: "1" }), coverage), "next_cursor");
    expect(cursor).toMatch(/^[\w-]+$/);
    const next = await found(withQuery(path, { limit: "2", cursor }), coverage);
    expect(dataOf(next).map((record) => memberOf(record, "id"))).toEqual(["b", "a"]);
    const foreign = await coverageOf([grantOf(other, { times: {}, plain: {} })]);
    for (const [asked, as] of [
      [withQuery(path, { cursor }), foreign],
      [withQuery(path, { cursor }), { ...coverage, holder: { kind: "owner", tokenId: "token" } as const }],
      [withQuery("/v1/streams/times/records", { cursor }), coverage],
      [withQuery("/v1/streams/times/records?filter[word]=v", { cursor }), coverage],
      [withQuery(path, { cursor, order: "asc" }), coverage],
      [withQuery(path, { cursor, fields: "id" }), coverage],
      [withQuery("/v1/streams/plain/records?filter[word]=w", { cursor }), coverage],
      [withQuery(path, { cursor: `${cursor ?? ""}A` }), coverage],
      [withQuery(path, { cursor, changes_since: "beginning" }), coverage],
      [withQuery("/v1/streams/times/records", { changes_since: cursor }), coverage],
    ] as const) {
      const answer = await read(asked, as);
      expect(answer).toMatchObject({ ok: false, status: 400, error: { code: "invalid_cursor" } });
    }
  });
});
