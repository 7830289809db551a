import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountName } from "../../../src/outbox/account-name.ts";
import { refreshEntry, type RefreshRun } from "../../../src/catalog/refresh/refresh-entry.ts";
import type { RefreshOutcome } from "../../../src/catalog/refresh/publish-found.ts";
import {
  ENTRY_MAX_CHARS,
  ENTRY_UPSTREAMS_MAX_COUNT,
  RECORD_FINDINGS_MAX_COUNT,
  RECORD_FINDINGS_TOTAL_MAX_COUNT,
  RECORD_IDS_MAX_COUNT,
} from "../../../src/limits.ts";
import { type LedgerEntry, readEntry } from "../../../src/outbox/entry.ts";
import { createFault } from "../../../src/spine/fault/fault.ts";
import { readFaultCode } from "../../../src/spine/fault/fault-code.ts";
import { FAULT_CLASSES } from "../../../src/spine/fault/fault-class.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";

function run(outcome: RefreshOutcome): RefreshRun {
  return {
    key: "key-1",
    config: "0".repeat(64),
    trigger: "operator",
    startedAtMs: 1_000,
    endedAtMs: 1_250,
    intervalSeconds: 300,
    outcome,
  };
}

function entry(told: RefreshRun): LedgerEntry {
  const text = refreshEntry(told);
  const read = text.ok ? readEntry(text.value) : text;
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

describe("an entry's size", () => {
  const id = fc.integer({ min: 0, max: 999 }).map((at) => `n:${"x".repeat(200)}${at}@1`);
  const ids = fc.array(id, { maxLength: 60 });
  const name = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
    fc.integer({ min: 1, max: 400 }).map((length) => "\u{1f600}".repeat(length)),
    fc.constantFrom("__proto__", "\ud800", "\0", '"'.repeat(128)),
  );
  const inputs = fc.record({
    first: fc.boolean(),
    changed: fc.boolean(),
    unfinished: fc.boolean(),
    count: fc.integer({ min: 0, max: 300 }),
    names: fc.array(name, { minLength: 1, maxLength: 5 }),
    findings: fc.array(fc.record({ tool: name, code: fc.constantFrom("unresolved_ref", "c".repeat(80)) }), {
      maxLength: 30,
    }),
    failure: fc.option(fc.string({ unit: "binary", maxLength: 400 }), { nil: undefined }),
    added: ids,
    removed: ids,
    detail: fc.string({ unit: "binary", maxLength: 400 }),
    kind: fc.constantFrom(...FAULT_CLASSES),
    refused: fc.boolean(),
  });

  type Input = typeof inputs extends fc.Arbitrary<infer Value> ? Value : never;

  function outcomeOf(input: Input): RefreshOutcome {
    const { count, names, findings, failure, added, removed, detail, kind, refused, ...flags } = input;
    const servers = Array.from({ length: count }, (_, at) => `${names[at % names.length] ?? ""}${at}`);
    const diff = { added, removed, changed: [], replaced: added.map((each) => ({ id: each, was: each })) };
    const drift = { generation: 1, diff: { ...diff, omitted: 5 } };
    return {
      ...flags,
      pointer: null,
      facts: { fingerprint: "0".repeat(64), tools: 1, drift },
      servers: servers.map((server) => ({
        name: server,
        status: "stale",
        tools: 1,
        skipped: [],
        findings,
        reason: detail,
      })),
      calls: servers.map((server) => ({
        server,
        latencyMs: 5,
        fault: createFault({ generation: GENESIS, class: kind, code: "http_status", detail }),
      })),
      diff,
      ...(failure === undefined ? {} : { failure }),
      ...(refused ? { failureCode: "pin_mismatch" } : {}),
    };
  }

  it("is legal, and its event is told, whatever the configuration, its servers and their tools are called", () => {
    fc.assert(
      fc.property(inputs.map(outcomeOf), (outcome) => {
        const text = refreshEntry(run(outcome));
        expect(text).toMatchObject({ ok: true });
        expect((text.ok ? text.value : "").length).toBeLessThanOrEqual(ENTRY_MAX_CHARS);
        const { event, refresh, upstreams } = entry(run(outcome));
        expect(event.attributes).toMatchObject({ server_count: outcome.servers.length });
        const findings = refresh?.servers.flatMap((server) => server.findings) ?? [];
        expect(findings.length).toBeLessThanOrEqual(RECORD_FINDINGS_TOTAL_MAX_COUNT);
        for (const server of refresh?.servers ?? [])
          expect(server.findings.length).toBeLessThanOrEqual(RECORD_FINDINGS_MAX_COUNT);
        expect(refresh?.diff?.added.length ?? 0).toBeLessThanOrEqual(RECORD_IDS_MAX_COUNT);
        expect(new Set(upstreams.map(({ server }) => server)).size).toBe(upstreams.length);
        // As many as an entry may tell of; what is left out of more is said.
        const told = Math.min(ENTRY_UPSTREAMS_MAX_COUNT, outcome.servers.length);
        expect([upstreams.length, refresh?.servers.length]).toEqual([told, told]);
        expect(refresh?.omitted_servers ?? 0).toBe(outcome.servers.length - told);
      }),
      { numRuns: 200 },
    );
  });

  describe.each<[string, (at: number) => string]>([
    ["usual names", (at) => `server-${at}`],
    ["names of 128 characters", (at) => `${"n".repeat(125)}${String(at).padStart(3, "0")}`],
    ["names of 128 ideographs", (at) => `${"服".repeat(125)}${String(at).padStart(3, "0")}`],
    ["names of 128 control characters", (at) => `${"\u0001".repeat(125)}${String(at).padStart(3, "0")}`],
    ["names of lone surrogates", (at) => "\ud800".repeat(at + 1)],
    ["names of quotation marks", (at) => '"'.repeat(at + 1)],
    ["names far too long", (at) => `${"x".repeat(10_000)}${at}`],
  ])("of the most servers that it may tell of, with %s,", (_, nameOf) => {
    const names = Array.from({ length: ENTRY_UPSTREAMS_MAX_COUNT }, (__, at) => nameOf(at));
    const code = readFaultCode("c".repeat(64));
    const most = (words: string, findings: number): RefreshOutcome => ({
      pointer: { generation: 2_000_000, revision: 1, hash: "0".repeat(64), stale: [] },
      changed: true,
      first: false,
      unfinished: false,
      facts: { fingerprint: "0".repeat(64), tools: 10_000 },
      servers: names.map((name) => ({
        name,
        status: "stale",
        tools: 10_000,
        skipped: [],
        findings: Array.from({ length: findings }, () => ({ tool: "t".repeat(160), code: "d".repeat(64) })),
        reason: words,
        target: "candidate",
        generation: 2_000_000,
        rollout: "reloading",
        candidate: { status: "rejected", reason: words },
      })),
      calls: names.map((server) => ({
        server,
        generation: GENESIS,
        latencyMs: 600_000,
        fault: createFault({
          generation: GENESIS,
          class: "ambiguous_outcome",
          code: code.ok ? code.value : "internal",
          recovery_hint: "replace_worker",
          detail: words,
        }),
      })),
      diff: { added: [], removed: [], changed: [], replaced: [] },
    });
    const sizeOf = (outcome: RefreshOutcome) => {
      const text = refreshEntry(run(outcome));
      return text.ok ? text.value.length : 0;
    };

    it.each([
      ["whose failures are told in a sentence", "the upstream server is unavailable", 0],
      ["whose failures are told at length", "w".repeat(256), 0],
      ["whose failures are told in what JSON writes six times as long", "\u0001".repeat(256), 0],
      ["with more findings than fit", "the upstream server is unavailable", 20],
      ["with all of that", '"'.repeat(256), 20],
    ])("all failing, %s, has every account and every record", (__, words, findings) => {
      const outcome = most(words, findings);
      const { upstreams, refresh } = entry(run(outcome));
      expect(upstreams.map(({ server }) => server)).toEqual(names.map(accountName));
      expect(refresh?.servers.map(({ name }) => name)).toEqual(names.map(accountName));
      expect(new Set(upstreams.map(({ server }) => server)).size).toBe(ENTRY_UPSTREAMS_MAX_COUNT);
      expect(refresh).not.toHaveProperty("omitted_servers");
      for (const { operations } of upstreams) expect(operations.length).toBe(3);
      for (const { finding_count } of refresh?.servers ?? []) expect(finding_count).toBe(findings);
    });

    it("has as much of the words as fits, where not all do, before any finding", () => {
      const outcome = most('"'.repeat(256), 20);
      const { refresh, upstreams } = entry(run(outcome));
      expect(upstreams.length).toBe(ENTRY_UPSTREAMS_MAX_COUNT);
      expect(refresh?.servers.flatMap(({ findings }) => findings)).toEqual([]);
      const shown = refresh?.servers[0]?.reason?.length ?? 0;
      // One more of each word is one or two more for the reason, for the candidate's and for the fault.
      expect(sizeOf(outcome)).toBeGreaterThan(ENTRY_MAX_CHARS - 6 * ENTRY_UPSTREAMS_MAX_COUNT);
      expect(shown).toBeLessThan(256);
    });
  });

  it("says how many servers it does not tell of, where a configuration has more", () => {
    const names = Array.from({ length: ENTRY_UPSTREAMS_MAX_COUNT + 3 }, (_, at) => `server-${at}`);
    const { upstreams, refresh } = entry(
      run({
        pointer: null,
        changed: false,
        first: false,
        unfinished: false,
        facts: null,
        servers: names.map((name) => ({ name, status: "ok", tools: 1, skipped: [], findings: [] })),
        calls: names.map((server) => ({ server, latencyMs: 1 })),
      }),
    );
    expect(upstreams.map(({ server }) => server)).toEqual(names.slice(0, ENTRY_UPSTREAMS_MAX_COUNT));
    expect(refresh?.servers.map(({ name }) => name)).toEqual(names.slice(0, ENTRY_UPSTREAMS_MAX_COUNT));
    expect(refresh?.omitted_servers).toBe(3);
  });

  it("is met without leaving anything out of a usual configuration's", () => {
    const names = Array.from({ length: 30 }, (_, at) => `server-${at}`);
    const outcome: RefreshOutcome = {
      pointer: null,
      changed: true,
      first: false,
      unfinished: false,
      facts: null,
      servers: names.map((server) => ({
        name: server,
        status: "ok",
        tools: 40,
        skipped: [],
        findings: Array.from({ length: 6 }, (_, at) => ({
          tool: `tool_${at}`,
          code: "top_level_type_missing",
        })),
      })),
      calls: names.map((server) => ({ server, latencyMs: 200 })),
      diff: { added: [], removed: [], changed: [], replaced: [] },
    };
    const { refresh, upstreams } = entry(run(outcome));
    expect(refresh?.servers.flatMap(({ findings }) => findings)).toHaveLength(180);
    expect(upstreams).toHaveLength(30);
  });
});
