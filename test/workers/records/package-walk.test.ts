import { beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import { memberOf } from "../../../src/json.ts";
import { GRANT_MEMBERS_MAX_COUNT } from "../../../src/limits.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import { D1Source } from "../../../src/records/source/d1-source.ts";
import { openSources } from "../../../src/records/source/sources-of.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import { streamOf } from "../../support/records-stream.ts";
import { cursorOf, emptyRecords, hitsOf, openFeed, portsOf, put } from "./search-rig.ts";

const NOTES = streamOf({ lexical: ["body"] });
const EACH = 3;

beforeEach(emptyRecords);

/** What a package's bearer reads from, a grant for each feed. */
function packageOf(feeds: readonly CoveredFeed[]) {
  const config = parseConfig("{}");
  if (!config.ok) throw new Error("an empty configuration is one");
  const ports = portsOf({ feeds: [] });
  const holder = (grantId: string) => ({ kind: "client", tokenId: "t", grantId }) as const;
  return openSources(
    config.value,
    {
      holder: { kind: "package", tokenId: "t", packageId: "p" },
      embedded: feeds.map((feed) => ({
        grantId: feed.connectionId,
        coverage: { holder: holder(feed.connectionId), feeds: [feed] },
      })),
      external: [],
      learned: [],
    },
    {
      ...ports,
      embedded: (coverage, seal) => new D1Source({ ...ports, coverage, seal }, () => "r"),
      fetch: () => Promise.reject(new Error("nothing is outside")),
      buffers: createBufferBudget(1, () => 0),
      allowLoopback: false,
      lookup: () => undefined,
      log: () => undefined,
      keep: () => undefined,
    },
  );
}

describe("a search of as many connections as one bearer may have", () => {
  it("is walked to its end by cursors that a model can copy, and goes on when one is revoked", async () => {
    const feeds: CoveredFeed[] = [];
    for (let at = 0; at < GRANT_MEMBERS_MAX_COUNT; at += 1) feeds.push(await openFeed(NOTES, `c${at}`));
    const notes = Array.from({ length: EACH }, (_, at) => ({
      key: `message-${at}`,
      data: { body: "invoice due soon" },
    }));
    for (const feed of feeds) await put(feed, ...notes);
    const page = async (own: readonly CoveredFeed[], limit: number, cursor: string | undefined) => {
      const query = [
        ["q", "invoice due soon"],
        ["limit", String(limit)],
      ] as const;
      const more = cursor === undefined ? [] : [["cursor", cursor] as const];
      const answer = await packageOf(own)?.get({ path: ["search"], query: [...query, ...more] });
      if (answer?.ok !== true) throw new Error(JSON.stringify(answer));
      expect(memberOf(memberOf(answer.body, "meta"), "warnings")).toEqual([]);
      return answer.body;
    };
    const given = new Set<string>();
    const take = (body: unknown) => {
      for (const hit of hitsOf(body)) {
        const id = `${String(memberOf(hit, "connection_id"))} ${String(memberOf(hit, "record_key"))}`;
        expect(given.has(id)).toBe(false);
        given.add(id);
      }
      return cursorOf(body);
    };
    // One of each and a few more: every member stands at a cursor of its own then.
    let cursor = take(await page(feeds, 1, undefined));
    for (const limit of [1, 31]) {
      cursor = take(await page(feeds, limit, cursor));
      expect(cursor?.length).toBeLessThan(4_096);
    }
    const before = given.size;
    const left = feeds.slice(0, -1);
    while (cursor !== undefined) cursor = take(await page(left, 40, cursor));
    expect(before).toBe(33);
    // What was given of the one that is gone by then, and all of the others.
    expect(given.size).toBe(left.length * EACH + 1);
  });
});
