import type { Comparison, DiffRecord, PinRecord } from "../../outbox/refresh-record.ts";
import type { TargetName } from "../../server-target.ts";
import type { RolloutState } from "../../spine/health/rollout-state.ts";
import type { KindDiff } from "../drift/kind-diff.ts";
import type { Finding, Skip } from "./ingest-report.ts";
import type { PerKind, Pointer } from "../snapshot/pointer.ts";
import type { ContentKind } from "../snapshot/snapshot-store.ts";

/**
 * What Workers and the catalog's object say to each other. Two versions may talk, so shapes are versioned and only ever
 * added to, and unknown members are ignored.
 */

/** How one server fared. `stale`: it failed, and its last good tools stay; `failed`: it has none. */
export interface ServerReport {
  readonly name: string;
  readonly status: "ok" | "stale" | "failed";
  readonly tools: number;
  /** Resources and templates, and prompts; absent where it has none. `skipped` and `findings` are of all kinds. */
  readonly resources?: number;
  readonly prompts?: number;
  readonly skipped: readonly Skip[];
  readonly findings: readonly Finding[];
  /** Entries of both lists that were left out. */
  readonly omitted?: number;
  /** Why it failed, in public words. */
  readonly reason?: string;
  /** Where its calls go; like the next two absent where it has one target and never had another. */
  readonly target?: TargetName;
  readonly generation?: number;
  readonly rollout?: RolloutState;
  /** Its other target, which after a promotion is the configured one; absent too before that was first listed. */
  readonly candidate?: CandidateReport;
}

/** The target that calls do not go to. Nothing that is wrong with it is wrong with the server. */
export type CandidateReport =
  | {
      readonly status: "listed";
      /** From the active target's catalog to the one that there would be. */
      readonly comparison: Comparison;
      readonly tools: number;
      readonly diff?: DiffRecord;
    }
  | {
      /** It could not be listed, or not be put into the catalog. */
      readonly status: "rejected";
      readonly reason: string;
    };

/** `first_use` is content with any catalog; `operator` always lists the servers anew. */
export type RefreshReason = "first_use" | "operator" | "unknown_tool" | "interval";

export interface RefreshRequest {
  readonly version: 1;
  readonly reason: RefreshReason;
  /** The configuration that the asking Worker runs with, as text; the object may be of another deployment. */
  readonly config: string;
}

export interface RefreshAnswer {
  readonly version: 1;
  /** The newest catalog after the run; null if there has never been one. */
  readonly pointer: Pointer | null;
  readonly changed: boolean;
  readonly servers: readonly ServerReport[];
  /** What keeps the configuration from being used, by key. */
  readonly problems?: readonly string[];
  /** Why nothing could be published, in public words. */
  readonly failure?: string;
  /** The hash that a pin names, of the newest catalog; null without one, and where nobody knows it any more. */
  readonly hash?: string | null;
  /** What the run changed, or would have changed under another pin: up to `REPORT_ENTRIES_MAX_COUNT` of each kind. */
  readonly diff?: DiffRecord;
  /** What the run changed of resources and prompts; absent where nothing, and from older versions. */
  readonly kinds?: PerKind<KindDiff>;
  /** How what was found stands to the configuration's pin. */
  readonly pin?: PinRecord;
}

/** `promote`: to the candidate. `rollback`: back to what was active before the last move. */
export const MOVES = ["promote", "rollback"] as const;

export type MoveName = (typeof MOVES)[number];

export interface MoveRequest {
  readonly version: 1;
  /** The configuration that the asking Worker runs with, as text. */
  readonly config: string;
  /** The configured server's name. */
  readonly server: string;
  readonly move: MoveName;
  /** Promotes a candidate that lacks a tool, or has one with another contract. */
  readonly acceptBreaking: boolean;
}

/** Why calls were not moved. What they found stands beside it: nothing but that was changed. */
export type MoveRefusal =
  /** The configuration has no such server, or has disabled it. */
  | "unknown_server"
  | "no_candidate"
  | "already_active"
  | "nothing_to_roll_back"
  /** The candidate could not be listed, or its tools have no place in the catalog. */
  | "candidate_rejected"
  | "breaking"
  /** A strict pin names another catalog than the one that there would be. */
  | "pinned"
  /** The catalog could not be made or written; asking again may help. */
  | "unpublished"
  /** The configuration cannot be used. */
  | "problems"
  | "generation_exhausted";

/** How the two targets' catalogs compare, from the one that was active; `diff` up to `REPORT_ENTRIES_MAX_COUNT` of each kind. */
interface Compared {
  readonly comparison?: Comparison;
  readonly diff?: DiffRecord;
}

export type MoveAnswer = { readonly version: 1 } & (
  | (Compared & {
      readonly moved: true;
      readonly server: string;
      readonly active: TargetName;
      /** The active target's. */
      readonly generation: number;
      readonly catalogGeneration: number;
      readonly comparison: Comparison;
    })
  | (Compared & {
      readonly moved: false;
      readonly reason: MoveRefusal;
      /** In public words. */
      readonly detail?: string;
    })
);

export interface NewestRequest {
  readonly version: 1;
  /** The hash of the configuration's catalog settings. */
  readonly config: string;
}

export interface NewestAnswer {
  readonly version: 1;
  readonly pointer: Pointer | null;
}

export interface ContentRequest {
  readonly version: 1;
  readonly kind: ContentKind;
  readonly hash: string;
}

export interface ContentAnswer {
  readonly version: 1;
  readonly bytes: Uint8Array | null;
}
