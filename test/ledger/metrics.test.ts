import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import { renderMetrics } from "../../src/ledger/metrics.ts";
import { distinctLabels, renderOpenMetrics, secondsOf } from "../../src/ledger/openmetrics.ts";
import { answered, browsed, entry, executed, listed, refreshed, unreachable } from "./entries.ts";
import { type ReadFamily, readOpenMetrics } from "./openmetrics-grammar.ts";
import { anyReport, reportOf, viewOf } from "./views.ts";

/** The samples of one family as `label=value,… number`. */
function samplesOf(families: readonly ReadFamily[], name: string): readonly string[] {
  const family = families.find((known) => known.name === name);
  return (family?.samples ?? []).map(({ labels, value }) =>
    `${Array.from(labels, ([key, label]) => `${key}=${label}`).join(",")} ${value}`.trim(),
  );
}

describe("the metrics", () => {
  const { accounts } = foldEntries(NO_ACCOUNTS, [
    entry(executed({ durationMs: 1234, attempts: 2 }), [answered("github", 1200)]),
    entry(executed({ failed: true, durationMs: 6 }), [unreachable("slow")]),
    entry(browsed()),
  ]);
  const refresh = refreshed({
    resources: 3,
    servers: [listed("github", { tools: 9, resources: 3 }), listed("slow", { status: "failed" })],
  });
  const view = viewOf(accounts, { refresh });
  const text = renderMetrics(reportOf(["github", "slow"], view), view);
  const families = readOpenMetrics(text);

  it.each([
    ["loomgate_build", ["version=0.1.0 1"]],
    ["loomgate_status", ["loomgate_status=ok 0", "loomgate_status=degraded 1", "loomgate_status=failing 0"]],
    ["loomgate_requests", ["method=browse 1", "method=execute 2"]],
    ["loomgate_successes", ["method=browse 1", "method=execute 1"]],
    [
      "loomgate_errors",
      ["browse", "execute"].flatMap((method) =>
        ["host 0", `response ${method === "execute" ? 1 : 0}`, "recovery 0"].map(
          (origin) => `method=${method},origin=${origin}`,
        ),
      ),
    ],
    ["loomgate_retries", ["method=browse 0", "method=execute 1"]],
    [
      "loomgate_latency_seconds",
      ["method=browse 1", "method=browse 0.003", "method=execute 2", "method=execute 1.240"],
    ],
    ["loomgate_latency_max_seconds", ["method=browse 0.003", "method=execute 1.234"]],
    ["loomgate_upstream_requests", ["server=github,method=tools/call 1", "server=slow,method=tools/call 1"]],
    [
      "loomgate_upstream_errors",
      ["github", "slow"].flatMap((server) =>
        [`no_answer ${server === "slow" ? 1 : 0}`, "response 0", "recovery 0"].map(
          (origin) => `server=${server},method=tools/call,origin=${origin}`,
        ),
      ),
    ],
    [
      "loomgate_upstream_recovery_faults",
      ["server=github,method=tools/call 0", "server=slow,method=tools/call 1"],
    ],
    ["loomgate_upstream_consecutive_failures", ["server=github 0", "server=slow 1"]],
    ["loomgate_upstream_tools", ["server=github 9", "server=slow 4"]],
    ["loomgate_upstream_resources", ["server=github 3"]],
    ["loomgate_upstream_prompts", []],
    ["loomgate_catalog_resources", ["3"]],
    ["loomgate_catalog_prompts", []],
    ["loomgate_catalog_generation", ["3"]],
    ["loomgate_catalog_failed", ["0"]],
    ["loomgate_catalog_refreshed_timestamp_seconds", ["1769860800"]],
    ["loomgate_catalog_pin_matches", []],
    ["loomgate_events", ["event=browse.completed 2"]],
    ["loomgate_ledger_uptime_seconds", ["5"]],
    ["loomgate_ledger_dropped_entries", ["0"]],
  ])("%s", (name, samples) => {
    expect(families.map((family) => family.name)).toContain(name);
    expect(samplesOf(families, name)).toEqual(samples);
  });

  it("are the same families whether or not anything was told", () => {
    const empty = viewOf(NO_ACCOUNTS, { heard_at_ms: null });
    const none = readOpenMetrics(renderMetrics(reportOf([], empty), empty));
    expect(none.map(({ name, type }) => [name, type])).toEqual(
      families.map(({ name, type }) => [name, type]),
    );
  });

  it("say of each origin in the help what it means, and of an upstream's never that it is ours", () => {
    const origins = families.flatMap(({ help, samples }) =>
      samples.flatMap(({ labels }) => {
        const origin = labels.get("origin");
        return origin === undefined ? [] : [{ help, origin, ofServer: labels.has("server") }];
      }),
    );
    for (const { help, origin } of origins) expect(help).toMatch(new RegExp(`\\b${origin} (?:is|are) `));
    const told = (wanted: boolean) =>
      new Set(origins.filter(({ ofServer }) => ofServer === wanted).map(({ origin }) => origin));
    expect(told(true)).toEqual(new Set(["no_answer", "response", "recovery"]));
    expect(told(false)).toEqual(new Set(["host", "response", "recovery"]));
    expect(families.find(({ name }) => name === "loomgate_upstream_consecutive_failures")?.help).toContain(
      "calls and listings",
    );
  });

  it("put a call that was sent and failed with its downstream, and its time with none where nobody saw it end", () => {
    const lapsed = { ...executed({ failed: true, durationMs: 0 }), event: "execute.failed" } as const;
    const failed = (attributes: object) =>
      JSON.stringify({ ...JSON.parse(entry(browsed())), event: { ...lapsed, attributes } });
    const error_code = "UPSTREAM_ERROR";
    const { accounts, unreadable } = foldEntries(NO_ACCOUNTS, [
      entry(executed({ durationMs: 30_000 })),
      failed({ error_code, outcome: "unknown", attempts: 1 }),
      failed({ error_code, outcome: "unknown", attempts: 0 }),
      failed({ error_code, outcome: "unknown" }),
    ]);
    expect(unreadable).toEqual([]);
    const view = viewOf(accounts);
    const of = readOpenMetrics(renderMetrics(reportOf([], view), view));
    expect(samplesOf(of, "loomgate_errors")).toEqual(
      ["host 1", "response 1", "recovery 1"].map((origin) => `method=execute,origin=${origin}`),
    );
    expect(samplesOf(of, "loomgate_latency_seconds")).toEqual(["method=execute 3", "method=execute 30"]);
    expect(view.tools.hottest).toMatchObject([{ request_count: 2, avg_latency_ms: 15_000 }]);
  });

  it("tell of a refresh that could publish nothing", () => {
    const failing = viewOf(accounts, { refresh: refreshed({ failure: "the catalog could not be written" }) });
    const of = readOpenMetrics(renderMetrics(reportOf([], failing), failing));
    expect(samplesOf(of, "loomgate_catalog_failed")).toEqual(["1"]);
  });

  it("put faults of no method, and calls of methods without a row, where every method's are not", () => {
    const records = unreachable("github");
    const operations = [
      ...records.operations,
      ...records.operations.flatMap((operation) =>
        operation.record === "recovery_fault" ? [{ ...operation, method: null }] : [],
      ),
      { record: "request" as const, method: "no method\n" },
    ];
    const { accounts } = foldEntries(NO_ACCOUNTS, [entry(browsed(), [{ ...records, operations }])]);
    const view = viewOf(accounts);
    const families = readOpenMetrics(renderMetrics(reportOf(["github"], view), view));
    expect(samplesOf(families, "loomgate_upstream_recovery_faults")).toEqual([
      "server=github,method=tools/call 1",
      "server=github,method=* 1",
    ]);
    expect(samplesOf(families, "loomgate_upstream_requests")).toEqual([
      "server=github,method=tools/call 1",
      "server=github,method=* 1",
    ]);
  });

  it("are OpenMetrics whatever servers are called, each server under a label of its own", () => {
    fc.assert(
      fc.property(anyReport, ({ names, view, report }) => {
        const families = readOpenMetrics(renderMetrics(report, view));
        const generations = families.find(({ name }) => name === "loomgate_upstream_generation");
        const labels = (generations?.samples ?? []).map(({ labels }) => labels.get("server"));
        expect(new Set(labels).size).toBe(names.length);
        const isText = (_: unknown, index: number): boolean => !/\p{Surrogate}/u.test(names[index] ?? "");
        expect(labels.filter(isText)).toEqual(names.filter(isText));
      }),
      { numRuns: 40 },
    );
  });
});

describe("the notation", () => {
  it("escapes what would end a label or a help text", () => {
    const text = renderOpenMetrics([
      {
        name: "x",
        type: "gauge",
        help: 'a "b" \\ c\nd',
        samples: [{ suffix: "", labels: { l: 'a"b\\n\nc} 1' }, value: "1" }],
      },
    ]);
    expect(text.split("\n")).toHaveLength(5);
    const [family] = readOpenMetrics(text);
    expect(family?.help).toBe('a "b" \\ c\nd');
    expect(family?.samples[0]?.labels.get("l")).toBe('a"b\\n\nc} 1');
  });

  it("writes milliseconds as seconds without rounding", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        const [whole = "", rest = "000"] = secondsOf(ms).split(".");
        expect(BigInt(whole) * 1000n + BigInt(rest)).toBe(BigInt(ms));
      }),
    );
    expect([0, 1, 999, 1000, 1_234_567].map((ms) => secondsOf(ms))).toEqual([
      "0",
      "0.001",
      "0.999",
      "1",
      "1234.567",
    ]);
  });

  it("tells apart what has become equal", () => {
    expect(distinctLabels(["\ud800", "\ud801", "\ufffd", "a", "\ufffd (2)"])).toEqual([
      "\ufffd",
      "\ufffd (2)",
      "\ufffd (3)",
      "a",
      "\ufffd (2) (2)",
    ]);
  });
});
