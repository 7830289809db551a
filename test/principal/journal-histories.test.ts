import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReplayContract } from "../../src/spine/replay/contract.ts";
import type { JournalReport } from "../../src/principal/journal-report.ts";
import type { JournalAsk } from "../../src/principal/journal.ts";
import { ask, journal, LEASE_MS, START_MS } from "./journal-kit.ts";

/** One step of the world around a journal. Numbers choose among the workers that there are. */
type Happening =
  /** A client makes a call, or delivers one again. */
  | {
      readonly kind: "call";
      readonly name: "a" | "b" | null;
      readonly id: "1" | "2" | null;
      readonly args: "f" | "g";
      readonly reaches: boolean;
    }
  /** A Worker asks again, in its attempt's name: its first question got lost, or arrives twice. */
  | { readonly kind: "ask_again"; readonly worker: number }
  /** A Worker that was let in sends, and the upstream carries it out, or never gets it. */
  | { readonly kind: "send"; readonly worker: number; readonly arrives: boolean; readonly answers: boolean }
  /** A Worker reports what it knows; as often as it likes. */
  | { readonly kind: "report"; readonly worker: number }
  | { readonly kind: "time"; readonly passesMs: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      name: fc.constantFrom("a" as const, "b" as const, null),
      id: fc.constantFrom("1" as const, "2" as const, null),
      args: fc.constantFrom("f" as const, "g" as const),
      reaches: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("ask_again" as const), worker: fc.nat() }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      worker: fc.nat(),
      arrives: fc.boolean(),
      answers: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("report" as const), worker: fc.nat() }) },
  fc.record({ kind: fc.constant("time" as const), passesMs: fc.integer({ min: 0, max: LEASE_MS }) }),
);

/** Short enough in all that nothing is forgotten on the way. */
const histories = fc
  .array(happening, { minLength: 20, maxLength: 100, size: "max" })
  .filter((all) => all.reduce((sum, one) => sum + (one.kind === "time" ? one.passesMs : 0), 0) < 600_000);

interface Worker {
  readonly of: JournalAsk;
  /** Let in, and has not sent yet. */
  mayRun: boolean;
  knows: JournalReport["outcome"] | "nothing yet";
}

interface Executed {
  readonly of: JournalAsk;
  readonly attempt: string;
}

/** Lets a history happen, and says what the upstream carried out and what repetitions were answered with. */
function happen(history: readonly Happening[], contract: ReplayContract) {
  const { open, close } = journal();
  const workers: Worker[] = [];
  const executed: Executed[] = [];
  const answered: { readonly of: JournalAsk; readonly text: string }[] = [];
  let nowMs = START_MS;
  const put = (worker: Worker, hears: boolean) => {
    const step = open(worker.of, nowMs);
    if (!hears || worker.knows !== "nothing yet") return;
    worker.mayRun = step.step === "run";
    if (step.step === "answered" && step.answer !== null && "text" in step.answer) {
      answered.push({ of: worker.of, text: step.answer.text });
    }
  };
  const happenOne = (one: Happening) => {
    if (one.kind === "time") nowMs += one.passesMs;
    else if (one.kind === "call") {
      const of = ask({
        attempt: `attempt ${workers.length}`,
        contract,
        fingerprint: one.args,
        idempotencyKey: one.name,
        requestKey: one.id,
      });
      const worker: Worker = { of, mayRun: false, knows: "nothing yet" };
      workers.push(worker);
      put(worker, one.reaches);
    } else {
      const fit = workers.filter(
        ({ mayRun, knows }) =>
          one.kind === "ask_again" || (one.kind === "send" ? mayRun : knows !== "nothing yet"),
      );
      const worker = fit[one.worker % Math.max(1, fit.length)];
      if (worker === undefined) return;
      if (one.kind === "ask_again") put(worker, true);
      else if (one.kind === "send") {
        worker.mayRun = false;
        if (one.arrives) executed.push({ of: worker.of, attempt: worker.of.attempt });
        const lost = one.arrives ? "outcome_unknown" : "not_dispatched";
        worker.knows = one.arrives && one.answers ? "completed" : lost;
      } else if (one.kind === "report" && worker.knows !== "nothing yet") {
        const { attempt } = worker.of;
        close({ attempt, outcome: worker.knows, answer: { text: `answer of ${attempt}` } }, nowMs);
      }
    }
  };
  for (const one of history) happenOne(one);
  return { executed, answered, workers };
}

const sameName = (left: JournalAsk, right: JournalAsk) =>
  left.idempotencyKey === null
    ? right.idempotencyKey === null &&
      left.requestKey !== null &&
      left.requestKey === right.requestKey &&
      left.fingerprint === right.fingerprint
    : left.idempotencyKey === right.idempotencyKey;

describe("whatever happens to Workers, objects and messages", () => {
  it.each(["never_replay", "probe_required"] as const)(
    "a %s call under one name is carried out once at most, and only as what it was first",
    (contract) => {
      fc.assert(
        fc.property(histories, (history) => {
          const { executed } = happen(history, contract);
          for (const [index, { of }] of executed.entries()) {
            expect(executed.slice(index + 1).filter((other) => sameName(of, other.of))).toEqual([]);
          }
        }),
        { numRuns: 500 },
      );
    },
  );

  it("every attempt is carried out once at most, under any contract", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const attempts = happen(history, "convergent").executed.map(({ attempt }) => attempt);
        expect(new Set(attempts).size).toBe(attempts.length);
      }),
    );
  });

  it("all repetitions of one call have the same answer, that of an attempt which was carried out", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { answered, executed } = happen(history, "never_replay");
        for (const { of, text } of answered) {
          const others = answered.filter((other) => sameName(of, other.of));
          expect(new Set(others.map((other) => other.text)).size).toBe(1);
          expect(
            executed.some(
              (one) =>
                text === `answer of ${one.attempt}` &&
                one.of.fingerprint === of.fingerprint &&
                sameName(of, one.of),
            ),
          ).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("a call that nothing names is always let in", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { workers } = happen(history, "never_replay");
        const unnamed = workers.filter(({ of }) => of.idempotencyKey === null && of.requestKey === null);
        const { open } = journal();
        for (const { of } of unnamed) expect(open(of, START_MS).step).toBe("run");
      }),
    );
    const twice = [0, 1].flatMap((worker): Happening[] => [
      { kind: "call", name: null, id: null, args: "f", reaches: true },
      { kind: "send", worker, arrives: true, answers: true },
    ]);
    expect(happen(twice, "never_replay").executed).toHaveLength(2);
  });

  it("these histories do carry out, lose and repeat calls", () => {
    const seen = { executed: 0, answered: 0, refused: 0 };
    fc.assert(
      fc.property(histories, (history) => {
        const { executed, answered, workers } = happen(history, "never_replay");
        seen.executed += executed.length;
        seen.answered += answered.length;
        seen.refused += workers.filter(({ mayRun, knows }) => !mayRun && knows === "nothing yet").length;
      }),
    );
    expect(Math.min(seen.executed, seen.answered, seen.refused)).toBeGreaterThan(0);
  });
});
