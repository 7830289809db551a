import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactListedName, listedName, readListedName } from "../../src/identity/listed-name.ts";
import { formatPrimitiveId } from "../../src/identity/primitive-id.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, legalParts, nearIds, uglyNames } from "./arbitraries.ts";
import { TOOL_IDS } from "./golden.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const LONG = /--9[0-9a-z]{25}$/;

/** Ids of all kinds and all lengths, some of them the `~N` keys of collisions. */
const ids = fc
  .tuple(
    fc.constantFrom("tool" as const, "resource" as const, "prompt" as const),
    legalParts,
    fc.constantFrom("", "", "~2", "~13"),
  )
  .map(([kind, parts, key]) => {
    const id = formatPrimitiveId({ kind, ...parts });
    return id.ok ? `${id.value}${key}` : "";
  });

/** Texts made of the pieces that the encoding itself writes. */
const pieces = "a 9 0 _ - -- --- --9 --0 --1 --2 --_ -_ : # . @ ~".split(" ");
const escapes = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""));

const anything = fc.oneof(ids, escapes, nearIds, anyString, fc.constantFrom(...uglyNames));

/** Pairs of ids with one listed name: none, by the contract. */
function clashes(set: Iterable<string>): string[][] {
  const owners = new Map<string, string>();
  const found: string[][] = [];
  for (const id of new Set(set)) {
    const name = listedName(id);
    const owner = owners.get(name);
    if (owner !== undefined) found.push([owner, id, name]);
    owners.set(name, id);
  }
  return found;
}

describe("listed names", () => {
  it.each([
    ["github:create_issue#aea9ce2a", "github--create_issue---aea9ce2a"],
    ["my-server:get-weather#880c7b26", "my-server--get-weather---880c7b26"],
    ["github:create_issue@1.4.0", "github--create_issue--_1-_4-_0"],
    ["a:b.c.d#ba19ebea", "a--b-_c-_d---ba19ebea"],
    ["mcp:__init__#2ec43cdc", "mcp--0__init__---2ec43cdc"],
    ["a-:b-_c--d-#00000000", "a--1--b--1_c--1-d--1---00000000"],
    ["resource::fs:readme.md#ab12cd34", "resource--0--fs--readme-_md---ab12cd34"],
    ["prompt::gh:sum#a3605d83~2", "prompt--0--gh--sum---a3605d83--22"],
  ])("write %s as %s, and read it back", (id, name) => {
    expect(listedName(id)).toBe(name);
    expect(readListedName(name)).toEqual(ok({ form: "short", id }));
  });

  it("keep the words of every recorded id", () => {
    for (const { id, name } of TOOL_IDS) {
      if (id === null) continue;
      for (const word of name.split(/\W+/)) expect(listedName(id)).toContain(word);
      expect(readListedName(listedName(id))).toEqual(ok({ form: "short", id }));
    }
  });

  it("keep the first words of an id that is too long, and say that they are not the whole", () => {
    const id = `filesystem:read_${"very_".repeat(12)}long#00000000`;
    const name = listedName(id);
    expect(name).toMatch(/^filesystem--read_very_/);
    expect(name).toMatch(LONG);
    expect(name.length).toBe(64);
    expect(readListedName(name)).toEqual(ok({ form: "long" }));
  });

  it("are short up to 64 characters and long from there", () => {
    const short = `a:${"b".repeat(50)}#00000000`;
    expect(listedName(short).length).toBe(64);
    expect(listedName(short)).not.toMatch(LONG);
    expect(listedName(`a:${"b".repeat(51)}#00000000`)).toMatch(LONG);
  });

  it("are legal for any text at all", () => {
    fc.assert(
      fc.property(anything, (id) => {
        expect(listedName(id)).toMatch(LEGAL);
      }),
      { numRuns: 2_000 },
    );
  });

  it("read back to their id, or, in the long form, to no id", () => {
    fc.assert(
      fc.property(anything, (id) => {
        const reading = readListedName(listedName(id));
        expect(reading).toEqual(
          ok(LONG.test(listedName(id)) && isLong(id) ? { form: "long" } : { form: "short", id }),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("are read back only as they are written, so no two names lead to one id", () => {
    fc.assert(
      fc.property(fc.oneof(escapes, anyString, nearIds), (name) => {
        const reading = readListedName(name);
        const written = reading.ok && reading.value.form === "short" ? listedName(reading.value.id) : name;
        expect(written).toBe(name);
        expect(reading.ok && reading.value.form === "long" ? name : "--9".padEnd(28, "0")).toMatch(LONG);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "",
    "a--0b",
    "a--1b",
    "a--9",
    "a--9short",
    "a--3b",
    "a.b",
    "a:b",
    "a b",
    "x".repeat(65),
    `a--9${"0".repeat(24)}_`,
  ])("refuse %j, which they never write", (name) => {
    expect(readListedName(name)).toEqual(fail("not_a_listed_name"));
  });

  it("differ for all ids over a small alphabet, every one up to six characters", () => {
    const alphabet = ["a", "9", "_", "-", ":", "#"];
    let level = [""];
    const all = [""];
    for (let length = 1; length <= 6; length += 1) {
      level = level.flatMap((start) => alphabet.map((character) => `${start}${character}`));
      all.push(...level);
    }
    const names = new Set(all.map((id) => listedName(id)));
    expect(names.size).toBe(all.length);
    expect([...names].filter((name) => !LEGAL.test(name))).toEqual([]);
  });

  it("differ for any two ids, and for an id and what looks like another's listed name", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anything, { minLength: 2, maxLength: 8 }), (set) => {
        const lookalikes = set.flatMap((id) => [listedName(id), `${id}x`, unescapedOnce(listedName(id))]);
        expect(clashes([...set, ...lookalikes])).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("differ for long ids that share their first 200 characters, whatever stands where the long form cuts", () => {
    for (const edge of ["-", "--", ".", ":", "#", "@", "~", "_", "-_", "b-"]) {
      for (let length = 20; length <= 40; length += 1) {
        const start = `a:${"b".repeat(length)}${edge}${"c".repeat(150)}`;
        const [one, other] = [`${start}1#00000000`, `${start}2#00000000`];
        // What a short form would decode to, had the mark been read together with the edge.
        const traps = [listedName(one), ...[one, other].map((id) => unescapedOnce(listedName(id)))];
        expect(clashes([one, other, ...traps])).toEqual([]);
        expect(readListedName(listedName(one))).toEqual(ok({ form: "long" }));
      }
    }
  });

  it("differ for ids that differ in a lone surrogate only, which have the same UTF-8 bytes", () => {
    expect(clashes(["\ud800", "\ud801", "\udfff", "\ufffd", String.raw`\ud800`])).toEqual([]);
  });

  it("have a compact form that is legal, says that it is not the whole id, and is no other id's name in any form", () => {
    expect(compactListedName("github:create_issue#aea9ce2a")).toMatch(/^g--9[0-9]{39}$/);
    fc.assert(
      fc.property(fc.uniqueArray(anything, { minLength: 2, maxLength: 8 }), (set) => {
        const compact = set.map((id) => compactListedName(id));
        for (const name of compact) {
          expect(name).toMatch(LEGAL);
          expect(readListedName(name)).toEqual(ok({ form: "long" }));
        }
        const lookalikes = [...compact, ...compact.map(unescapedOnce)].map((id) => listedName(id));
        expect(new Set(compact).size).toBe(set.length);
        for (const name of [...set.map((id) => listedName(id)), ...lookalikes])
          expect(compact).not.toContain(name);
      }),
      { numRuns: 1_000 },
    );
  });

  it("of canonical ids are never the name of one of the gateway's own tools", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(listedName(id)).toContain("--");
      }),
    );
  });
});

/** Whether an id has no short form, by length or by a character, told without the encoder. */
function isLong(id: string): boolean {
  if (id === "" || /[^\w.:@#~-]/.test(id)) return true;
  const escaped = id.replace(/[@#~]|:(?![A-Za-z])|-(?![A-Za-z0-9]|$)/g, "+++").replace(/[.:]/g, "++");
  return escaped.length > 64;
}

/** What a careless reader would make of a listed name: marks taken apart in another order. */
function unescapedOnce(name: string): string {
  return name.replaceAll("---", "#").replaceAll("--_", "@").replaceAll("--", ":").replaceAll("-_", ".");
}
