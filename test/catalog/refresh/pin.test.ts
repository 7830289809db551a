import { describe, expect, it } from "vitest";
import type { RefreshOutcome } from "../../../src/catalog/refresh/publish-found.ts";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { pointerKey } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const SERVERS = { alpha: {}, beta: {} };
const UNPINNED = settingsOf(SERVERS);
const LISTINGS: Listings = { alpha: [tool("a1"), tool("a2")], beta: [tool("b1")] };
const drifted = (version: number): Listings => ({
  ...LISTINGS,
  alpha: [tool("a1"), tool(`other_${version}`)],
});

const hashOf = async (listings: Listings): Promise<string> => {
  const { facts } = await new RefreshRig().refresh(UNPINNED, listings);
  return facts?.fingerprint ?? "";
};
const pinned = (mode: "warn" | "strict", hash: string) => settingsOf(SERVERS, { pin: { hash, mode } });

/** The generation that KV's pointer leads every reader to. */
const served = (rig: RefreshRig, settings: CatalogSettings): unknown => {
  const bytes = rig.kv.values.get(pointerKey(settings.hash));
  return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
};

describe("a pin that warns", () => {
  it("tells of another catalog, and publishes it under the pointer of a configuration without a pin", async () => {
    const [rig, hash] = [new RefreshRig(), await hashOf(LISTINGS)];
    const settings = pinned("warn", hash);
    expect(settings.hash).toBe(UNPINNED.hash);
    const first = await rig.refresh(settings, LISTINGS);
    expect(first.pin).toEqual({ mode: "warn", expected: hash, actual: hash, matches: true });
    expect(rig.logs).toEqual([]);
    const other = await rig.refresh(settings, drifted(1));
    expect(other).toMatchObject({ changed: true, pointer: { generation: 2 }, facts: { tools: 3 } });
    expect(other.pin).toEqual({
      mode: "warn",
      expected: hash,
      actual: other.facts?.fingerprint,
      matches: false,
    });
    expect(other).not.toHaveProperty("failure");
    expect(rig.logs).toHaveLength(1);
    expect(rig.logs[0]).toContain(hash);
    expect(rig.logs[0]).toContain(other.facts?.fingerprint);
    expect(served(rig, settings)).toEqual(other.pointer);
  });
});

describe("a strict pin", () => {
  const refuses = (outcome: RefreshOutcome) => {
    expect(outcome).toMatchObject({
      changed: false,
      failure: "the catalog does not match gateway.pin",
      failureCode: "pin_mismatch",
      pin: { mode: "strict", matches: false },
    });
  };

  it("keeps the old catalog through any number of others, and publishes none of them", async () => {
    const [rig, settings] = [new RefreshRig(), pinned("strict", await hashOf(LISTINGS))];
    const first = await rig.refresh(settings, LISTINGS);
    expect(first).toMatchObject({ changed: true, pin: { matches: true } });
    const writes = rig.kv.count("put");
    for (let version = 1; version <= 5; version += 1) {
      const other = await rig.refresh(settings, drifted(version));
      refuses(other);
      expect([other.pointer, other.facts]).toEqual([first.pointer, first.facts]);
      // What the pin kept out, against what is served: not against what was kept out before.
      expect(other.diff?.added[0]).toMatch(new RegExp(`^alpha:other_${version}#`));
      expect(other.diff?.removed[0]).toMatch(/^alpha:a2#/);
      expect(other.pin?.actual).not.toBe(first.facts?.fingerprint);
    }
    expect(rig.kv.count("put")).toBe(writes);
    expect(served(rig, settings)).toEqual(first.pointer);
    const again = await rig.refresh(settings, LISTINGS);
    expect(again).toMatchObject({ changed: false, pin: { matches: true }, pointer: first.pointer });
    expect(again).not.toHaveProperty("failure");
    expect(again).not.toHaveProperty("diff");
  });

  it("serves nothing where nothing that matches was ever published, not even what was published without it", async () => {
    const [rig, settings] = [new RefreshRig(), pinned("strict", await hashOf(drifted(1)))];
    await rig.refresh(UNPINNED, LISTINGS);
    for (let run = 0; run < 2; run += 1) {
      const outcome = await rig.refresh(settings, LISTINGS);
      refuses(outcome);
      expect([outcome.pointer, outcome.facts, served(rig, settings)]).toEqual([null, null, null]);
      expect(outcome.pin?.actual).toBe(await hashOf(LISTINGS));
    }
    expect(await rig.refresh(settings, drifted(1))).toMatchObject({ changed: true, pin: { matches: true } });
    expect(served(rig, settings)).toMatchObject({ generation: 2 });
  });

  it("has a catalog of its own by what it names, and by nothing else", async () => {
    const hash = await hashOf(LISTINGS);
    expect(pinned("strict", hash).hash).not.toBe(UNPINNED.hash);
    expect(pinned("strict", hash).hash).toBe(pinned("strict", hash).hash);
    expect(pinned("strict", hash).hash).not.toBe(pinned("strict", "0".repeat(64)).hash);
  });

  it("holds whatever order servers answer in, and while one that matched is down", async () => {
    const [rig, settings] = [new RefreshRig(), pinned("strict", await hashOf(LISTINGS))];
    await rig.refresh(settings, { ...LISTINGS, alpha: [tool("a2"), tool("a1")] }, async (server) => {
      for (let turn = 0; turn < (server === "alpha" ? 20 : 0); turn += 1) await Promise.resolve();
    });
    const down = await rig.refresh(settings, { ...LISTINGS, beta: "it is down" });
    expect(down).toMatchObject({ pointer: { generation: 1, stale: ["beta"] }, pin: { matches: true } });
  });

  it("keeps the whole catalog while one that never answered is missing", async () => {
    const [rig, settings] = [new RefreshRig(), pinned("strict", await hashOf(LISTINGS))];
    refuses(await rig.refresh(settings, { ...LISTINGS, beta: "it is down" }));
    expect(await rig.refresh(settings, LISTINGS)).toMatchObject({ changed: true, facts: { tools: 3 } });
  });

  it("still moves the pointer that KV refused before", async () => {
    const [rig, settings] = [new RefreshRig(), pinned("strict", await hashOf(LISTINGS))];
    rig.kv.failAtWrite = 4;
    expect(await rig.refresh(settings, LISTINGS)).toMatchObject({ changed: true, unfinished: true });
    rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
    expect(served(rig, settings)).toBeNull();
    const other = await rig.refresh(settings, drifted(1));
    refuses(other);
    expect([other.unfinished, served(rig, settings)]).toEqual([false, other.pointer]);
  });

  it("does not name a catalog where a required server is missing", async () => {
    const hash = await hashOf(LISTINGS);
    const settings = settingsOf({ alpha: { required: true }, beta: {} }, { pin: { hash, mode: "strict" } });
    expect(await new RefreshRig().refresh(settings, { ...LISTINGS, alpha: "it is down" })).toMatchObject({
      failureCode: "required_server_failed",
      pin: { mode: "strict", expected: hash, actual: null, matches: false },
    });
  });
});
