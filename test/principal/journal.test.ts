import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JOURNAL_ANSWER_MAX_BYTES } from "../../src/limits.ts";
import { journalKey } from "../../src/principal/journal.ts";
import { ask, journal, LEASE_MS, said, START_MS } from "./journal-kit.ts";

const DAY_MS = 86_400_000;
const ANSWER = { text: "done" };
const keyed = (over = {}) => ask({ idempotencyKey: "k", ...over });

describe("a call under an idempotency key", () => {
  it("runs once: its repetition waits, then has the first answer, for ten minutes", () => {
    const { open, close } = journal();
    expect(said(open(keyed(), START_MS))).toBe("run");
    expect(said(open(keyed({ attempt: "two" }), START_MS + 1000))).toBe(`in_flight ${LEASE_MS - 1000}`);
    close({ attempt: "one", outcome: "completed", answer: ANSWER }, START_MS + 2000);
    const end = START_MS + 2000 + 600_000;
    expect(said(open(keyed({ attempt: "three" }), end - 1))).toBe('answered {"text":"done"}');
    expect(said(open(keyed({ attempt: "four" }), end))).toBe("run");
  });

  it("meets its own attempt again as if for the first time, and nothing is written twice", () => {
    const { open, entry } = journal();
    open(keyed(), START_MS);
    const before = entry(keyed());
    expect(said(open(keyed(), START_MS + 5))).toBe("run, as before");
    expect(said(open(keyed(), START_MS + LEASE_MS))).toBe("run, as before");
    expect(entry(keyed())).toEqual(before);
  });

  it("is not run by a late repetition of an attempt that has its answer", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "completed", answer: ANSWER }, START_MS + 1);
    expect(said(open(keyed(), START_MS + 2))).toBe('answered {"text":"done"}');
  });

  it("is refused where another call was made under the key", () => {
    const { open } = journal();
    open(keyed(), START_MS);
    expect(said(open(keyed({ attempt: "two", fingerprint: "g" }), START_MS))).toBe("key_conflict");
  });

  it("is found whatever the session and the JSON-RPC id", () => {
    const { open } = journal();
    open(keyed({ requestKey: "s1 1" }), START_MS);
    expect(said(open(keyed({ attempt: "two", requestKey: "s2 7" }), START_MS))).toContain("in_flight");
    expect(said(open(keyed({ attempt: "three" }), START_MS))).toContain("in_flight");
  });

  it.each([
    ["never_replay", "outcome_unknown"],
    ["probe_required", "outcome_unknown"],
    ["convergent", "run"],
  ] as const)("that was never answered is %s: %s, from the end of its lease on", (contract, then) => {
    const { open } = journal();
    open(keyed({ contract }), START_MS);
    const again = keyed({ contract, attempt: "two" });
    expect(said(open(again, START_MS + LEASE_MS - 1))).toBe("in_flight 1");
    expect(said(open(again, START_MS + LEASE_MS))).toBe(then);
  });

  it("of which nobody knows the outcome says so at once, and for a day", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "outcome_unknown" }, START_MS + 1);
    expect(said(open(keyed({ attempt: "two" }), START_MS + 2))).toBe("outcome_unknown");
    const end = START_MS + LEASE_MS + DAY_MS;
    expect(said(open(keyed({ attempt: "two" }), end - 1))).toBe("outcome_unknown");
    expect(said(open(keyed({ attempt: "two" }), end))).toBe("run");
  });

  it("that was taken back and failed is unknown, also by a repetition of the report that no longer knows it", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    const report = { attempt: "one", outcome: "completed", answer: { text: "no" }, failed: true } as const;
    expect(close({ ...report, isCancelled: true }, START_MS + 1)).toBe("write");
    expect(close(report, START_MS + 2)).toBe("nothing");
    expect(said(open(keyed({ attempt: "two" }), START_MS + 3))).toBe("outcome_unknown");
  });

  it("may run again where it was never sent", () => {
    const { open, close, size } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "not_dispatched" }, START_MS + 1);
    expect(size()).toBe(0);
    expect(said(open(keyed({ attempt: "two" }), START_MS + 2))).toBe("run");
  });

  it("stays unknown where a replay of it was never sent", () => {
    const convergent = { contract: "convergent" as const };
    const { open, close } = journal();
    open(keyed(convergent), START_MS);
    close({ attempt: "one", outcome: "outcome_unknown" }, START_MS + 1);
    expect(said(open(keyed({ ...convergent, attempt: "two" }), START_MS + 2))).toBe("run");
    close({ attempt: "two", outcome: "not_dispatched" }, START_MS + 3);
    expect(said(open(keyed({ attempt: "three" }), START_MS + 4))).toBe("outcome_unknown");
  });

  it("keeps to the stricter of the contract it was made under and today's", () => {
    for (const [then, now] of [
      ["never_replay", "convergent"],
      ["convergent", "never_replay"],
    ] as const) {
      const { open, close } = journal();
      open(keyed({ contract: then }), START_MS);
      close({ attempt: "one", outcome: "outcome_unknown" }, START_MS + 1);
      expect(said(open(keyed({ contract: now, attempt: "two" }), START_MS + 2))).toBe("outcome_unknown");
    }
  });

  it("ends its replays when they can be counted no more", () => {
    const { open, close } = journal();
    let runs = 0;
    for (let index = 0; index < 300; index += 1) {
      const attempt = `${index}`;
      if (said(open(keyed({ contract: "convergent", attempt }), START_MS)) === "run") runs += 1;
      close({ attempt, outcome: "outcome_unknown" }, START_MS);
    }
    expect(runs).toBe(256);
  });
});

describe("a report", () => {
  it("that comes after the lease is accepted, once", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    const late = START_MS + LEASE_MS + 1000;
    expect(said(open(keyed({ attempt: "two" }), late))).toBe("outcome_unknown");
    expect(close({ attempt: "one", outcome: "completed", answer: ANSWER }, late)).toBe("write");
    expect(close({ attempt: "one", outcome: "completed", answer: { text: "other" } }, late)).toBe("nothing");
    expect(said(open(keyed({ attempt: "two" }), late))).toBe('answered {"text":"done"}');
  });

  it("settles what was given up as unknown", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "outcome_unknown" }, START_MS + 1);
    expect(close({ attempt: "one", outcome: "not_dispatched" }, START_MS + 2)).toBe("nothing");
    close({ attempt: "one", outcome: "completed", answer: ANSWER }, START_MS + 3);
    expect(said(open(keyed({ attempt: "two" }), START_MS + 4))).toBe('answered {"text":"done"}');
  });

  it.each(["completed", "not_dispatched", "outcome_unknown"] as const)(
    "of another attempt changes nothing: %s",
    (outcome) => {
      const { open, close, entry } = journal();
      open(keyed(), START_MS);
      const before = entry(keyed());
      expect(close({ attempt: "two", outcome, answer: ANSWER }, START_MS + 1)).toBe("nothing");
      expect(entry(keyed())).toEqual(before);
    },
  );

  it("of what was forgotten changes nothing", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    const end = START_MS + LEASE_MS + DAY_MS;
    expect(close({ attempt: "one", outcome: "completed" }, end)).toBe("nothing");
  });

  it.each([
    ["a".repeat(JOURNAL_ANSWER_MAX_BYTES), true],
    ["a".repeat(JOURNAL_ANSWER_MAX_BYTES + 1), false],
    ["ä".repeat(JOURNAL_ANSWER_MAX_BYTES / 2), true],
    [`ä${"ä".repeat(JOURNAL_ANSWER_MAX_BYTES / 2)}`, false],
    ["\ud800\u0000", true],
  ])("keeps an answer that is short enough, and in any case that there was one", (text, kept) => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "completed", answer: { text } }, START_MS + 1);
    const step = open(keyed({ attempt: "two" }), START_MS + 2);
    expect(step).toEqual({ step: "answered", answer: kept ? { text } : null });
  });

  it("may name a handle in the answer's place", () => {
    const { open, close } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "completed", answer: { handle: "1" } }, START_MS + 1);
    expect(said(open(keyed({ attempt: "two" }), START_MS + 2))).toBe('answered {"handle":"1"}');
  });
});

describe("a call without a key", () => {
  const once = (over = {}) => ask({ requestKey: "s 1", ...over });

  it("is the same only in its session, under its id, with its arguments", () => {
    const { open } = journal();
    open(once(), START_MS);
    expect(said(open(once({ attempt: "2" }), START_MS))).toBe(`in_flight ${LEASE_MS}`);
    expect(said(open(once({ attempt: "3", fingerprint: "g" }), START_MS))).toBe("run");
    expect(said(open(once({ attempt: "4", requestKey: "s 2" }), START_MS))).toBe("run");
    expect(said(open(once({ attempt: "5", requestKey: null }), START_MS))).toBe("run");
    expect(said(open(once({ attempt: "6", idempotencyKey: "s 1" }), START_MS))).toBe("run");
  });

  it("runs as often as it is made where nothing names it, and leaves nothing behind", () => {
    const { open, close, size } = journal();
    for (const attempt of ["one", "two"]) expect(said(open(ask({ attempt }), START_MS))).toBe("run");
    expect(size()).toBe(2);
    close({ attempt: "one", outcome: "completed", answer: ANSWER }, START_MS + 1);
    close({ attempt: "two", outcome: "outcome_unknown" }, START_MS + 1);
    expect(size()).toBe(0);
  });
});

describe("what the ledger is told of a call", () => {
  it("is noted with its report, and forgotten by the next attempt under its name", () => {
    const { open, close, entry } = journal();
    const first = keyed({ contract: "convergent", toolId: "a:b#00000000", server: "a" });
    open(first, START_MS);
    expect(entry(first)).toMatchObject({ toolId: "a:b#00000000", server: "a", told: false });
    close({ attempt: "one", outcome: "outcome_unknown", told: true }, START_MS + 1);
    expect(entry(first)).toMatchObject({ told: true });
    open(keyed({ contract: "convergent", attempt: "two" }), START_MS + 2);
    expect(entry(first)).toMatchObject({ attempt: "two", toolId: null, server: null, told: false });
    close({ attempt: "two", outcome: "completed", answer: ANSWER }, START_MS + 3);
    expect(entry(first)).toMatchObject({ told: false });
  });

  it("stays told whatever a late report says", () => {
    const { open, close, entry } = journal();
    open(keyed(), START_MS);
    close({ attempt: "one", outcome: "outcome_unknown", told: true }, START_MS + 1);
    close({ attempt: "one", outcome: "completed", answer: ANSWER, told: false }, START_MS + 2);
    expect(entry(keyed())).toMatchObject({ told: true, answer: ANSWER });
  });
});

describe("the key of an entry", () => {
  it("is short, and never that of another kind of name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) => {
        const keys = [
          journalKey(ask({ idempotencyKey: left })),
          journalKey(ask({ requestKey: left })),
          journalKey(ask({ attempt: left })),
          journalKey(ask({ requestKey: left, fingerprint: "g" })),
        ];
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key.length).toBeLessThan(64);
        const other = journalKey(ask({ idempotencyKey: right }));
        expect(other === keys[0]).toBe(left === right);
      }),
    );
  });
});
