import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import { runMove } from "../../../src/catalog/refresh/move.ts";
import type { MoveAnswer } from "../../../src/catalog/refresh/refresh-contract.ts";
import type { RefreshPorts } from "../../../src/catalog/refresh/refresh-ports.ts";
import { runRefresh } from "../../../src/catalog/refresh/refresh.ts";
import type { Pointer } from "../../../src/catalog/snapshot/pointer.ts";
import { SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { fail, ok } from "../../../src/result.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";
import { servedTools } from "../../support/catalog/served.ts";

const candidate = { url: "https://green.example.com/mcp" };
const SETTINGS = settingsOf({ alpha: { candidate }, beta: {} });
const from = (place: string) => ({ description: `From ${place}.` });
const ALL: Listings = {
  alpha: [tool("a1", from("configured")), tool("a2")],
  "alpha:candidate": [tool("a1", from("candidate")), tool("a2"), tool("a3")],
  beta: [tool("b1")],
};

describe("KV that refuses a write in the middle of a promotion", () => {
  const seen = async (rig: RefreshRig) => {
    const catalog = await servedTools(rig.kv, SETTINGS);
    const first = catalog?.tools.find(({ id }) => id.startsWith("alpha:a1#"));
    return { tools: catalog?.tools.length, target: first?.target, from: first?.definition["description"] };
  };
  const OLD = { tools: 3, target: "configured", from: "From configured." };
  const NEW = { tools: 4, target: "candidate", from: "From candidate." };

  it.each([
    ["and does nothing", false],
    ["though it did it", true],
  ])(
    "%s: the old catalog with the old target or the new with the new, and the next run mends it",
    async (_, after) => {
      const outcomes = new Set<string>();
      for (let write = 1; ; write += 1) {
        const rig = new RefreshRig();
        await rig.refresh(SETTINGS, ALL);
        expect(await seen(rig)).toEqual(OLD);
        rig.kv.failsAfterwards = after;
        rig.kv.failAtWrite = write;
        const { answer, unfinished } = await rig.move(SETTINGS, ALL, "promote");
        const isDone = rig.kv.failAtWrite > 0;
        expect([OLD, NEW]).toContainEqual(await seen(rig));
        outcomes.add(`${String(answer.moved)} ${String(unfinished)}`);
        // Whoever is told that it moved is told by the object's own commit, which KV is behind.
        const { active } = rig.store.rollouts.rollout("alpha");
        expect(active !== null).toBe(answer.moved);
        expect(rig.store.published(SETTINGS.hash)?.pointer.targets !== undefined).toBe(answer.moved);
        expect(["moved", "unpublished"]).toContain(answer.moved ? "moved" : answer.reason);
        expect(answer.comparison).toBe("compatible");
        // A move that is refused shows nowhere; one that is made may show late.
        expect([answer.moved ? "candidate" : "configured", "configured"]).toContain((await seen(rig)).target);
        rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
        await rig.refresh(SETTINGS, ALL, async () => undefined, "interval");
        expect(await seen(rig)).toEqual(answer.moved ? NEW : OLD);
        const again = await rig.move(SETTINGS, ALL, "promote");
        expect(again.answer).toMatchObject(answer.moved ? { reason: "already_active" } : { moved: true });
        expect(await seen(rig)).toEqual(NEW);
        if (isDone) break;
      }
      expect([...outcomes].sort()).toEqual(["false true", "true false", "true true"]);
    },
  );

  it("is mended by the promotion's repetition too, which has nothing to do but that", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, ALL);
    const writes = rig.kv.count("put");
    await rig.move(SETTINGS, ALL, "promote");
    const [all, other] = [rig.kv.count("put") - writes, new RefreshRig()];
    await other.refresh(SETTINGS, ALL);
    other.kv.failAtWrite = all;
    expect(await other.move(SETTINGS, ALL, "promote")).toMatchObject({
      answer: { moved: true },
      unfinished: true,
    });
    expect(await seen(other)).toEqual(OLD);
    other.kv.failAtWrite = Number.POSITIVE_INFINITY;
    expect(await other.move(SETTINGS, ALL, "promote")).toMatchObject({
      answer: { reason: "already_active" },
      unfinished: false,
    });
    expect(await seen(other)).toEqual(NEW);
  });
});

const PLACES = ["red", "green", "blue"] as const;
type Place = (typeof PLACES)[number];

/** One configuration: where its server is, and where its candidate. */
interface Deployment {
  readonly configured: Place;
  readonly candidate: Place | undefined;
  readonly settings: ReturnType<typeof settingsOf>;
}

function deployment(configured: Place, other: Place | undefined): Deployment {
  const url = (place: Place) => `https://${place}.example.com/mcp`;
  const target = other === undefined ? {} : { candidate: { url: url(other) } };
  return {
    configured,
    candidate: other,
    settings: settingsOf({ alpha: { url: url(configured), ...target }, beta: {} }),
  };
}

const DEPLOYMENTS: readonly Deployment[] = [
  deployment("blue", "green"),
  deployment("green", "blue"),
  deployment("blue", "red"),
  deployment("blue", undefined),
  deployment("red", "green"),
];

const step = fc.record({
  // Mostly one, so that what one step leaves is met by the next.
  at: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat(DEPLOYMENTS.length - 1) },
  ),
  act: fc.constantFrom("operator", "interval", "first_use", "promote", "rollback"),
  accept: fc.boolean(),
  down: fc.subarray([...PLACES]),
  lists: fc.record({
    red: fc.subarray(["t1", "t2", "t3"]),
    green: fc.subarray(["t1", "t2", "t3"]),
    blue: fc.subarray(["t1", "t2", "t3"]),
  }),
  failAtWrite: fc.option(fc.integer({ min: 1, max: 6 }), { nil: Number.POSITIVE_INFINITY, freq: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The object over all deployments, and its servers, which sign what they list. */
class World {
  readonly rig = new RefreshRig();
  readonly #newest = new Map<string, Pointer>();
  #generation = 0;

  /** One step, and the laws that do not hold after it. */
  async run({ at, act, accept, down, lists, failAtWrite }: Step): Promise<readonly string[]> {
    const { settings, configured, candidate: other } = DEPLOYMENTS[at] ?? deployment("blue", undefined);
    const list: RefreshPorts["list"] = async (server, target) => {
      if (server === "beta") return { tools: ok([listedEntry(tool("b1"))]) };
      const place = target === "configured" ? configured : other;
      if (place === undefined || down.includes(place))
        return { tools: fail({ message: "it is down", detail: "" }) };
      return { tools: ok(lists[place].map((name) => listedEntry(tool(name, from(place))))) };
    };
    this.rig.clock.nowMs += 60_000;
    this.rig.kv.failAtWrite = failAtWrite;
    const ports = this.rig.ports(list);
    const before = this.rig.store.published(settings.hash)?.pointer;
    const broken: string[] = [];
    if (act === "promote" || act === "rollback") {
      const asked = { server: "alpha", move: act, acceptBreaking: accept } as const;
      const { answer } = await runMove(settings, asked, [], ports);
      if (answer.moved) broken.push(...this.#brokenByMove(answer, settings, before));
    } else await runRefresh(settings, ports, act);
    this.rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
    for (const each of DEPLOYMENTS) broken.push(...(await this.#brokenIn(each)));
    return broken;
  }

  #brokenByMove(
    { catalogGeneration, generation, active }: Extract<MoveAnswer, { moved: true }>,
    { hash }: Deployment["settings"],
    before: Pointer | undefined,
  ): readonly string[] {
    const after = this.rig.store.published(hash)?.pointer;
    const isNamed = after?.targets?.some((each) => each.target === active && each.generation === generation);
    const laws = [
      [after?.generation === catalogGeneration, "the answer names another catalog"],
      [isNamed === true, "the pointer names another target"],
      [catalogGeneration > (before?.generation ?? 0), "the catalog has no new generation"],
      [generation > this.#generation, "the target has no new generation"],
    ] as const;
    this.#generation = generation;
    return laws.flatMap(([holds, law]) => (holds ? [] : [law]));
  }

  /** What a pointer leads to was listed at the target that it names, and no pointer goes back. */
  async #brokenIn({ settings, configured, candidate: other }: Deployment): Promise<readonly string[]> {
    const pointer = this.rig.store.published(settings.hash)?.pointer;
    const known = this.#newest.get(settings.hash);
    if (pointer === undefined) return known === undefined ? [] : ["the catalog is gone"];
    const broken: string[] = [];
    if (pointer.revision < (known?.revision ?? 0)) broken.push("the pointer went back");
    const isMoved = JSON.stringify(pointer.targets) !== JSON.stringify(known?.targets);
    if (isMoved && pointer.generation === known?.generation)
      broken.push("the targets moved without a new generation");
    this.#newest.set(settings.hash, pointer);
    for (const catalog of [
      await servedTools(this.rig.kv, settings),
      await this.#newestTools(settings, pointer),
    ]) {
      for (const { server, target, definition } of catalog?.tools ?? []) {
        const place = target === "configured" ? configured : other;
        if (server === "alpha" && definition["description"] !== `From ${place ?? "nowhere"}.`)
          broken.push(`a tool is called at ${String(place)}: ${String(definition["description"])}`);
      }
    }
    return broken;
  }

  /** What the object leads to before KV's pointer has followed. */
  async #newestTools(settings: Deployment["settings"], pointer: Pointer) {
    const kv = {
      get: async (key: string) =>
        key.startsWith("pointer:")
          ? new TextEncoder().encode(JSON.stringify(pointer)).buffer
          : this.rig.kv.get(key),
      put: async () => undefined,
      delete: async () => undefined,
    };
    return servedTools(kv, settings);
  }
}

describe("any history of refreshes, moves, edits and failures", () => {
  it("leaves each catalog with the tools of exactly the targets that its pointer names", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        const world = new World();
        const broken: string[] = [];
        for (const each of steps) broken.push(...(await world.run(each)));
        // And the next good run of each configuration mends what was left half-way.
        const good = {
          act: "operator",
          accept: false,
          down: [],
          failAtWrite: Number.POSITIVE_INFINITY,
        } as const;
        const lists = { red: ["t1"], green: ["t1"], blue: ["t1"] };
        for (const at of DEPLOYMENTS.keys())
          broken.push(...(await world.run({ ...good, down: [], at, lists })));
        expect(broken).toEqual([]);
        for (const { settings } of DEPLOYMENTS) {
          const published = world.rig.store.published(settings.hash);
          expect(published).toMatchObject({
            pointerWritten: true,
            facts: { tools: 2 },
            pointer: { stale: [] },
          });
          expect(await new SnapshotStore(world.rig.kv).pointer(settings.hash)).toEqual(published?.pointer);
        }
      }),
      { numRuns: 60 },
    );
  });
});
