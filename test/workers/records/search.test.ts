import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { streamOf } from "../../support/records-stream.ts";
import { emptyRecords, found, hitsOf, keysOf, openFeed, put, searchAs } from "./search-rig.ts";

const NOTES = streamOf({ lexical: ["title", "body"] });
const TASKS = streamOf({ name: "tasks", lexical: ["body"] });

beforeEach(emptyRecords);

describe("a search", () => {
  it("finds one sign of a script without spaces wherever it stands, and marks that sign", async () => {
    const signs = ["漢", "字", "か", "タ", "한", "글", "ก", "ข"];
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom(...signs, ...signs, " ", "a", "2"), minLength: 1, maxLength: 9 }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (drawn) => {
        await emptyRecords();
        const feed = await openFeed(NOTES, "cin_a");
        await put(feed, ...drawn.map((body, index) => ({ key: `k${index}`, data: { body } })));
        for (const sign of [...signs, "漢 か"]) {
          const asked = sign.split(" ");
          const page = await found({ feeds: [feed] }, [
            ["q", sign],
            ["limit", "100"],
          ]);
          const hits = hitsOf(page);
          const having = drawn.flatMap((body, index) =>
            asked.every((one) => body.includes(one)) ? [`k${index}`] : [],
          );
          expect([sign, new Set(keysOf(page))]).toEqual([sign, new Set(having)]);
          const marked = hits.map((hit) => String(memberOf(memberOf(hit, "snippet"), "text")));
          const joined = marked.map((text) => text.replaceAll("</mark><mark>", ""));
          for (const one of asked)
            expect(
              joined.filter((text) => !new RegExp(`<mark>[^<]*${one}[^<]*</mark>`, "u").test(text)),
            ).toEqual([]);
          for (const text of marked)
            for (const [, inside = ""] of text.matchAll(/<mark>(.*?)<\/mark>/gu))
              expect(Array.from(inside).filter((one) => !asked.includes(one))).toEqual([]);
        }
      }),
      { numRuns: 8 },
    );
  });

  it("answers as it was recorded", async () => {
    const feed = await openFeed(NOTES, "cin_a", { displayName: "Notes of Ann" });
    const data = { title: "Due", body: "The quarterly <b>invoice</b> is due.", at: "2026-01-01T10:00:00Z" };
    await put(feed, { key: "m/1", data });
    const body = await found({ feeds: [feed] }, [["q", "Invoice"]]);
    const score: unknown = expect.closeTo(-0.5304, 4);
    expect(body).toEqual({
      has_more: false,
      object: "list",
      url: "/v1/search",
      data: [
        {
          connector_id: "notes",
          emitted_at: "2026-02-01T00:00:00Z",
          matched_fields: ["body"],
          object: "search_result",
          record_key: "m/1",
          record_url: "/v1/streams/notes/records/m%2F1",
          stream: "notes",
          authored_at: "2026-01-01T10:00:00Z",
          connection_id: "cin_a",
          connector_instance_id: "cin_a",
          display_name: "Notes of Ann",
          snippet: { field: "body", text: "The quarterly <b><mark>invoice</mark></b> is due." },
          evidence_excerpts: [
            {
              field_path: "body",
              object: "evidence_excerpt",
              preview_text: "The quarterly <b><mark>invoice</mark></b> is due.",
              provenance: "lexical_match",
              truncated: true,
            },
          ],
          score: { kind: "bm25", order: "lower_is_better", value: score },
        },
      ],
      meta: {
        count: 1,
        count_accuracy: "exact",
        recall: {
          complete: true,
          ranked_candidate_count: 1,
          ranking_scope: "all_matches",
          sources_searched_count: 1,
          truncated: false,
        },
        warnings: [],
      },
      links: { self: "/v1/search?q=Invoice", next: null },
    });
  });

  it("tells the connection in a record's address where there are several", async () => {
    const feeds = [await openFeed(NOTES, "a"), await openFeed(NOTES, "b")];
    for (const feed of feeds) await put(feed, { key: "n1", data: { body: "invoice" } });
    const body = await found({ feeds }, [["q", "invoice"]]);
    expect(hitsOf(body).map((hit) => memberOf(hit, "record_url"))).toEqual([
      "/v1/streams/notes/records/n1?connection_id=a",
      "/v1/streams/notes/records/n1?connection_id=b",
    ]);
    expect(memberOf(memberOf(memberOf(body, "meta"), "recall"), "sources_searched_count")).toBe(2);
    const one = await found({ feeds }, [
      ["q", "invoice"],
      ["connection_id", "b"],
    ]);
    expect(hitsOf(one).map((hit) => memberOf(hit, "connection_id"))).toEqual(["b"]);
  });

  it("finds records that have all the words, in any of their fields", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(
      feed,
      { key: "both", data: { title: "Invoice", body: "It is due." } },
      { key: "one", data: { title: "Invoice", body: "It is paid." } },
      { key: "plural", data: { title: "Invoices", body: "They are due." } },
    );
    const body = await found({ feeds: [feed] }, [["q", "due INVOICE due"]]);
    expect(keysOf(body)).toEqual(["both"]);
    expect(memberOf(hitsOf(body)[0], "matched_fields")).toEqual(["title", "body"]);
  });

  it("finds words of every script, and a field called __proto__", async () => {
    const feed = await openFeed(streamOf({ lexical: ["__proto__", "body"] }), "a");
    await put(
      feed,
      { key: "n1", data: { body: "明日の会議録です。Café Ω" } },
      { key: "n2", data: Object.fromEntries([["__proto__", "hidden words"]]) },
    );
    for (const q of ["会議録", "cafe", "CAFÉ", "ω", "明日の"]) {
      expect(keysOf(await found({ feeds: [feed] }, [["q", q]]))).toEqual(["n1"]);
    }
    const [hit] = hitsOf(await found({ feeds: [feed] }, [["q", "hidden"]]));
    expect(memberOf(hit, "snippet")).toEqual({ field: "__proto__", text: "<mark>hidden</mark> words" });
  });

  it("answers any text in q, and never takes it for a query's language", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, { key: "n1", data: { title: "near or and not", body: "body" } });
    const hostile = [
      '"near or',
      "near*",
      "NEAR(near, 5)",
      "-near",
      "title:near",
      "{title body}: near",
      "^near",
      "near' OR 1=1 --",
      "near\0or",
      "near \ud800",
      "s1xanear",
      "near ".repeat(20_000),
      "x".repeat(100_000),
      Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(" "),
      "!?*",
      "\0",
      "\ud800",
      "",
    ];
    const outcomes: unknown[] = [];
    for (const q of hostile) {
      const answer = await searchAs({ feeds: [feed] }, [["q", q]]);
      outcomes.push(
        answer.ok ? keysOf(answer.body).length : `${answer.problem.code} ${answer.problem.param}`,
      );
    }
    const refused = "invalid_request q";
    // A column's name is a word to look for, and is not in the text.
    expect(outcomes).toEqual([
      1,
      1,
      0,
      1,
      0,
      0,
      1,
      0,
      1,
      1,
      0,
      1,
      0,
      refused,
      refused,
      refused,
      refused,
      refused,
    ]);
    const missing = await searchAs({ feeds: [feed] }, []);
    expect(missing.ok ? null : [missing.problem.code, missing.problem.param]).toEqual([
      "invalid_request",
      "q",
    ]);
  });

  it("refuses more look-ups than it can make, and says how to ask for less", async () => {
    const feed = await openFeed(NOTES, "a");
    const feeds = Array.from({ length: 10_000 }, () => feed);
    const few = await searchAs({ feeds }, [["q", "one two three"]]);
    expect(few.ok).toBe(true);
    const many = await searchAs({ feeds }, [["q", "one two three four"]]);
    expect(many.ok ? null : [many.problem.code, many.problem.param]).toEqual(["invalid_request", "q"]);
  });

  it("clamps the limit with a warning", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(
      feed,
      ...Array.from({ length: 110 }, (_, index) => ({ key: `n${index}`, data: { body: "invoice" } })),
    );
    const asked = async (limit: string) =>
      found({ feeds: [feed] }, [
        ["q", "invoice"],
        ["limit", limit],
      ]);
    expect(hitsOf(await asked("500"))).toHaveLength(100);
    expect(memberOf(memberOf(await asked("500"), "meta"), "warnings")).toMatchObject([
      { code: "limit_clamped", param: "limit", detail: { max_limit: 100, requested_limit: 500 } },
    ]);
    expect(hitsOf(await asked("0"))).toHaveLength(25);
  });
});

describe("what a search may name", () => {
  it("is covered streams, and a stream that no connection has is none", async () => {
    const feeds = [await openFeed(NOTES, "a"), await openFeed(TASKS, "a"), await openFeed(TASKS, "b")];
    for (const feed of feeds) await put(feed, { key: "n1", data: { body: "invoice" } });
    const streams = async (...names: readonly string[]) =>
      searchAs({ feeds }, [["q", "invoice"], ...names.map((name) => ["streams[]", name] as const)]);
    const counted = await streams("tasks");
    expect(counted.ok ? hitsOf(counted.body).length : 0).toBe(2);
    const both = await streams("tasks", "notes");
    expect(both.ok ? hitsOf(both.body).length : 0).toBe(3);
    const unknown = await streams("tasks", "secrets");
    expect(unknown.ok ? null : unknown.problem.code).toBe("stream_not_declared");
    const connection = await searchAs({ feeds }, [
      ["q", "invoice"],
      ["connection_id", "c"],
    ]);
    expect(connection.ok ? null : connection.problem.code).toBe("connection_not_found");
  });

  it("is filters on exactly one stream, on granted fields", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(
      feed,
      { key: "n1", data: { body: "invoice", other: "x", at: "2026-01-02T00:00:00Z" } },
      { key: "n2", data: { body: "invoice", other: "y", at: "2026-01-03T00:00:00Z" } },
    );
    const asked = async (...more: readonly (readonly [string, string])[]) => {
      const answer = await searchAs({ feeds: [feed] }, [["q", "invoice"], ...more]);
      return answer.ok ? keysOf(answer.body) : answer.problem.code;
    };
    const stream = ["streams[]", "notes"] as const;
    expect(await asked(stream, ["filter[other]", "y"])).toEqual(["n2"]);
    expect(await asked(stream, ["filter[at][gte]", "2026-01-03"])).toEqual(["n2"]);
    expect(await asked(stream, ["filter[other]", "z"])).toEqual([]);
    expect(await asked(["filter[other]", "y"])).toBe("invalid_request");
    const unnamed = await searchAs({ feeds: [feed] }, [
      ["q", "invoice"],
      ["filter[other]", "y"],
    ]);
    expect(unnamed.ok ? null : unnamed.problem.message).toBe(
      'A filter needs exactly one stream: streams ["NAME"], over REST streams[]=NAME.',
    );
    expect(await asked(stream, ["filter[secret]", "y"])).toBe("unknown_field");
    const narrow = { feeds: [{ ...feed, fields: new Set(["body"]) }] };
    const refused = await searchAs(narrow, [["q", "invoice"], stream, ["filter[other]", "y"]]);
    expect(refused.ok ? null : refused.problem.code).toBe("field_not_granted");
  });
});

describe("a search with filters over many connections", () => {
  it("holds each record against what its own connection's connector declares", async () => {
    const feeds = [];
    for (const [index, connection] of ["a", "b", "c"].entries()) {
      const feed = await openFeed(NOTES, connection);
      // A field without a column is read out of the body.
      feeds.push(index === 2 ? { ...feed, slots: new Map() } : feed);
      await put(
        feed,
        { key: `${connection}1`, data: { body: "invoice", other: "x" } },
        { key: `${connection}2`, data: { body: "invoice", other: "y" } },
      );
    }
    const stream = ["streams[]", "notes"] as const;
    const body = await found({ feeds }, [["q", "invoice"], stream, ["filter[other]", "y"]]);
    expect(keysOf(body)).toEqual(["a2", "b2", "c2"]);
  });

  it("takes as many values as it has kinds of connections, not as it has connections", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, { key: "n1", data: { body: "invoice", other: "x" } });
    const feeds = Array.from({ length: 112 }, (_, index) => ({ ...feed, feedId: feed.feedId + index }));
    const filters = ["filter[other]", "filter[title]", "filter[at][gte]", "filter[at][lt]"] as const;
    const query = filters.map((name) => [name, name.startsWith("filter[at]") ? "2026-01-03" : "x"] as const);
    const body = await found({ feeds }, [["q", "invoice"], ["streams[]", "notes"], ...query]);
    expect(keysOf(body)).toEqual([]);
    expect(keysOf(await found({ feeds }, [["q", "invoice"]]))).toEqual(["n1"]);
  });
});

describe("what a search tells", () => {
  it("is of granted fields only: their words, their texts, their times", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(feed, {
      key: "n1",
      data: { title: "secret plan", body: "invoice plan", at: "2026-01-02T00:00:00Z" },
    });
    const asker = { feeds: [{ ...feed, fields: new Set(["body"]) }] };
    expect(keysOf(await found(asker, [["q", "secret"]]))).toEqual([]);
    expect(keysOf(await found(asker, [["q", "secret invoice"]]))).toEqual([]);
    const [hit] = hitsOf(await found(asker, [["q", "plan"]]));
    expect(JSON.stringify(hit)).not.toContain("secret");
    expect(memberOf(hit, "matched_fields")).toEqual(["body"]);
    expect(memberOf(hit, "authored_at")).toBeUndefined();
    const blind = await found({ feeds: [{ ...feed, fields: new Set(["at"]) }] }, [
      ["q", "plan"],
      ["streams[]", "notes"],
    ]);
    expect(memberOf(memberOf(blind, "meta"), "warnings")).toMatchObject([
      { code: "source_skipped_not_applicable" },
    ]);
    expect(memberOf(memberOf(blind, "meta"), "recall")).toMatchObject({
      complete: true,
      sources_searched_count: 0,
    });
  });

  it("is of the records that a grant names, in the times that it names", async () => {
    const feed = await openFeed(NOTES, "a");
    await put(
      feed,
      { key: "old", data: { body: "invoice", at: "2025-12-31T23:59:59.999Z" } },
      { key: "first", data: { body: "invoice", at: "2026-01-01T00:00:00Z" } },
      { key: "late", data: { body: "invoice", at: "2026-02-01T00:00:00Z" } },
      { key: "timeless", data: { body: "invoice" } },
    );
    const asked = async (over: object) =>
      keysOf(await found({ feeds: [{ ...feed, ...over }] }, [["q", "invoice"]]));
    expect(await asked({})).toEqual(["old", "late", "first", "timeless"]);
    expect(await asked({ since: "2026-01-01T00:00:00", until: "2026-02-01T00:00:00" })).toEqual(["first"]);
    expect(await asked({ since: "2026-01-01T00:00:00" })).toEqual(["late", "first"]);
    expect(await asked({ until: "2026-01-01T00:00:00" })).toEqual(["old"]);
    expect(await asked({ resources: ["late", "timeless", "none"] })).toEqual(["late", "timeless"]);
    expect(await asked({ resources: ["late", "timeless"], since: "2026-01-01T00:00:00" })).toEqual(["late"]);
    expect(await asked({ resources: [] })).toEqual([]);
  });

  it("is the text of a long body too, wherever the body is and the word stands in it", async () => {
    const feed = await openFeed(NOTES, "a");
    const long = (words: number): string => `${"filler ".repeat(words)}invoice ${"filler ".repeat(words)}`;
    await put(
      feed,
      { key: "bucket", data: { body: long(20_000), at: "2026-01-02T00:00:00Z" } },
      { key: "row", data: { body: long(8_000) } },
      { key: "short", data: { body: "invoice" } },
    );
    const { results } = await env.DB.prepare(
      "SELECT record_key FROM record_versions WHERE data_object IS NOT NULL",
    ).all();
    expect(results).toEqual([{ record_key: "bucket" }]);
    const hits = hitsOf(await found({ feeds: [feed] }, [["q", "invoice"]]));
    const stretch: unknown = expect.stringMatching(/^(?:filler ){20,}<mark>invoice<\/mark>(?: filler){20,}$/);
    expect(
      hits.map((hit) => [memberOf(hit, "record_key"), memberOf(memberOf(hit, "snippet"), "text")]),
    ).toEqual([
      ["short", "<mark>invoice</mark>"],
      ["row", stretch],
      ["bucket", stretch],
    ]);
    expect(memberOf(hits[2], "authored_at")).toBe("2026-01-02T00:00:00Z");
  });
});
