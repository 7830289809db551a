import { bytesToHex } from "@noble/hashes/utils.js";
import { CATALOG_VALUE_CACHE_SECONDS } from "../../limits.ts";
import { type Pointer, readPointer } from "./pointer.ts";
import { SNAPSHOT_FORMAT } from "./snapshot.ts";

export type ContentKind = "snapshot" | "shard";

/** What of a KV namespace is used. */
export type CatalogKv = {
  get(
    key: string,
    options: { readonly type: "arrayBuffer"; readonly cacheTtl?: number },
  ): Promise<ArrayBuffer | null>;
  put(key: string, value: Uint8Array | string): Promise<void>;
  delete(key: string): Promise<void>;
};

/** Lower-case hex SHA-256 of bytes. */
export async function contentHash(bytes: Uint8Array): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export function contentKey(kind: ContentKind, hash: string): string {
  return `${kind}:${SNAPSHOT_FORMAT}:${hash}`;
}

/**
 * The catalog's values in KV. Content stands under its hash and is never overwritten; a generation's pointer neither; one
 * key a configuration is, and it is the last to be written.
 */
export class SnapshotStore {
  readonly #kv: CatalogKv;

  constructor(kv: CatalogKv) {
    this.#kv = kv;
  }

  /** The content under a hash, or null where there is none, or another one. */
  async content(kind: ContentKind, hash: string): Promise<Uint8Array | null> {
    const options = { type: "arrayBuffer", cacheTtl: CATALOG_VALUE_CACHE_SECONDS } as const;
    const value = await this.#kv.get(contentKey(kind, hash), options);
    if (value === null) return null;
    const bytes = new Uint8Array(value);
    return (await contentHash(bytes)) === hash ? bytes : null;
  }

  async writeContent(kind: ContentKind, hash: string, bytes: Uint8Array): Promise<void> {
    await this.#kv.put(contentKey(kind, hash), bytes);
  }

  pointer(config: string): Promise<Pointer | undefined> {
    return this.#pointerAt(pointerKey(config));
  }

  generation(config: string, generation: number): Promise<Pointer | undefined> {
    return this.#pointerAt(generationKey(config, generation));
  }

  async writeGeneration(config: string, pointer: Pointer): Promise<void> {
    await this.#kv.put(generationKey(config, pointer.generation), JSON.stringify(pointer));
  }

  async writePointer(config: string, pointer: Pointer): Promise<void> {
    await this.#kv.put(pointerKey(config), JSON.stringify(pointer));
  }

  async delete(key: string): Promise<void> {
    await this.#kv.delete(key);
  }

  async #pointerAt(key: string): Promise<Pointer | undefined> {
    const value = await this.#kv.get(key, { type: "arrayBuffer" });
    if (value === null) return undefined;
    return readPointer(parseJson(new TextDecoder().decode(value)));
  }
}

export function pointerKey(config: string): string {
  return `pointer:${SNAPSHOT_FORMAT}:${config}`;
}

export function generationKey(config: string, generation: number): string {
  return `generation:${SNAPSHOT_FORMAT}:${config}:${generation}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
