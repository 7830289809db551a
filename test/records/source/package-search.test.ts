import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { createPackageSource } from "../../../src/records/source/package-source.ts";
import type { ReadAnswer, ReadSource } from "../../../src/records/source/read-source.ts";
import { PACKAGE_HOLDER, packageOf, packageSeal } from "../../support/records/package-rig.ts";
import {
  answer,
  connection,
  type FakeHit,
  type FakeSource,
  fakeSource,
  type FakeSourceOptions,
  parameterOf,
  refusal,
  requestOf,
  searchPage,
} from "../../support/records/read-sources.ts";

function hitsOf(id: string, count: number): readonly FakeHit[] {
  return Array.from({ length: count }, (_, at) => ({ connectionId: id, key: `${id}-${at}` }));
}

function member(id: string, count: number, behave?: FakeSourceOptions["behave"]): FakeSource {
  const base = { connections: [connection(id)], hits: hitsOf(id, count) };
  return fakeSource(behave === undefined ? base : { ...base, behave });
}

/** Gives its hits only behind so many pages without any. */
function sparseAfter(empty: number): NonNullable<FakeSourceOptions["behave"]> {
  return (request) => {
    const at = Number((parameterOf(request, "cursor") ?? "e0").slice(1));
    if (at < empty) return answer({ ...searchPage([], request), has_more: true, next_cursor: `e${at + 1}` });
    return answer(searchPage(hitsOf("c1", 2), { ...request, query: [["limit", "25"]] }));
  };
}

interface Page {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
  readonly cursor: string | undefined;
  readonly meta: unknown;
  readonly warnings: readonly string[];
}

function pageOf(read: ReadAnswer): Page {
  if (!read.ok) throw new Error(`refused: ${JSON.stringify(read.error)}`);
  const data = memberOf(read.body, "data");
  const cursor = memberOf(read.body, "next_cursor");
  const meta = memberOf(read.body, "meta");
  const warnings = memberOf(meta, "warnings");
  return {
    keys: isJsonArray(data) ? data.map((hit) => String(memberOf(hit, "record_key"))) : [],
    hasMore: memberOf(read.body, "has_more") === true,
    cursor: typeof cursor === "string" ? cursor : undefined,
    meta,
    warnings: isJsonArray(warnings) ? warnings.map((each) => String(memberOf(each, "code"))) : [],
  };
}

async function search(source: ReadSource, limit: number, cursor?: string): Promise<Page> {
  const more = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return pageOf(await source.get(requestOf(`/v1/search?q=x&limit=${limit}${more}`)));
}

/** All pages; fails where it does not end. */
async function walk(source: () => ReadSource, limits: (page: number) => number): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    if (pages.length > 200) throw new Error("the walk does not end");
    const page = await search(source(), limits(pages.length), cursor);
    pages.push(page);
    cursor = page.cursor;
    expect(page.hasMore).toBe(cursor !== undefined);
  } while (cursor !== undefined);
  return pages;
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);

describe("a search over several sources", () => {
  it("gives every hit once, in turn and by rank, at most as many as asked for, whatever the members hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 30 }), { minLength: 2, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
        async (counts, limits) => {
          const sources = counts.map((count, at) => member(`c${at}`, count));
          const source = packageOf(sources);
          const limitAt = (page: number) => limits[page % limits.length] ?? 1;
          const pages = await walk(() => source, limitAt);
          const keys = pages.flatMap((page) => page.keys);
          expect([...keys].sort()).toEqual(
            counts.flatMap((count, at) => hitsOf(`c${at}`, count).map(({ key }) => key)).sort(),
          );
          pages.forEach((page, at) => {
            expect(page.keys.length).toBeLessThanOrEqual(limitAt(at));
          });
          // Each member's own order is kept, and at any point nobody who still had hits was behind by more than one.
          const given = new Map<string, number>();
          for (const key of keys) {
            const [id = ""] = key.split("-");
            expect(key).toBe(`${id}-${given.get(id) ?? 0}`);
            given.set(id, (given.get(id) ?? 0) + 1);
            const most = Math.max(...given.values());
            counts.forEach((count, at) => {
              expect(given.get(`c${at}`) ?? 0).toBeGreaterThanOrEqual(Math.min(count, most - 1));
            });
          }
          expect(memberOf(pages[0]?.meta, "count")).toBe(counts.reduce((sum, count) => sum + count, 0));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("fills a page where there are enough hits, and asks each member once for the first one", async () => {
    const sources = [member("c0", 100), member("c1", 2), member("c2", 0)];
    const page = await search(packageOf(sources), 25);
    expect(page.keys).toHaveLength(25);
    expect(page.keys.slice(0, 5)).toEqual(["c0-0", "c1-0", "c0-1", "c1-1", "c0-2"]);
    expect(sources.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
    expect(memberOf(page.meta, "package")).toEqual({
      fanout_limit: 25,
      member_count: 3,
      merged_hit_count: 27,
      returned_hit_count: 25,
      partial: false,
      source_mix: [
        { connection_id: "c0", connector_key: "mail", count: 23, display_name: null },
        { connection_id: "c1", connector_key: "mail", count: 2, display_name: null },
      ],
    });
  });

  it("loses and doubles nothing where members fail in between, and gives a dead one up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 15 }), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }),
        fc.constantFrom("throws", "unavailable", "500", "429"),
        async (counts, limit, failures, how) => {
          // Never twice in a row, so that nobody is given up: what failed has to be there in the end.
          const failing = (nth: number) => nth % 2 === 0 && failures[nth % failures.length] === true;
          const sources = counts.map((count, at) =>
            member(`c${at}`, count, (_request, nth) => {
              if (!failing(nth + at)) return undefined;
              if (how === "throws") throw new Error("broken");
              return how === "unavailable" ? refusal(0, "source_unavailable") : refusal(Number(how), "odd");
            }),
          );
          const keys: string[] = [];
          let cursor: string | undefined;
          let tries = 0;
          const source = packageOf(sources);
          do {
            tries += 1;
            const more = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
            const read = await source.get(requestOf(`/v1/search?q=x&limit=${limit}${more}`));
            // All of them failed: the same cursor works again.
            if (!read.ok) continue;
            const page = pageOf(read);
            keys.push(...page.keys);
            cursor = page.cursor;
            if (!page.hasMore) break;
          } while (tries < 300);
          expect(tries).toBeLessThan(300);
          expect([...keys].sort()).toEqual(
            counts.flatMap((count, at) => hitsOf(`c${at}`, count).map(({ key }) => key)).sort(),
          );
        },
      ),
      { numRuns: 150 },
    );
    const dead = member("c1", 5, () => refusal(503, "source_unavailable"));
    const pages = await walk(
      () => packageOf([member("c0", 3), dead]),
      () => 2,
    );
    expect(pages.flatMap(({ keys }) => keys)).toEqual(["c0-0", "c0-1", "c0-2"]);
    expect(dead.asked).toHaveLength(2);
    expect(pages[0]?.warnings).toEqual(["source_unavailable"]);
    expect(memberOf(memberOf(pages[0]?.meta, "package"), "partial")).toBe(true);
    expect(memberOf(pages[0]?.meta, "count_accuracy")).toBe("lower_bound");
  });

  it.each<[string, FakeSourceOptions["behave"], readonly string[]]>([
    ["hangs", () => new Promise(() => undefined), ["source_unavailable"]],
    ["throws", () => Promise.reject(new Error("broken")), ["source_unavailable"]],
    ["refuses its token", () => refusal(403, "owner_token_refused"), ["source_unavailable"]],
    ["cannot filter", () => refusal(400, "unsupported_by_source"), ["source_skipped_not_applicable"]],
    ["has not the stream", () => refusal(401, "context.stream_not_allowed"), []],
    [
      "answers with a list of nothing",
      () => answer({ data: [null, 1, [], {}], has_more: true, next_cursor: "a" }),
      [],
    ],
    ["answers with no list", () => answer({ data: "x", has_more: true, next_cursor: "a", meta: 3 }), []],
    [
      "has a cursor that leads back",
      (request) =>
        answer({
          ...searchPage([], request),
          has_more: true,
          next_cursor: parameterOf(request, "cursor") ?? "a",
        }),
      [],
    ],
  ])("is answered from the others where one %s", async (_how, behave, warnings) => {
    const source = packageOf([member("c0", 3), member("c1", 5, behave), member("c2", 2)]);
    const page = await search(source, 10);
    expect(page.keys).toEqual(["c0-0", "c2-0", "c0-1", "c2-1", "c0-2"]);
    expect(page.warnings).toEqual(warnings);
  });

  it.each([1, 2])("follows a cursor behind %i empty pages, and misses nothing behind it", async (empty) => {
    const sparse = member("c1", 2, sparseAfter(empty));
    const page = await search(packageOf([member("c0", 3), sparse]), 10);
    expect(page.keys).toEqual(["c0-0", "c1-0", "c0-1", "c1-1", "c0-2"]);
    expect([page.hasMore, page.warnings]).toEqual([false, []]);
  });

  it("is not held up by one that gives nothing but empty pages, says so, and goes on there with the next page", async () => {
    const sparse = member("c1", 2, sparseAfter(4));
    const source = packageOf([member("c0", 3), sparse]);
    const page = await search(source, 10);
    expect(page.keys).toEqual(["c0-0", "c0-1", "c0-2"]);
    expect([page.hasMore, page.warnings]).toEqual([true, ["partial_results"]]);
    expect(memberOf(memberOf(page.meta, "package"), "partial")).toBe(true);
    expect(sparse.asked).toHaveLength(3);
    const rest = await search(source, 10, page.cursor);
    expect(rest.keys).toEqual(["c1-0", "c1-1"]);
    expect([rest.hasMore, rest.warnings]).toEqual([false, []]);
  });

  it.each([
    ["says nothing of it", [connection("c1")]],
    ["claims it as its own", [connection("c1"), connection("c0")]],
  ])(
    "believes no hit of another server's connection, so that none can stand in the way of the true one: it %s",
    async (_how, connections) => {
      const liar = fakeSource({ connections, kind: "http", hits: [...hitsOf("c0", 3), ...hitsOf("c1", 1)] });
      const page = await search(packageOf([member("c0", 2), liar]), 10);
      expect(page.keys).toEqual(["c0-0", "c1-0", "c0-1"]);
      expect(memberOf(memberOf(page.meta, "package"), "source_mix")).toEqual([
        expect.objectContaining({ connection_id: "c0", count: 2 }),
        expect.objectContaining({ connection_id: "c1", count: 1 }),
      ]);
    },
  );

  it("gives a hit once that two grants over one connection both find, on whatever pages", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...hitsOf("c0", 8)], { minLength: 1 }),
        fc.shuffledSubarray([...hitsOf("c0", 8)], { minLength: 1 }),
        fc.integer({ min: 1, max: 5 }),
        async (left, right, limit) => {
          const sources = [left, right].map((hits) => fakeSource({ connections: [connection("c0")], hits }));
          const pages = await walk(
            () => packageOf(sources),
            () => limit,
          );
          const keys = pages.flatMap((page) => page.keys);
          expect([...keys].sort()).toEqual([...new Set([...left, ...right].map(({ key }) => key))].sort());
        },
      ),
      { numRuns: 60 },
    );
  });

  it("goes on where a page moved meanwhile: what was written since comes not, and nothing that stays is lost", async () => {
    const hits = [...hitsOf("c0", 6)];
    const moving = member("c0", 0, (request) =>
      request.path[0] === "search" ? answer(searchPage(hits, request)) : undefined,
    );
    const source = packageOf([moving, member("c1", 6)]);
    const first = await search(source, 4);
    expect(first.keys).toEqual(["c0-0", "c1-0", "c0-1", "c1-1"]);
    hits.unshift({ connectionId: "c0", key: "c0-new" });
    const second = await search(source, 4, first.cursor);
    expect(second.keys).toEqual(["c0-2", "c1-2", "c0-3", "c1-3"]);
  });

  it("asks a member only for those of the streams that it has, and not at all where it has none", async () => {
    const [left, right, third] = [
      fakeSource({ connections: [connection("c0", ["messages", "threads"])], hits: hitsOf("c0", 1) }),
      fakeSource({ connections: [connection("c1", ["messages"])], hits: hitsOf("c1", 1) }),
      fakeSource({ connections: [connection("c2", ["files"])], hits: hitsOf("c2", 1) }),
    ];
    const source = packageOf([left, right, third]);
    const page = pageOf(await source.get(requestOf("/v1/search?q=x&streams[]=messages&streams[]=threads")));
    expect(page.keys).toEqual(["c0-0", "c1-0"]);
    const streamsAsked = ({ asked }: FakeSource) =>
      asked.map(({ query }) => query.flatMap(([name, value]) => (name === "streams[]" ? [value] : [])));
    expect([left, right, third].map(streamsAsked)).toEqual([[["messages", "threads"]], [["messages"]], []]);
    expect(memberOf(page.meta, "count_accuracy")).toBe("exact");
  });

  it("asks at most six members at a time", async () => {
    let [now, most] = [0, 0];
    const sources = ids(20).map((id) =>
      member(id, 1, async () => {
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        await new Promise((done) => setTimeout(done, 1));
        now -= 1;
        return undefined;
      }),
    );
    const page = await search(packageOf(sources, 5_000), 100);
    expect(page.keys).toHaveLength(20);
    expect(most).toBe(6);
  });

  it("has cursors for the bearer and the question that they were made for, and no others", async () => {
    const sources = [member("c0", 9), member("c1", 9)];
    const { cursor } = await search(packageOf(sources), 2);
    const refused = async (source: ReadSource, path: string) => {
      const read = await source.get(requestOf(`${path}&cursor=${encodeURIComponent(cursor ?? "")}`));
      return read.ok ? "ok" : read.error.code;
    };
    const members = sources.map((source, at) => ({ id: `g${at}`, name: "x", authority: "embedded", source }));
    const other = createPackageSource({
      holder: { ...PACKAGE_HOLDER, tokenId: "t2" },
      members,
      seal: packageSeal(),
    });
    expect(await refused(packageOf(sources), "/v1/search?q=x&limit=5")).toBe("ok");
    expect(await refused(packageOf(sources), "/v1/search?q=y&limit=5")).toBe("invalid_cursor");
    expect(await refused(other, "/v1/search?q=x")).toBe("invalid_cursor");
    expect(await refused(packageOf(sources), "/v1/search?q=x&cursor=2")).toBe("invalid_request");
    const garbage = await packageOf(sources).get(requestOf("/v1/search?q=x&cursor=garbage"));
    expect(garbage).toMatchObject({ ok: false, status: 400, error: { code: "invalid_cursor" } });
  });

  it("forgets a member whose grant was revoked in the middle of a walk, and starts none that came since", async () => {
    const [left, right, late] = [member("c0", 4), member("c1", 4), member("c2", 4)];
    const first = await search(packageOf([left, right]), 2);
    const members = [
      { id: "g0", name: "x", authority: "embedded", source: left },
      { id: "g7", name: "y", authority: "embedded", source: late },
    ];
    const without = createPackageSource({ holder: PACKAGE_HOLDER, members, seal: packageSeal() });
    const pages = [await search(without, 20, first.cursor)];
    expect(pages[0]?.keys).toEqual(["c0-1", "c0-2", "c0-3"]);
    expect(pages[0]?.hasMore).toBe(false);
  });

  it("passes on what the caller can mend where no member answers", async () => {
    const source = packageOf([
      member("c0", 0, () => refusal(503, "source_unavailable")),
      member("c1", 0, () => refusal(400, "unknown_field")),
      member("c2", 0, () => refusal(404, "stream_not_declared")),
    ]);
    expect(await source.get(requestOf("/v1/search?q=x"))).toMatchObject({
      ok: false,
      status: 400,
      error: { code: "unknown_field" },
    });
    expect(
      await packageOf([member("c0", 1), member("c1", 1)]).get(requestOf("/v1/search?q=x&bogus=1")),
    ).toMatchObject({
      ok: false,
      error: { code: "invalid_request" },
    });
  });

  it("clamps the limit with a warning", async () => {
    const page = pageOf(
      await packageOf([member("c0", 80), member("c1", 80)]).get(requestOf("/v1/search?q=x&limit=500")),
    );
    expect(page.keys).toHaveLength(100);
    expect(page.warnings).toEqual(["limit_clamped"]);
  });
});
