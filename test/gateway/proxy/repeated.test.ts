import { describe, expect, it } from "vitest";
import { listedAs } from "../../../src/identity/listed-form.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeId, type FakeTool } from "../../support/fake-catalog.ts";
import { jsonOf, textOf } from "../../support/fake-gateway.ts";
import { sameJson } from "../../support/same-json.ts";
import { journalledCaller } from "./journalled.ts";
import { proxied } from "./proxied.ts";

const CREATE: FakeTool = { namespace: "github", name: "create_issue", inputSchema: { type: "object" } };
const CATALOG = fakeCatalog([CREATE]);
const ID = fakeId(CREATE);
const LARGE = { content: [{ type: "text", text: "line\n".repeat(100_000) }], isError: false };

describe("a repeated tool_execute of the proxy", () => {
  const origin = { requestKey: null, idempotencyKey: "once" };
  const SMALL = {
    content: [{ type: "text", text: "done" }],
    structuredContent: { ok: true },
    isError: false,
    _meta: { own: 1 },
    other: [1],
  };

  it.each([
    ["small", SMALL],
    ["larger than the journal takes", LARGE],
    ["of many bytes a character", { content: [{ type: "text", text: "語\u{1f600}".repeat(40_000) }] }],
  ])("gets its first answer again, whole, where that is %s", async (_, result) => {
    const { execute, calls, caller } = proxied(
      { catalog: CATALOG, answer: () => ok({ ...result }) },
      journalledCaller(),
    );
    const args = { tool_id: ID, args: { title: "t" } };
    const first = await execute(args, origin);
    const again = await execute({ ...args, tool_id: listedAs("url", ID) }, origin);
    expect(sameJson(first, result)).toBe(true);
    expect(sameJson(again, result)).toBe(true);
    expect([calls.length, caller.asks.length]).toEqual([1, 2]);
    expect(caller.told.map(({ event }) => event.event)).toEqual(["execute.completed", "execute.completed"]);
  });

  it.each([
    ["has expired", "later", "UPSTREAM_ERROR", false],
    ["is gone", "gone", "UPSTREAM_ERROR", false],
    ["is no answer any more", "broken", "UPSTREAM_ERROR", false],
    ["cannot be reached", "unreachable", "UPSTREAM_UNAVAILABLE", true],
  ])("says so where the kept answer %s, and runs nothing", async (_, what, error, retryable) => {
    const { execute, calls, artifacts, clock } = proxied(
      { catalog: CATALOG, answer: () => ok({ ...LARGE }) },
      journalledCaller(),
    );
    const args = { tool_id: ID, args: { title: "t" } };
    await execute(args, origin);
    if (what === "later") clock.nowMs += 8 * 86_400_000;
    if (what === "gone") artifacts.objects.clear();
    if (what === "unreachable") artifacts.broken = true;
    for (const kept of artifacts.objects.values()) if (what === "broken") kept.bytes.fill(0x20);
    const answer = await execute(args, origin);
    expect(jsonOf(answer)).toMatchObject({ error, retryable });
    expect(calls.length).toBe(1);
  });

  it("is another call than one of the other surface under its name, so that neither gets the other's answer", async () => {
    const { execute, gateway, caller } = proxied(
      { catalog: CATALOG, answer: () => ok({ ...SMALL }) },
      journalledCaller(),
    );
    const args = { tool_id: ID, args: { title: "t" } };
    await execute(args, origin);
    await gateway.call("tool_execute", args, caller.context, origin);
    await execute(args, origin);
    const [whole, shown, again] = caller.asks.map(({ journal }) => journal?.fingerprint);
    expect(whole).toBe(again);
    expect(whole).not.toBe(shown);
  });

  it("is the only one for whom anything is kept: a call without a name cannot come again", async () => {
    const config = { gateway: { artifacts: { on_full: "refuse" } } };
    const { execute, artifacts, caller } = proxied(
      { catalog: CATALOG, config, answer: () => ok({ ...LARGE }) },
      journalledCaller(),
    );
    const args = { tool_id: ID, args: { title: "t" } };
    await execute(args, { requestKey: "n:1", idempotencyKey: null });
    expect([artifacts.calls, caller.asks[0]?.reserve]).toEqual([[], undefined]);
    expect(caller.reports.flatMap(({ journal }) => journal ?? [])).toMatchObject([
      { outcome: "completed", answer: null },
    ]);
    await execute(args, { requestKey: "n:1", idempotencyKey: "once" });
    expect([artifacts.calls, caller.asks[1]?.reserve]).toMatchObject([["put"], { onFull: "refuse" }]);
  });

  it("holds no memory behind it", async () => {
    const { execute, buffers } = proxied(
      { catalog: CATALOG, answer: () => ok({ ...LARGE }) },
      journalledCaller(),
    );
    await execute({ tool_id: ID, args: { title: "t" } }, origin);
    await execute({ tool_id: ID, args: { title: "t" } }, origin);
    const room = buffers.open(1_000);
    expect(room.hold(24 * 1024 * 1024)).toBe(true);
    room.release();
  });

  it("leaves its first answer's secrets out the second time too", async () => {
    const result = { content: [{ type: "text", text: "hunter22 ".repeat(10_000) }] };
    const { execute } = proxied(
      { catalog: CATALOG, answer: () => ok(result), secrets: ["hunter22"] },
      journalledCaller(),
    );
    await execute({ tool_id: ID, args: { title: "t" } }, origin);
    const again = await execute({ tool_id: ID, args: { title: "t" } }, origin);
    expect(textOf(again).length).toBeGreaterThan(10_000);
    expect(JSON.stringify(again)).not.toContain("hunter22");
  });
});
