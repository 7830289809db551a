import type { AdmitDecision, SettleReport } from "../../src/principal/admit-contract.ts";
import { freshAttempt, verdict } from "./principal-client.ts";
import type { Ask } from "./principal-client.ts";

export const LEASE_MS = 35_000;

type Journal = NonNullable<Ask["journal"]>;
export type Report = NonNullable<SettleReport["journal"]>;

/** A write under an idempotency key, as the gateway asks for it: an attempt of its own. */
export const write = (journal: Partial<Journal> = {}, ask: Ask = {}): Ask => ({
  attempt: freshAttempt(),
  journal: { contract: "never_replay", leaseMs: LEASE_MS, fingerprint: "f", idempotencyKey: "k", ...journal },
  ...ask,
});
export const completed = ({ attempt }: Ask, text = "done"): { journal: Report } => ({
  journal: { attempt: attempt ?? "", outcome: "completed", answer: { text } },
});
export const lost = ({ attempt }: Ask): { journal: Report } => ({
  journal: { attempt: attempt ?? "", outcome: "outcome_unknown" },
});
export const unsent = ({ attempt }: Ask): { journal: Report } => ({
  journal: { attempt: attempt ?? "", outcome: "not_dispatched" },
});

/** What is to happen with the call, in a word or two. */
export function told(decision: AdmitDecision): string {
  if (!decision.admitted)
    return decision.reason === "in_flight" ? `wait ${decision.retryAfterMs}` : verdict(decision);
  if (decision.journal === undefined) return verdict(decision);
  return decision.journal.disposition === "run"
    ? "run"
    : `answered ${JSON.stringify(decision.journal.answer)}`;
}

export const whose = { toolId: "files:write#0123abcd", server: "files" };

/** A call that may run again, in no journal: all that is known of it is that it is under way. */
export const flying = (
  toolId = whose.toolId,
  attempt = freshAttempt(),
  more: Partial<NonNullable<Ask["flight"]>> = {},
): Ask & { attempt: string } => ({
  attempt,
  flight: {
    requestKey: "1",
    upstream: "upstream-1",
    server: whose.server,
    target: "configured",
    requestId: attempt,
    leaseMs: LEASE_MS,
    toolId,
    contract: "convergent",
    ...more,
  },
});
