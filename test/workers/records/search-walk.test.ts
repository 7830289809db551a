import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { SEARCH_CURSOR_LIFETIME_MS } from "../../../src/limits/records.ts";
import { streamOf } from "../../support/records-stream.ts";
import {
  type Asker,
  cursorOf,
  emptyRecords,
  found,
  hitsOf,
  keysOf,
  openFeed,
  put,
  remove,
  scoreOf,
  searchAs,
} from "./search-rig.ts";

const NOTES = streamOf({ lexical: ["title", "body"] });
const Q = ["q", "invoice due"] as const;

beforeEach(emptyRecords);

const note = (key: string, size: number) => ({
  key,
  data: {
    title: size % 4 === 0 ? "invoice" : "letter",
    body: `invoice due ${"word ".repeat(size % 11)}`,
    at: "2026-01-10T00:00:00Z",
  },
});
const notes = (count: number) => Array.from({ length: count }, (_, index) => note(`k${index}`, index));

/** All pages, with something done before each but the first. */
async function walk(asker: Asker, limit: number, between: (page: number) => Promise<void>) {
  const hits: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
    if (page > 0) await between(page);
    const more = cursor === undefined ? [] : [["cursor", cursor] as const];
    const body = await found(asker, [Q, ["limit", String(limit)], ...more]);
    hits.push(...hitsOf(body));
    cursor = cursorOf(body);
    expect(memberOf(body, "has_more")).toBe(cursor !== undefined);
    if (page > 100) throw new Error("no end");
  }
  return hits;
}

const keyOf = (hit: unknown): unknown => memberOf(hit, "record_key");

describe("a walk through a search", () => {
  it("gives each hit once, in order, whatever the size of its pages", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, ...notes(40));
    const whole = hitsOf(await found({ feeds: [feed] }, [Q, ["limit", "100"]]));
    expect(whole).toHaveLength(40);
    for (const limit of [1, 7, 39, 40])
      expect(await walk({ feeds: [feed] }, limit, async () => undefined)).toEqual(whole);
  });

  it("sees every untouched hit once, in its place and with its score, while others write", async () => {
    const own = await openFeed(NOTES, "a");
    const other = await openFeed(NOTES, "b");
    await put(own, ...notes(40));
    await put(other, ...notes(20));
    const asker = { feeds: [own, other] };
    const before = hitsOf(await found(asker, [Q, ["limit", "100"]]));
    const touched = new Set<unknown>();
    const touch = (key: string): string => {
      touched.add(key);
      return key;
    };
    const walked = await walk(asker, 7, async (page) => {
      await put(own, note(`new${page}`, page), note(touch(`k${20 + page}`), page * 3));
      await put(other, ...Array.from({ length: 10 }, (_, index) => note(`more${page}-${index}`, index)));
      await remove(own, touch(`k${30 + page}`));
      await remove(other, `k${page}`);
      touched.add(`k${page}`);
    });
    const untouched = (hits: readonly unknown[]) => hits.filter((hit) => !touched.has(keyOf(hit)));
    expect(untouched(walked)).toEqual(untouched(before));
    expect(untouched(walked).length).toBeGreaterThan(15);
    expect(
      new Set(walked.map((hit) => `${String(memberOf(hit, "connection_id"))} ${String(keyOf(hit))}`)).size,
    ).toBe(walked.length);
    const scores = walked.map(scoreOf);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  });

  it("keeps a record in its place that is written anew meanwhile with the same searched text, for any grant", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, ...notes(20));
    const own = { feeds: [{ ...feed, fields: new Set(["body"]) }] };
    const whole = hitsOf(await found(own, [Q, ["limit", "100"]])).map(keyOf);
    const walked = await walk(own, 4, async () => {
      // The title is not granted, the time is not searched.
      const anew = notes(20).map(({ key, data }) => ({
        key,
        data: { ...data, title: "read", at: "2026-01-11T00:00:00Z" },
      }));
      await put(feed, ...anew);
    });
    expect(walked.map(keyOf)).toEqual(whole);
  });

  it("lets go of a record whose searched text changes meanwhile, and never gives it twice", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, ...notes(12));
    const walked = await walk({ feeds: [feed] }, 5, async (page) => {
      if (page > 1) return;
      await put(
        feed,
        ...notes(12).map(({ key, data }) => ({ key, data: { ...data, body: `${data.body} more` } })),
      );
      await put(feed, note("new", 0));
    });
    expect(walked).toHaveLength(5);
    const anew = hitsOf(await found({ feeds: [feed] }, [Q, ["limit", "100"]]));
    expect(anew).toHaveLength(13);
  });

  it("finds what is written before it began, as it is then, and nothing that is deleted", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, note("k1", 1), note("k2", 2), note("k3", 3));
    await put(feed, { key: "k1", data: { body: "something else" } });
    await remove(feed, "k2");
    const body = await found({ feeds: [feed] }, [Q]);
    expect(keysOf(body)).toEqual(["k3"]);
    expect(memberOf(memberOf(body, "meta"), "count")).toBe(1);
    const [hit] = hitsOf(await found({ feeds: [feed] }, [["q", "something"]]));
    // As if nothing else had ever been there: three documents of two, one and two words.
    const clean = await openFeed(NOTES, "clean");
    await put(clean, note("k3", 3), { key: "k1", data: { body: "something else" } });
    const [expected] = hitsOf(await found({ feeds: [clean] }, [["q", "something"]]));
    expect([keyOf(hit), scoreOf(hit)]).toEqual(["k1", scoreOf(expected)]);
  });
});

describe("a search's cursor", () => {
  const refusal = async (asker: Asker, query: readonly (readonly [string, string])[]) => {
    const answer = await searchAs(asker, query);
    return answer.ok ? null : answer.problem.code;
  };

  it("opens for the bearer, the words, the streams and the connection that it was made for, and no other", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, ...notes(10));
    const limit = ["limit", "3"] as const;
    const cursor = cursorOf(await found({ feeds: [feed] }, [Q, limit])) ?? "";
    const after = ["cursor", cursor] as const;
    expect(keysOf(await found({ feeds: [feed] }, [Q, ["limit", "5"], after]))).toHaveLength(5);
    const strange: readonly (readonly [Asker, readonly (readonly [string, string])[]])[] = [
      [{ feeds: [feed], tokenId: "another" }, [Q, limit, after]],
      [{ feeds: [feed] }, [["q", "invoice"], limit, after]],
      [{ feeds: [feed] }, [Q, limit, after, ["streams[]", "notes"]]],
      [{ feeds: [feed] }, [Q, limit, after, ["connection_id", "a"]]],
      [{ feeds: [feed] }, [Q, limit, ["cursor", `${cursor.slice(0, -2)}AA`]]],
      [{ feeds: [feed] }, [Q, limit, ["cursor", ""]]],
      [{ feeds: [feed] }, [Q, limit, ["cursor", "\0\ud800".repeat(9_000)]]],
    ];
    for (const [asker, query] of strange) expect(await refusal(asker, query)).toBe("invalid_cursor");
  });

  it("gives nothing that is not covered any more, and what still is in its place", async () => {
    const own = await openFeed(NOTES, "a");
    const other = await openFeed(NOTES, "b");
    await put(own, ...notes(10));
    await put(other, ...notes(10));
    const whole = hitsOf(await found({ feeds: [own, other] }, [Q, ["limit", "100"]]));
    const cursor = cursorOf(await found({ feeds: [own, other] }, [Q, ["limit", "3"]])) ?? "";
    const rest = hitsOf(await found({ feeds: [own] }, [Q, ["limit", "100"], ["cursor", cursor]]));
    const left = whole.slice(3).filter((hit) => memberOf(hit, "connection_id") === "a");
    expect(rest.map((hit) => [keyOf(hit), scoreOf(hit)])).toEqual(
      left.map((hit) => [keyOf(hit), scoreOf(hit)]),
    );
    expect(rest.length).toBeGreaterThan(5);
  });

  it("is gone after an hour", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, ...notes(4));
    const cursor = cursorOf(await found({ feeds: [feed] }, [Q, ["limit", "3"]])) ?? "";
    const query = [Q, ["cursor", cursor]] as const;
    expect(await refusal({ feeds: [feed], nowMs: SEARCH_CURSOR_LIFETIME_MS - 1 }, query)).toBeNull();
    expect(await refusal({ feeds: [feed], nowMs: SEARCH_CURSOR_LIFETIME_MS }, query)).toBe("cursor_expired");
  });

  it("fits a URL at the most words", async () => {
    const feed = await openFeed(NOTES, "a");
    const words = Array.from({ length: 64 }, (_, index) => `w${index}`).join(" ");
    await put(feed, { key: "k1", data: { body: words } }, { key: "k2", data: { body: `${words} more` } });
    const cursor =
      cursorOf(
        await found({ feeds: [feed] }, [
          ["q", words],
          ["limit", "1"],
        ]),
      ) ?? "";
    expect(cursor.length).toBeGreaterThan(100);
    expect(
      keysOf(
        await found({ feeds: [feed] }, [
          ["q", words],
          ["limit", "1"],
          ["cursor", cursor],
        ]),
      ),
    ).toEqual(["k2"]);
  });
});
