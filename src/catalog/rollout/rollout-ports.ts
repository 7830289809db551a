import type { Rollout } from "./rollout.ts";

/** What is remembered of servers' targets, by the server's name. Synchronous, as the object's SQLite is. */
export interface RolloutStore {
  rollout(server: string): Rollout;
  saveRollout(server: string, rollout: Rollout): void;
  /** Why a target that calls do not go to could not be listed, in public words; undefined where nothing is held against it. */
  rejection(server: string, source: string): string | undefined;
  reject(server: string, source: string, reason: string, nowMs: number): void;
  acquit(server: string, source: string): void;
}
