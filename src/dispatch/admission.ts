import type { TargetName } from "../server-target.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type { CallBuckets } from "./policy/buckets.ts";

/** What a call asks of its principal's object, before anything is sent. */
export interface DispatchAsk {
  readonly catalogVersion: CatalogVersion;
  /** Keys of the upstreams whose sessions are wanted. */
  readonly upstreams: string[];
  /** Judges and commits nothing. */
  readonly dry?: true;
  /** What this attempt commits, it commits once, however often it is asked. */
  readonly attempt?: string;
  readonly quota?: CallBuckets;
  /** The consent that a rule wants. */
  readonly approval?: ApprovalBinding;
  /** The call is to be written down before it is sent. */
  readonly journal?: JournalAsk;
  /** Room for what may be kept of the result. */
  readonly reserve?: ArtifactReserve;
  /** Where the call will be found while it runs, if its caller takes it back. */
  readonly flight?: FlightAsk;
}

/** A call that is about to be sent, by its caller's name for it. It is forgotten when it is settled. */
export interface FlightAsk {
  /** A hash of the JSON-RPC id; it counts in the session of the request, and without one among the calls of the token. */
  readonly requestKey: string;
  /** The upstream and its credential. */
  readonly upstream: string;
  readonly server: string;
  readonly target: TargetName;
  /** The JSON-RPC id that the upstream sees. */
  readonly requestId: string;
  /** Past it, nobody can be waiting for the call. */
  readonly leaseMs: number;
  /** Whose call it is, and what may run again of it; absent of what is told nowhere. */
  readonly toolId?: string;
  readonly contract?: ReplayContract;
}

/** What one principal may keep of results, what becomes of it when that is full, and what one result may come to. */
export interface ArtifactQuota {
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly onFull: "evict" | "refuse";
  readonly bytes: number;
  readonly count: number;
}

export interface ArtifactReserve extends ArtifactQuota {
  /** Past it, the room of a call that nobody reported on is free again. */
  readonly leaseMs: number;
}

/** How much of a result may be kept, its first answer for a repetition included. */
export interface ArtifactAllowance {
  readonly bytes: number;
  readonly count: number;
  /** What is found standing with this expiry or an earlier one has given way, and is to be written anew; absent: nothing has. */
  readonly goneUntilMs?: number;
}

/** A call as the journal knows it, and by what it is known when it comes again. */
export interface JournalAsk {
  readonly contract: ReplayContract;
  /** Whose call it is, for whoever has to say what became of it when nobody reports. */
  readonly toolId: string;
  /** As the server's account is named. */
  readonly server: string;
  /** Past it, a call that nobody reported on has an unknown outcome. */
  readonly leaseMs: number;
  /** Of the tool and the arguments. Not of the schema, whose wording may change between a call and its repetition. */
  readonly fingerprint: string;
  readonly idempotencyKey?: string;
  readonly requestKey?: string;
}

/** What a call's name stands for already. */
export type EarlierCall = "none" | "answered" | "in_flight" | "outcome_unknown" | "key_conflict";

/** The first answer of a call that was made before; `null` where it was not kept. */
export type FirstAnswer = { readonly text: string } | { readonly handle: string } | null;

export interface CatalogVersion {
  readonly catalog: string;
  readonly generation: number;
}

/** What an approval is for; it counts for this very call and no other (CONTRACTS "Operator"). */
export interface ApprovalBinding {
  readonly metaTool: string;
  readonly toolId: string;
  readonly schemaHash: string;
  readonly argumentsHash: string;
  readonly rule: string;
  /** Where the call would go, and with whose credential. */
  readonly target: string;
}

export type AdmissionRefusal =
  | {
      readonly reason:
        | "malformed"
        | "token_revoked"
        | "session_unknown"
        | "session_ended"
        | "session_expired"
        | "unreachable";
    }
  | { readonly reason: "rate_limited"; readonly scope: string; readonly retryAfterMs: number | null }
  | {
      readonly reason: "approval_required";
      readonly approvalId: string;
      readonly expiresAtMs: number;
      /** Approvals that wait no more in this one's place. */
      readonly supersedes?: readonly string[];
    }
  | { readonly reason: "approval_refused" }
  /** The journal's: an earlier call under this name runs still, or nobody knows whether it ran, or was another call. */
  | { readonly reason: "in_flight"; readonly retryAfterMs: number }
  | { readonly reason: "outcome_unknown" | "key_conflict" }
  /** What is kept has reached its quota, and nothing may give way. */
  | { readonly reason: "artifacts_full"; readonly retryAfterMs: number | null };

export type DispatchAdmission =
  | ({ readonly admitted: false } & AdmissionRefusal)
  | {
      readonly admitted: true;
      readonly stale: boolean;
      readonly newestGeneration: number | null;
      readonly upstreamSessions: readonly (KeptSession & { readonly key: string })[];
      /** What a real call would meet; only where `dry` was asked. */
      readonly quota?: {
        readonly exceeded: { readonly scope: string; readonly retryAfterMs: number | null } | null;
      };
      readonly approval?: "granted" | "required" | "refused" | null;
      readonly journal?:
        | { readonly disposition: "run" }
        | { readonly disposition: "answered"; readonly answer: FirstAnswer };
      /** How a call of that name that was made before would bear on it; only where `dry` and `journal` were asked. */
      readonly earlier?: EarlierCall;
      /** Only where `dry` was asked; `null` where there is room. */
      readonly artifactsFull?: { readonly retryAfterMs: number | null } | null;
      /** Only where room was asked for, and the object knows of such. */
      readonly artifactAllowance?: ArtifactAllowance;
    };

/** A session that an upstream gave this principal earlier. `sessionId` is empty where it keeps none. */
export interface KeptSession {
  readonly sessionId: string;
  readonly protocolVersion: string;
}
