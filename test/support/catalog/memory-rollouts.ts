import type { RolloutStore } from "../../../src/catalog/rollout/rollout-ports.ts";
import { NO_ROLLOUT, type Rollout } from "../../../src/catalog/rollout/rollout.ts";

/** Rollouts in maps, for tests that need no SQLite. */
export class MemoryRolloutStore implements RolloutStore {
  readonly #rollouts = new Map<string, Rollout>();
  readonly #rejections = new Map<string, string>();

  rollout(server: string) {
    return this.#rollouts.get(server) ?? NO_ROLLOUT;
  }

  saveRollout(server: string, rollout: Rollout) {
    this.#rollouts.set(server, rollout);
  }

  rejection(server: string, source: string) {
    return this.#rejections.get(`${server} ${source}`);
  }

  reject(server: string, source: string, reason: string) {
    this.#rejections.set(`${server} ${source}`, reason);
  }

  acquit(server: string, source: string) {
    this.#rejections.delete(`${server} ${source}`);
  }
}
