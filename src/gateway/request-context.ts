import type { Visibility } from "../access/visibility.ts";
import type { AdmitDecision, AdmitRequest, FlightNote, SettleReport } from "../principal/admit-contract.ts";

/** What an operation may ask of `admit` besides being let in. */
export type AdmitAsk = Pick<
  AdmitRequest,
  | "catalogVersion"
  | "browse"
  | "upstreams"
  | "artifacts"
  | "attempt"
  | "dry"
  | "quota"
  | "approval"
  | "journal"
  | "reserve"
  | "flight"
  | "cancel"
  | "browses"
>;

/** `admit`'s answer as an operation sees it. `unreachable`: the principal's object did not answer, nothing has run. */
export type Admission = AdmitDecision | { readonly admitted: false; readonly reason: "unreachable" };

export type RefusalReason = Extract<Admission, { readonly admitted: false }>["reason"];

/** Whether a refusal is for the caller's own sake, its token or its session, whatever it called; else it is the call's. */
export function turnsCallerAway(reason: RefusalReason): boolean {
  switch (reason) {
    case "malformed":
    case "token_revoked":
    case "session_unknown":
    case "session_ended":
    case "session_expired":
      return true;
    case "unreachable":
    case "rate_limited":
    case "approval_required":
    case "approval_refused":
    case "in_flight":
    case "outcome_unknown":
    case "key_conflict":
    case "artifacts_full":
      return false;
  }
}

/** One call's caller and the few things that an operation may do beyond computing. */
export interface RequestContext {
  readonly principal: string;
  /** The session's key, where the protocol has sessions. */
  readonly sessionKey: string | null;
  /** Which tools exist for this bearer. */
  readonly sees: Visibility;
  /**
   * Lets the call in or not. A refusal for the token's or the session's sake becomes the HTTP answer, whatever the
   * operation then returns.
   */
  admit(ask: AdmitAsk): Promise<Admission>;
  /**
   * Notes where a call is under way, and says whether its caller has taken it back meanwhile; not, where that cannot be
   * told.
   */
  noteFlight(note: Omit<FlightNote, "version">): Promise<boolean>;
  /** Reports what the call left behind, after the answer. */
  settle(report: Omit<SettleReport, "version">): void;
  /** Keeps the Worker alive for work that outlasts the answer. */
  waitUntil(work: Promise<unknown>): void;
}
