import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../src/access/visibility.ts";
import { globTest, idForms, withoutRank } from "../../src/dispatch/globs.ts";
import { oncePerObject } from "../../src/once-per-object.ts";
import { formatPrimitiveId } from "../../src/identity/primitive-id.ts";
import { anyString, legalParts } from "../identity/arbitraries.ts";

const kinds = fc.constantFrom("tool" as const, "resource" as const, "prompt" as const);
const others = fc.constantFrom("resource" as const, "prompt" as const);
const ranks = fc.constantFrom("", "~2", "~10");

describe("an id's forms", () => {
  it("are the id, and the id without version and hash", () => {
    fc.assert(
      fc.property(legalParts, (parts) => {
        const id = formatPrimitiveId({ kind: "tool", ...parts });
        if (!id.ok) return;
        expect(idForms(id.value)).toEqual([id.value, `${parts.namespace}:${parts.name}`]);
      }),
    );
  });

  it("of another kind are the same with and without its kind, whatever rank a collision gave it", () => {
    fc.assert(
      fc.property(others, legalParts, ranks, (kind, parts, rank) => {
        const id = formatPrimitiveId({ kind, ...parts });
        if (!id.ok) return;
        const whole = id.value;
        const bare = `${kind}::${parts.namespace}:${parts.name}`;
        const forms = [whole + rank, whole, bare];
        const all = new Set([...forms, ...forms.map((form) => form.slice(kind.length + 2))]);
        expect(new Set(idForms(whole + rank))).toEqual(all);
      }),
    );
  });

  it("of a tool are never without a rank, which no tool has", () => {
    expect(idForms("a:b#00000000~2")).toEqual(["a:b#00000000~2"]);
    expect(withoutRank("a:b#00000000~2")).toBe("a:b#00000000~2");
  });

  it("are those that scopes are tried on", () => {
    fc.assert(
      fc.property(kinds, legalParts, ranks, (kind, parts, rank) => {
        const id = formatPrimitiveId({ kind, ...parts });
        if (!id.ok) return;
        const asked = kind === "tool" ? id.value : id.value + rank;
        for (const form of idForms(asked)) expect(visibilityOf([form])(asked)).toBe(true);
      }),
    );
  });

  it("are a text itself if it is no id", () => {
    fc.assert(
      fc.property(anyString, (text) => {
        fc.pre(!text.includes(":"));
        expect(idForms(text)).toEqual([text]);
      }),
    );
  });
});

describe("a configured glob", () => {
  it("answers as told if it is none", () => {
    for (const text of ["", "*".repeat(10_240)]) {
      expect(globTest(text, true)("a")).toBe(true);
      expect(globTest(text, false)("a")).toBe(false);
    }
    expect(globTest("b*", true)("a")).toBe(false);
  });
});

describe("an object of the configuration", () => {
  it("is compiled once, also to nothing", () => {
    let compiled = 0;
    const compile = oncePerObject((source: { readonly value: number | undefined }) => {
      compiled += 1;
      return source.value;
    });
    const nothing = { value: undefined };
    expect([compile(nothing), compile(nothing), compile({ value: 1 })]).toEqual([undefined, undefined, 1]);
    expect(compiled).toBe(2);
  });
});
