import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../../src/json.ts";
import { SEARCH_BEGINNING_MAX_CHARS, SEARCH_EXCERPTS_MAX_COUNT } from "../../../../src/limits/records.ts";
import type { CoveredFeed } from "../../../../src/records/grant/coverage.ts";
import { hitObject } from "../../../../src/records/server/search/hit.ts";
import { searchedFields } from "../../../../src/records/server/search/scopes.ts";
import { streamOf } from "../../../support/records-stream.ts";

const FIELDS = ["a", "b", "c", "d"] as const;

function feedOf(over: Partial<CoveredFeed> = {}): CoveredFeed {
  return {
    feedId: 1,
    connectionId: "c 1",
    connectorKey: "notes",
    connectorId: "https://connectors.example/notes",
    connectorName: null,
    displayName: null,
    grantId: null,
    stream: streamOf({ lexical: FIELDS }),
    slots: new Map(),
    fields: null,
    resources: null,
    since: null,
    until: null,
    ...over,
  };
}

interface Asked {
  readonly feed?: CoveredFeed;
  readonly scopes?: unknown;
  readonly charsLeft?: number;
}

const hit = (
  body: Readonly<Record<string, unknown>>,
  { feed = feedOf(), scopes = "[0]", charsLeft = 1e6 }: Asked = {},
) =>
  hitObject({ record_key: "k/1", emitted_at: "2026-01-01T00:00:00Z", score: 25_000_000_000, scopes }, body, {
    fields: searchedFields([feed]),
    words: new Set(["afound"]),
    severalConnections: true,
    text: { charsLeft },
  });

const snippetOf = (made: unknown): unknown => memberOf(memberOf(made, "snippet"), "text");

describe("a hit", () => {
  it("says where the record is, and how well it fits", () => {
    const made = hit({ a: "found" });
    expect(memberOf(made, "record_url")).toBe("/v1/streams/notes/records/k%2F1?connection_id=c+1");
    expect(memberOf(made, "score")).toEqual({ kind: "bm25", order: "lower_is_better", value: -0.25 });
  });

  it("names the fields in the manifest's order, shows the best of them and the first few", () => {
    const made = hit({ a: "x", b: "found", c: "found", d: "found" }, { scopes: "[3,2,0,1]" });
    expect(memberOf(made, "matched_fields")).toEqual([...FIELDS]);
    expect(memberOf(made, "snippet")).toEqual({ field: "b", text: "<mark>found</mark>" });
    const excerpts = memberOf(made, "evidence_excerpts");
    expect(isJsonArray(excerpts) ? excerpts.length : 0).toBe(SEARCH_EXCERPTS_MAX_COUNT);
  });

  it("has no excerpt where the body is gone", () => {
    const made = hit({});
    expect(memberOf(made, "snippet")).toBeUndefined();
    expect(memberOf(made, "evidence_excerpts")).toEqual([]);
  });

  it("is none where it was found by no field that is covered", () => {
    for (const scopes of ["[9]", "[]", "{}", "no JSON", null, 7])
      expect(hit({ a: "found" }, { scopes })).toBeUndefined();
  });

  it("tells the time that the stream is bounded by, else another that is granted, and only a time", () => {
    const authored = (body: object, fields: readonly string[] | null = null) =>
      memberOf(
        hit({ a: "found", ...body }, { feed: feedOf({ fields: fields === null ? null : new Set(fields) }) }),
        "authored_at",
      );
    const times = { created_at: "2026-01-03T00:00:00Z", sent_at: "2026-01-02T00:00:00Z", at: "2026-01-01" };
    expect(authored(times)).toBe("2026-01-01");
    expect(authored({ ...times, at: "yesterday" })).toBe("2026-01-02T00:00:00Z");
    expect(authored(times, ["a", "created_at"])).toBe("2026-01-03T00:00:00Z");
    expect(authored(times, ["a"])).toBeUndefined();
    expect(authored({ at: 1_767_225_600 })).toBeUndefined();
  });

  it("is looked for in the beginning of a text once its page has gone through enough of them", () => {
    const text = `${"filler ".repeat(SEARCH_BEGINNING_MAX_CHARS)}found`;
    expect(snippetOf(hit({ a: text }))).toContain("<mark>found</mark>");
    expect(snippetOf(hit({ a: text }, { charsLeft: 0 }))).toMatch(/^(?:filler ){47}filler$/);
    expect(snippetOf(hit({ a: "found" }, { charsLeft: 0 }))).toBe("<mark>found</mark>");
  });
});
