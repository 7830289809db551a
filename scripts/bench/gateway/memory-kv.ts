import type { CatalogKv } from "../../../src/catalog/snapshot/snapshot-store.ts";

const encoder = new TextEncoder();

/** KV in memory: each read gives bytes of its own, as over a network. */
export class MemoryKv implements CatalogKv {
  readonly #values = new Map<string, Uint8Array>();

  async get(key: string): Promise<ArrayBuffer | null> {
    const value = this.#values.get(key);
    return value === undefined ? null : Uint8Array.from(value).buffer;
  }

  async put(key: string, value: Uint8Array | string): Promise<void> {
    this.#values.set(key, typeof value === "string" ? encoder.encode(value) : Uint8Array.from(value));
  }

  async delete(key: string): Promise<void> {
    this.#values.delete(key);
  }

  /** Bytes of the values under keys that begin so. */
  bytesOf(prefix: string): number {
    return [...this.#values]
      .filter(([key]) => key.startsWith(prefix))
      .reduce((sum, [, { length }]) => sum + length, 0);
  }
}
