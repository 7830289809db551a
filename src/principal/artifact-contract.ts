import * as z from "zod";
import {
  ADMIT_KEY_MAX_CHARS,
  ARTIFACTS_HANDED_OUT_MAX_COUNT,
  ARTIFACT_INDEX_MAX_CHARS,
  ARTIFACT_QUOTA_MAX_BYTES,
  ARTIFACT_QUOTA_MAX_COUNT,
  ARTIFACT_RESERVED_MAX_BYTES,
  ARTIFACT_RESERVED_MAX_COUNT,
  JOURNAL_LEASE_MAX_MS,
} from "../limits.ts";

const name = z.string().max(ADMIT_KEY_MAX_CHARS);

/** What one principal may keep, and what becomes of it when that is full. */
const quotaFields = {
  maxBytes: z.number().int().positive().max(ARTIFACT_QUOTA_MAX_BYTES),
  maxCount: z.number().int().positive().max(ARTIFACT_QUOTA_MAX_COUNT),
  onFull: z.enum(["evict", "refuse"]),
};

export const artifactQuotaSchema = z.object(quotaFields);

/** Room for what a call may leave behind, asked for before it is sent. */
export const artifactReserveSchema = z.object({
  ...quotaFields,
  /** The most that a call's answer can be. */
  bytes: z.number().int().positive().max(ARTIFACT_RESERVED_MAX_BYTES),
  count: z.number().int().positive().max(ARTIFACT_RESERVED_MAX_COUNT),
  /** Past it nobody reports any more, and the room is free again. */
  leaseMs: z.number().int().positive().max(JOURNAL_LEASE_MAX_MS),
});

/** What is known of a kept artifact beside its bytes. */
export const artifactRowSchema = z.object({
  handle: name.min(1),
  toolId: name,
  mediaType: name,
  sizeBytes: z.number().int().nonnegative(),
  /** `null` for binary content. */
  lines: z.number().int().nonnegative().nullable(),
  /** Where some of the lines begin; opaque here. */
  lineIndex: z.string().max(ARTIFACT_INDEX_MAX_CHARS),
  expiresAtMs: z.number().int().nonnegative(),
  /** The store's own name of the bytes; opaque here, and absent where the handle alone leads to them. */
  storedAs: name.min(1).nullish(),
});

export type ArtifactQuota = Readonly<z.output<typeof artifactQuotaSchema>>;
export type ArtifactReserve = Readonly<z.output<typeof artifactReserveSchema>>;

export type ArtifactRow = Readonly<Omit<z.output<typeof artifactRowSchema>, "storedAs">> & {
  readonly storedAs?: string | undefined;
};

/** Bytes and pieces. */
export interface ArtifactAmount {
  readonly bytes: number;
  readonly count: number;
}

/** One writing of an artifact's bytes: those that are written anew under the same handle live longer. */
export const artifactWritingSchema = artifactRowSchema.pick({ handle: true, expiresAtMs: true });

export type ArtifactWriting = Readonly<z.output<typeof artifactWritingSchema>>;

/** An artifact that has given way and has no row any more: its bytes are to be deleted by whoever is told this. */
export type EvictedArtifact = ArtifactWriting & Pick<ArtifactRow, "toolId" | "sizeBytes" | "storedAs">;

/** A handle that was good until its artifact gave way: that writing of it, and every earlier one. */
export interface GoneArtifact extends ArtifactWriting {
  readonly toolId: string;
  /** The bytes stand still, and a call is under way that may have found them and name them to a model. */
  readonly mayReturn: boolean;
}

/** What an operator asks of one principal's artifacts. */
export const artifactReviewSchema = z.object({
  version: z.literal(1),
  /** Handles of what is to go, or `all`: as many at a time as a Worker deletes. */
  free: z.union([z.literal("all"), z.array(name).max(ARTIFACTS_HANDED_OUT_MAX_COUNT)]).nullish(),
});

export type ArtifactReviewRequest = Readonly<z.input<typeof artifactReviewSchema>>;

/** What is kept, without its contents, and what went just now, whose bytes the asker deletes. */
export interface ArtifactReview extends ArtifactAmount {
  readonly version: 1;
  /** The newest first, as many as fit. */
  readonly artifacts: readonly ListedArtifact[];
  readonly freed: readonly EvictedArtifact[];
  readonly rowsWritten: number;
}

/** `handle`, `tool_id`, `media_type`, `size_bytes`, `kept_ms` and `expires_at_ms`: it goes to the operator as it is. */
export type ListedArtifact = Readonly<Record<string, string | number | ArrayBuffer | null>>;

/** How much of a result may be kept. */
export interface ArtifactAllowance extends ArtifactAmount {
  /** What is found standing with this expiry or an earlier one has given way, and is to be written anew; absent: nothing has. */
  readonly goneUntilMs?: number;
}

/**
 * No room is left, and none may be made: nothing has run. `retryAfterMs` is when asking again is worth while: the next
 * artifact has expired, or calls that hold room have ended. `null`: nothing that is kept will make room.
 */
export interface ArtifactsFull {
  readonly reason: "artifacts_full";
  readonly retryAfterMs: number | null;
}
