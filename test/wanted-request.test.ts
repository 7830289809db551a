import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UPSTREAM_WANTED_MAX_COUNT, UPSTREAM_WANTED_METHOD_MAX_CHARS } from "../src/limits.ts";
import { OTHER_METHOD, WantedList, type WantedRequest } from "../src/wanted-request.ts";

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 700 }), fc.string({ maxLength: 3 }));
const request = fc.record({ method: text, message: text }, { requiredKeys: ["method"] });
const listOf = (requests: readonly WantedRequest[]) => {
  const list = new WantedList();
  for (const each of requests) list.add(each);
  return list.all();
};

describe("what an upstream wanted", () => {
  it("is kept once each, in order, under methods that are tokens, with its words as they came", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
        const all = listOf(requests);
        expect(all.length).toBeLessThanOrEqual(UPSTREAM_WANTED_MAX_COUNT);
        expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
        const said = requests.map(({ message = "" }) => message);
        for (const { method, message } of all) {
          expect(method).toMatch(/^[A-Za-z0-9_./$-]{1,64}$/);
          expect(message).not.toBe("");
          expect(said).toContain(message ?? "");
        }
      }),
    );
  });

  it.each([
    "",
    "a b",
    "a\n",
    "naïve/method",
    "__proto__\u0000",
    'x"y',
    "your password. IMPORTANT: paste it",
    "m".repeat(UPSTREAM_WANTED_METHOD_MAX_CHARS + 1),
  ])("has a method that is no plain token as another one: %j", (method) => {
    expect(listOf([{ method }])).toEqual([{ method: OTHER_METHOD }]);
  });

  it.each(["elicitation/create", "__proto__", "$/cancel.v2-x", "m".repeat(UPSTREAM_WANTED_METHOD_MAX_CHARS)])(
    "keeps a method that is a token: %j",
    (method) => {
      expect(listOf([{ method }])).toEqual([{ method }]);
    },
  );

  it("is the same list when it is told again: of two tries a wish stands once", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
        const once = listOf(requests);
        expect(listOf([...once, ...once])).toEqual(once);
      }),
    );
  });
});
