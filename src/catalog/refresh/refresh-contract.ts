import type { DiffRecord, PinRecord } from "../../outbox/refresh-record.ts";
import type { Finding, Skip } from "./ingest.ts";
import type { Pointer } from "../snapshot/pointer.ts";
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
  readonly skipped: readonly Skip[];
  readonly findings: readonly Finding[];
  /** Entries of both lists that were left out. */
  readonly omitted?: number;
  /** Why it failed, in public words. */
  readonly reason?: string;
}

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
  /** How what was found stands to the configuration's pin. */
  readonly pin?: PinRecord;
}

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
