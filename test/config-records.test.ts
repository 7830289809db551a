import { describe, expect, it } from "vitest";
import { httpRecordSources } from "../src/config-records-schema.ts";
import { type ConfigProblem, parseConfig } from "../src/config.ts";
import { RECORD_SOURCE_TIMEOUT_DEFAULT_MS, RECORD_SOURCES_MAX_COUNT } from "../src/limits.ts";

const HTTP = { kind: "http", name: "personal", url: "https://rs.example", token_env: "PDPP_TOKEN" };

function problemsOf(records: unknown): readonly ConfigProblem[] {
  const parsed = parseConfig(JSON.stringify({ records }));
  return parsed.ok ? [] : parsed.reason;
}

function keysOf(records: unknown): readonly string[] {
  return problemsOf(records).map(({ key }) => key);
}

describe("records.sources", () => {
  it("is the embedded server where nothing is said", () => {
    for (const config of [{}, { records: {} }]) {
      const parsed = parseConfig(JSON.stringify(config));
      expect(parsed.ok && parsed.value.records).toEqual({ sources: [{ kind: "d1" }] });
    }
  });

  it("names external servers, each with a deadline", () => {
    const parsed = parseConfig(
      JSON.stringify({ records: { sources: [{ kind: "d1" }, HTTP, { ...HTTP, name: "b", timeout_ms: 5 }] } }),
    );
    expect(parsed.ok && httpRecordSources(parsed.value)).toEqual([
      { ...HTTP, timeout_ms: RECORD_SOURCE_TIMEOUT_DEFAULT_MS },
      { ...HTTP, name: "b", timeout_ms: 5 },
    ]);
  });

  it.each<[unknown, string]>([
    [{ sources: [{ ...HTTP, tokenn: 1 }] }, "records.sources[0].tokenn"],
    [{ sources: [{ kind: "d1", url: "x" }] }, "records.sources[0].url"],
    [{ source: [] }, "records.source"],
    [{ sources: [] }, "records.sources"],
    [{ sources: {} }, "records.sources"],
    [{ sources: [{ kind: "d2" }] }, "records.sources[0].kind"],
    [{ sources: [{ ...HTTP, name: "Per sonal" }] }, "records.sources[0].name"],
    [{ sources: [{ ...HTTP, name: "n".repeat(65) }] }, "records.sources[0].name"],
    [{ sources: [{ ...HTTP, token_env: "a-b" }] }, "records.sources[0].token_env"],
    [{ sources: [{ ...HTTP, token_env: "" }] }, "records.sources[0].token_env"],
    [{ sources: [{ ...HTTP, timeout_ms: 0 }] }, "records.sources[0].timeout_ms"],
    [{ sources: [{ ...HTTP, timeout_ms: 600_000 }] }, "records.sources[0].timeout_ms"],
    [{ sources: [HTTP, { ...HTTP, url: "https://b.example" }] }, "records.sources[1].name"],
    [{ sources: [{ kind: "d1" }, { kind: "d1" }] }, "records.sources[1]"],
    ...[
      "rs.example",
      "ftp://rs.example",
      "https://a:b@rs.example",
      "https://rs.example?x=1",
      "https://rs.example#x",
      "https://rs.example\\v1",
      "",
    ].map((url): [unknown, string] => [{ sources: [{ ...HTTP, url }] }, "records.sources[0].url"]),
  ])("is refused by its key: %j", (records, key) => {
    expect(keysOf(records)).toEqual([key]);
  });

  it("tells which keys and kinds there are", () => {
    const [unknown] = problemsOf({ sources: [{ ...HTTP, tokenn: 1 }] });
    expect(unknown?.message).toContain("kind, name, url, token_env, timeout_ms");
    expect(problemsOf({ sources: [{ kind: "d1", url: "x" }] })[0]?.message).toContain("write one of kind,");
    expect(problemsOf({ sources: [{ kind: "sqlite" }] })[0]?.message).toBe('write one of "d1", "http"');
    expect(problemsOf({ sources: [{}] })[0]?.message).toBe('write one of "d1", "http"');
  });

  it("has no more sources than a cursor has room for", () => {
    const sources = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...HTTP, name: `s${at}` }));
    expect(keysOf({ sources: sources(RECORD_SOURCES_MAX_COUNT) })).toEqual([]);
    expect(keysOf({ sources: sources(RECORD_SOURCES_MAX_COUNT + 1) })).toEqual(["records.sources"]);
  });
});
