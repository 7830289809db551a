import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareInventories, graver } from "../../../src/catalog/rollout/compare.ts";
import type { Inventory, InventoryTool } from "../../../src/catalog/drift/inventory.ts";
import { compareCodePoints } from "../../../src/code-points.ts";

/** A tool by its letter and what stands in its definition. */
interface Made {
  readonly id: string;
  readonly contract: string;
  readonly metadata: string;
  readonly wording: string;
}

const part = fc.constantFrom("1", "2");
const made = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor"),
  contract: part,
  metadata: part,
  wording: part,
});
const inventory = fc
  .uniqueArray(made, { selector: ({ id }) => id })
  .map((tools) => tools.map(toolOf).sort((left, right) => compareCodePoints(left.id, right.id)));

function toolOf({ id, contract, metadata, wording }: Made): InventoryTool {
  const definitionHash = `${contract}${metadata}${wording}`;
  return { id, server: "s", upstreamName: id, definitionHash, parts: { form: 1, contract, metadata } };
}

const tool = (more: Partial<Made> = {}) =>
  toolOf({ id: "a", contract: "1", metadata: "1", wording: "1", ...more });

describe("another target's catalog", () => {
  it.each([
    ["identical", [tool()], [tool()]],
    ["identical", [], []],
    ["compatible", [], [tool()]],
    ["compatible", [tool()], [tool({ wording: "2" })]],
    ["compatible", [tool()], [tool({ metadata: "2" })]],
    ["breaking", [tool()], []],
    ["breaking", [tool()], [tool({ contract: "2" })]],
    ["breaking", [tool()], [tool({ id: "b" })]],
    ["breaking", [tool(), tool({ id: "b" })], [tool(), tool({ id: "c" }), tool({ id: "d" })]],
  ] as const)("is %s", (comparison, active, other) => {
    expect(compareInventories(active, other).comparison).toBe(comparison);
  });

  it("breaks callers where an id comes to mean another server's tool, or another tool", () => {
    const elsewhere = { ...tool(), server: "t" };
    const renamed = { ...tool(), upstreamName: "other" };
    for (const other of [elsewhere, renamed]) {
      expect(compareInventories([tool()], [other]).comparison).toBe("breaking");
      expect(compareInventories([other], [tool()]).comparison).toBe("breaking");
    }
  });

  it("breaks callers where what is believed of a tool is another, and only of a server that is believed", () => {
    const other = [tool({ metadata: "2" })];
    expect(compareInventories([tool()], other, (server) => server === "s").comparison).toBe("breaking");
    expect(compareInventories([tool()], other, (server) => server === "t").comparison).toBe("compatible");
    expect(compareInventories([tool()], [tool({ wording: "2" })], () => true).comparison).toBe("compatible");
  });

  it("is as grave as the graver of two comparisons", () => {
    for (const [left, right] of [
      ["identical", "compatible"],
      ["compatible", "breaking"],
      ["breaking", "unknown"],
    ] as const) {
      const [one, two] = [{ comparison: left }, { comparison: right }];
      expect([graver(one, two), graver(two, one)]).toEqual([two, two]);
    }
  });

  it("is not known where one of the two is not, or an older version kept too little", () => {
    const { parts: _, ...old } = tool({ wording: "2" });
    expect(compareInventories(undefined, [])).toEqual({ comparison: "unknown" });
    expect(compareInventories([], undefined)).toEqual({ comparison: "unknown" });
    expect(compareInventories([old], [tool()])).toEqual({ comparison: "unknown" });
  });

  it("is identical exactly where the inventories are equal", () => {
    fc.assert(
      fc.property(inventory, inventory, (active, other) => {
        const isEqual = JSON.stringify(active) === JSON.stringify(other);
        expect(compareInventories(active, other).comparison === "identical").toBe(isEqual);
        expect(compareInventories(active, active).comparison).toBe("identical");
      }),
    );
  });

  it("that is compatible removes no id and changes no contract; any other does", () => {
    fc.assert(
      fc.property(inventory, inventory, (active: Inventory, other: Inventory) => {
        const kept = active.every(
          ({ id, parts }) => other.find((each) => each.id === id)?.parts?.contract === parts?.contract,
        );
        expect(compareInventories(active, other).comparison !== "breaking").toBe(kept);
      }),
    );
  });

  it("seen from the other side has added what was removed, and changed the same", () => {
    fc.assert(
      fc.property(inventory, inventory, (active, other) => {
        const [there, back] = [compareInventories(active, other), compareInventories(other, active)];
        expect(back.diff?.added).toEqual(there.diff?.removed);
        expect(back.diff?.removed).toEqual(there.diff?.added);
        expect(back.diff?.changed).toEqual(there.diff?.changed);
        // Safe both ways: nothing but words and metadata differs, or nothing at all.
        const isSafe = there.comparison !== "breaking" && back.comparison !== "breaking";
        expect(!isSafe || there.comparison === back.comparison).toBe(true);
        expect(!isSafe || active.length === other.length).toBe(true);
      }),
    );
  });
});
