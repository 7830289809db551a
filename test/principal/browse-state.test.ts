import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../src/code-points.ts";
import { SEEN_CARDS_MAX_BYTES, SEEN_CARDS_MAX_COUNT } from "../../src/limits.ts";
import { arrange, decodeSeen, encodeSeen, stateFor, withSeen } from "../../src/principal/browse-state.ts";
import type { Arrangement, BrowseCard, BrowseState } from "../../src/principal/browse-state.ts";

const VERSION = { catalog: "c1", generation: 1 };
const EMPTY = stateFor(null, VERSION);
const card = (id: string, score = 0.5, kind = "tool"): BrowseCard => ({
  id,
  kind,
  json: JSON.stringify({ id, score }),
  line: `${id} — does ${score}`,
});
const ids = (arrangement: Arrangement): string[] => arrangement.cards.map(({ id }) => id);

const anyId = fc.oneof(
  fc.constantFrom(
    "a:x",
    "a:y",
    "b:x",
    "b:y",
    "c:z",
    "__proto__",
    "constructor",
    "\ufffd",
    "\u{1f600}",
    "\ud800",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const anyCard = fc
  .tuple(
    anyId,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom("tool", "tool", "tool", "internal"),
  )
  .map(([id, score, kind]) => card(id, score, kind));
const anyBrowse = fc.record({
  ranked: fc.array(anyCard, { maxLength: 12 }),
  topK: fc.option(fc.integer({ min: 1, max: 8 })),
});
const anySession = fc.array(anyBrowse, { maxLength: 8 });

function shownIds({
  ranked,
  topK,
}: {
  readonly ranked: readonly BrowseCard[];
  readonly topK: number | null;
}): string[] {
  return [...new Set(ranked.map(({ id }) => id))].slice(0, topK ?? undefined);
}

/** Runs a session's browses one after another; gives each with the state before and after it. */
function run(browses: readonly { ranked: readonly BrowseCard[]; topK: number | null }[]) {
  let state: BrowseState = EMPTY;
  return browses.map((browse) => {
    const before = state;
    const result = arrange(before, browse.ranked, browse.topK);
    state = result.state;
    return { browse, before, after: state, arrangement: result.arrangement };
  });
}

describe("cache-stable order", () => {
  it("puts the seen before the breakpoint, as first seen, and the new behind it", () => {
    const first = arrange(EMPTY, [card("b:x", 0.9), card("a:x", 0.8)], 10);
    expect(ids(first.arrangement)).toEqual(["a:x", "b:x"]);
    expect(first.arrangement.breakpointAt).toBeNull();
    const second = arrange(first.state, [card("c:x", 0.7), card("b:x", 0.1), card("a:y", 0.2)], 10);
    expect(ids(second.arrangement)).toEqual(["b:x", "a:y", "c:x"]);
    expect(second.arrangement.breakpointAt).toBe(1);
    expect(second.arrangement.cards[0]).toEqual(card("b:x", 0.9));
  });

  it("has no breakpoint when all is new or all is seen", () => {
    const first = arrange(EMPTY, [card("a:x")], 10);
    expect(arrange(first.state, [card("a:x")], 10).arrangement.breakpointAt).toBeNull();
    expect(arrange(first.state, [card("a:y")], 10).arrangement.breakpointAt).toBeNull();
    expect(arrange(first.state, [], 10).arrangement).toEqual({ cards: [], breakpointAt: null });
  });

  it("does not count a card that the limit cut as seen, and the breakpoint takes no slot", () => {
    const first = arrange(EMPTY, [card("a:x"), card("b:x")], 1);
    expect(ids(first.arrangement)).toEqual(["a:x"]);
    const second = arrange(first.state, [card("b:x"), card("a:x"), card("c:x")], 2);
    expect(ids(second.arrangement)).toEqual(["a:x", "b:x"]);
    expect(second.arrangement.breakpointAt).toBe(1);
  });

  it("is a permutation of what the limit leaves, each part in order of code points", () => {
    fc.assert(
      fc.property(anySession, (browses) => {
        for (const { browse, before, arrangement } of run(browses)) {
          const shown = ids(arrangement);
          expect(shown.toSorted(compareCodePoints)).toEqual(shownIds(browse).toSorted(compareCodePoints));
          const cut = shown.filter((id) => before.seen.has(id)).length;
          expect(shown.slice(0, cut)).toEqual(
            shown.filter((id) => before.seen.has(id)).toSorted(compareCodePoints),
          );
          expect(shown.slice(cut)).toEqual(
            shown.filter((id) => !before.seen.has(id)).toSorted(compareCodePoints),
          );
          expect(arrangement.breakpointAt).toBe(cut > 0 && cut < shown.length ? cut : null);
        }
      }),
    );
  });

  it("shows a seen card in the bytes in which it was first shown, whatever came between", () => {
    fc.assert(
      fc.property(anySession, (browses) => {
        const first = new Map<string, BrowseCard>();
        for (const { before, arrangement } of run(browses)) {
          for (const shown of arrangement.cards) {
            const expected = before.seen.has(shown.id) ? first.get(shown.id) : shown;
            expect(shown).toEqual(expected);
            if (!first.has(shown.id) && shown.kind !== "internal") first.set(shown.id, shown);
          }
        }
      }),
    );
  });

  it("gives the same bytes again for the same cards, however ranked and scored", () => {
    fc.assert(
      fc.property(anySession, fc.array(anyCard, { maxLength: 12 }), (browses, ranked) => {
        const state = run([...browses, { ranked, topK: null }]).at(-1)?.after ?? EMPTY;
        const rescored = ranked.map(({ id, kind }) => card(id, 0.123, kind)).toReversed();
        const known = (arrangement: Arrangement) => arrangement.cards.filter(({ id }) => state.seen.has(id));
        expect(known(arrange(state, rescored, null).arrangement)).toEqual(
          known(arrange(state, ranked, null).arrangement),
        );
      }),
    );
  });

  it("makes seen exactly what was shown, places to go excepted, and forgets nothing", () => {
    fc.assert(
      fc.property(anySession, (browses) => {
        for (const { before, after, arrangement } of run(browses)) {
          const shown = arrangement.cards.filter(({ kind }) => kind !== "internal").map(({ id }) => id);
          expect(new Set(after.seen.keys())).toEqual(new Set([...before.seen.keys(), ...shown]));
        }
      }),
    );
  });

  it("keeps the very state when nothing is new, so that nothing is written", () => {
    const { state } = arrange(EMPTY, [card("a:x")], 10);
    expect(arrange(state, [card("a:x", 0.1), card("/a", 0, "internal")], 10).state).toBe(state);
    expect(withSeen(state, [])).toBe(state);
  });
});

describe("the seen set", () => {
  it("is cleared by a new generation and by another catalog", () => {
    const { state } = arrange(EMPTY, [card("a:x")], 10);
    expect(stateFor(state, VERSION)).toBe(state);
    for (const version of [
      { catalog: "c1", generation: 2 },
      { catalog: "c2", generation: 1 },
    ]) {
      const cleared = stateFor(state, version);
      expect(cleared.version).toEqual(version);
      expect(cleared.seen.size).toBe(0);
    }
  });

  it("stops growing at its bound of cards, and keeps what it has", () => {
    const many = Array.from({ length: SEEN_CARDS_MAX_COUNT + 5 }, (_, index) => card(`t:${1000 + index}`));
    const full = arrange(EMPTY, many, null);
    expect(full.arrangement.cards).toHaveLength(many.length);
    expect(full.state.seen.size).toBe(SEEN_CARDS_MAX_COUNT);
    const next = arrange(full.state, [card("t:1000", 0.1), card("z:new")], 10);
    expect(next.state).toBe(full.state);
    expect(next.arrangement.cards).toEqual([card("t:1000"), card("z:new")]);
    expect(next.arrangement.breakpointAt).toBe(1);
  });

  it("stops growing at its bound of bytes, and its row stays under the platform's limit even when all is escaped", () => {
    const huge = Array.from({ length: 40 }, (_, index) => ({
      ...card(`t:${index}`),
      json: "\u0001".repeat(10_000),
    }));
    const { state } = arrange(EMPTY, huge, null);
    const bytes = [...state.seen.values()].map(({ id, json, line }) => Buffer.byteLength(id + json + line));
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SEEN_CARDS_MAX_BYTES);
    expect(state.seen.size).toBe(26);
    expect(Buffer.byteLength(encodeSeen(state))).toBeLessThan(2_000_000);
  });

  it("comes back from its row as it was", () => {
    fc.assert(
      fc.property(anySession, (browses) => {
        const state = run(browses).at(-1)?.after ?? EMPTY;
        expect(decodeSeen(VERSION, encodeSeen(state))).toEqual(state);
      }),
    );
  });

  it.each(["", "null", "{}", "[[1,2,3,4]]", '[["a"]]', '["a"]', "[[[[["])(
    "reads a broken row (%s) as nothing",
    (text) => {
      expect(decodeSeen(VERSION, text)).toEqual(EMPTY);
    },
  );
});
