import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_LISTED_FORM,
  isListedForm,
  LISTED_FORMS,
  listedAs,
  readListedForm,
} from "../../src/identity/listed-form.ts";
import { listedName, readListedName } from "../../src/identity/listed-name.ts";
import { formatPrimitiveId } from "../../src/identity/primitive-id.ts";
import { anyString, legalParts, nearIds, over, uglyNames } from "./arbitraries.ts";

/** Ids of all kinds, some of them the `~N` keys of collisions. */
const ids = fc
  .tuple(
    fc.constantFrom("tool" as const, "resource" as const, "prompt" as const),
    legalParts,
    fc.constantFrom("", "", "~2", "~13"),
  )
  .map(([kind, parts, key]) => {
    const id = formatPrimitiveId({ kind, ...parts });
    return id.ok ? `${id.value}${key}` : "a:b#00000000";
  });

/** What might be taken for a name. */
const names = fc.oneof(
  ids,
  nearIds,
  anyString,
  over("%23AaFf0:#~-", 0, 40),
  ids.map((id) => encodeURIComponent(id)),
  ids.map((id) => encodeURIComponent(id).toLowerCase()),
  ids.map((id) => encodeURIComponent(encodeURIComponent(id))),
  fc.constantFrom(...uglyNames, "%", "%zz", "%E0%A4%A", "%ED%A0%80", "%00", "%25"),
);

/** As a catalog does: by the id, or by the safe name. */
function found(text: string, catalog: ReadonlySet<string>): string | undefined {
  if (catalog.has(text)) return text;
  return [...catalog].find((id) => listedName(id) === text);
}

describe("listed forms", () => {
  it("are three, of which the safe one is the default", () => {
    expect(LISTED_FORMS).toEqual(["canonical", "url", "safe"]);
    expect(DEFAULT_LISTED_FORM).toBe("safe");
    expect(LISTED_FORMS.every(isListedForm)).toBe(true);
    for (const other of ["", "SAFE", "safe ", "constructor", null, 1, ["safe"]]) {
      expect(isListedForm(other)).toBe(false);
    }
  });

  it.each([
    ["canonical", "github:create_issue#aea9ce2a"],
    ["url", "github%3Acreate_issue%23aea9ce2a"],
    ["safe", "github--create_issue---aea9ce2a"],
  ] as const)("write an id in the %s form as %s", (form, name) => {
    expect(listedAs(form, "github:create_issue#aea9ce2a")).toBe(name);
  });

  it("write the url form as encodeURIComponent does", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(listedAs("url", id)).toBe(encodeURIComponent(id));
      }),
      { numRuns: 2_000 },
    );
  });

  it("are all read back to the id that they were made of", () => {
    fc.assert(
      fc.property(ids, fc.constantFrom(...LISTED_FORMS), (id, form) => {
        expect(found(readListedForm(listedAs(form, id)), new Set([id]))).toBe(id);
      }),
      { numRuns: 5_000 },
    );
  });

  it("give no two ids one name, whichever forms the two are in", () => {
    fc.assert(
      fc.property(fc.uniqueArray(ids, { minLength: 2, maxLength: 40 }), (several) => {
        const owners = new Map<string, string>();
        for (const id of several) {
          for (const form of LISTED_FORMS) {
            const name = listedAs(form, id);
            expect(owners.get(name) ?? id).toBe(id);
            owners.set(name, id);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("make one name lead to one id at most, in a catalog of any ids", () => {
    fc.assert(
      fc.property(names, fc.uniqueArray(ids, { minLength: 1, maxLength: 5 }), (name, several) => {
        const id = found(readListedForm(name), new Set(several));
        const itsNames = id === undefined ? [name] : LISTED_FORMS.map((form) => listedAs(form, id));
        expect(itsNames).toContain(name);
      }),
      { numRuns: 5_000 },
    );
  });

  it("leave whatever is no name as it is, and throw on nothing", () => {
    fc.assert(
      fc.property(names, (name) => {
        const read = readListedForm(name);
        expect([read, listedAs("url", read)]).toContain(name);
        for (const form of LISTED_FORMS) expect(typeof listedAs(form, name)).toBe("string");
      }),
      { numRuns: 5_000 },
    );
  });

  it("are not read twice: what is encoded twice is no name", () => {
    const twice = encodeURIComponent(encodeURIComponent("a:b#00000000"));
    expect(readListedForm(twice)).toBe("a%3Ab%2300000000");
    expect(found(readListedForm(twice), new Set(["a:b#00000000"]))).toBeUndefined();
  });

  it("keep the safe names readable by themselves", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(readListedName(listedAs("safe", id)).ok).toBe(true);
      }),
    );
  });
});
