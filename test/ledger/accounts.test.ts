import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Accounts, foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import { ENTRY_MAX_CHARS } from "../../src/limits.ts";
import { GENESIS } from "../../src/spine/fault/generation.ts";
import { inFlight } from "../../src/spine/telemetry/counters.ts";
import { hottest, readHotPaths, writeHotPaths } from "../../src/spine/index.ts";
import { openLedger, type OperationalLedger } from "../../src/spine/telemetry/ledger.ts";
import { readLedger, writeLedger } from "../../src/spine/telemetry/ledger-json.ts";
import { generation } from "../spine/health/arbitraries.ts";
import { answered, anyEntry, browsed, entry, executed, NOON_MS, refreshed, unreachable } from "./entries.ts";

const upstream = (accounts: Accounts, name: string): OperationalLedger => {
  const ledger = accounts.servers.get(name);
  if (ledger === undefined) throw new Error(`no account of ${name}`);
  return ledger;
};

/** Everything that the order of sources must not change: counts, sums and maxima, and nothing that is called last. */
function countsOf({ gateway, hot, servers }: Accounts): unknown {
  const ledgers = [["", gateway] as const, ...servers].map(([name, ledger]) => {
    const { totals, methods, other } = writeLedger(ledger);
    const rows = [...methods, ...(other === null ? [] : [{ method: "", ...other }])];
    return [
      name,
      totals,
      rows.map((row) => Object.assign(row, { last_latency_ms: null, last_error: null })),
    ] as const;
  });
  return [ledgers.sort(([left], [right]) => (left < right ? -1 : 1)), writeHotPaths(hot)];
}

describe("folding entries into accounts", () => {
  it("counts a call for the gateway, its tool and its upstream", () => {
    const { accounts, events, refused, unreadable } = foldEntries(NO_ACCOUNTS, [
      entry(executed({ attempts: 3, durationMs: 40 }), [answered("github", 35)]),
      entry(browsed()),
    ]);
    expect([refused, unreadable]).toEqual([[], []]);
    expect(accounts.gateway.totals).toMatchObject({ request_count: 2, success_count: 2, retry_count: 2 });
    expect([...accounts.gateway.methods.keys()]).toEqual(["execute", "browse"]);
    expect(hottest(accounts.hot)).toEqual([
      {
        key: "github:create_issue#aea9ce2a",
        request_count: 1,
        error_count: 0,
        avg_latency_ms: 40,
        max_latency_ms: 40,
      },
    ]);
    expect(upstream(accounts, "github").methods.get("tools/call")).toMatchObject({ totalLatencyMs: 35 });
    expect(events.map(({ name, atMs }) => [name, atMs])).toEqual([
      ["execute.completed", NOON_MS],
      ["browse.completed", NOON_MS],
    ]);
    expect(events.map(({ line }) => line)).toEqual([
      JSON.stringify(executed({ attempts: 3, durationMs: 40 })),
      JSON.stringify(browsed()),
    ]);
  });

  it("leaves what was not touched the same object, so that it need not be written", () => {
    const first = foldEntries(NO_ACCOUNTS, [entry(executed(), [answered("a"), answered("b")])]).accounts;
    const second = foldEntries(first, [entry(browsed(), [answered("b")])]).accounts;
    expect(second.hot).toBe(first.hot);
    expect(upstream(second, "a")).toBe(upstream(first, "a"));
    expect(upstream(second, "b")).not.toBe(upstream(first, "b"));
    expect(second.gateway).not.toBe(first.gateway);
    expect(foldEntries(second, []).accounts.gateway).toBe(second.gateway);
  });

  it("gives the same counts in whatever order the sources' batches come", () => {
    const property = fc.property(
      fc.array(fc.array(anyEntry, { maxLength: 6 }), { maxLength: 5 }),
      fc.infiniteStream(fc.nat(1000)),
      (sources, random) => {
        const fold = (batches: readonly (readonly string[])[]): Accounts =>
          batches.reduce<Accounts>((sum, batch) => foldEntries(sum, batch).accounts, NO_ACCOUNTS);
        const draws = sources.map((batch) => [random.next().value ?? 0, batch] as const);
        const shuffled = draws.sort(([left], [right]) => left - right).map(([, batch]) => batch);
        expect(countsOf(fold(shuffled))).toEqual(countsOf(fold(sources)));
        // However they are cut.
        expect(countsOf(fold(sources.flat().map((text) => [text])))).toEqual(countsOf(fold(sources)));
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it("makes ledgers that can be stored and read back, with nothing in flight", () => {
    const property = fc.property(fc.array(anyEntry, { maxLength: 20 }), (texts) => {
      const { accounts, refused, unreadable, events } = foldEntries(NO_ACCOUNTS, texts);
      expect([refused, unreadable, events.length]).toEqual([[], [], texts.length]);
      for (const ledger of [accounts.gateway, ...accounts.servers.values()]) {
        expect(inFlight(ledger.totals)).toBe(0);
        expect(readLedger(JSON.parse(JSON.stringify(writeLedger(ledger))))).toEqual({
          ok: true,
          value: ledger,
        });
      }
      expect(readHotPaths(JSON.parse(JSON.stringify(writeHotPaths(accounts.hot))))).toEqual({
        ok: true,
        value: accounts.hot,
      });
    });
    fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ["", "not_json"],
    ["{}", "malformed"],
    ["[]", "malformed"],
    ["null", "malformed"],
    ['{"version":2,"key":"k","event":{}}', "malformed"],
    ['{"version":1,"key":"k","event":{"event":"execute.teleported"}}', "invalid_event"],
    ["[".repeat(50_000), "not_json"],
    ["x".repeat(ENTRY_MAX_CHARS + 1), "too_large"],
    [
      JSON.stringify({
        version: 1,
        key: "k",
        event: browsed(),
        upstreams: [{ server: "a", generation: 1, operations: [{ record: "teleport" }] }],
      }),
      "invalid_operation",
    ],
  ])("counts an entry that cannot be read, and those around it: %#", (text, reason) => {
    const fold = foldEntries(NO_ACCOUNTS, [entry(browsed()), text, entry(browsed())]);
    expect(fold.unreadable).toEqual([reason]);
    expect(fold.accounts.gateway.totals.request_count).toBe(2);
    expect(fold.events).toHaveLength(2);
  });

  it("tells what a full counter refused, and counts what is behind it", () => {
    const full = openLedger(GENESIS);
    const gateway = {
      ...full,
      totals: {
        ...full.totals,
        request_count: Number.MAX_SAFE_INTEGER,
        success_count: Number.MAX_SAFE_INTEGER,
      },
    };
    const fold = foldEntries({ ...NO_ACCOUNTS, gateway }, [entry(executed(), [answered("github")])]);
    expect(fold.refused).toEqual(["counter_exhausted", "no_invocation_in_flight"]);
    expect(fold.events).toHaveLength(1);
    expect(upstream(fold.accounts, "github").totals.success_count).toBe(1);
  });

  it("does not let one call that no counter holds keep back the tools beside it", () => {
    const endless = executed({ tool: "a:b@1#00000000", durationMs: Number.MAX_SAFE_INTEGER });
    const fold = foldEntries(NO_ACCOUNTS, [entry(endless), entry(endless), entry(executed())]);
    expect(hottest(fold.accounts.hot).map(({ key, request_count }) => [key, request_count])).toEqual([
      ["a:b@1#00000000", 1],
      ["github:create_issue#aea9ce2a", 1],
    ]);
    expect(fold.refused).toContain("counter_exhausted");
  });

  it("keeps of a configuration's refreshes the last that was told, whatever its clock said", () => {
    const last = refreshed({ refreshed_at_ms: NOON_MS - 3_600_000, generation: 9 });
    const fold = foldEntries(NO_ACCOUNTS, [
      entry(browsed(), [], refreshed({ refreshed_at_ms: NOON_MS + 1 })),
      entry(browsed(), [], refreshed({ refreshed_at_ms: NOON_MS })),
      entry(browsed(), [], last),
      entry(browsed(), [], refreshed({ config: "config-b" })),
    ]);
    expect([...fold.refreshes.keys()]).toEqual(["config-a", "config-b"]);
    expect(fold.refreshes.get("config-a")).toEqual(last);
  });
});

describe("the targets of one server", () => {
  it("lets a later one take over, and counts on", () => {
    const { accounts } = foldEntries(NO_ACCOUNTS, [
      entry(executed(), [answered("a")]),
      entry(executed(), [answered("a", 20, generation(2))]),
    ]);
    expect(upstream(accounts, "a")).toMatchObject({
      generation: 2,
      restartCount: 1,
      totals: { success_count: 2 },
    });
  });

  it("counts calls of an earlier one, which say nothing of the one in use", () => {
    const ahead = foldEntries(NO_ACCOUNTS, [entry(executed(), [unreachable("a", "x", generation(2))])]);
    const late = foldEntries(ahead.accounts, [
      entry(executed(), [unreachable("a")]),
      entry(executed(), [answered("a")]),
    ]);
    expect(late.refused).toEqual([]);
    expect(upstream(late.accounts, "a")).toMatchObject({
      generation: 2,
      restartCount: 1,
      consecutiveFailures: 1,
      lastFault: { generation: 2 },
      totals: { request_count: 3, success_count: 1, error_count: 2, recovery_fault_count: 1 },
    });
  });
});
