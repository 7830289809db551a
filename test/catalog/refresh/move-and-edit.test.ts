import { describe, expect, it } from "vitest";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { NO_ROLLOUT } from "../../../src/catalog/rollout/rollout.ts";
import { forgetLostPromotions } from "../../../src/catalog/rollout/targets.ts";
import { pointerKey } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const candidate = { url: "https://green.example.com/mcp" };
const servers = { alpha: { candidate }, beta: {} };
const SETTINGS = settingsOf(servers);
const BLUE = [tool("a1"), tool("a2")];
const GREEN = [tool("a1"), tool("a2", { description: "Better." }), tool("a3")];
const ALL: Listings = { alpha: BLUE, "alpha:candidate": GREEN, beta: [tool("b1")] };
const PROMOTED = { server: "alpha", target: "candidate", generation: 2 };

async function refreshed() {
  const rig = new RefreshRig();
  await rig.refresh(SETTINGS, ALL);
  return rig;
}

const pinOf = async (rig: RefreshRig): Promise<string> =>
  rig.store.published(SETTINGS.hash)?.facts?.fingerprint ?? "";

/** What the object has, and what KV leads every reader to. */
const own = (rig: RefreshRig, settings = SETTINGS) => rig.store.published(settings.hash)?.pointer;
const served = (rig: RefreshRig, settings: CatalogSettings): unknown => {
  const bytes = rig.kv.values.get(pointerKey(settings.hash));
  return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
};

describe("an edit of the configuration after a promotion", () => {
  const blue = "https://alpha.example.com/mcp";

  it("that makes the candidate the server's own moves nothing", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const settled = settingsOf({ ...servers, alpha: { url: candidate.url } });
    const outcome = await rig.refresh(settled, { ...ALL, alpha: GREEN });
    expect(outcome.pointer).toMatchObject({
      hash: own(rig)?.hash,
      targets: [{ server: "alpha", target: "configured", generation: 2 }],
    });
  });

  it("that swaps the two leaves the way back open", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const swapped = settingsOf({ ...servers, alpha: { url: candidate.url, candidate: { url: blue } } });
    const listings = { ...ALL, alpha: GREEN, "alpha:candidate": BLUE };
    const { pointer } = await rig.refresh(swapped, listings);
    expect(pointer).toMatchObject({ targets: [{ target: "configured", generation: 2 }] });
    expect((await rig.move(swapped, listings, "promote")).answer).toMatchObject({ reason: "breaking" });
    expect((await rig.move(swapped, listings, "rollback")).answer).toMatchObject({
      moved: true,
      active: "candidate",
      generation: 3,
    });
  });

  it("that takes the candidate out returns to the server's own", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const plain = settingsOf({ alpha: {}, beta: {} });
    const { pointer, facts } = await rig.refresh(plain, ALL);
    expect(pointer?.targets).toEqual([{ server: "alpha", target: "configured", generation: 3 }]);
    expect(facts?.tools).toBe(3);
    // Another deployment's configuration has it still.
    const there = { ...PROMOTED, generation: 4 };
    expect((await rig.refresh(SETTINGS, ALL)).pointer).toMatchObject({ targets: [there] });
  });

  it("that takes the candidate out of the serving deployment has it wait for a promotion again", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const plain = settingsOf({ alpha: {}, beta: {} });
    forgetLostPromotions(plain.servers, rig.store.rollouts);
    await rig.refresh(plain, ALL);
    forgetLostPromotions(SETTINGS.servers, rig.store.rollouts);
    expect((await rig.refresh(SETTINGS, ALL)).pointer?.targets).toMatchObject([{ target: "configured" }]);
    expect((await rig.move(SETTINGS, ALL, "rollback")).answer).toMatchObject({
      reason: "nothing_to_roll_back",
    });
  });

  it("under which nothing may be published says where the calls go, not where they would", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const pin = { hash: await pinOf(rig), mode: "strict" };
    const strict = settingsOf(servers, { pin });
    // Published once under the pin, with the old target's tools, and then the calls are moved elsewhere.
    rig.store.rollouts.saveRollout("alpha", NO_ROLLOUT);
    expect((await rig.refresh(strict, { ...ALL, alpha: GREEN })).failure).toBeUndefined();
    await rig.move(SETTINGS, ALL, "promote", { acceptBreaking: true });
    const refused = await rig.refresh(strict, { ...ALL, "alpha:candidate": BLUE });
    expect(refused.failureCode).toBe("pin_mismatch");
    expect(refused.servers[0]).toMatchObject({ target: "configured" });
    expect(own(rig, strict)?.targets ?? []).toEqual([]);
  });

  it("that is about anything but the addresses leaves the calls where they are", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    for (const edited of [
      settingsOf({ ...servers, alpha: { candidate, exclude: ["a1"] } }),
      settingsOf(servers, { schema_limits: { max_depth: 20 } }),
      settingsOf({ beta: {}, alpha: { candidate } }),
    ]) {
      expect(edited.hash).not.toBe(SETTINGS.hash);
      expect((await rig.refresh(edited, ALL)).pointer).toMatchObject({ targets: [PROMOTED] });
    }
  });

  it("is met by the first refresh ever of a configuration as by any other", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const other = settingsOf({ ...servers, gamma: {} });
    const first = await rig.refresh(other, { ...ALL, gamma: [tool("g1")] });
    expect(first).toMatchObject({
      first: true,
      pointer: { targets: [PROMOTED] },
      facts: { tools: 5 },
      servers: [{ target: "candidate", tools: 3 }, {}, {}],
    });
  });

  it("by another deployment meets the same rollouts: its catalog follows at its next run, be it a move", async () => {
    const other = settingsOf({ ...servers, gamma: {} });
    const listings = { ...ALL, gamma: [tool("g1")] };
    const met = async () => {
      const rig = await refreshed();
      await rig.refresh(other, listings);
      await rig.move(SETTINGS, ALL, "promote");
      expect(own(rig, other)).not.toHaveProperty("targets");
      return rig;
    };
    const refreshedNext = await met();
    await refreshedNext.refresh(other, listings);
    const promotedNext = await met();
    expect(await promotedNext.move(other, listings, "promote")).toMatchObject({
      answer: { moved: false, reason: "already_active" },
      outcomes: [{ changed: true }],
    });
    for (const rig of [refreshedNext, promotedNext]) {
      expect(own(rig, other)).toMatchObject({ targets: [PROMOTED] });
      expect(served(rig, other)).toEqual(own(rig, other));
    }
  });
});
