import type { ControlRefusal, ControlsAsk, Foresight } from "./admit-contract.ts";
import { ApprovalStore } from "./approval-store.ts";
import { bindingKey, callKey, decide, judgeApproval, newApproval, useUp } from "./approvals.ts";
import type { Approval, ApprovalDecision, ApprovalOutcome, ApprovalStep } from "./approvals.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { attemptTag } from "./rate-entries.ts";
import { judgeCall, windowEndsAtMs } from "./rate-window.ts";
import type { RateVerdict, RateWindow } from "./rate-window.ts";
import { RateWindowStore } from "./rate-window-store.ts";

/** Whose calls are counted together, and when a span of theirs that began now would end. */
export interface RateOwner {
  readonly key: string;
  readonly spanEndsAtMs: number;
}

interface Judgement {
  readonly attempt: string | null;
  /** By the approvals of the call's binding, if it needs one. */
  readonly consent: { readonly binding: string; readonly call: string; readonly step: ApprovalStep } | null;
  readonly rates: RateVerdict;
}

/**
 * The controls over one call that a person or a budget has: approval, then quota. All is judged before anything is used
 * up, charged or created, and one attempt does each once.
 */
export class CallControls {
  readonly #housekeeping: Housekeeping;
  readonly #rates: RateWindowStore;
  readonly #approvals: ApprovalStore;
  readonly #newApprovalId: () => string;

  constructor(sql: MeteredSql, housekeeping: Housekeeping, newApprovalId: () => string) {
    this.#housekeeping = housekeeping;
    this.#rates = new RateWindowStore(sql);
    this.#approvals = new ApprovalStore(sql);
    this.#newApprovalId = newApprovalId;
  }

  /** Lets a call pass (`null`), or says what it lacks: then it is not charged, and no approval is used up. */
  pass(ask: ControlsAsk, owner: RateOwner, nowMs: number): ControlRefusal | null {
    const judgement = this.#judge(ask, owner, nowMs);
    const withheld = this.#withheld(judgement, nowMs);
    if (withheld !== null) return withheld;
    const { attempt, consent, rates } = judgement;
    this.#write(owner, rates.written);
    if (rates.exceeded !== null) return { reason: "rate_limited", ...rates.exceeded };
    if (consent?.step.step === "use") {
      this.#update(consent.binding, useUp(consent.step.approval, attempt, nowMs));
    }
    return null;
  }

  /** What a call would meet. Nothing is written. */
  foresee(ask: ControlsAsk, owner: RateOwner, nowMs: number): Foresight {
    const { rates, consent } = this.#judge(ask, owner, nowMs);
    return {
      quota: { exceeded: rates.exceeded },
      approval: consent === null ? null : STANDINGS[consent.step.step],
    };
  }

  /** An operator's word on an approval. */
  decide(
    approvalId: string,
    decision: ApprovalDecision,
    nowMs: number,
  ): { readonly outcome: ApprovalOutcome; readonly approval: Approval | null } {
    const found = this.#housekeeping.tables.has("approvals") ? this.#approvals.find(approvalId) : null;
    const decided = decide(found?.approval ?? null, decision, nowMs);
    if (found !== null && decided.approval !== null && decided.approval !== found.approval) {
      this.#update(found.binding, decided.approval);
    }
    return decided;
  }

  /** Forgets what a session that has ended had counted. */
  endSession(key: string): void {
    if (this.#housekeeping.tables.has("rate_windows")) this.#rates.drop(key);
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#rates.forgetCount();
  }

  #judge({ attempt: named, approval, quota }: ControlsAsk, owner: RateOwner, nowMs: number): Judgement {
    const attempt = named ?? null;
    const binding = approval ? bindingKey(approval) : null;
    const consent =
      !approval || binding === null
        ? null
        : { binding, call: callKey(approval), step: this.#approvalStep(binding, attempt, nowMs) };
    const rates = judgeCall(
      (quota?.buckets ?? []).map((limits) => ({ limits, known: this.#window(owner.key, limits.name) })),
      {
        attempt: attemptTag(attempt),
        repeated: consent?.step.step === "used_by_this_attempt",
        nowMs,
        spanEndsAtMs: owner.spanEndsAtMs,
      },
    );
    return { attempt, consent, rates };
  }

  #approvalStep(binding: string, attempt: string | null, nowMs: number): ApprovalStep {
    const known = this.#housekeeping.tables.has("approvals") ? this.#approvals.ofBinding(binding) : [];
    return judgeApproval(known, attempt, nowMs);
  }

  #window(owner: string, bucket: string): RateWindow | null {
    return this.#housekeeping.tables.has("rate_windows") ? this.#rates.find(owner, bucket) : null;
  }

  /** What is said to a call without consent. One that nobody was asked about is put down as waiting. */
  #withheld({ attempt, consent }: Judgement, nowMs: number): ControlRefusal | null {
    if (consent === null) return null;
    const { binding, call, step } = consent;
    switch (step.step) {
      case "use":
      case "used_by_this_attempt":
        return null;
      case "refused":
        return { reason: "approval_refused", approvalId: step.approval.id };
      case "wait":
        return required(step.approval, attempt !== null && step.approval.createdBy === attempt);
      case "create": {
        const approval = newApproval(this.#newApprovalId(), attempt, nowMs);
        this.#housekeeping.writeUntil(approval.expiresAtMs);
        const supersedes = this.#approvals.insert(binding, call, approval, nowMs);
        return { ...required(approval, true), ...(supersedes.length === 0 ? {} : { supersedes }) };
      }
    }
  }

  #write(owner: RateOwner, written: RateVerdict["written"]): void {
    for (const { window } of written) this.#housekeeping.writeUntil(windowEndsAtMs(window));
    this.#rates.makeRoom(written.filter(({ isNew }) => isNew).length);
    for (const { limits, window } of written) this.#rates.write(owner.key, limits.name, window);
  }

  #update(binding: string, approval: Approval): void {
    this.#housekeeping.writeUntil(approval.expiresAtMs);
    this.#approvals.update(binding, approval);
  }
}

/** `created` is true for every repetition of the attempt that asked first. */
function required({ id, expiresAtMs }: Approval, created: boolean) {
  return { reason: "approval_required", approvalId: id, expiresAtMs, created } as const;
}

const STANDINGS = {
  use: "granted",
  used_by_this_attempt: "granted",
  refused: "refused",
  wait: "required",
  create: "required",
} as const;
