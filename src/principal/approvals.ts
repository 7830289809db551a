import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";
import {
  APPROVAL_GRANTED_LIFETIME_SECONDS,
  APPROVAL_PENDING_LIFETIME_SECONDS,
  APPROVAL_USED_LIFETIME_SECONDS,
} from "../limits.ts";

/**
 * A person's consent to one call (CONTRACTS "Operator"): pending, granted or refused, used. A refusal may become a grant
 * and a grant be taken back, until it is used or expires. It is used once, by one attempt, and never again.
 */
export type ApprovalState = "pending" | "granted" | "refused" | "used";
export type ApprovalDecision = "grant" | "refuse";

export interface Approval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The attempt that asked first, and the one that used it up. */
  readonly createdBy: string | null;
  readonly usedBy: string | null;
}

/** What an approval is for, beside its principal. Another tool, schema, rule, argument or target is another call. */
export interface ApprovalBinding {
  readonly toolId: string;
  readonly schemaHash: string;
  readonly argumentsHash: string;
  readonly rule: string;
  readonly metaTool: string;
  readonly target?: string | null | undefined;
}

const encoder = new TextEncoder();

/** One name for all of a binding. JSON text keeps the parts, and lone surrogates, apart. */
export function bindingKey(binding: ApprovalBinding): string {
  const { metaTool, toolId, schemaHash, argumentsHash, rule, target } = binding;
  const parts = [metaTool, toolId, schemaHash, argumentsHash, rule];
  const text = JSON.stringify(typeof target === "string" ? [...parts, target] : parts);
  return encodeBase64url(sha256(encoder.encode(text)));
}

/** One name for a call wherever it goes and whatever its schema says: what a person sees of it is the same. */
export function callKey({ metaTool, toolId, argumentsHash, rule }: ApprovalBinding): string {
  return encodeBase64url(sha256(encoder.encode(JSON.stringify([metaTool, toolId, argumentsHash, rule]))));
}

/** How a call stands by its binding's approvals. `use`: it may run, and uses this one up. `create`: nobody was asked yet. */
export type ApprovalStep =
  | { readonly step: "use" | "used_by_this_attempt" | "refused" | "wait"; readonly approval: Approval }
  | { readonly step: "create" };

/**
 * Judges a call by the approvals of its binding. An attempt that used one up meets it again when it is repeated; for any
 * other a used one counts as none. A refusal holds until it expires.
 */
export function judgeApproval(
  approvals: readonly Approval[],
  attempt: string | null,
  nowMs: number,
): ApprovalStep {
  const alive = approvals.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  const own = alive.find(({ state, usedBy }) => state === "used" && attempt !== null && usedBy === attempt);
  if (own !== undefined) return { step: "used_by_this_attempt", approval: own };
  for (const [state, step] of ORDER) {
    const approval = alive.find((one) => one.state === state);
    if (approval !== undefined) return { step, approval };
  }
  return { step: "create" };
}

const ORDER = [
  ["refused", "refused"],
  ["granted", "use"],
  ["pending", "wait"],
] as const;

export function newApproval(id: string, attempt: string | null, nowMs: number): Approval {
  const expiresAtMs = nowMs + APPROVAL_PENDING_LIFETIME_SECONDS * 1000;
  return { id, state: "pending", createdAtMs: nowMs, expiresAtMs, createdBy: attempt, usedBy: null };
}

/** A granted approval once `attempt` has used it up: remembered a while for that attempt's own repetition. */
export function useUp(approval: Approval, attempt: string | null, nowMs: number): Approval {
  const expiresAtMs = Math.max(approval.expiresAtMs, nowMs + APPROVAL_USED_LIFETIME_SECONDS * 1000);
  return { ...approval, state: "used", usedBy: attempt, expiresAtMs };
}

/** `already`: it stands so, or is used, which is final. */
export type ApprovalOutcome = "granted" | "refused" | "already" | "unknown" | "expired";

/** What an operator's word makes of an approval; `approval` is as it is then. */
export function decide(
  approval: Approval | null,
  decision: ApprovalDecision,
  nowMs: number,
): { readonly outcome: ApprovalOutcome; readonly approval: Approval | null } {
  if (approval === null) return { outcome: "unknown", approval };
  if (approval.expiresAtMs <= nowMs) return { outcome: "expired", approval };
  const state = decision === "grant" ? "granted" : "refused";
  if (approval.state === "used" || approval.state === state) return { outcome: "already", approval };
  const untilMs = decision === "grant" ? nowMs + APPROVAL_GRANTED_LIFETIME_SECONDS * 1000 : 0;
  return {
    outcome: state,
    approval: { ...approval, state, expiresAtMs: Math.max(approval.expiresAtMs, untilMs) },
  };
}
