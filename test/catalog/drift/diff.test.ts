import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundDiff, type CatalogDiff, diffInventories } from "../../../src/catalog/drift/diff.ts";
import { inventoryText, type InventoryTool, readInventory } from "../../../src/catalog/drift/inventory.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { diffRecordSchema } from "../../../src/outbox/refresh-record.ts";
import { inventories, sorted } from "./inventories.ts";

function diff(...catalogs: Parameters<typeof diffInventories>): CatalogDiff {
  const made = diffInventories(...catalogs);
  if (made === undefined) throw new Error("no diff");
  return made;
}

const NOTHING = { added: [], removed: [], changed: [], replaced: [] };

const tool = (id: string, more: Partial<InventoryTool> = {}): InventoryTool => ({
  id,
  server: "one",
  upstreamName: id.split("#")[0] ?? "",
  definitionHash: "h",
  parts: { form: 1, contract: "c", metadata: "m" },
  ...more,
});

describe("the difference of two catalogs", () => {
  it("of one and itself is empty", () => {
    fc.assert(
      fc.property(inventories, (tools) => {
        expect(diff(tools, tools)).toEqual(NOTHING);
      }),
    );
  });

  it("read the other way is the other difference", () => {
    fc.assert(
      fc.property(inventories, inventories, (before, after) => {
        const [there, back] = [diff(before, after), diff(after, before)];
        expect([back.added, back.removed, back.changed]).toEqual([there.removed, there.added, there.changed]);
        const pairs = (replaced: CatalogDiff["replaced"]) =>
          replaced.map(({ id, was }) => `${id} ${was}`).sort();
        expect(pairs(back.replaced)).toEqual(
          pairs(there.replaced.map(({ id, was }) => ({ id: was, was: id }))),
        );
      }),
    );
  });

  it("has every id of both exactly once, or it is unchanged", () => {
    fc.assert(
      fc.property(inventories, inventories, (before, after) => {
        const made = diff(before, after);
        const told = [...made.added, ...made.removed, ...made.changed.map(({ id }) => id)];
        expect(new Set(told).size).toBe(told.length);
        const [old, now] = [new Map(before.map((t) => [t.id, t])), new Map(after.map((t) => [t.id, t]))];
        for (const id of new Set([...old.keys(), ...now.keys()])) {
          const [left, right] = [old.get(id), now.get(id)];
          expect(made.added.includes(id)).toBe(left === undefined);
          expect(made.removed.includes(id)).toBe(right === undefined);
          const isSame =
            left === undefined ||
            right === undefined ||
            (left.definitionHash === right.definitionHash && left.server === right.server);
          expect(made.changed.some((each) => each.id === id)).toBe(!isSame);
        }
        expect(told.every((id) => old.has(id) || now.has(id))).toBe(true);
      }),
    );
  });

  it("tells each change by the gravest part, and each list by id", () => {
    fc.assert(
      fc.property(inventories, inventories, (before, after) => {
        const made = diff(before, after);
        for (const { id, change } of made.changed) {
          const [old, now] = [before.find((t) => t.id === id), after.find((t) => t.id === id)];
          const grave =
            old?.parts?.contract !== now?.parts?.contract
              ? "contract"
              : old?.parts?.metadata !== now?.parts?.metadata || old?.server !== now?.server
                ? "metadata"
                : "wording";
          expect(change).toBe(grave);
        }
        for (const ids of [
          made.added,
          made.removed,
          made.changed.map(({ id }) => id),
          made.replaced.map(({ id }) => id),
        ])
          expect(ids).toEqual(ids.toSorted(compareCodePoints));
      }),
    );
  });

  it("pairs what has another id with what it was, and both stand as added and removed", () => {
    fc.assert(
      fc.property(inventories, inventories, (before, after) => {
        const made = diff(before, after);
        for (const { id, was } of made.replaced) {
          const [old, now] = [before.find((t) => t.id === was), after.find((t) => t.id === id)];
          expect([old?.server, old?.upstreamName]).toEqual([now?.server, now?.upstreamName]);
          expect([made.added.includes(id), made.removed.includes(was)]).toEqual([true, true]);
        }
      }),
    );
    const before = sorted([tool("a#1"), tool("b#1"), tool("c#1")]);
    const after = sorted([tool("a#2"), tool("b#1"), tool("c#1", { server: "two" })]);
    expect(diff(before, after)).toEqual({
      added: ["a#2"],
      removed: ["a#1"],
      changed: [{ id: "c#1", change: "metadata" }],
      replaced: [{ id: "a#2", was: "a#1" }],
    });
  });

  it("does not pair tools of one name in two servers, nor names that only look alike when joined", () => {
    const before = [tool("x#1", { server: "a", upstreamName: 'b","c' })];
    const after = [tool("x#2", { server: 'a","b', upstreamName: "c" })];
    expect(diff(before, after).replaced).toEqual([]);
  });

  it.each([
    ["an older version judged the old one", { parts: undefined }, {}],
    ["an older version judged the new one", {}, { parts: undefined }],
    ["parts were made in another way", {}, { parts: { form: 2, contract: "c", metadata: "m" } }],
  ])("says nothing where a tool changed and %s", (_, old, now) => {
    const made = (more: { readonly parts?: InventoryTool["parts"] }, definitionHash: string) => {
      const { parts, ...rest } = { ...tool("a#1"), ...more };
      return [{ ...rest, definitionHash, ...(parts === undefined ? {} : { parts }) }, tool("b#1")];
    };
    expect(diffInventories(made(old, "h1"), made(now, "h2"))).toBeUndefined();
    // What did not change needs no parts.
    expect(diffInventories(made(old, "h1"), made(now, "h1"))).toEqual(NOTHING);
  });

  it("of any length is bounded, and counts what is left out", () => {
    fc.assert(
      fc.property(inventories, inventories, fc.nat({ max: 12 }), (before, after, count) => {
        const made = diff(before, after);
        const { omitted = 0, ...bound } = boundDiff(made, count);
        expect(diffRecordSchema.safeParse(bound).success).toBe(true);
        let left = omitted;
        for (const key of ["added", "removed", "changed", "replaced"] as const) {
          expect(bound[key]).toEqual(made[key].slice(0, count));
          left -= made[key].length - bound[key].length;
        }
        expect(left).toBe(0);
      }),
    );
  });
});

describe("an inventory", () => {
  it("is read back as it was written, under its own fingerprint alone", () => {
    fc.assert(
      fc.property(inventories, (tools) => {
        const text = inventoryText("f", tools);
        expect(readInventory(text, "f")).toEqual(tools);
        expect(readInventory(text, "g")).toBeUndefined();
      }),
    );
    const without = [{ id: "a", server: "s", upstreamName: "a", definitionHash: "h" }];
    expect(readInventory(inventoryText("f", without), "f")).toEqual(without);
  });

  it.each([
    "null",
    "{}",
    '{"format":2,"fingerprint":"f","tools":[]}',
    '{"format":1,"fingerprint":"f"}',
    '{"format":1,"fingerprint":"f","tools":[["a","s","a"]]}',
    '{"format":1,"fingerprint":"f","tools":[{}]}',
  ])("that is not whole is none: %s", (text) => {
    expect(readInventory(text, "f")).toBeUndefined();
  });
});
