import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { fakeSource, good } from "../../support/records/fake-source.ts";
import { at, callTool } from "../../support/records/tool-call.ts";

const list = { object: "list", data: [], has_more: false };
const silent = () => fakeSource(() => good(list));

/** A call that the adapter itself refuses, without any read. */
async function refused(name: string, args: unknown) {
  const source = silent();
  const answer = await callTool(name, args, source);
  expect(answer.isError).toBe(true);
  expect(source.requests).toEqual([]);
  expect(JSON.parse(answer.text)).toEqual(answer.structured);
  expect(at(answer.error, "type")).toBe("invalid_request_error");
  return answer;
}

async function query(name: string, args: unknown): Promise<readonly (readonly [string, string])[]> {
  const source = silent();
  await callTool(name, args, source);
  expect(source.requests).toHaveLength(1);
  return source.requests[0]?.query ?? [];
}

describe("arguments are judged strictly", () => {
  it.each(["schema", "query_records", "aggregate", "search", "fetch"])(
    "%s refuses an unknown argument by name",
    async (name) => {
      const { code, error } = await refused(name, { bogus: 1 });
      expect(code).toBe("invalid_request");
      expect(at(error, "param")).toBe("bogus");
    },
  );

  it.each(["schema", "query_records", "aggregate", "search", "fetch"])(
    "%s refuses connector_instance_id and names connection_id",
    async (name) => {
      const { code, error } = await refused(name, { connector_instance_id: "cin_a" });
      expect(code).toBe("invalid_request");
      expect(at(error, "message")).toContain("connection_id");
    },
  );

  it.each([
    ["query_records", {}, "stream"],
    ["aggregate", { stream: "m" }, "metric"],
    ["aggregate", { metric: "count" }, "stream"],
    ["search", {}, "q"],
    ["fetch", {}, "id"],
  ])("%s misses %j's %s", async (name, args, param) => {
    const { code, error } = await refused(name, args);
    expect(code).toBe("invalid_request");
    expect(at(error, "param")).toBe(param);
  });

  it.each([0, 101, -1, 1.5, "5", null, true, [], 1e300, Number.NaN])(
    "a limit of %s is invalid_request",
    async (limit) => {
      const { code, error } = await refused("query_records", { stream: "m", limit });
      expect([code, at(error, "param")]).toEqual(["invalid_request", "limit"]);
      expect((await refused("search", { q: "x", limit })).code).toBe("invalid_request");
      expect((await refused("aggregate", { stream: "m", metric: "count", limit })).code).toBe(
        "invalid_request",
      );
    },
  );

  it.each([
    ["schema", { stream: 1 }],
    ["schema", { stream: "" }],
    ["schema", { detail: "verbose" }],
    ["schema", { connection_id: null }],
    ["query_records", { stream: "m", order: "up" }],
    ["query_records", { stream: "m", count: "maybe" }],
    ["query_records", { stream: "m", fields: "id" }],
    ["query_records", { stream: "m", fields: [] }],
    ["query_records", { stream: "m", fields: [1] }],
    ["query_records", { stream: "m", cursor: "x".repeat(8_193) }],
    ["query_records", { stream: "\ud800" }],
    ["aggregate", { stream: "m", metric: "median" }],
    ["aggregate", { stream: "m", metric: "count", granularity: "fortnight" }],
    ["search", { q: "x", mode: "magic" }],
    ["search", { q: "x", streams: "m" }],
    ["fetch", { id: 5 }],
    ["fetch", { id: "no-colon" }],
    ["fetch", { id: "m:\udc00" }],
  ])("%s refuses %j", async (name, args) => {
    expect((await refused(name, args)).code).toBe("invalid_request");
  });

  it("pass names with commas as one each, in brackets", async () => {
    const source = silent();
    await callTool("query_records", { stream: "m", fields: ["a,b", "c"], expand: ["d"] }, source);
    await callTool("search", { q: "x", streams: ["a,b"] }, source);
    const asked = source.paths().map((path) => decodeURIComponent(path));
    expect(asked).toContain("/v1/streams/m/records?fields[]=a,b&fields[]=c&expand=d");
    expect(asked).toContain("/v1/search?q=x&streams[]=a,b");
  });

  it.each([null, "x", 1, [], true])("arguments that are %j are no object", async (args) => {
    expect((await refused("schema", args)).code).toBe("invalid_request");
  });

  it("never throws and never answers with a JSON-RPC error, whatever it is given", async () => {
    const names = fc.constantFrom("schema", "query_records", "aggregate", "search", "fetch");
    const keys = fc.constantFrom(
      "stream",
      "filter",
      "limit",
      "expand",
      "expand_limit",
      "fields",
      "id",
      "q",
      "__proto__",
    );
    const args = fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(names, args, async (name, value) => {
        const { text, structured } = await callTool(name, value, silent());
        expect(text.includes("\n") && "error" in structured).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe("filters are typed objects", () => {
  it.each([
    ["a string", "sender=ann"],
    ["a list", [{ sender: "ann" }]],
    ["an empty object", {}],
    ["a key with brackets", { "size[gte]": 5 }],
    ["an empty key", { "": 5 }],
    ["an empty range", { size: {} }],
    ["an unknown operator", { size: { gte: 1, like: "x" } }],
    ["a list of values", { size: [1, 2] }],
    ["null", { size: null }],
    ["a range of an object", { size: { gte: {} } }],
  ])("%s is invalid_filter", async (_what, filter) => {
    for (const [name, args] of [
      ["query_records", { stream: "m" }],
      ["aggregate", { stream: "m", metric: "count" }],
      ["search", { q: "x", streams: ["m"] }],
    ] as const) {
      const { code, error } = await refused(name, { ...args, filter });
      expect([code, at(error, "param")]).toEqual(["invalid_filter", "filter"]);
    }
  });

  it("names the allowed operators", async () => {
    const { error } = await refused("query_records", { stream: "m", filter: { size: { like: "x" } } });
    expect(at(error, "message")).toContain("gte, gt, lte, lt");
  });

  it("encodes values and ranges, with every number as it was written", async () => {
    const args = parseExactJson(
      '{"stream":"m","filter":{"sender":"ann & bob","read":false,"size":{"gte":12345678901234567890,"lt":1.10},"n":3}}',
      { duplicates: "last" },
    );
    expect(await query("query_records", args.ok ? args.value : undefined)).toEqual([
      ["filter[sender]", "ann & bob"],
      ["filter[read]", "false"],
      ["filter[size][gte]", "12345678901234567890"],
      ["filter[size][lt]", "1.10"],
      ["filter[n]", "3"],
    ]);
  });

  it("keeps a field called __proto__", async () => {
    const args: unknown = JSON.parse('{"stream":"m","filter":{"__proto__":"x","constructor":{"gt":1}}}');
    expect(await query("query_records", args)).toEqual([
      ["filter[__proto__]", "x"],
      ["filter[constructor][gt]", "1"],
    ]);
  });
});

describe("expand arguments", () => {
  it.each([
    ["expand_limit", {}],
    ["expand_limit", { "a[b]": 1 }],
    ["expand_limit", { messages: 0 }],
    ["expand_limit", { messages: "3" }],
    ["expand_limit", 3],
    ["expand", "messages"],
    ["expand", []],
  ])("%s %j is invalid_expand", async (name, value) => {
    const args = { expand: ["messages"], [name]: value };
    expect((await refused("query_records", { stream: "m", ...args })).code).toBe("invalid_expand");
    expect((await refused("fetch", { id: "m:1", ...args })).code).toBe("invalid_expand");
  });
});

describe("arguments become the parameters of the REST contract", () => {
  it("of query_records, in one order whatever order they came in", async () => {
    const expected = [
      ["connection_id", "cin_a"],
      ["limit", "5"],
      ["order", "asc"],
      ["count", "exact"],
      ["fields", "id,sender"],
    ];
    const args = {
      stream: "m",
      fields: ["id", "sender"],
      count: "exact",
      order: "asc",
      limit: 5,
      connection_id: "cin_a",
    };
    expect(await query("query_records", args)).toEqual(expected);
    const turned = Object.fromEntries(Object.entries(args).toReversed());
    expect(await query("query_records", turned)).toEqual(expected);
  });

  it("a cursor supersedes changes_since, which would begin the walk anew", async () => {
    expect(await query("query_records", { stream: "m", cursor: "c", changes_since: "b" })).toEqual([
      ["cursor", "c"],
    ]);
    expect(await query("query_records", { stream: "m", changes_since: "b" })).toEqual([
      ["changes_since", "b"],
    ]);
  });

  it("of search, with the mode in the path", async () => {
    const source = fakeSource(() => good({ object: "list", data: [] }), { kind: "http" });
    await callTool("search", { q: "a b", streams: ["m", "n"], limit: 3, mode: "hybrid" }, source);
    await callTool("search", { q: "a b" }, source);
    expect(source.requests).toEqual([
      {
        path: ["search", "hybrid"],
        query: [
          ["q", "a b"],
          ["streams[]", "m"],
          ["streams[]", "n"],
          ["limit", "3"],
        ],
      },
      { path: ["search"], query: [["q", "a b"]] },
    ]);
  });

  it("of aggregate", async () => {
    const source = silent();
    const args = {
      stream: "m",
      metric: "count",
      group_by_time: "at",
      granularity: "week",
      time_zone: "Europe/Berlin",
    };
    await callTool("aggregate", args, source);
    expect(source.paths()).toEqual([
      "/v1/streams/m/aggregate?metric=count&group_by_time=at&granularity=week&time_zone=Europe%2FBerlin",
    ]);
  });

  it("a limit written as 5.0 is 5", async () => {
    const args = parseExactJson('{"stream":"m","limit":5.0}', { duplicates: "last" });
    expect(await query("query_records", args.ok ? args.value : undefined)).toEqual([["limit", "5"]]);
  });
});
