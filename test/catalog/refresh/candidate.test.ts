import { describe, expect, it } from "vitest";
import type { RefreshOutcome } from "../../../src/catalog/refresh/publish-found.ts";
import { refreshEntry } from "../../../src/catalog/refresh/refresh-entry.ts";
import { REFRESH_SERVERS_AT_ONCE_COUNT } from "../../../src/limits.ts";
import { readEntry } from "../../../src/outbox/entry.ts";
import { type Listings, RefreshRig, settingsOf, swell, tool } from "../../support/catalog/rig.ts";

const candidate = { url: "https://green.example.com/mcp" };
const SETTINGS = settingsOf({ alpha: { candidate }, beta: {} });
const TOOLS = { alpha: [tool("a1"), tool("a2")], beta: [tool("b1")] } satisfies Listings;
const withCandidate = (listing: readonly unknown[] | string): Listings => ({
  ...TOOLS,
  "alpha:candidate": listing,
});
const version = { _meta: { version: "1" } };
const idle = async () => undefined;

const text = (part: string): unknown => expect.stringContaining(part);
const id = (name: string): unknown => expect.stringMatching(new RegExp(`^alpha:${name}#`));
const none = { added: [], removed: [], changed: [], replaced: [] };
const contract = { inputSchema: { type: "object", additionalProperties: false } };
const alphaOf = ({ servers }: RefreshOutcome) => servers.find(({ name }) => name === "alpha");

/** The outcome of the same servers without a candidate. */
const alone = (listings: Listings = TOOLS) =>
  new RefreshRig().refresh(settingsOf({ alpha: {}, beta: {} }), listings);

describe("a candidate", () => {
  it.each([
    ["identical", [tool("a2"), tool("a1")], none],
    ["compatible", [tool("a1"), tool("a2"), tool("a3")], { ...none, added: [id("a3")] }],
    [
      "compatible",
      [tool("a1", { title: "One" }), tool("a2")],
      { ...none, changed: [{ id: id("a1"), change: "wording" }] },
    ],
    [
      "compatible",
      [tool("a1", { annotations: {} }), tool("a2")],
      { ...none, changed: [{ id: id("a1"), change: "metadata" }] },
    ],
    ["breaking", [tool("a1")], { ...none, removed: [id("a2")] }],
    ["breaking", [], { ...none, removed: [id("a1"), id("a2")] }],
    [
      "breaking",
      [tool("a1", contract), tool("a2")],
      { ...none, changed: [{ id: id("a1"), change: "contract" }] },
    ],
  ])("that is %s is listed beside the active target and changes nothing", async (comparison, tools, diff) => {
    const outcome = await new RefreshRig().refresh(SETTINGS, withCandidate(tools));
    expect(alphaOf(outcome)).toEqual({
      name: "alpha",
      status: "ok",
      tools: 2,
      skipped: [],
      findings: [],
      target: "configured",
      generation: 1,
      rollout: "pending",
      candidate: { status: "listed", comparison, tools: tools.length, diff },
    });
    const { pointer, facts } = await alone();
    expect(outcome.pointer).toEqual(pointer);
    expect(outcome.facts).toEqual(facts);
  });

  it.each([
    ["fails", "it is down", "it is down"],
    [
      "has two tools with one id",
      [tool("alpha.make", version), tool("make", version)],
      "two tools of the server have the id",
    ],
  ])(
    "that %s is rejected, remembered, and costs nothing until an operator asks",
    async (_, listing, reason) => {
      const rig = new RefreshRig();
      const first = await rig.refresh(SETTINGS, withCandidate(listing));
      const rejected = { status: "rejected", reason: text(reason) };
      expect(alphaOf(first)).toMatchObject({ status: "ok", rollout: "stable", candidate: rejected });
      expect(first).not.toHaveProperty("failure");
      expect(first.pointer).toEqual((await alone()).pointer);
      for (const trigger of ["interval", "unknown_tool", "first_use"] as const) {
        rig.listed = [];
        const next = await rig.refresh(SETTINGS, withCandidate([tool("a1")]), idle, trigger);
        expect(rig.listed).toEqual(["alpha", "beta"]);
        expect(alphaOf(next)).toMatchObject({ candidate: rejected });
      }
      expect(alphaOf(await rig.refresh(SETTINGS, withCandidate(TOOLS.alpha)))).toMatchObject({
        rollout: "pending",
        candidate: { status: "listed", comparison: "identical" },
      });
      rig.listed = [];
      await rig.refresh(SETTINGS, withCandidate([]), idle, "interval");
      expect(rig.listed).toContain("alpha:candidate");
    },
  );

  it("of another address is another one, also after one that was rejected", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, withCandidate("it is down"));
    const other = settingsOf({ alpha: { candidate: { url: "https://violet.example.com/mcp" } }, beta: {} });
    expect(other.hash).not.toBe(SETTINGS.hash);
    const outcome = await rig.refresh(other, withCandidate([tool("a1"), tool("a2")]), idle, "interval");
    expect(alphaOf(outcome)).toMatchObject({ candidate: { status: "listed", comparison: "identical" } });
  });

  it("is not waited for by a first use, and is told of as soon as one knows of it", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(SETTINGS, withCandidate([tool("a1")]), idle, "first_use");
    expect(rig.listed).toEqual(["alpha", "beta"]);
    expect(alphaOf(first)).toMatchObject({ rollout: "stable" });
    expect(alphaOf(first)).not.toHaveProperty("candidate");
    await rig.refresh(SETTINGS, withCandidate([tool("a1")]), idle, "interval");
    const known = await rig.refresh(SETTINGS, withCandidate("it is down"), idle, "first_use");
    expect(alphaOf(known)).toMatchObject({ rollout: "pending", candidate: { comparison: "breaking" } });
  });

  it("is listed after the active targets, within the bound on how many at once", async () => {
    const names = Array.from({ length: 4 }, (_, at) => `s${at}`);
    const rig = new RefreshRig();
    await rig.refresh(settingsOf(Object.fromEntries(names.map((name) => [name, { candidate }]))), {});
    expect(rig.listed).toEqual([...names, ...names.map((name) => `${name}:candidate`)]);
    expect(rig.atOnce.most).toBeLessThanOrEqual(REFRESH_SERVERS_AT_ONCE_COUNT);
  });

  it("that fails keeps no catalog from being published, be its server required", async () => {
    const required = settingsOf({ alpha: { candidate, required: true }, beta: {} });
    const outcome = await new RefreshRig().refresh(required, withCandidate("it is down"));
    expect(outcome).toMatchObject({ changed: true, facts: { tools: 3 } });
    expect(outcome).not.toHaveProperty("failure");
    const gone = await new RefreshRig().refresh(required, {
      ...withCandidate([tool("a1"), tool("a2")]),
      alpha: "it is down",
    });
    expect(gone).toMatchObject({ failureCode: "required_server_failed", pointer: null });
  });

  it("is compared with the last good tools of an active target that fails", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, withCandidate([tool("a1"), tool("a2")]));
    const outcome = await rig.refresh(SETTINGS, { ...withCandidate([tool("a1")]), alpha: "it is down" });
    expect(alphaOf(outcome)).toMatchObject({
      status: "stale",
      tools: 2,
      candidate: { status: "listed", comparison: "breaking", diff: { removed: [id("a2")] } },
    });
    const never = await new RefreshRig().refresh(SETTINGS, {
      ...withCandidate([tool("a1")]),
      alpha: "it is down",
    });
    expect(alphaOf(never)).toMatchObject({
      status: "failed",
      candidate: { status: "listed", comparison: "compatible", tools: 1, diff: { added: [id("a1")] } },
    });
  });

  it("that would take another server's namespace is breaking, with that server's tools", async () => {
    const infer = { namespace: "infer" };
    const settings = settingsOf({ first: { ...infer, candidate }, second: infer });
    const rig = new RefreshRig();
    const listings = {
      first: [tool("one.a")],
      second: [tool("two.b")],
      "first:candidate": [tool("one.a"), tool("two.x")],
    };
    const { servers, pointer } = await rig.refresh(settings, listings);
    expect(servers[0]).toMatchObject({
      candidate: {
        comparison: "breaking",
        diff: {
          added: [expect.stringMatching(/^two:/)],
          removed: [expect.stringMatching(/^two:/)],
        },
      },
    });
    expect(servers[1]).toMatchObject({ status: "ok", tools: 1 });
    const plain = settingsOf({ first: infer, second: infer });
    expect(pointer?.hash).toBe((await new RefreshRig().refresh(plain, listings)).pointer?.hash);
  });

  it("whose tools have no room in the catalog is rejected, and not remembered for it", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, withCandidate([tool("a1")]));
    swell(rig, SETTINGS);
    const outcome = await rig.refresh(SETTINGS, withCandidate([tool("a1")]), idle, "interval");
    expect(rig.listed.filter((each) => each === "alpha:candidate")).toHaveLength(2);
    expect(alphaOf(outcome)).toMatchObject({
      status: "ok",
      tools: 2,
      rollout: "stable",
      candidate: { status: "rejected", reason: "the catalog would become too large" },
    });
    expect(outcome.facts?.tools).toBe(3);
    const next = await rig.refresh(SETTINGS, withCandidate([tool("a3")]), idle, "interval");
    expect(alphaOf(next)).toMatchObject({ candidate: { status: "listed" } });
  });

  it("at the server's own address is none", async () => {
    const same = settingsOf({ alpha: { candidate: { url: "https://alpha.example.com/mcp" } }, beta: {} });
    expect(same.hash).toBe(settingsOf({ alpha: {}, beta: {} }).hash);
    const rig = new RefreshRig();
    const outcome = await rig.refresh(same, TOOLS);
    expect(rig.listed).toEqual(["alpha", "beta"]);
    expect(alphaOf(outcome)).not.toHaveProperty("target");
  });
});

describe("what the ledger is told of a candidate", () => {
  const entryOf = (outcome: RefreshOutcome) => {
    const written = refreshEntry({
      key: "key-1",
      config: SETTINGS.hash,
      trigger: "operator",
      startedAtMs: 1,
      endedAtMs: 2,
      intervalSeconds: 300,
      outcome,
    });
    const read = written.ok ? readEntry(written.value) : written;
    if (!read.ok) throw new Error(read.reason);
    return read.value;
  };

  it("is its comparison in the server's status, and nothing in the server's account", async () => {
    const outcome = await new RefreshRig().refresh(SETTINGS, withCandidate([tool("a1")]));
    const entry = entryOf(outcome);
    expect(entry.upstreams.map(({ server, generation }) => [server, generation])).toEqual([
      ["alpha", 1],
      ["beta", 1],
    ]);
    expect(entry.refresh?.servers[0]).toMatchObject({
      target: "configured",
      generation: 1,
      rollout: "pending",
      candidate: { status: "listed", comparison: "breaking", tools: 1 },
    });
    expect(entry.refresh?.servers[0]?.candidate).not.toHaveProperty("diff");
    expect(entry.refresh?.servers[1]).not.toHaveProperty("target");
  });

  it("is why it was rejected, and no fault of the server", async () => {
    const reason = "x".repeat(1_000);
    const entry = entryOf(await new RefreshRig().refresh(SETTINGS, withCandidate(reason)));
    expect(entry.refresh?.servers[0]).toMatchObject({
      status: "ok",
      rollout: "stable",
      candidate: { status: "rejected", reason: "x".repeat(256) },
    });
    expect(JSON.stringify(entry.upstreams)).not.toContain("fault");
  });
});
