import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatToolId, parseToolId, type ToolIdParts } from "../../src/identity/tool-id.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, legalParts, nearIds, uglyNames } from "./arbitraries.ts";
import { TOOL_IDS, VERSIONED_ID } from "./golden.ts";

/** The grammar of seed 000 §1.1, written as the seed has it. */
const GRAMMAR =
  /^[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}(?=[@#])(@[A-Za-z0-9._-]{1,32})?(#[0-9a-f]{8})?$/;

const base: ToolIdParts = { namespace: "ns", name: "tool", version: null, hash8: "0123abcd" };

describe("tool ids", () => {
  it("parses an id into its parts", () => {
    expect(parseToolId("billing:refund@1#a1b2c3d4")).toEqual(
      ok({ namespace: "billing", name: "refund", version: "1", hash8: "a1b2c3d4" }),
    );
    expect(parseToolId(VERSIONED_ID)).toEqual(
      ok({ namespace: "github", name: "create_issue", version: "1.4.0", hash8: null }),
    );
  });

  it.each(TOOL_IDS.filter(({ id }) => id !== null))("parses $id to the recorded parts", (recorded) => {
    const { id, namespace, name, hash8 } = recorded;
    expect(parseToolId(id ?? "")).toEqual(ok({ namespace, name, version: null, hash8 }));
  });

  it.each([
    ["", "no_namespace"],
    ["tool#0123abcd", "no_namespace"],
    ["NS:tool#0123abcd", "bad_namespace"],
    [":tool#0123abcd", "bad_namespace"],
    [" ns:tool#0123abcd", "bad_namespace"],
    ["1ns:tool#0123abcd", "bad_namespace"],
    [`${"n".repeat(65)}:tool#0123abcd`, "bad_namespace"],
    ["ns:#0123abcd", "bad_name"],
    ["ns:1tool#0123abcd", "bad_name"],
    ["ns:a/b#0123abcd", "bad_name"],
    ["ns:a:b#0123abcd", "bad_name"],
    ["ns:a@b@1", "bad_name"],
    ["ns:a#b#0123abcd", "bad_name"],
    [`ns:${"t".repeat(129)}#0123abcd`, "bad_name"],
    ["ns:tool@", "bad_version"],
    ["ns:tool@1 0", "bad_version"],
    [`ns:tool@${"1".repeat(33)}`, "bad_version"],
    ["ns:tool#", "bad_hash8"],
    ["ns:tool#0123ABCD", "bad_hash8"],
    ["ns:tool#0123abc", "bad_hash8"],
    ["ns:tool#0123abcd\n", "bad_hash8"],
    ["ns:tool#0123abcd~2", "bad_hash8"],
    ["ns:tool#0123abcd@1", "bad_hash8"],
    ["ns:tool", "no_version_or_hash8"],
    [`ns:tool@1#${"0".repeat(240)}`, "too_long"],
  ])("refuses %j as %s", (id, reason) => {
    expect(parseToolId(id)).toEqual(fail(reason));
  });

  it.each([
    [{ namespace: "n s" }, "bad_namespace"],
    [{ name: "a/b" }, "bad_name"],
    [{ name: "a\n" }, "bad_name"],
    [{ version: "" }, "bad_version"],
    [{ hash8: "" }, "bad_hash8"],
    [{ hash8: null }, "no_version_or_hash8"],
  ])("formats no id of the parts %j", (change, reason) => {
    expect(formatToolId({ ...base, ...change })).toEqual(fail(reason));
  });

  it("is at most 235 characters at its longest, and that is legal", () => {
    const id = formatToolId({
      namespace: "n".repeat(64),
      name: "t".repeat(128),
      version: "1".repeat(32),
      hash8: "01234567",
    });
    expect(id.ok && id.value.length).toBe(235);
  });

  it("round trips: parsing what was formatted gives the parts back", () => {
    fc.assert(
      fc.property(legalParts, (parts) => {
        const id = formatToolId(parts);
        expect(id.ok && parseToolId(id.value)).toEqual(ok(parts));
      }),
      { numRuns: 500 },
    );
  });

  it("accepts exactly the texts of the grammar, and formats them back to themselves", () => {
    const edited = fc.tuple(legalParts, nearIds, fc.nat(60)).map(([parts, noise, at]) => {
      const id = formatToolId(parts);
      const text = id.ok ? id.value : "";
      return `${text.slice(0, at)}${noise.slice(0, 2)}${text.slice(at)}`;
    });
    fc.assert(
      fc.property(fc.oneof(anyString, nearIds, edited, fc.constantFrom(...uglyNames)), (text) => {
        const parts = parseToolId(text);
        expect(parts.ok).toBe(GRAMMAR.test(text) && text.length <= 240);
        expect(parts.ok ? formatToolId(parts.value) : ok(text)).toEqual(ok(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
