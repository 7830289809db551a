import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counts, named } from "../../../src/gateway/telling/call-event.ts";

const NOBODY = { tool_id: null, namespace: null };

describe("a tool's name in an event", () => {
  it("is its canonical id, with the id's namespace", () => {
    const id = "github:get_repo#00000000";
    expect(named(id)).toEqual({ tool_id: id, namespace: "github" });
    const resource = "resource::files:a_b#00000000";
    expect(named(resource)).toEqual({ tool_id: resource, namespace: "files" });
  });

  it.each([null, "", "github:get_repo", "GITHUB:GET#00000000", "a:b#00000000 ", "<|endoftext|>", "\ud800"])(
    "is none for %j",
    (text) => {
      expect(named(text)).toEqual(NOBODY);
    },
  );

  it("is none for whatever somebody made up", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(named(`${text}§`)).toEqual(NOBODY);
      }),
    );
  });
});

describe("counts of an event", () => {
  it("are whole numbers, and what is none is left out", () => {
    const values = {
      a: 0,
      b: 5,
      c: null,
      d: undefined,
      e: -1,
      f: 1.5,
      g: Number.NaN,
      h: Infinity,
      i: 2 ** 53,
    };
    expect(counts(values)).toEqual({ a: 0, b: 5 });
  });
});
