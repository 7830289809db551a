import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseDocument } from "../../../src/routing/document/analyse-document.ts";
import { packIndex } from "../../../src/routing/index/index-build.ts";
import { openIndex } from "../../../src/routing/index/open-index.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";

const TABLE = {
  words: ["close", "email", "issue", "mail", "open", "ticket"],
  starts: Uint32Array.of(0, 1, 2, 3, 4, 5, 6),
  neighbours: Uint32Array.of(4, 3, 5, 1, 0, 2),
  likeness: Uint8Array.of(200, 250, 240, 250, 200, 240),
  digest: new Uint8Array(32),
};

function packedCatalog(): Uint8Array {
  const packed = packIndex(CATALOG.map(analyseDocument), TABLE);
  if (!packed.ok) throw new Error(packed.reason.reason);
  return packed.value;
}

/** Opens bytes and, if they open, looks at everything; the steps are bounded by what the bytes can hold. */
function explore(bytes: Uint8Array): string {
  const opened = openIndex(bytes);
  if (!opened.ok) return opened.reason.reason;
  const index = opened.value;
  for (const query of ["create_issue", "send an email", "東京", "ticket", "tracker:close_issue"]) {
    const { hits, total } = rank(index, query, { topK: 5 });
    expect(hits.length).toBeLessThanOrEqual(5);
    expect(total).toBeLessThanOrEqual(index.documentCount);
  }
  for (const word of TABLE.words) {
    for (const { term } of index.neighbours(word)) expect(term).toBeLessThan(index.termCount);
    expect(index.exactDocuments(word).every((document) => document < index.documentCount)).toBe(true);
  }
  for (let place = 0; place < index.termCount; place += 1) index.findTerm(index.term(place));
  return "opened";
}

describe("a damaged index", () => {
  const whole = packedCatalog();

  it("is an index when it is whole", () => {
    expect(explore(whole)).toBe("opened");
  });

  it("cut short anywhere is refused", () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        expect(["damaged", "other_format"]).toContain(explore(whole.slice(0, length)));
      }),
    );
  });

  it("with any bytes changed is refused, or answers within its bounds", () => {
    const flip = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    // Counts and starts stand at the front of each section: they are where damage would lead astray.
    const header = fc.tuple(fc.nat(160), fc.nat(255));
    fc.assert(
      fc.property(fc.array(fc.oneof(flip, header), { minLength: 1, maxLength: 6 }), (flips) => {
        const bytes = whole.slice();
        for (const [at, value] of flips) bytes[at] = value;
        expect(["opened", "damaged", "other_format"]).toContain(explore(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it("of any bytes at all is refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(explore(bytes)).not.toBe("opened");
      }),
    );
  });
});
