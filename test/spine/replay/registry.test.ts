import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { REPLAY_CONTRACTS } from "../../../src/spine/replay/contract.ts";
import { type Operation, registerOperations } from "../../../src/spine/replay/registry.ts";
import { unwrap } from "./unwrap.ts";

const DECLARED = [
  { surface: "records", operation: "search", contract: "convergent" },
  { surface: "gateway", operation: "tool_view", contract: "convergent" },
  { surface: "admin", operation: "POST /admin/refresh", contract: "convergent" },
  { surface: "gateway", operation: "search", contract: "never_replay" },
  { surface: "rest", operation: "GET /v1/streams", contract: "probe_required" },
] satisfies readonly Operation[];

describe("the operation registry", () => {
  it("gives each operation's contract, by surface and name", () => {
    const registry = unwrap(registerOperations(DECLARED));
    for (const { surface, operation, contract } of DECLARED) {
      expect(registry.contractOf(surface, operation)).toBe(contract);
    }
    expect(registry.contractOf("records", "tool_view")).toBeUndefined();
    expect(registry.contractOf("nowhere", "search")).toBeUndefined();
    expect(registry.contractOf("__proto__", "constructor")).toBeUndefined();
  });

  it("lists them in one order, frozen", () => {
    const { operations } = unwrap(registerOperations(DECLARED));
    expect(operations.map(({ surface, operation }) => `${surface} ${operation}`)).toEqual([
      "admin POST /admin/refresh",
      "gateway search",
      "gateway tool_view",
      "records search",
      "rest GET /v1/streams",
    ]);
    expect(Object.isFrozen(operations)).toBe(true);
    expect(operations.every((operation) => Object.isFrozen(operation))).toBe(true);
  });

  it("keeps what was declared when the declarations change later", () => {
    const declaration: { surface: string; operation: string; contract: string } = {
      surface: "gateway",
      operation: "search",
      contract: "never_replay",
    };
    const registry = unwrap(registerOperations([declaration]));
    declaration.contract = "convergent";
    expect(registry.contractOf("gateway", "search")).toBe("never_replay");
  });

  it.each([
    [{ surface: "gateway", operation: "x" }, "no_contract"],
    [{ surface: "gateway", operation: "x", contract: undefined }, "no_contract"],
    [{ surface: "gateway", operation: "x", contract: null }, "unknown_contract"],
    [{ surface: "gateway", operation: "x", contract: "Convergent" }, "unknown_contract"],
    [{ surface: "gateway", operation: "x", contract: ["convergent"] }, "unknown_contract"],
    [{ surface: "gateway", operation: "search", contract: "convergent" }, "duplicate"],
    [{ surface: "gateway", operation: "search", contract: "never_replay" }, "duplicate"],
  ])("refuses %j: %s", (declaration, reason) => {
    expect(registerOperations([...DECLARED, declaration])).toEqual({
      ok: false,
      reason: [{ index: 5, reason, surface: "gateway", operation: declaration.operation }],
    });
  });

  it.each([
    [null],
    ["gateway"],
    [{ operation: "x", contract: "convergent" }],
    [{ surface: "", operation: "x", contract: "convergent" }],
    [{ surface: "gateway", operation: 7, contract: "convergent" }],
    [{ surface: "gateway", operation: "x".repeat(257), contract: "convergent" }],
    [Object.create({ surface: "gateway", operation: "x", contract: "convergent" })],
  ])("refuses what has no name: %j", (declaration: unknown) => {
    expect(registerOperations([declaration])).toEqual({
      ok: false,
      reason: [{ index: 0, reason: "invalid_name" }],
    });
  });

  it("says all that is wrong at once, and registers nothing then", () => {
    const refused = registerOperations([DECLARED[0], { surface: "a", operation: "b" }, DECLARED[0], 1]);
    expect(refused).toMatchObject({
      ok: false,
      reason: [
        { index: 1, reason: "no_contract" },
        { index: 2, reason: "duplicate" },
        { index: 3, reason: "invalid_name" },
      ],
    });
  });

  it("holds every declared name and orders them alike, whatever the names and the order of declaration", () => {
    const name = fc.oneof(
      fc.constantFrom(
        "__proto__",
        "constructor",
        "\ud800",
        "\u{1f600}",
        "\uffff",
        "\u0000",
        "a\u0000b",
        "<|endoftext|>",
      ),
      fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    );
    const operation = fc.record({
      surface: name,
      operation: name,
      contract: fc.constantFrom(...REPLAY_CONTRACTS),
    });
    const set = fc.uniqueArray(operation, {
      selector: ({ surface, operation }) => JSON.stringify([surface, operation]),
    });
    fc.assert(
      fc.property(set, (declared) => {
        const registry = unwrap(registerOperations(declared));
        for (const { surface, operation, contract } of declared) {
          expect(registry.contractOf(surface, operation)).toBe(contract);
        }
        expect(registry.operations).toEqual(unwrap(registerOperations(declared.toReversed())).operations);
        const inOrder = registry.operations.every((at, index, all) => {
          const next = all[index + 1];
          if (next === undefined) return true;
          const bySurface = compareCodePoints(at.surface, next.surface);
          return bySurface < 0 || (bySurface === 0 && compareCodePoints(at.operation, next.operation) < 0);
        });
        expect([registry.operations.length, inOrder]).toEqual([declared.length, true]);
      }),
    );
  });

  it("is a judgement about anything", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(registerOperations([value]).ok).toBe(false);
      }),
    );
  });
});
