import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../../src/catalog/snapshot/open-snapshot.ts";
import type { NeighbourTable } from "../../../src/routing/neighbours/table.ts";
import { MemoryRefreshStore } from "../../support/catalog/memory-store.ts";
import { RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const TWO = settingsOf({ alpha: {}, beta: {} });
const BIG = { _meta: { pad: "x".repeat(20_000) } };
const TOOLS = Array.from({ length: 60 }, (_, at) => tool(`tool_${String(at).padStart(2, "0")}`, BIG));
const BETA = [tool("open_door"), tool("close_window")];

/** A store that counts what is asked of it. */
class CountingStore extends MemoryRefreshStore {
  readonly asked = { recall: 0, keep: 0, analysed: 0, definition: 0 };

  override recall(key: string) {
    this.asked.recall += 1;
    return super.recall(key);
  }

  override keep(...parameters: Parameters<MemoryRefreshStore["keep"]>) {
    this.asked.keep += 1;
    super.keep(...parameters);
  }

  override analysed(key: string) {
    this.asked.analysed += 1;
    return super.analysed(key);
  }

  override definition(hash: string) {
    this.asked.definition += 1;
    return super.definition(hash);
  }

  reset() {
    Object.assign(this.asked, { recall: 0, keep: 0, analysed: 0, definition: 0 });
  }
}

const TABLE: NeighbourTable = {
  words: ["ajar", "door", "gate", "window"],
  starts: Uint32Array.of(0, 1, 2, 3, 4),
  neighbours: Uint32Array.of(2, 2, 1, 2),
  likeness: Uint8Array.of(100, 200, 200, 50),
  digest: new Uint8Array(32),
};

function neighbours(state: { version?: string | undefined; table?: NeighbourTable | undefined }) {
  const source = {
    loads: 0,
    version: () => Promise.resolve(state.version),
    load: () => {
      source.loads += 1;
      return Promise.resolve(state.table);
    },
  };
  return source;
}

function indexOf(rig: RefreshRig, store: MemoryRefreshStore) {
  const pointer = store.published(TWO.hash)?.pointer;
  const opened = openSnapshot(store.snapshots.get(pointer?.hash ?? "") ?? new Uint8Array());
  if (!opened.ok) throw new Error(opened.reason.reason);
  expect(rig.logs).toEqual([]);
  return opened.value.index;
}

describe("a refresh in which one tool of many changed", () => {
  it("analyses that tool, reads the judgements of its shard, and writes one of each kind", async () => {
    const store = new CountingStore();
    const rig = new RefreshRig(store);
    await rig.refresh(TWO, { alpha: TOOLS, beta: BETA });
    const [lints, operations] = [rig.lints, rig.kv.operations.length];
    store.reset();
    const changed = TOOLS.with(30, tool("tool_30", { ...BIG, description: "Another." }));
    expect(await rig.refresh(TWO, { alpha: changed, beta: BETA })).toMatchObject({ changed: true });
    expect(rig.lints - lints).toBe(1);
    const writes = rig.kv.operations
      .slice(operations)
      .map(({ operation, key }) => `${operation} ${key.split(":")[0]}`);
    expect(writes).toEqual(["put shard", "put snapshot", "put generation", "put pointer"]);
    expect([store.asked.keep, store.asked.analysed]).toEqual([1, 1]);
    // The shard's judgements, and the one that the listing had not.
    expect(store.asked.recall).toBe(store.asked.definition + 2);
    expect(store.asked.definition).toBeLessThan(TOOLS.length / 2);
  });

  it("asks the store for no judgement at all where nothing changed", async () => {
    const store = new CountingStore();
    const rig = new RefreshRig(store);
    await rig.refresh(TWO, { alpha: TOOLS, beta: BETA });
    store.reset();
    expect(await rig.refresh(TWO, { alpha: TOOLS.toReversed(), beta: BETA })).toMatchObject({
      changed: false,
    });
    expect(store.asked).toEqual({ recall: 0, keep: 0, analysed: 0, definition: 0 });
  });

  it("gives the bytes that a refresh from nothing gives, whatever came and went", async () => {
    const store = new MemoryRefreshStore();
    const rig = new RefreshRig(store);
    const source = neighbours({ version: "1", table: TABLE });
    rig.neighbours = source;
    const listings = [
      TOOLS,
      TOOLS.slice(5),
      [...TOOLS.slice(5, 40), tool("door_gate"), tool("window_gate", { description: "Opens the gate." })],
      [tool("door_gate", { description: "Shuts." }), ...TOOLS],
      [],
      TOOLS.slice(0, 3),
    ];
    for (const alpha of listings) {
      const grown = await rig.refresh(TWO, { alpha, beta: BETA });
      const fresh = new RefreshRig();
      fresh.neighbours = source;
      const { pointer } = await fresh.refresh(TWO, { alpha, beta: BETA });
      expect(grown.pointer?.hash).toBe(pointer?.hash);
    }
  });
});

describe("the neighbour table of a deployment", () => {
  const listings = { alpha: [tool("door_gate")], beta: BETA };

  it("goes into the index, and is not read again while the words are the same", async () => {
    const store = new MemoryRefreshStore();
    const rig = new RefreshRig(store);
    const source = neighbours({ version: "1", table: TABLE });
    rig.neighbours = source;
    await rig.refresh(TWO, listings);
    const index = indexOf(rig, store);
    expect(index.neighbours("ajar").map(({ term }) => index.term(term))).toEqual(["gate"]);
    await rig.refresh(TWO, listings);
    await rig.refresh(TWO, { ...listings, alpha: [tool("door_gate", { title: "Gate" })] });
    expect(source.loads).toBe(1);
    expect(indexOf(rig, store).neighbours("ajar")).toHaveLength(1);
    await rig.refresh(TWO, { ...listings, alpha: [tool("door_gate", { title: "Fence" })] });
    expect(source.loads).toBe(2);
  });

  it("publishes anew when it is another, and only then", async () => {
    const rig = new RefreshRig();
    const state = { version: "1", table: TABLE };
    rig.neighbours = neighbours(state);
    await rig.refresh(TWO, listings);
    state.version = "2";
    state.table = { ...TABLE, likeness: Uint8Array.of(101, 201, 201, 51) };
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: true, pointer: { generation: 2 } });
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false });
    // Another file that says the same of this catalog is no other content.
    state.version = "3";
    const puts = rig.kv.count("put", "");
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false, pointer: { generation: 2 } });
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false, pointer: { generation: 2 } });
    expect(rig.kv.count("put", "")).toBe(puts);
  });

  it("that cannot be read gives an index without it, until it can", async () => {
    const store = new MemoryRefreshStore();
    const rig = new RefreshRig(store);
    const state: { version: string; table: NeighbourTable | undefined } = { version: "1", table: undefined };
    const source = neighbours(state);
    rig.neighbours = source;
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: true, pointer: { generation: 1 } });
    expect(indexOf(rig, store).neighbours("ajar")).toEqual([]);
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false });
    state.table = TABLE;
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: true, pointer: { generation: 2 } });
    expect(indexOf(rig, store).neighbours("ajar")).toHaveLength(1);
    expect(source.loads).toBe(3);
  });

  it("of which nothing can be told stays as it was", async () => {
    const rig = new RefreshRig();
    const state: { version: string | undefined; table: NeighbourTable } = { version: "1", table: TABLE };
    const source = neighbours(state);
    rig.neighbours = source;
    await rig.refresh(TWO, listings);
    state.version = undefined;
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false });
    state.version = "1";
    expect(await rig.refresh(TWO, listings)).toMatchObject({ changed: false });
    expect(source.loads).toBe(1);
  });
});
