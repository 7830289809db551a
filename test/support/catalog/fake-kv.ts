import type { CatalogKv } from "../../../src/catalog/snapshot/snapshot-store.ts";

const KEY_MAX_BYTES = 512;
const VALUE_MAX_BYTES = 25 * 1024 * 1024;
const WRITE_INTERVAL_MS = 1_000;
const CACHE_MS = 60_000;

export interface FakeClock {
  nowMs: number;
}

type Operation = "get" | "put" | "delete";

/**
 * KV with the platform's refusals: long keys, large values, a second write to a key within a second. `at()` is the view from
 * one location, which goes on showing what it read before for a minute, what was not there included.
 */
export class FakeKv implements CatalogKv {
  readonly values = new Map<string, Uint8Array>();
  readonly operations: { readonly operation: Operation; readonly key: string }[] = [];
  /** The write, counted from 1 and from now, that fails. */
  failAtWrite = Number.POSITIVE_INFINITY;
  /** Whether the failing write happened all the same before its answer was lost. */
  failsAfterwards = false;
  readonly #clock: FakeClock;
  readonly #writtenAtMs = new Map<string, number>();

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  count(operation: Operation, prefix = ""): number {
    return this.operations.filter((each) => each.operation === operation && each.key.startsWith(prefix))
      .length;
  }

  async get(key: string): Promise<ArrayBuffer | null> {
    this.operations.push({ operation: "get", key });
    const value = this.values.get(key);
    return value === undefined ? null : value.slice().buffer;
  }

  async put(key: string, value: Uint8Array | string): Promise<void> {
    this.operations.push({ operation: "put", key });
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value.slice();
    if (new TextEncoder().encode(key).length > KEY_MAX_BYTES)
      throw new Error("KV PUT failed: 414 key too long");
    if (bytes.length > VALUE_MAX_BYTES) throw new Error("KV PUT failed: 413 value too large");
    const before = this.#writtenAtMs.get(key);
    if (before !== undefined && this.#clock.nowMs - before < WRITE_INTERVAL_MS) {
      throw new Error("KV PUT failed: 429 Too Many Requests");
    }
    this.failAtWrite -= 1;
    if (this.failAtWrite <= 0 && !this.failsAfterwards) throw new Error("KV PUT failed: 500");
    this.#writtenAtMs.set(key, this.#clock.nowMs);
    this.values.set(key, bytes);
    if (this.failAtWrite <= 0) throw new Error("KV PUT failed: connection lost");
  }

  async delete(key: string): Promise<void> {
    this.operations.push({ operation: "delete", key });
    this.values.delete(key);
  }

  /** One location's view. */
  at(): CatalogKv {
    const seen = new Map<string, { readonly value: ArrayBuffer | null; readonly untilMs: number }>();
    return {
      get: async (key) => {
        const known = seen.get(key);
        if (known !== undefined && known.untilMs > this.#clock.nowMs) return known.value;
        const value = await this.get(key);
        seen.set(key, { value, untilMs: this.#clock.nowMs + CACHE_MS });
        return value;
      },
      put: (key, value) => this.put(key, value),
      delete: (key) => this.delete(key),
    };
  }
}
