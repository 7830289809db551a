import { describe, expect, it } from "vitest";
import type { MoveRun } from "../../../src/catalog/refresh/move.ts";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { generationKey, pointerKey } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { type Listings, RefreshRig, settingsOf, swell, tool } from "../../support/catalog/rig.ts";

const candidate = { url: "https://green.example.com/mcp" };
const servers = { alpha: { candidate }, beta: {} };
const SETTINGS = settingsOf(servers);
const BLUE = [tool("a1"), tool("a2")];
const GREEN = [tool("a1"), tool("a2", { description: "Better." }), tool("a3")];
const ALL: Listings = { alpha: BLUE, "alpha:candidate": GREEN, beta: [tool("b1")] };

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const id = (name: string) => text(new RegExp(`^alpha:${name}#`));
const PROMOTED = { server: "alpha", target: "candidate", generation: 2 };

async function refreshed(settings: CatalogSettings = SETTINGS, listings: Listings = ALL) {
  const rig = new RefreshRig();
  await rig.refresh(settings, listings);
  return rig;
}

/** What the object has, and what KV leads every reader to. */
const own = (rig: RefreshRig, settings = SETTINGS) => rig.store.published(settings.hash)?.pointer;
const served = (rig: RefreshRig, settings = SETTINGS): unknown => {
  const bytes = rig.kv.values.get(pointerKey(settings.hash));
  return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
};
const refusal = ({ answer, outcomes }: MoveRun) => ({ ...answer, outcomes: outcomes.length });

describe("a promotion", () => {
  it("moves the calls, the definitions and the generation at once, and says what differs", async () => {
    const rig = await refreshed();
    rig.listed = [];
    const { answer, outcomes, unfinished } = await rig.move(SETTINGS, ALL, "promote");
    expect(rig.listed).toEqual(["alpha:candidate", "alpha"]);
    expect(answer).toEqual({
      version: 1,
      moved: true,
      server: "alpha",
      active: "candidate",
      generation: 2,
      catalogGeneration: 2,
      comparison: "compatible",
      diff: { added: [id("a3")], removed: [], changed: [{ id: id("a2"), change: "wording" }], replaced: [] },
    });
    expect(unfinished).toBe(false);
    expect(own(rig)).toMatchObject({ generation: 2, targets: [PROMOTED], stale: [] });
    expect(served(rig)).toEqual(own(rig));
    expect(outcomes).toMatchObject([
      {
        changed: true,
        facts: { tools: 4 },
        calls: [{ server: "alpha", generation: 2 }],
        servers: [
          {
            status: "ok",
            tools: 3,
            target: "candidate",
            generation: 2,
            candidate: { status: "listed", comparison: "breaking" },
          },
          { status: "ok", tools: 1 },
        ],
      },
    ]);
  });

  it("says of servers that are not listed with it why they failed last", async () => {
    const listings = { ...ALL, beta: "it is down" };
    const rig = new RefreshRig();
    const first = await rig.refresh(SETTINGS, listings);
    rig.reports = first.servers;
    const { outcomes } = await rig.move(SETTINGS, listings, "promote");
    const reasonOf = (outcome: typeof first | undefined) =>
      outcome?.servers.find(({ name }) => name === "beta")?.reason;
    expect(reasonOf(first)).toBe("it is down");
    expect(reasonOf(outcomes.at(-1))).toBe(reasonOf(first));
  });

  it("of a target that lists the same is a new generation of the same content", async () => {
    const same = { ...ALL, "alpha:candidate": BLUE.toReversed() };
    const rig = await refreshed(SETTINGS, same);
    const before = own(rig);
    const writes = rig.kv.count("put", "snapshot:") + rig.kv.count("put", "shard:");
    const { answer } = await rig.move(SETTINGS, same, "promote");
    expect(answer).toMatchObject({ moved: true, comparison: "identical", catalogGeneration: 2 });
    expect(own(rig)).toMatchObject({ generation: 2, hash: before?.hash, targets: [PROMOTED] });
    expect(rig.kv.count("put", "snapshot:") + rig.kv.count("put", "shard:")).toBe(writes);
    expect(rig.kv.values.has(generationKey(SETTINGS.hash, 2))).toBe(true);
  });

  it.each(["operator", "interval", "first_use", "unknown_tool"] as const)(
    "is kept by a refresh (%s), and the other target is the configured one from then on",
    async (trigger) => {
      const rig = await refreshed();
      await rig.move(SETTINGS, ALL, "promote");
      const pointer = own(rig);
      const outcome = await rig.refresh(SETTINGS, ALL, async () => undefined, trigger);
      expect(outcome).toMatchObject({ changed: false, pointer, servers: [{ target: "candidate" }, {}] });
      expect(outcome.calls).toMatchObject([{ server: "alpha", generation: 2 }, { server: "beta" }]);
    },
  );

  it("keeps the last good tools of its target when that fails, and stays", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const outcome = await rig.refresh(SETTINGS, { ...ALL, "alpha:candidate": "it is down" });
    expect(outcome).toMatchObject({
      changed: false,
      pointer: { generation: 2, targets: [PROMOTED], stale: ["alpha"] },
      facts: { tools: 4 },
      servers: [{ status: "stale", tools: 3, target: "candidate" }, {}],
    });
  });

  it.each([
    ["lacks a tool", [tool("a1")]],
    ["changes a contract", [tool("a1"), tool("a2", { outputSchema: { type: "object" } })]],
    ["lists nothing at all", []],
  ])("of a target that %s is refused with what differs, unless it is accepted", async (_, green) => {
    const listings = { ...ALL, "alpha:candidate": green };
    const rig = await refreshed(SETTINGS, listings);
    const before = own(rig);
    const refused = await rig.move(SETTINGS, listings, "promote");
    expect(refusal(refused)).toMatchObject({
      moved: false,
      reason: "breaking",
      comparison: "breaking",
      outcomes: 0,
    });
    expect(refused.answer.diff).toMatchObject({ added: [] });
    expect(own(rig)).toEqual(before);
    expect(rig.store.rollouts.rollout("alpha").active).toBeNull();
    const { answer } = await rig.move(SETTINGS, listings, "promote", { acceptBreaking: true });
    expect(answer).toMatchObject({ moved: true, comparison: "breaking", diff: refused.answer.diff });
    expect(own(rig)).toMatchObject({ targets: [PROMOTED] });
  });

  it("compares what the targets list now, and not what they listed before", async () => {
    const rig = await refreshed();
    const worse = await rig.move(SETTINGS, { ...ALL, "alpha:candidate": [] }, "promote");
    expect(worse.answer).toMatchObject({ moved: false, reason: "breaking" });
    const grown = { ...ALL, alpha: [...BLUE, tool("a4")] };
    const behind = await rig.move(SETTINGS, grown, "promote");
    expect(behind.answer).toMatchObject({ moved: false, reason: "breaking", diff: { removed: [id("a4")] } });
  });

  it.each([
    ["fails", "it is down"],
    [
      "lies about its ids",
      [tool("alpha.a", { _meta: { version: "1" } }), tool("a", { _meta: { version: "1" } })],
    ],
  ])("to a target that %s is refused and remembered", async (_, green) => {
    const rig = await refreshed();
    const before = own(rig);
    const listings = { ...ALL, "alpha:candidate": green };
    const { answer } = await rig.move(SETTINGS, listings, "promote", { acceptBreaking: true });
    expect(answer).toMatchObject({ moved: false, reason: "candidate_rejected", detail: text(/./) });
    expect(own(rig)).toEqual(before);
    rig.listed = [];
    const outcome = await rig.refresh(SETTINGS, listings, async () => undefined, "interval");
    expect(rig.listed).not.toContain("alpha:candidate");
    expect(outcome.servers[0]).toMatchObject({ status: "ok", candidate: { status: "rejected" } });
    expect((await rig.move(SETTINGS, ALL, "promote")).answer).toMatchObject({ moved: true });
  });

  it("to a target whose tools have no room is refused, whatever is accepted", async () => {
    const rig = await refreshed();
    const before = own(rig);
    swell(rig, SETTINGS);
    const { answer } = await rig.move(SETTINGS, ALL, "promote", { acceptBreaking: true });
    expect(answer).toMatchObject({
      moved: false,
      reason: "candidate_rejected",
      detail: "the catalog would become too large",
    });
    expect(own(rig)).toEqual(before);
  });

  it("away from a target that fails goes by its last good tools", async () => {
    const rig = await refreshed();
    const down = { ...ALL, alpha: "it is down" };
    await rig.refresh(SETTINGS, down);
    const { answer } = await rig.move(SETTINGS, down, "promote");
    expect(answer).toMatchObject({ moved: true, comparison: "compatible", diff: { added: [id("a3")] } });
    expect(own(rig)).toMatchObject({ stale: [], targets: [PROMOTED] });
  });

  it("leaves the other servers as they were listed last", async () => {
    const rig = await refreshed();
    await rig.refresh(SETTINGS, { ...ALL, beta: "it is down" });
    rig.listed = [];
    const { outcomes } = await rig.move(SETTINGS, { ...ALL, beta: [] }, "promote");
    expect(rig.listed).not.toContain("beta");
    expect(own(rig)).toMatchObject({ stale: ["beta"], targets: [PROMOTED] });
    expect(outcomes).toMatchObject([
      {
        facts: { tools: 4 },
        servers: [{}, { status: "stale", tools: 1, reason: "it failed at the last refresh" }],
      },
    ]);
  });

  it("lists all servers first where there is no catalog yet", async () => {
    const rig = new RefreshRig();
    const { answer, outcomes } = await rig.move(SETTINGS, ALL, "promote");
    expect(rig.listed).toEqual(["alpha", "beta", "alpha:candidate", "alpha"]);
    expect(answer).toMatchObject({ moved: true, catalogGeneration: 2, comparison: "compatible" });
    expect(outcomes).toMatchObject([{ first: true }, { first: false, facts: { tools: 4 } }]);
  });

  it("is refused where the configuration has no such server, or no candidate of it", async () => {
    const rig = await refreshed();
    rig.listed = [];
    for (const server of ["gamma", "", "__proto__", "constructor"]) {
      expect(refusal(await rig.move(SETTINGS, ALL, "promote", { server }))).toMatchObject({
        reason: "unknown_server",
      });
    }
    expect((await rig.move(SETTINGS, ALL, "promote", { server: "beta" })).answer).toMatchObject({
      reason: "no_candidate",
    });
    expect((await rig.move(SETTINGS, ALL, "rollback", { server: "beta" })).answer).toMatchObject({
      reason: "nothing_to_roll_back",
    });
    const disabled = settingsOf({ ...servers, alpha: { candidate, disabled: true } });
    expect((await rig.move(disabled, ALL, "promote")).answer).toMatchObject({ reason: "unknown_server" });
    expect(rig.listed).toEqual([]);
  });

  it("happens once, however often it is asked for", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const pointer = own(rig);
    for (let times = 0; times < 2; times += 1) {
      expect(refusal(await rig.move(SETTINGS, ALL, "promote"))).toMatchObject({
        moved: false,
        reason: "already_active",
        outcomes: 0,
      });
    }
    expect(own(rig)).toEqual(pointer);
  });

  it("of a required server is refused where the candidate fails, and the catalog stays whole", async () => {
    const required = settingsOf({ ...servers, alpha: { candidate, required: true } });
    const rig = await refreshed(required);
    const { answer } = await rig.move(required, { ...ALL, "alpha:candidate": "it is down" }, "promote");
    expect(answer).toMatchObject({ moved: false, reason: "candidate_rejected" });
    expect(own(rig, required)).toMatchObject({ generation: 1 });
    expect((await rig.move(required, ALL, "promote")).answer).toMatchObject({ moved: true });
  });
});

describe("a promotion under a strict pin", () => {
  const fingerprint = async (listings: Listings, settings = settingsOf({ alpha: {}, beta: {} })) =>
    (await new RefreshRig().refresh(settings, listings)).facts?.fingerprint ?? "";
  const pinnedTo = (hash: string, mode = "strict") => settingsOf(servers, { pin: { hash, mode } });

  it("is refused where the catalog would be another one, and says which", async () => {
    const settings = pinnedTo(await fingerprint(ALL));
    const rig = await refreshed(settings);
    const before = own(rig, settings);
    const { answer } = await rig.move(settings, ALL, "promote", { acceptBreaking: true });
    const actual = await fingerprint({ ...ALL, alpha: GREEN });
    expect(answer).toMatchObject({
      moved: false,
      reason: "pinned",
      comparison: "compatible",
      detail: text(new RegExp(actual)),
    });
    expect(own(rig, settings)).toEqual(before);
    expect(rig.store.rollouts.rollout("alpha").active).toBeNull();
  });

  it("goes to the catalog that the pin names, also where none was published before it", async () => {
    const settings = pinnedTo(await fingerprint({ ...ALL, alpha: GREEN }));
    const rig = new RefreshRig();
    expect((await rig.refresh(settings, ALL)).pointer).toBeNull();
    const { answer } = await rig.move(settings, ALL, "promote");
    expect(answer).toMatchObject({ moved: true, comparison: "compatible" });
    expect(own(rig, settings)).toMatchObject({ targets: [PROMOTED] });
    expect((await rig.move(settings, ALL, "rollback")).answer).toMatchObject({ reason: "pinned" });
  });

  it("is made and told of where the pin only warns", async () => {
    const settings = pinnedTo(await fingerprint(ALL), "warn");
    const rig = await refreshed(settings);
    const { answer, outcomes } = await rig.move(settings, ALL, "promote");
    expect(answer).toMatchObject({ moved: true });
    expect(outcomes).toMatchObject([{ pin: { mode: "warn", matches: false } }]);
  });
});

describe("a rollback", () => {
  it("is not kept from its way out by another server that is required and stale", async () => {
    const rig = await refreshed();
    await rig.move(SETTINGS, ALL, "promote");
    const down = { ...ALL, beta: "it is down" };
    await rig.refresh(SETTINGS, down);
    const strict = settingsOf({ alpha: { candidate }, beta: { required: true } });
    expect(strict.hash).toBe(SETTINGS.hash);
    expect((await rig.move(strict, down, "rollback")).answer).toMatchObject({
      moved: true,
      active: "configured",
    });
    expect(own(rig)?.stale).toEqual(["beta"]);
  });

  async function promoted(listings: Listings = ALL) {
    const rig = await refreshed(SETTINGS, listings);
    await rig.move(SETTINGS, listings, "promote", { acceptBreaking: true });
    rig.listed = [];
    return rig;
  }

  it("returns once, under a generation of its own, and does not ask what it leaves", async () => {
    const rig = await promoted();
    const { answer } = await rig.move(SETTINGS, { ...ALL, "alpha:candidate": "it hangs" }, "rollback");
    expect(rig.listed).toEqual(["alpha"]);
    expect(answer).toMatchObject({
      moved: true,
      active: "configured",
      generation: 3,
      catalogGeneration: 3,
      comparison: "breaking",
      diff: { removed: [id("a3")] },
    });
    expect(own(rig)).toMatchObject({
      generation: 3,
      targets: [{ server: "alpha", target: "configured", generation: 3 }],
    });
    expect((await rig.move(SETTINGS, ALL, "rollback")).answer).toMatchObject({
      reason: "nothing_to_roll_back",
    });
    expect((await rig.move(SETTINGS, ALL, "promote")).answer).toMatchObject({ moved: true, generation: 4 });
  });

  it("to a target that fails takes its last good tools, and tells that they are stale", async () => {
    const rig = await promoted();
    const down = { ...ALL, alpha: "it is down" };
    const { answer, outcomes } = await rig.move(SETTINGS, down, "rollback");
    expect(answer).toMatchObject({ moved: true, active: "configured" });
    expect(own(rig)).toMatchObject({ stale: ["alpha"] });
    expect(outcomes).toMatchObject([
      { facts: { tools: 3 }, servers: [{ status: "stale", tools: 2, target: "configured" }, {}] },
    ]);
    expect((await rig.refresh(SETTINGS, ALL)).pointer).toMatchObject({ stale: [] });
  });

  it("of a required server goes to its last good tools too: it is the way out", async () => {
    const required = settingsOf({ ...servers, alpha: { candidate, required: true } });
    const rig = await refreshed(required);
    await rig.move(required, ALL, "promote");
    const { answer } = await rig.move(required, { ...ALL, alpha: "it is down" }, "rollback");
    expect(answer).toMatchObject({ moved: true, active: "configured" });
  });

  it("has nowhere to go where nothing was promoted, or the configuration lacks what was active before", async () => {
    const fresh = await refreshed();
    expect((await fresh.move(SETTINGS, ALL, "rollback")).answer).toMatchObject({
      reason: "nothing_to_roll_back",
    });
    const rig = await promoted();
    const elsewhere = settingsOf({ ...servers, alpha: { url: "https://violet.example.com/mcp", candidate } });
    expect((await rig.move(elsewhere, ALL, "rollback")).answer).toMatchObject({
      reason: "nothing_to_roll_back",
    });
    expect(own(rig, elsewhere)).toMatchObject({ targets: [PROMOTED] });
  });
});
