import { describe, expect, it } from "vitest";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { type CatalogKv, contentKey } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { tool } from "../../support/catalog/rig.ts";
import { SETTINGS, world } from "./reader-world.ts";

describe("the reader, asked what has changed", () => {
  it("tells whether what it answers from differs from an earlier generation, in any kind", async () => {
    const { isolate, refresh, state } = world();
    await refresh();
    state.listings = { alpha: { tools: [tool("a1")], prompts: [{ name: "p" }] } };
    await refresh();
    state.listings = { alpha: [tool("a1")] };
    await refresh();
    const { open } = isolate();
    expect(await open().changedSince(3, SEES_EVERYTHING)).toBe(true);
    await open().current();
    const changed = [1, 2, 3, 99].map((generation) => open().changedSince(generation, SEES_EVERYTHING));
    expect(await Promise.all(changed)).toEqual([false, true, false, true]);
  });

  it("tells a bearer with scopes of a change in what it sees alone, each once for all who see the same", async () => {
    const { isolate, refresh, rig, state } = world();
    const sees = (...names: string[]) =>
      Object.assign((id: string) => names.some((name) => id.includes(`:${name}#`)), {
        key: names.join(" "),
      });
    const one = { tools: [tool("a1"), tool("a2")], prompts: [{ name: "p1" }] };
    const listings = [
      one,
      { ...one, tools: [tool("a1")] },
      { ...one, tools: [tool("a1", { title: "Another" })] },
      { tools: one.tools },
    ];
    for (const each of listings) {
      state.listings = { alpha: each };
      await refresh();
    }
    const read: (string | undefined)[] = [];
    const kv = rig.kv.at();
    const counted: CatalogKv = {
      get: (key, options) => {
        read.push(key.split(":")[0]);
        return kv.get(key, options);
      },
      put: (key, value) => kv.put(key, value),
      delete: (key) => kv.delete(key),
    };
    const { open } = isolate(counted);
    await open().current();
    const changed = (generation: number, ...names: string[]) =>
      open().changedSince(generation, sees(...names));
    expect([await changed(1, "a1"), await changed(1, "a2"), await changed(1, "p1")]).toEqual([
      false,
      false,
      true,
    ]);
    expect([await changed(2, "a1"), await changed(2, "a2"), await changed(3, "a1")]).toEqual([
      false,
      true,
      true,
    ]);
    expect([await changed(4, "a1"), await changed(99, "a1")]).toEqual([false, false]);
    read.length = 0;
    expect(await changed(3, "a1")).toBe(true);
    expect(read).toEqual(["generation"]);
    await changed(3, "a2");
    expect(read).toEqual(["generation", "generation", "snapshot"]);
  });

  it("tells it nothing where the earlier content is gone, and asks no object for it", async () => {
    const { isolate, refresh, rig, state, calls } = world();
    const { pointer } = await refresh();
    state.listings = { alpha: [tool("a1", { title: "Another" })] };
    await refresh();
    const { open } = isolate();
    await open().current();
    rig.kv.values.delete(contentKey("snapshot", pointer?.hash ?? ""));
    const sees = Object.assign(() => true, { key: "all" });
    expect(await open().changedSince(1, sees)).toBe(false);
    expect(calls).toEqual([]);
  });

  it("reads for who sees everything no more than the earlier generation's pointer", async () => {
    const { isolate, refresh, rig, state } = world();
    await refresh();
    state.listings = { alpha: [tool("a2")] };
    await refresh();
    const { open } = isolate();
    await open().current();
    rig.kv.operations.length = 0;
    expect(await open().changedSince(1, SEES_EVERYTHING)).toBe(true);
    expect(rig.kv.operations.map(({ key }) => key.split(":")[0])).toEqual(["generation"]);
  });

  it("says without IO which catalog it answers from, once it has one", async () => {
    const { isolate, refresh, rig } = world();
    await refresh();
    const { open } = isolate();
    rig.kv.operations.length = 0;
    expect(open().known()).toBeUndefined();
    expect(rig.kv.operations).toEqual([]);
    await open().current();
    expect(open().known()).toEqual({ catalog: SETTINGS.hash, generation: 1 });
  });
});
