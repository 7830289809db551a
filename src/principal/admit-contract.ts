import * as z from "zod";
import {
  ADMIT_ARTIFACTS_MAX_COUNT,
  ADMIT_CARDS_MAX_COUNT,
  ADMIT_KEY_MAX_CHARS,
  ARTIFACTS_HANDED_OUT_MAX_COUNT,
  JOURNAL_LEASE_MAX_MS,
  RATE_BUCKETS_MAX_COUNT,
  RATE_PER_MINUTE_MAX_COUNT,
  SETTLED_ARTIFACTS_MAX_COUNT,
  TOLD_ENTRIES_MAX_COUNT,
  UPSTREAM_SESSIONS_MAX_COUNT,
  UPSTREAM_SESSION_ID_MAX_CHARS,
} from "../limits.ts";
import { REPLAY_CONTRACTS } from "../spine/replay/contract.ts";
import type { ApprovalOutcome, ApprovalState } from "./approvals.ts";
import {
  artifactQuotaSchema,
  artifactReserveSchema,
  artifactRowSchema,
  artifactWritingSchema,
} from "./artifact-contract.ts";
import type {
  ArtifactAllowance,
  ArtifactRow,
  ArtifactsFull,
  EvictedArtifact,
  GoneArtifact,
} from "./artifact-contract.ts";
import type { Arrangement } from "./browse-state.ts";
import type { JournalAnswer, JournalRefusal } from "./journal.ts";
import type { RateExceeded } from "./rate-window.ts";

export type { ArtifactRow } from "./artifact-contract.ts";

/**
 * What a Worker and a principal's object say to each other. During a deployment either may be a version ahead, so the
 * shapes only grow: unknown fields are dropped, every later field has a default, and nothing changes its meaning.
 */
const key = z.string().min(1).max(ADMIT_KEY_MAX_CHARS);
const timeMs = z.number().int().nonnegative();

const catalogVersionSchema = z.object({
  /** Which configuration's catalog: generations of different configurations are not comparable. */
  catalog: z.string().max(ADMIT_KEY_MAX_CHARS),
  generation: z.number().int().nonnegative(),
});

const card = z.object({ id: z.string(), kind: z.string(), json: z.string(), line: z.string() });
const cards = z.array(card).max(ADMIT_CARDS_MAX_COUNT);

/** What a call counts for. Whose count it is, a session's or the principal's, is the same for all buckets. */
const quota = z.object({
  per: z.enum(["session", "principal"]),
  buckets: z
    .array(
      z.object({
        name: key,
        /** Calls in any sixty seconds. */
        perMinute: z.number().int().positive().max(RATE_PER_MINUTE_MAX_COUNT).nullish(),
        /** Calls in a session; of a principal, in the time that a session lives. */
        perSession: z.number().int().positive().nullish(),
      }),
    )
    .max(RATE_BUCKETS_MAX_COUNT)
    .refine((buckets) => new Set(buckets.map(({ name }) => name)).size === buckets.length)
    .readonly(),
});

/** The call that needs a person's consent: the consent is for exactly this, of this principal. */
const approval = z.object({
  toolId: key,
  schemaHash: key,
  argumentsHash: key,
  rule: key,
  metaTool: key,
  /** Where the call would go, and with whose credential; absent of what goes nowhere, and in what an older version asks. */
  target: key.nullish(),
});

/** A call to be written down before it is sent. */
const journal = z.object({
  contract: z.enum(REPLAY_CONTRACTS),
  /** The call's deadline, and `JOURNAL_LEASE_GRACE_MS` for its report. */
  leaseMs: z.number().int().positive().max(JOURNAL_LEASE_MAX_MS),
  /** Whose call it is, for the telling where nobody reports of it; the server as its account is named. */
  toolId: key.nullish(),
  server: key.nullish(),
  /** A hash of the tool's id and the arguments. */
  fingerprint: key,
  /** The caller's own name for the call, whatever its session. */
  idempotencyKey: key.nullish(),
  /** The JSON-RPC id, of text and number apart; it counts in the session of the request, and without one not at all. */
  requestKey: key.nullish(),
});

/** A call that is about to be sent, as it is found when its caller takes it back. */
const flight = z.object({
  /** A hash of the JSON-RPC id; it counts in the session of the request, and without one among the calls of the token. */
  requestKey: key,
  /** The upstream and its credential. */
  upstream: key,
  server: key,
  target: key,
  /** The JSON-RPC id that the upstream sees. */
  requestId: key,
  /** The call's deadline, and a grace for its report. */
  leaseMs: z.number().int().positive().max(JOURNAL_LEASE_MAX_MS),
  /** Whose call it is, and what may run again of it, for the telling where nobody reports of it; without it that is told nowhere. */
  toolId: key.nullish(),
  contract: z.enum(REPLAY_CONTRACTS).nullish(),
});

const admitRequestFields = z.object({
  version: z.literal(1),
  /** The bearer's token, to be refused if revoked. */
  tokenId: key,
  /** A verified session id's handle, and what is meant with it; absent where the protocol has no sessions. */
  session: z.object({ key, expiresAtMs: timeMs, intent: z.enum(["open", "use", "end"]) }).nullish(),
  /** The catalog that the Worker is about to answer from. */
  catalogVersion: catalogVersionSchema.nullish(),
  /** The catalog that a session begins with, if it opens: it is told of any newer one. */
  beginsWith: catalogVersionSchema.nullish(),
  /** Cards to put in cache-stable order, ranked; needs `catalogVersion`. `topK` null shows all. */
  browse: z.object({ cards, topK: z.number().int().positive().nullish() }).nullish(),
  /** Upstreams whose sessions are wanted. */
  upstreams: z.array(key).max(UPSTREAM_SESSIONS_MAX_COUNT).nullish(),
  /** Handles whose rows are wanted. */
  artifacts: z.array(key).max(ADMIT_ARTIFACTS_MAX_COUNT).nullish(),
  /** One name for all repetitions of this request. What it commits is committed once, while that is remembered. */
  attempt: key.nullish(),
  /** Judge all, and write nothing: no session, generation or seen card either. */
  dry: z.boolean().nullish(),
  quota: quota.nullish(),
  approval: approval.nullish(),
  /** Needs `attempt`. */
  journal: journal.nullish(),
  /** Room for what the call's result may leave behind, until it is settled. Needs `attempt`. */
  reserve: artifactReserveSchema.nullish(),
  /** Needs `attempt`. */
  flight: flight.nullish(),
  /** A call of this scope, a session's or without one a token's, that nobody waits for any more. */
  cancel: z.object({ requestKey: key }).nullish(),
  /** The session looks at the catalog: it is told once that there is a newer one. Needs `catalogVersion`. */
  browses: z.boolean().nullish(),
});

export const admitRequestSchema = admitRequestFields
  .refine(
    // A session that ends makes no call: its counts are gone, and nothing may slip through without them.
    ({ session, quota, approval, journal, reserve, flight }) =>
      session?.intent !== "end" || (!quota && !approval && !journal && !reserve && !flight),
  )
  .refine(
    ({ attempt, journal, reserve, flight }) =>
      (!journal && !reserve && !flight) || typeof attempt === "string",
  );

const upstreamSessionSchema = z.object({
  /** The upstream and a hash of the credential used with it: a session never crosses either. */
  key,
  /** Empty where the upstream keeps no sessions: then the handshake alone is spared. */
  sessionId: z.string().max(UPSTREAM_SESSION_ID_MAX_CHARS),
  protocolVersion: z.string().max(ADMIT_KEY_MAX_CHARS),
});

export const settleReportSchema = z.object({
  version: z.literal(1),
  /** Upstream sessions that were opened. */
  opened: z.array(upstreamSessionSchema).max(UPSTREAM_SESSIONS_MAX_COUNT).nullish(),
  /** Upstream sessions that the upstream no longer knows; only that very session is forgotten. */
  lost: z
    .array(z.object({ key, sessionId: z.string() }))
    .max(UPSTREAM_SESSIONS_MAX_COUNT)
    .nullish(),
  /** Cards of tools that were hydrated, with the session (absent: the principal's own) they count as seen in. */
  seen: z.object({ sessionKey: key.nullish(), catalogVersion: catalogVersionSchema, cards }).nullish(),
  /** The call that is over: what was reserved for it is free again. */
  attempt: key.nullish(),
  /** Artifacts that were kept; one that is known already has its lifetime renewed, and counts as kept just now. */
  artifacts: z.array(artifactRowSchema).max(SETTLED_ARTIFACTS_MAX_COUNT).nullish(),
  /** What gave way and is deleted by now. */
  removed: z.array(artifactWritingSchema).max(ARTIFACTS_HANDED_OUT_MAX_COUNT).nullish(),
  /** What all of them together may be; without it the quota of a configuration that says nothing. */
  artifactQuota: artifactQuotaSchema.nullish(),
  /** What became of an attempt that was written down. A text that is too long is not kept, and the rest is. */
  journal: z
    .object({
      attempt: key,
      outcome: z.enum(["completed", "not_dispatched", "outcome_unknown"]),
      answer: z.union([z.object({ text: z.string() }), z.object({ handle: key })]).nullish(),
      /** It ended as a failure: where its caller had taken it back, that says nothing of what it did. */
      failed: z.boolean().nullish(),
    })
    .nullish(),
  /**
   * Entries for the ledger, as `writeEntry` makes them, under the attempt's name where there is one. One that cannot be read, or
   * is too long, is left out, and the rest is not; one that was told before counts once.
   */
  told: z.array(z.string()).max(TOLD_ENTRIES_MAX_COUNT).nullish(),
});

/** What has become of a call that is under way. */
export const flightNoteSchema = z.object({
  version: z.literal(1),
  attempt: key,
  /** The JSON-RPC id of its latest try; absent: as it was. */
  requestId: key.nullish(),
  /** The session that was opened for it; absent: as it was. */
  session: upstreamSessionSchema.omit({ key: true }).nullish(),
});

export const revocationSchema = z.object({
  version: z.literal(1),
  tokenId: key,
  /** The token's own expiry: the revocation need not be remembered longer. */
  expiresAtMs: timeMs,
});

export const approvalDecisionSchema = z.object({
  version: z.literal(1),
  approvalId: key,
  /** A refusal may be turned into a grant, and a grant taken back, until the approval is used or expires. */
  decision: z.enum(["grant", "refuse"]),
});

export type AdmitRequest = z.input<typeof admitRequestSchema>;
export type SettleReport = z.input<typeof settleReportSchema>;
export type FlightNote = z.input<typeof flightNoteSchema>;
export type Revocation = z.input<typeof revocationSchema>;
export type UpstreamSession = z.output<typeof upstreamSessionSchema>;

export type ApprovalDecisionRequest = z.input<typeof approvalDecisionSchema>;
export type ReadAdmitRequest = z.output<typeof admitRequestSchema>;
export type ReadSettleReport = z.output<typeof settleReportSchema>;
export type ControlsAsk = Pick<ReadAdmitRequest, "attempt" | "quota" | "approval">;

/** Why a call that could be admitted must not run now. It has not been charged, and has used nothing up. */
export type ControlRefusal =
  | ({ readonly reason: "rate_limited" } & RateExceeded)
  /** A person has to be asked. `created`: this attempt was the first to ask. */
  | {
      readonly reason: "approval_required";
      readonly approvalId: string;
      readonly expiresAtMs: number;
      readonly created: boolean;
      /** Approvals that wait no more, since the call that they were for is this one by now. */
      readonly supersedes?: readonly string[];
    }
  /** A person has refused this very call, not long ago. */
  | { readonly reason: "approval_refused"; readonly approvalId: string };

export type AdmitRefusal =
  | {
      readonly reason:
        /** Not a request that this version can read. */
        "malformed" | "token_revoked" | "session_unknown" | "session_ended" | "session_expired";
    }
  | ControlRefusal
  | JournalRefusal
  | ArtifactsFull;

/** How a call stands by those that were made before it; `none` is in its way, nor has its answer. */
export type EarlierCall = "none" | "answered" | JournalRefusal["reason"];

/** What a call would meet if it were made. */
export interface Foresight {
  readonly quota: { readonly exceeded: RateExceeded | null };
  /** `null` where the call needs none. */
  readonly approval: "granted" | "required" | "refused" | null;
  /** Only where `reserve` was asked; `null` where there is room. */
  readonly artifactsFull?: Pick<ArtifactsFull, "retryAfterMs"> | null;
  /** Only where `journal` was asked. What was answered before meets no limit and needs no consent. */
  readonly earlier?: EarlierCall;
}

export type JournalDecision =
  | { readonly disposition: "run" }
  /** `null`: it was completed, and what it answered was not kept. */
  | { readonly disposition: "answered"; readonly answer: JournalAnswer | null };

/** What a call was let in with, beyond being let in. */
export interface PassedCall {
  /**
   * Whether there is consent. A call that asked with `approval`, was admitted, is not stale and was not answered has
   * `granted` here: an object of an older version, which cannot judge that, does not say so.
   */
  readonly approval?: Foresight["approval"];
  /**
   * Where `journal` was asked, the call is not dry and the catalog not stale: whether it is to run, or ran before and has
   * its answer, which neither approval nor quota has judged. An object of an older version says nothing.
   */
  readonly journal?: JournalDecision;
  /**
   * Where `reserve` was asked, the call is to run and the catalog not stale: how much of its result may be kept. Under
   * `refuse` that may be less than was asked. An object of an older version says nothing.
   */
  readonly artifactAllowance?: ArtifactAllowance;
}

/** `rowsWritten` is what the call cost in written rows, its alarm included. */
export type AdmitDecision =
  | (AdmitRefusal & {
      readonly version: 1;
      readonly admitted: false;
      readonly rowsWritten: number;
    })
  | (PassedCall & {
      readonly version: 1;
      readonly admitted: true;
      /**
       * The newest generation that this principal has been answered from, of the catalog that was named. Where it is
       * above the request's, the Worker loads it and asks again; nothing was arranged.
       */
      readonly newestGeneration: number | null;
      readonly stale: boolean;
      readonly arrangement: Arrangement | null;
      readonly upstreamSessions: readonly UpstreamSession[];
      /** Rows of the handles that were asked for and have one; absent where none was asked for. */
      readonly artifacts?: readonly ArtifactRow[];
      /** Of the handles that have none, those whose artifacts gave way; absent where none did. */
      readonly goneArtifacts?: readonly GoneArtifact[];
      /** Where `dry` was asked and the catalog is not stale: which limit would stand in the way; likewise `approval`. */
      readonly quota?: Foresight["quota"];
      readonly artifactsFull?: Pick<ArtifactsFull, "retryAfterMs"> | null;
      /** Likewise where `journal` was asked. An object of an older version says nothing. */
      readonly earlier?: EarlierCall;
      /** Where `cancel` was asked: the one call that it means, `null` where there is none. An older object says nothing. */
      readonly cancelled?: FoundFlight | null;
      /**
       * Where a session `browses`, the catalog is not stale and the session has been told of an older generation: which one.
       * From then on it has been told of this one. An older object says nothing.
       */
      readonly changedFrom?: number;
      readonly rowsWritten: number;
    });

/** A call that is under way: where it was sent, and what it is called there. */
export interface FoundFlight {
  /** An object of an older version does not say it. */
  readonly attempt?: string;
  readonly upstream: string;
  readonly server: string;
  readonly target: string;
  /** The JSON-RPC id of its latest try. */
  readonly requestId: string;
  /** `null` where it is not known yet: then the one who notes it is told that the call was cancelled. */
  readonly session: Omit<UpstreamSession, "key"> | null;
}

/** What came of a note. `cancelled`: meanwhile its caller has taken the call back. */
export interface NotedFlight {
  readonly version: 1;
  readonly cancelled: boolean;
  readonly rowsWritten: number;
}

export interface Settlement {
  readonly version: 1;
  readonly accepted: boolean;
  /**
   * Artifacts that gave way a while ago, whose bytes are to be deleted; absent where there are none. Until somebody reports
   * that they are (`removed`), they are named again by later answers.
   */
  readonly evicted?: readonly EvictedArtifact[];
  readonly rowsWritten: number;
}

/** What came of an operator's word: `state` and expiry are as they are then, `null` where there is no such approval. */
export interface ApprovalVerdict {
  readonly version: 1;
  readonly outcome: ApprovalOutcome;
  readonly state: ApprovalState | null;
  readonly expiresAtMs: number | null;
  readonly rowsWritten: number;
}
