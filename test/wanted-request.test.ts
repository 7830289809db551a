import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  UPSTREAM_WANTED_MAX_COUNT,
  UPSTREAM_WANTED_MESSAGE_MAX_CHARS,
  UPSTREAM_WANTED_METHOD_MAX_CHARS,
} from "../src/limits.ts";
import { hasUnseen } from "../src/unseen.ts";
import { WantedList, type WantedRequest } from "../src/wanted-request.ts";

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 700 }), fc.string({ maxLength: 3 }));
const request = fc.record({ method: text, message: text }, { requiredKeys: ["method"] });
const listOf = (requests: readonly WantedRequest[]) => {
  const list = new WantedList();
  for (const each of requests) list.add(each);
  return list.all();
};

describe("what an upstream wanted", () => {
  it("is kept once each, in order, in bounded lines that a reader sees all of", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
        const all = listOf(requests);
        expect(all.length).toBeLessThanOrEqual(UPSTREAM_WANTED_MAX_COUNT);
        expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
        for (const { method, message = "-" } of all) {
          expect(Array.from(method).length).toBeLessThanOrEqual(UPSTREAM_WANTED_METHOD_MAX_CHARS);
          expect(Array.from(message).length).toBeLessThanOrEqual(UPSTREAM_WANTED_MESSAGE_MAX_CHARS);
          expect(hasUnseen(method + message)).toBe(false);
          expect(message).not.toBe("");
        }
      }),
    );
  });

  it("is the same list when it is told again: of two tries a wish stands once", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
        const once = listOf(requests);
        expect(listOf([...once, ...once])).toEqual(once);
      }),
    );
  });
});
