import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountName } from "../../../src/outbox/account-name.ts";
import { refreshEntry, type RefreshRun } from "../../../src/catalog/refresh/refresh-entry.ts";
import type { RefreshOutcome } from "../../../src/catalog/refresh/publish-found.ts";
import { SERVER_NAME_MAX_CHARS } from "../../../src/limits.ts";
import { type LedgerEntry, readEntry } from "../../../src/outbox/entry.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";
import { applyOperations } from "../../../src/spine/telemetry/operation.ts";
import { inFlight } from "../../../src/spine/telemetry/counters.ts";
import { openLedger } from "../../../src/spine/telemetry/ledger.ts";
import { RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const TWO = settingsOf({ alpha: {}, beta: {} });

function run(outcome: RefreshOutcome, more: Partial<RefreshRun> = {}): RefreshRun {
  return {
    key: "key-1",
    config: TWO.hash,
    trigger: "operator",
    startedAtMs: 1_000,
    endedAtMs: 1_250,
    intervalSeconds: 300,
    outcome,
    ...more,
  };
}

function entry(told: RefreshRun): LedgerEntry {
  const text = refreshEntry(told);
  const read = text.ok ? readEntry(text.value) : text;
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

describe("what the ledger is told of a refresh", () => {
  it("is that a configuration's catalog was loaded, first, and that it was refreshed, from then on", async () => {
    const rig = new RefreshRig();
    const broken = tool("b1", { inputSchema: { $ref: "#/x" } });
    const first = await rig.refresh(TWO, { alpha: [tool("a1"), tool("1\u0000")], beta: [broken] });
    expect(entry(run(first)).event).toEqual({
      version: 1,
      event: "catalog.loaded",
      timestamp: 1_250,
      success: true,
      duration_ms: 250,
      session_id: null,
      tool_id: null,
      namespace: null,
      attributes: {
        tool_count: 2,
        server_count: 2,
        skipped_count: 1,
        stale_count: 0,
        finding_count: 2,
        generation: 1,
        trigger: "operator",
      },
    });
    const counted = await new RefreshRig().refresh(TWO, {
      alpha: {
        resources: [{ uri: "a://b" }],
        templates: [{ uriTemplate: "a://{b}" }],
        prompts: [{ name: "p" }],
      },
    });
    const { event, refresh } = entry(run(counted));
    expect(event.attributes).toMatchObject({ tool_count: 0, resource_count: 2, prompt_count: 1 });
    const kinds = { tools: 0, resources: 2, prompts: 1 };
    expect(refresh).toMatchObject({ ...kinds, servers: [{ name: "alpha", ...kinds }, { name: "beta" }] });
    expect(refresh?.servers[1]).not.toHaveProperty("resources");
    const second = await rig.refresh(TWO, {
      alpha: [tool("a1", { title: "A" }), tool("a2")],
      beta: "it is down",
    });
    expect(entry(run(second, { trigger: "interval" })).event).toMatchObject({
      event: "catalog.refresh",
      success: true,
      attributes: {
        changed: true,
        tool_count: 3,
        stale_count: 1,
        generation: 2,
        trigger: "interval",
        added_count: 1,
        removed_count: 0,
        changed_count: 1,
      },
    });
    const same = await rig.refresh(TWO, { alpha: [tool("a1", { title: "A" }), tool("a2")], beta: [broken] });
    const { attributes } = entry(run(same)).event;
    expect(attributes).toMatchObject({ changed: false, stale_count: 0 });
    expect(attributes).not.toHaveProperty("added_count");
  });

  it("is a first load that failed, as long as there is none", async () => {
    const required = settingsOf({ alpha: { required: true }, beta: {} });
    const rig = new RefreshRig();
    for (let times = 0; times < 2; times += 1) {
      const outcome = await rig.refresh(required, { alpha: "it is down", beta: [tool("b1")] });
      expect(entry(run(outcome))).toMatchObject({
        event: {
          event: "catalog.loaded",
          success: false,
          attributes: { tool_count: 0, generation: 0, error_code: "required_server_failed" },
        },
        refresh: { generation: 0, hash: null, tools: 0, failure: "the required server alpha failed" },
      });
    }
    expect(entry(run(await rig.refresh(required, { alpha: [tool("a1")] }))).event).toMatchObject({
      event: "catalog.loaded",
      success: true,
    });
    const later = await rig.refresh(required, { alpha: "it is down" });
    expect(entry(run(later)).event).toMatchObject({
      event: "catalog.refresh",
      success: false,
      attributes: { changed: false, tool_count: 1, generation: 1 },
    });
  });

  it("is one listing for each server that was asked, with the fault that belongs to it, and none in flight", async () => {
    const rig = new RefreshRig();
    const outcome = await rig.refresh(TWO, { alpha: [tool("a1")], beta: "it is down" }, async (server) => {
      rig.clock.nowMs += server === "alpha" ? 40 : 7;
    });
    const { upstreams } = entry(run(outcome));
    expect(upstreams.map(({ server, generation }) => [server, generation])).toEqual([
      ["alpha", 1],
      ["beta", 1],
    ]);
    expect(upstreams[0]?.operations.map((each) => ({ ...each, latency_ms: 0 }))).toEqual([
      { record: "request", method: "tools/list", latency_ms: 0 },
      { record: "success", method: "tools/list", latency_ms: 0 },
    ]);
    expect(upstreams[1]?.operations).toMatchObject([
      { record: "request", method: "tools/list" },
      {
        record: "recovery_fault",
        method: "tools/list",
        fault: { generation: 1, class: "transport", code: "unreachable", detail: "it is down" },
      },
      { record: "error", method: "tools/list", error: "unreachable" },
    ]);
    for (const { operations } of upstreams) {
      const { ledger, refused } = applyOperations(openLedger(GENESIS), operations);
      expect([refused, inFlight(ledger.totals)]).toEqual([[], 0]);
    }
  });

  it("counts a listing that threw as a fault of ours, and nothing where nothing was sent", async () => {
    const rig = new RefreshRig();
    const thrown = await rig.refresh(TWO, { alpha: [tool("a1")] }, async (server) => {
      if (server === "beta") throw new Error("secret-4711");
    });
    const text = refreshEntry(run(thrown));
    expect(text.ok ? text.value : "").not.toContain("4711");
    expect(entry(run(thrown)).upstreams[1]?.operations[1]).toMatchObject({
      fault: { class: "invariant", code: "internal", detail: "the server could not be listed" },
    });
    const { calls, ...rest } = thrown;
    expect(entry(run({ ...rest, calls: calls.slice(0, 1) })).upstreams.map(({ server }) => server)).toEqual([
      "alpha",
    ]);
  });

  it("says which server is how, what changed last, and how it stands to the pin", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, { alpha: [tool("a1")] });
    const changed = await rig.refresh(TWO, { alpha: [tool("a1", { title: "A" })], beta: "it is down" });
    const { refresh } = entry(run(changed));
    expect(refresh).toMatchObject({
      config: TWO.hash,
      generation: 2,
      hash: changed.facts?.fingerprint,
      tools: 1,
      refreshed_at_ms: 1_250,
      interval_s: 300,
      changed: true,
      servers: [
        { name: "alpha", status: "ok", tools: 1, skipped: 0, findings: [], finding_count: 0 },
        { name: "beta", status: "stale", tools: 0, reason: "it is down" },
      ],
      diff: { added: [], removed: [], replaced: [], changed: [{ change: "wording" }] },
      diff_generation: 2,
    });
    expect(refresh).not.toHaveProperty("pin");
    const again = await rig.refresh(TWO, { alpha: [tool("a1", { title: "A" })] });
    expect(entry(run(again)).refresh).toMatchObject({
      changed: false,
      diff: refresh?.diff,
      diff_generation: 2,
    });
  });

  it("is what a strict pin kept out, which led to no generation", async () => {
    const rig = new RefreshRig();
    const { facts } = await new RefreshRig().refresh(TWO, { alpha: [tool("a1")] });
    const hash = facts?.fingerprint ?? "";
    const settings = settingsOf({ alpha: {}, beta: {} }, { pin: { hash, mode: "strict" } });
    await rig.refresh(settings, { alpha: [tool("a1")] });
    const other = entry(run(await rig.refresh(settings, { alpha: [tool("a2")] })));
    expect(other).toMatchObject({
      event: { success: false, attributes: { error_code: "pin_mismatch", added_count: 1, removed_count: 1 } },
      refresh: {
        generation: 1,
        hash,
        changed: false,
        failure: "the catalog does not match gateway.pin",
        pin: { mode: "strict", expected: hash, matches: false },
        diff: { added: [expect.stringMatching(/^alpha:a2#/)] },
      },
    });
    expect(other.refresh).not.toHaveProperty("diff_generation");
    expect(other.refresh?.pin?.actual).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("a server's name for its account", () => {
  it("is its own, or within the bound and still its own", () => {
    const long = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom("\ud800", "\udc00", "\u0001", '"', "x"),
        minLength: 1,
        maxLength: 200,
      }),
    );
    const written = (text: string) => JSON.stringify(text).length - 2;
    fc.assert(
      fc.property(long, long, (one, other) => {
        const name = accountName(one);
        expect(written(name)).toBeLessThanOrEqual(SERVER_NAME_MAX_CHARS);
        expect(name === one).toBe(written(one) <= SERVER_NAME_MAX_CHARS);
        expect(name === accountName(other)).toBe(one === other);
      }),
    );
    const shared = "s".repeat(200);
    expect(accountName(`${shared}1`)).not.toBe(accountName(`${shared}2`));
  });
});
