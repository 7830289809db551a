import { z } from "zod";
import {
  ADMIT_ARTIFACTS_MAX_COUNT,
  ADMIT_CARDS_MAX_COUNT,
  ADMIT_KEY_MAX_CHARS,
  ARTIFACT_INDEX_MAX_CHARS,
  RESULT_ARTIFACTS_MAX_COUNT,
  UPSTREAM_SESSIONS_MAX_COUNT,
  UPSTREAM_SESSION_ID_MAX_CHARS,
} from "../limits.ts";
import type { Arrangement } from "./browse-state.ts";

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

export const admitRequestSchema = z.object({
  version: z.literal(1),
  /** The bearer's token, to be refused if revoked. */
  tokenId: key,
  /** A verified session id's handle, and what is meant with it; absent where the protocol has no sessions. */
  session: z.object({ key, expiresAtMs: timeMs, intent: z.enum(["open", "use", "end"]) }).nullish(),
  /** The catalog that the Worker is about to answer from. */
  catalogVersion: catalogVersionSchema.nullish(),
  /** Cards to put in cache-stable order, ranked; needs `catalogVersion`. `topK` null shows all. */
  browse: z.object({ cards, topK: z.number().int().positive().nullish() }).nullish(),
  /** Upstreams whose sessions are wanted. */
  upstreams: z.array(key).max(UPSTREAM_SESSIONS_MAX_COUNT).nullish(),
  /** Handles whose rows are wanted. */
  artifacts: z.array(key).max(ADMIT_ARTIFACTS_MAX_COUNT).nullish(),
});

const upstreamSessionSchema = z.object({
  /** The upstream and a hash of the credential used with it: a session never crosses either. */
  key,
  /** Empty where the upstream keeps no sessions: then the handshake alone is spared. */
  sessionId: z.string().max(UPSTREAM_SESSION_ID_MAX_CHARS),
  protocolVersion: z.string().max(ADMIT_KEY_MAX_CHARS),
});

/** What is known of a kept artifact beside its bytes. */
const artifactRowSchema = z.object({
  handle: key,
  toolId: z.string().max(ADMIT_KEY_MAX_CHARS),
  mediaType: z.string().max(ADMIT_KEY_MAX_CHARS),
  sizeBytes: z.number().int().nonnegative(),
  /** `null` for binary content. */
  lines: z.number().int().nonnegative().nullable(),
  /** Where some of the lines begin; opaque here. */
  lineIndex: z.string().max(ARTIFACT_INDEX_MAX_CHARS),
  expiresAtMs: timeMs,
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
  /** Artifacts that were kept; one that is known already has its lifetime renewed. */
  artifacts: z.array(artifactRowSchema).max(RESULT_ARTIFACTS_MAX_COUNT).nullish(),
});

export const revocationSchema = z.object({
  version: z.literal(1),
  tokenId: key,
  /** The token's own expiry: the revocation need not be remembered longer. */
  expiresAtMs: timeMs,
});

export type AdmitRequest = z.input<typeof admitRequestSchema>;
export type SettleReport = z.input<typeof settleReportSchema>;
export type Revocation = z.input<typeof revocationSchema>;
export type UpstreamSession = z.output<typeof upstreamSessionSchema>;
export type ArtifactRow = z.output<typeof artifactRowSchema>;

export type AdmitRefusal =
  /** Not a request that this version can read. */
  "malformed" | "token_revoked" | "session_unknown" | "session_ended" | "session_expired";

/** `rowsWritten` is what the call cost in written rows, its alarm included. */
export type AdmitDecision =
  | {
      readonly version: 1;
      readonly admitted: false;
      readonly reason: AdmitRefusal;
      readonly rowsWritten: number;
    }
  | {
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
      readonly rowsWritten: number;
    };

export interface Settlement {
  readonly version: 1;
  readonly accepted: boolean;
  readonly rowsWritten: number;
}
