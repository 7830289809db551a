import { describe, expect, it } from "vitest";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import type { CounterFault } from "../../../src/catalog/refresh/refresh-ports.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";
import { readCatalog } from "../../support/catalog/served.ts";

const FAULT: CounterFault = { reason: "vocabulary_unreadable", detail: "status 503" };
const FAILURE = "what is new could not be counted: the token vocabulary cannot be used";
const candidate = { url: "https://green.example.com/mcp" };
const SETTINGS = settingsOf({ alpha: { candidate }, beta: { required: true } });
const ALPHA = {
  tools: [tool("a1"), tool("a2")],
  prompts: [{ name: "p1", description: "Does p1." }],
};
const ALL: Listings = { alpha: ALPHA, "alpha:candidate": ALPHA, beta: [tool("b1")] };
const alphaWith = (more: object): Listings => ({ ...ALL, alpha: { ...ALPHA, ...more } });

async function refreshed(): Promise<RefreshRig> {
  const rig = new RefreshRig();
  await rig.refresh(SETTINGS, ALL);
  rig.counterFault = FAULT;
  return rig;
}

async function linesOf(rig: RefreshRig): Promise<readonly string[]> {
  const catalog = await readCatalog(rig.kv, SETTINGS);
  return catalog.page(undefined, 9, SEES_EVERYTHING).tools.map(({ line }) => line);
}

describe("a refresh that cannot count", () => {
  it("and need not, because nothing is new, is one like any other", async () => {
    const rig = await refreshed();
    const { pointer, failure, failureCode } = await rig.refresh(SETTINGS, {
      ...alphaWith({ tools: ALPHA.tools.toReversed() }),
      beta: [],
    });
    expect({ failure, failureCode }).toEqual({});
    expect(pointer).toMatchObject({ generation: 2, stale: [] });
    expect(rig.logs).toEqual([]);
  });

  it.each([
    ["a tool", { tools: [...ALPHA.tools, tool("a3")] }],
    ["a prompt", { prompts: [...ALPHA.prompts, { name: "p2", description: "Does p2." }] }],
  ])("%s that is new leaves the whole catalog as it was, and says why", async (_, more) => {
    const rig = await refreshed();
    const [before, lines, operations] = [
      rig.store.published(SETTINGS.hash),
      await linesOf(rig),
      rig.kv.operations.length,
    ];
    const outcome = await rig.refresh(SETTINGS, { ...alphaWith(more), beta: [] });
    expect(outcome).toMatchObject({
      changed: false,
      pointer: { generation: 1, stale: [] },
      failureCode: "tokens_not_counted",
      failure: FAILURE,
      unfinished: false,
    });
    expect(rig.store.published(SETTINGS.hash)).toEqual(before);
    expect(rig.kv.operations.slice(operations)).toEqual([]);
    expect(await linesOf(rig)).toEqual(lines);
    expect(rig.logs[0]).toBe("tokens cannot be counted: vocabulary_unreadable: status 503");
    // It is no fault of the server's, so its account has none.
    expect(outcome.calls.map(({ server, fault }) => [server, fault])).toEqual([
      ["alpha", undefined],
      ["beta", undefined],
    ]);
  });

  it("is mended by the next that can, to the catalog of one that never failed", async () => {
    const rig = await refreshed();
    const next = alphaWith({ tools: [tool("a1"), tool("a2", { description: "Other." })] });
    await rig.refresh(SETTINGS, next);
    rig.counterFault = undefined;
    const healed = await rig.refresh(SETTINGS, next);
    expect(healed).toMatchObject({ changed: true, pointer: { generation: 2, stale: [] } });
    expect(healed.failure).toBeUndefined();
    const { pointer } = await new RefreshRig().refresh(SETTINGS, next);
    expect(healed.pointer?.hash).toBe(pointer?.hash);
  });

  it("loads nothing more than once, however many servers have something new", async () => {
    const rig = new RefreshRig();
    rig.counterFault = FAULT;
    const outcome = await rig.refresh(SETTINGS, ALL);
    expect(outcome).toMatchObject({ pointer: null, failureCode: "tokens_not_counted" });
    expect(outcome.servers.map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ["alpha", "failed", FAILURE],
      ["beta", "failed", FAILURE],
    ]);
    expect(rig.logs.filter((line) => line.includes("status 503"))).toHaveLength(1);
  });
});

describe("a candidate that cannot be counted", () => {
  const GREEN = { ...ALL, "alpha:candidate": [tool("a1"), tool("a4")] };
  const candidateOf = async (rig: RefreshRig, listings: Listings, trigger?: "interval") =>
    (await rig.refresh(SETTINGS, listings, undefined, trigger)).servers[0]?.candidate;

  it("keeps no catalog from being published, is not rejected for it, and is listed when it can be", async () => {
    const rig = await refreshed();
    const outcome = await rig.refresh(SETTINGS, { ...GREEN, beta: [] }, undefined, "interval");
    expect(outcome).toMatchObject({ changed: true, pointer: { generation: 2 } });
    expect(outcome.servers[0]?.candidate).toMatchObject({ status: "listed", comparison: "identical" });
    rig.counterFault = undefined;
    expect(await candidateOf(rig, GREEN, "interval")).toMatchObject({
      status: "listed",
      comparison: "breaking",
    });
  });

  it("stays rejected where it was", async () => {
    const rig = new RefreshRig();
    const broken = { ...ALL, "alpha:candidate": "broken" };
    const before = await candidateOf(rig, broken);
    expect(before).toMatchObject({ status: "rejected", reason: "broken" });
    // Listed before it broke, too: of that nothing is told.
    await rig.refresh(SETTINGS, ALL);
    await rig.refresh(SETTINGS, broken);
    rig.counterFault = FAULT;
    expect(await candidateOf(rig, { ...GREEN, beta: [] })).toEqual(before);
  });

  it("is not promoted, and not rejected either; the way back from it stays open", async () => {
    const rig = await refreshed();
    expect((await rig.move(SETTINGS, GREEN, "promote", { acceptBreaking: true })).answer).toEqual({
      version: 1,
      moved: false,
      reason: "unpublished",
      detail: FAILURE,
    });
    rig.counterFault = undefined;
    const { answer } = await rig.move(SETTINGS, GREEN, "promote", { acceptBreaking: true });
    expect(answer).toMatchObject({ moved: true, active: "candidate" });
    rig.counterFault = FAULT;
    const back = await rig.move(SETTINGS, alphaWith({ tools: [tool("a9")] }), "rollback");
    expect(back.answer).toMatchObject({ moved: true, active: "configured" });
    expect(rig.store.published(SETTINGS.hash)?.pointer.targets).toMatchObject([{ target: "configured" }]);
  });
});
