import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindingKey, decide, judgeApproval, newApproval, useUp } from "../../src/principal/approvals.ts";
import type { Approval, ApprovalBinding, ApprovalDecision } from "../../src/principal/approvals.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const BINDING: ApprovalBinding = {
  toolId: "github:delete_repo#12345678",
  schemaHash: "s",
  argumentsHash: "a",
  rule: "r",
  metaTool: "tool_execute",
  target: "t",
};

const pending = newApproval("id", "a1", NOW);
const granted = decide(pending, "grant", NOW).approval ?? pending;
const refused = decide(pending, "refuse", NOW).approval ?? pending;
const used = useUp(granted, "a2", NOW);

describe("an approval's binding", () => {
  const texts = fc.constantFrom("", "a", "b", '","', "\ud800", "\ufffd", "__proto__", "x".repeat(256));
  const bindings = fc.record({
    toolId: texts,
    schemaHash: texts,
    argumentsHash: texts,
    rule: texts,
    metaTool: texts,
    target: texts,
  });

  it("has one key, which differs as soon as any part does", () => {
    fc.assert(
      fc.property(bindings, bindings, (left, right) => {
        const same = JSON.stringify(Object.values(left)) === JSON.stringify(Object.values(right));
        expect(bindingKey(left) === bindingKey(right)).toBe(same);
      }),
    );
  });

  it("is more than its parts put together", () => {
    const keys = Object.keys(BINDING).map((part) => bindingKey({ ...BINDING, [part]: "other" }));
    expect(new Set([bindingKey(BINDING), ...keys]).size).toBe(7);
    expect(bindingKey({ ...BINDING, rule: "ab", metaTool: "c" })).not.toBe(
      bindingKey({ ...BINDING, rule: "a", metaTool: "bc" }),
    );
  });

  it("is what it was where it names no target", () => {
    const { target: _, ...older } = BINDING;
    expect(bindingKey({ ...older, target: null })).toBe(bindingKey(older));
    expect(bindingKey({ ...older, target: "" })).not.toBe(bindingKey(older));
  });

  it("is a hash: nothing of the call can be read in it", () => {
    expect(bindingKey(BINDING)).toMatch(/^[\w-]{43}$/);
  });
});

describe("a call that needs consent", () => {
  it.each([
    ["nothing", [], "create"],
    ["a pending approval", [pending], "wait"],
    ["a granted one", [granted], "use"],
    ["a refused one", [refused], "refused"],
    ["a used one", [used], "create"],
    ["a used and a pending one", [used, pending], "wait"],
    ["a granted and a refused one", [granted, refused], "refused"],
  ] as const)("meets %s: %#", (_, approvals, step) => {
    expect(judgeApproval(approvals, "a3", NOW).step).toBe(step);
    expect(judgeApproval(approvals, null, NOW).step).toBe(step);
  });

  it("meets what its own attempt has used up, before anything else", () => {
    expect(judgeApproval([pending, refused, used], "a2", NOW)).toEqual({
      step: "used_by_this_attempt",
      approval: used,
    });
    expect(judgeApproval([useUp(granted, null, NOW)], null, NOW).step).toBe("create");
  });

  it("meets nothing that has expired", () => {
    for (const approval of [pending, granted, refused, used]) {
      expect(judgeApproval([approval], "a2", approval.expiresAtMs - 1).step).not.toBe("create");
      expect(judgeApproval([approval], "a2", approval.expiresAtMs).step).toBe("create");
    }
  });
});

describe("an operator's word", () => {
  it.each([
    [pending, "grant", "granted", "granted"],
    [pending, "refuse", "refused", "refused"],
    [granted, "grant", "already", "granted"],
    [granted, "refuse", "refused", "refused"],
    [refused, "grant", "granted", "granted"],
    [refused, "refuse", "already", "refused"],
    [used, "grant", "already", "used"],
    [used, "refuse", "already", "used"],
  ] as const)("%#: makes of an approval what it may", (approval, decision, outcome, state) => {
    const decided = decide(approval, decision, NOW + 1);
    expect([decided.outcome, decided.approval?.state]).toEqual([outcome, state]);
    expect(decided.approval === approval).toBe(outcome === "already");
    expect(decide(approval, decision, approval.expiresAtMs)).toEqual({ outcome: "expired", approval });
  });

  it("on nothing finds nothing", () => {
    expect(decide(null, "grant", NOW)).toEqual({ outcome: "unknown", approval: null });
  });

  it("leaves a quarter of an hour at least to repeat the call, if it is a grant", () => {
    expect(pending.expiresAtMs).toBe(NOW + HOUR);
    const expiry = (approval: Approval, decision: ApprovalDecision, nowMs: number) =>
      decide(approval, decision, nowMs).approval?.expiresAtMs;
    expect(expiry(pending, "grant", NOW + MINUTE)).toBe(NOW + HOUR);
    expect(expiry(pending, "grant", NOW + HOUR - 1)).toBe(NOW + HOUR - 1 + 15 * MINUTE);
    expect(expiry(pending, "refuse", NOW + HOUR - 1)).toBe(NOW + HOUR);
    expect(expiry(refused, "grant", NOW + HOUR - 1)).toBe(NOW + HOUR - 1 + 15 * MINUTE);
  });

  it("is remembered a minute after its use, for the attempt's repetition", () => {
    expect(useUp(granted, "a", NOW).expiresAtMs).toBe(granted.expiresAtMs);
    expect(useUp(granted, "a", granted.expiresAtMs - 1).expiresAtMs).toBe(granted.expiresAtMs - 1 + MINUTE);
  });
});

/** Calls, repetitions and decisions in any order, on two bindings; what the object does with each step. */
class Desk {
  readonly rows = new Map<string, Approval[]>();
  #ids = 0;

  call(binding: string, attempt: string, nowMs: number): { readonly ran: string | null } {
    const rows = this.rows.get(binding) ?? [];
    const judged = judgeApproval(rows, attempt, nowMs);
    if (judged.step === "create") {
      this.#ids += 1;
      this.rows.set(binding, [...rows, newApproval(`id${this.#ids}`, attempt, nowMs)]);
    }
    if (judged.step === "use") this.#replace(useUp(judged.approval, attempt, nowMs));
    const ran = judged.step === "use" || judged.step === "used_by_this_attempt";
    return { ran: ran ? judged.approval.id : null };
  }

  find(id: string): Approval | null {
    return [...this.rows.values()].flat().find((approval) => approval.id === id) ?? null;
  }

  decide(id: string, decision: ApprovalDecision, nowMs: number): string {
    const { outcome, approval } = decide(this.find(id), decision, nowMs);
    if (approval !== null) this.#replace(approval);
    return outcome;
  }

  #replace(approval: Approval): void {
    for (const [binding, rows] of this.rows) {
      this.rows.set(
        binding,
        rows.map((row) => (row.id === approval.id ? approval : row)),
      );
    }
  }
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant("call" as const),
    binding: fc.constantFrom("x", "y"),
    attempt: fc.constantFrom("a1", "a2", "a3", "a4"),
    passMs: fc.constantFrom(0, 1, MINUTE, 15 * MINUTE, HOUR),
  }),
  fc.record({
    kind: fc.constant("decide" as const),
    id: fc.constantFrom("id1", "id2", "id3", "id4"),
    decision: fc.constantFrom("grant" as const, "refuse" as const),
    passMs: fc.constantFrom(0, 1, 15 * MINUTE, HOUR - 1),
  }),
);

describe("consent", () => {
  it("is used once, by one attempt, for its own call, between its grant and its expiry, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const desk = new Desk();
        let nowMs = NOW;
        /** By id: until when a person's consent holds, as of the last word on it. */
        const consent = new Map<string, number>();
        const usedBy = new Map<string, string>();
        const seen: boolean[] = [];
        for (const one of steps) {
          nowMs += one.passMs;
          if (one.kind === "decide") {
            const known = desk.find(one.id);
            const outcome = desk.decide(one.id, one.decision, nowMs);
            const untilMs = Math.max(known?.expiresAtMs ?? 0, nowMs + 15 * MINUTE);
            if (outcome === "granted") consent.set(one.id, untilMs);
            if (outcome === "refused") consent.delete(one.id);
            seen.push(!usedBy.has(one.id) || outcome === "already" || outcome === "expired");
            continue;
          }
          const { ran } = desk.call(one.binding, one.attempt, nowMs);
          const rows = desk.rows.get(one.binding) ?? [];
          seen.push(rows.filter((row) => row.state !== "used" && row.expiresAtMs > nowMs).length <= 1);
          if (ran === null) continue;
          seen.push(rows.some(({ id }) => id === ran));
          seen.push((usedBy.get(ran) ?? one.attempt) === one.attempt);
          seen.push(usedBy.has(ran) || (consent.get(ran) ?? 0) > nowMs);
          usedBy.set(ran, one.attempt);
        }
        expect(seen).toEqual(seen.map(() => true));
      }),
      { numRuns: 500 },
    );
  });
});
