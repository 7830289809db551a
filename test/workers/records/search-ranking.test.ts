import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { memberOf } from "../../../src/json.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { streamOf } from "../../support/records-stream.ts";
import {
  type Asker,
  emptyRecords,
  found,
  hitsOf,
  keysOf,
  type Note,
  openFeed,
  put,
  remove,
  scoreOf,
} from "./search-rig.ts";

const NOTES = streamOf({ lexical: ["title", "body"] });
const TASKS = streamOf({ name: "tasks", lexical: ["body"] });
const WORDS = ["invoice", "due", "paid", "late", "meeting", "lunch", "report", "draft"] as const;
const FIRST_KEYS = 24;

beforeEach(emptyRecords);

/** A row of the model: where it is, and what it says. */
interface Kept extends Note {
  readonly feed: CoveredFeed;
}

/** Deterministic words: few kinds, very different in number. */
function sentence(seed: number, length: number): string {
  const words: string[] = [];
  let state = seed * 2_654_435_761 + 1;
  for (let index = 0; index < length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    words.push(WORDS[Math.floor((state / 2_147_483_648) ** 2 * WORDS.length)] ?? "draft");
  }
  return words.join(" ");
}

function notesOf(offset: number): readonly Note[] {
  return Array.from({ length: FIRST_KEYS }, (_, index) => {
    const seed = offset + index;
    const at = `2026-01-${String(1 + (seed % 28)).padStart(2, "0")}T00:00:00Z`;
    return {
      key: `k${index}`,
      data: {
        title: sentence(seed, seed % 3),
        body: sentence(seed * 7 + 3, 1 + (seed % 13)),
        other: seed % 2 === 0 ? "even" : "odd",
        ...(seed % 9 === 0 ? {} : { at }),
      },
    };
  });
}

function isCovered({ resources, since, until }: CoveredFeed, { key, data }: Note): boolean {
  const at = canonicalTime(String(data["at"]));
  if (resources !== null && !resources.includes(key)) return false;
  if (since !== null && (at === undefined || at < since)) return false;
  return until === null || (at !== undefined && at < until);
}

function wordsOf(text: unknown): readonly string[] {
  return typeof text === "string" ? text.split(" ").filter(Boolean) : [];
}

/** BM25 as the textbook has it, over what these feeds cover, as `[feed, key, fields, score]` with the best first. */
function model(rows: readonly Kept[], feeds: readonly CoveredFeed[], query: readonly string[]) {
  const documents = rows.flatMap((row, place) => {
    const feed = feeds.find(({ feedId }) => feedId === row.feed.feedId);
    if (feed === undefined || !isCovered(feed, row)) return [];
    return feed.stream.lexicalFields
      .filter((field) => feed.fields?.has(field) ?? true)
      .map((field) => ({
        row,
        place,
        field,
        words: wordsOf(row.data[field]),
      }))
      .filter(({ words }) => words.length > 0);
  });
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const having = (word: string): number => documents.filter(({ words }) => words.includes(word)).length;
  return [...new Set(documents.map(({ place }) => place))]
    .map((place) => documents.filter((document) => document.place === place))
    .flatMap((own) => {
      const [first] = own;
      if (first === undefined || !query.every((word) => own.some(({ words }) => words.includes(word))))
        return [];
      const hits = own.filter(({ words }) => query.some((word) => words.includes(word)));
      let score = 0;
      for (const { words } of hits) {
        for (const word of query) {
          const tf = words.filter((other) => other === word).length;
          const idf = Math.log(1 + (documents.length - having(word) + 0.5) / (having(word) + 0.5));
          score += (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * words.length) / average));
        }
      }
      const { row } = first;
      return [
        {
          connection: row.feed.connectionId,
          key: row.key,
          fields: hits.map(({ field }) => field),
          score,
          feedId: row.feed.feedId,
        },
      ];
    })
    .toSorted((a, b) =>
      Math.abs(a.score - b.score) < 1e-9
        ? a.key.length - b.key.length || compareCodePoints(a.key, b.key) || a.feedId - b.feedId
        : b.score - a.score,
    );
}

async function world(): Promise<{ readonly feeds: readonly CoveredFeed[]; readonly rows: readonly Kept[] }> {
  const feeds = [await openFeed(NOTES, "a"), await openFeed(NOTES, "b"), await openFeed(TASKS, "a")];
  const rows: Kept[] = [];
  for (const [index, feed] of feeds.entries()) {
    const notes = notesOf(index * 100);
    await put(feed, ...notes);
    for (const { key, data } of notes) rows.push({ key, data, feed });
  }
  return { feeds, rows };
}

const day = fc
  .integer({ min: 1, max: 28 })
  .map((value) => `2026-01-${String(value).padStart(2, "0")}T00:00:00`);
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 2 });
const cover = fc.record({
  fields: some(fc.subarray(["title", "body", "at"]).map((fields) => new Set(fields))),
  resources: some(
    fc
      .uniqueArray(fc.integer({ min: 0, max: FIRST_KEYS }), { maxLength: 12 })
      .map((keys) => keys.map((key) => `k${key}`)),
  ),
  since: some(day),
  until: some(day),
});
const covers = fc.array(some(cover), { minLength: 3, maxLength: 3 });
const queries = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });

function granted(
  feeds: readonly CoveredFeed[],
  given: readonly (Partial<CoveredFeed> | null)[],
): readonly CoveredFeed[] {
  return feeds.flatMap((feed, index) => {
    const over = given[index];
    return over === null || over === undefined ? [] : [{ ...feed, ...over }];
  });
}

const ask = async (
  asker: Asker,
  query: readonly string[],
  more: readonly (readonly [string, string])[] = [],
) => found(asker, [["q", query.join(" ")], ["limit", "100"], ...more]);

describe("the order of a search", () => {
  it("is BM25's over what the grant covers, for any grant and any words", async () => {
    const { feeds, rows } = await world();
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(covers, queries, async (given, query) => {
        const covered = granted(feeds, given);
        const body = await ask({ feeds: covered }, query);
        const expected = model(rows, covered, query);
        expect(
          hitsOf(body).map((hit) => [
            memberOf(hit, "connection_id"),
            memberOf(hit, "record_key"),
            memberOf(hit, "matched_fields"),
          ]),
        ).toEqual(expected.map(({ connection, key, fields }) => [connection, key, fields]));
        for (const [index, hit] of hitsOf(body).entries()) {
          expect(scoreOf(hit)).toBeCloseTo(-(expected[index]?.score ?? 0), 8);
        }
        expect(memberOf(memberOf(body, "meta"), "count")).toBe(expected.length);
        hits += expected.length;
      }),
      { numRuns: 80 },
    );
    // Else the grants were all empty.
    expect(hits).toBeGreaterThan(100);
  }, 60_000);

  it("is that of their keys among equals, the shorter first, whichever was written last", async () => {
    const feed = await openFeed(NOTES, "a");
    const asker = { feeds: [{ ...feed, fields: new Set(["body"]) }] };
    await put(feed, ...["m3", "m1", "m2", "m10"].map((key) => ({ key, data: { body: "invoice" } })));
    expect(keysOf(await ask(asker, ["invoice"]))).toEqual(["m1", "m2", "m3", "m10"]);
    await put(feed, { key: "m1", data: { body: "invoice", title: "not granted" } });
    expect(keysOf(await ask(asker, ["invoice"]))).toEqual(["m1", "m2", "m3", "m10"]);
  });

  it("does not move by anything that the grant does not cover", async () => {
    const { feeds } = await world();
    const [notes, , tasks] = feeds;
    if (notes === undefined || tasks === undefined) throw new Error("no feeds");
    const bounds = { since: "2026-01-05T00:00:00", until: "2026-01-20T00:00:00" };
    const askers: readonly Asker[] = [
      { feeds: [{ ...notes, fields: new Set(["body"]) }] },
      { feeds: [{ ...notes, ...bounds }] },
      { feeds: [{ ...notes, resources: ["k1", "k2", "k3", "k4", "k5", "k12", "k17"] }] },
      {
        feeds: [
          { ...notes, ...bounds, fields: new Set(["body", "at"]) },
          { ...tasks, ...bounds },
        ],
      },
    ];
    const questions = [["invoice"], ["invoice", "due"], ["paid"], ["absent"]];
    const answers = async () => {
      const texts: string[] = [];
      for (const asker of askers) {
        for (const question of questions) texts.push(JSON.stringify(await ask(asker, question)));
      }
      return texts;
    };
    // In the first grant every record of the feed is covered, so that its field alone may change.
    const before = await answers();
    const [firstGrant, ...others] = [before.slice(0, questions.length), before.slice(questions.length)];
    const stranger = await openFeed(NOTES, "stranger");
    const streams = await openFeed(streamOf({ name: "diary", lexical: ["body"] }), "a");
    const rows = Array.from({ length: 60 }, (_, index) => ({
      key: `k${index}`,
      data: { title: "invoice due absent", body: sentence(index, 40), at: "2026-01-10T00:00:00Z" },
    }));
    await put(stranger, ...rows);
    await put(streams, ...rows);
    expect(await answers()).toEqual(before);
    // Records of the covered feed: with no text but in a field that is not granted, without a time, or outside of it.
    await put(notes, ...rows.map((row) => ({ key: `x${row.key}`, data: { title: row.data.title } })));
    const later = await answers();
    expect(later.slice(0, questions.length)).toEqual(firstGrant);
    expect([later.slice(questions.length)]).toEqual(others);
    const outside = rows.map((row) => ({
      key: `y${row.key}`,
      data: { ...row.data, at: "2026-01-20T00:00:00Z" },
    }));
    await put(notes, ...outside);
    await put(tasks, ...outside);
    expect((await answers()).slice(questions.length)).toEqual(later.slice(questions.length));
    for (const { key } of outside) await remove(notes, key);
    expect((await answers()).slice(questions.length)).toEqual(later.slice(questions.length));
  }, 60_000);

  it("takes the newest documents where there are more places than are ranked, and says so", async () => {
    const feed = await openFeed(NOTES, "a");
    const rows = Array.from({ length: 30 }, (_, index) => ({
      key: `k${index}`,
      data: { body: "invoice", at: index % 2 === 0 ? "2026-01-10T00:00:00Z" : "2026-01-01T00:00:00Z" },
    }));
    await put(feed, ...rows);
    const asker = { feeds: [{ ...feed, since: "2026-01-05T00:00:00" }], places: 6 };
    const body = await ask(asker, ["invoice"]);
    expect(keysOf(body)).toEqual(["k18", "k20", "k22", "k24", "k26", "k28"]);
    expect(memberOf(body, "meta")).toMatchObject({
      count: 6,
      count_accuracy: "lower_bound",
      recall: {
        complete: false,
        ranked_candidate_count: 6,
        ranking_scope: "candidate_window",
        truncated: true,
      },
    });
    expect(memberOf(await ask({ ...asker, places: 15 }, ["invoice"]), "meta")).toMatchObject({
      count: 15,
      count_accuracy: "exact",
    });
  });
});
