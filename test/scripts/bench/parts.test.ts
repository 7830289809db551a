import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArguments } from "../../../scripts/bench/arguments.ts";
import { configuredNames } from "../../../scripts/bench/gateway/server-names.ts";
import { RefreshedCatalog } from "../../../scripts/bench/gateway/refreshed-catalog.ts";
import { faultOf, messageOf } from "../../../scripts/bench/latency/endpoint.ts";
import { madeQueries } from "../../../scripts/bench/queries.ts";
import { type Report, reportJson, reportText } from "../../../scripts/bench/report.ts";
import { Told } from "../../../scripts/command-line.ts";

describe("the command line", () => {
  it("asks for every part unless some are named", () => {
    const all = {
      catalog: undefined,
      json: false,
      quick: false,
      sections: ["retrieval", "tokens", "primitives", "firewall", "records", "latency"],
    };
    expect(readArguments([], "/at")).toEqual(all);
    const some = ["--only", "latency", "--only", "tokens", "--json", "--quick", "--catalog", "c.json"];
    expect(readArguments(some, "/at")).toEqual({
      catalog: "/at/c.json",
      json: true,
      quick: true,
      sections: ["tokens", "latency"],
    });
  });

  it.each([[["--only", "speed"]], [["surplus"]], [["--fast"]]])("refuses %j", (argv) => {
    expect(() => readArguments(argv, "/at")).toThrow(Told);
  });
});

describe("names for foreign servers", () => {
  it("differ, and make a configuration that is taken, whatever the servers are called", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "binary", maxLength: 60 }), { maxLength: 8 }),
        (servers) => {
          const names = configuredNames(servers);
          expect(new Set(names.values()).size).toBe(servers.length);
          expect(new RefreshedCatalog(servers).settings.servers).toHaveLength(servers.length);
        },
      ),
    );
    expect([...configuredNames(["A b", "a-b", "", "__proto__", "9"]).values()]).toEqual([
      "a-b",
      "a-b-2",
      "server",
      "proto",
      "server-2",
    ]);
  });
});

describe("an answer under load", () => {
  const good = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';

  it("is read as JSON and as an event, after an empty one", () => {
    const streamed = `id: 1\ndata: \n\nevent: message\nid: 2\ndata: ${good}\n\n`;
    expect(messageOf(streamed)).toEqual(messageOf(good));
    expect([faultOf(good), faultOf(streamed)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['{"error":"rate_limited"}'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}'],
    ['data: {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}\n\n'],
    ["<html>"],
  ])("counts as failed: %s", (body) => {
    expect(faultOf(body)).toBe(body);
  });

  it("is a fault and no exception, whatever it is", () => {
    fc.assert(
      fc.property(fc.string(), (body) => {
        expect(faultOf(body)).toBe(body.slice(0, 200));
      }),
    );
  });
});

describe("queries made from tools", () => {
  const tools = fc.array(
    fc.record({ name: fc.string(), description: fc.oneof(fc.string(), fc.constant(undefined)) }),
  );

  it("are one a tool, and the same each time", () => {
    fc.assert(
      fc.property(tools, (definitions) => {
        const all = definitions.map((definition) => ({ server: "s", definition }));
        const queries = madeQueries(all);
        expect(queries).toHaveLength(all.length);
        expect(madeQueries(all)).toEqual(queries);
      }),
    );
  });
});

describe("the report", () => {
  const usual = { median: 10, max: 20 };
  const list = { mcp: 30, model: 40 };
  const kind = (kind: string, passed: number, shown: number) => ({
    kind,
    results: 2,
    bytes: 10_240,
    sampled: 1,
    questions: 10,
    passed: { tokens: passed, answered: 9 },
    first_2000: { tokens: 500, answered: 1 },
    first_20000: { tokens: 5_000, answered: 3 },
    first_as_many: { tokens: shown, answered: 2 },
    firewall: { tokens: shown, answered: 6 },
    views: { tokens: 555, answered: 10, looks: 7 },
  });
  const report: Report = {
    machine: { cores: 2, processor: "P", node: "v20", platform: "linux x64" },
    catalog: { real_tools: 5, from: "x.json" },
    quick: true,
    tokens: [
      {
        tools: 22,
        own_list: list,
        full_list: list,
        browse_5: usual,
        browse_10: usual,
        args_invalid: usual,
        find_and_run: usual,
        list_and_run: { median: 125, max: 130 },
      },
    ],
    firewall: {
      reading: [kind("log", 4_000, 40), { ...kind("csv", 900, 300), sampled: 0 }],
      presenting: [{ kind: "log", results: 2, bytes: 3_000_000, ms: 250 }],
      streaming: [{ what: "csv", form: "text", bytes: 8_388_608, ms: 400 }],
      memory: [
        {
          way: "sdk",
          framing: "event",
          body_bytes: 67_108_864,
          text_bytes: 67_108_000,
          peak_bytes: 209_715_200,
          live_bytes: 134_217_728,
          counted_bytes: null,
          ms: 500,
        },
      ],
    },
    latency: {
      tool: "s:echo",
      execute: {
        calls: 1,
        direct_ms: { p50: 1, p95: 2 },
        gateway_ms: { p50: 3, p95: 4 },
        added_ms: { p50: 2, p95: 2 },
      },
      load: [
        {
          what: "tool_browse",
          connections: 8,
          requests_per_second: 123.4,
          p50_ms: 1,
          p99_ms: 2,
          failed: 7,
          fault: "F",
        },
      ],
    },
  };

  it("tells the machine, and a table for each part that was measured", () => {
    const text = reportText(report);
    expect(text.split("\n")[0]).toBe("2 × P, Node v20, linux x64; quick: rough figures");
    expect(text).toMatch(/^the latter over the former +12\.5$/m);
    expect(text).toMatch(/^tool_browse +8 +123 +1\.00 +2\.00 +7$/m);
    expect(text).toMatch(/^log +2 +10 +~4000 +40 +100\.0 +500 +5000$/m);
    expect(text).toMatch(/^csv +2 +10 +900 +300 +3\.0 +500 +5000$/m);
    expect(text).toMatch(/^all +4 +20 +~4900 +340 +14\.4 +1000 +10000$/m);
    expect(text).toMatch(/^log +10 +9 +6 +10 +1 +3 +2 +0\.7 +56$/m);
    expect(text).toMatch(/^all +20 +18 +12 +20 +2 +6 +4 +0\.7 +56$/m);
    expect(text).toMatch(/^log +2 +2930 +250 +12\.0$/m);
    expect(text).toMatch(/^csv +text +8\.0 +400 +21\.0$/m);
    expect(text).toMatch(/^an event +SDK's client +64\.0 +200\.0 +128\.0 +- +500 +134$/m);
    expect(text).not.toContain("Retrieval");
  });

  it("is one line of JSON with the same figures", () => {
    const text = reportJson({ ...report, tokenizer_ms: 1.23456 });
    expect(text).not.toContain("\n");
    expect(JSON.parse(text)).toEqual({ ...report, tokenizer_ms: 1.235 });
  });
});
