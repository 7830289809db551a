import type { StreamForm } from "../manifest/manifest.ts";
import type { FeedHead, IngestPlan, NewestVersion } from "./plan.ts";

/** A feed with what a plan needs, all read in one transaction. */
export interface FeedState extends FeedHead, StreamForm {
  readonly feedId: number;
  /** What the columns and the meaning of fields are planned by; a batch of another one fails. */
  readonly manifestHash: string;
  /** By what rows are indexed anew at the moment. */
  readonly next: StreamForm | null;
  readonly isReordered: boolean;
  readonly newest: ReadonlyMap<string, NewestVersion>;
  /** Search scopes by field. */
  readonly scopes: ReadonlyMap<string, number>;
  /** Versions that nobody may come back to, and which go with the next batch. */
  readonly prunable: readonly {
    readonly id: number;
    readonly supersededBy: number;
    readonly objectKey: string | null;
  }[];
}

export interface IngestStorePort {
  /** `undefined` where the connection has no such stream; `waiting` where a manifest is on its way whose rows cannot serve the old one too. */
  state(
    connectionId: string,
    stream: string,
    keys: readonly string[],
    prunableBeforeMs: number,
  ): Promise<FeedState | "waiting" | undefined>;
  /** All or nothing. `moved`: the feed or its manifest is not what the plan was made from any more. */
  write(
    state: FeedState,
    plan: IngestPlan,
    objects: ReadonlyMap<number, string>,
    nowMs: number,
  ): Promise<"written" | "moved">;
}

/** Bodies in the bucket. */
export interface BodyWriterPort {
  put(objectKey: string, text: string): Promise<void>;
  remove(objectKeys: readonly string[]): Promise<void>;
}

export interface IngestPorts {
  readonly store: IngestStorePort;
  readonly bodies: BodyWriterPort;
  /** A fresh name for an object. */
  readonly newId: () => string;
  readonly now: () => number;
  /** From 0 on, below 1. */
  readonly random: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
  readonly log: (error: unknown) => void;
}
