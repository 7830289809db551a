import { parseExactJson } from "../../exact-json/parse.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isRecord, type JsonObject, memberOf } from "../../json.ts";
import {
  RESULT_CACHE_ENTRY_MAX_SHARE,
  RESULT_CACHE_ENTRY_OVERHEAD_BYTES,
  RESULT_CACHE_MAX_BYTES,
} from "../../limits.ts";
import type { CatalogVersion } from "../admission.ts";
import type { CacheQuestion } from "./question.ts";

export interface ResultCacheBounds {
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Of all entries together, keys and bookkeeping included. */
  readonly maxBytes?: number;
}

interface Entry {
  /** The result as JSON. */
  readonly json: Uint8Array;
  readonly storedAtMs: number;
}

/**
 * Answers of upstreams, kept in the isolate for the catalog version at hand; the least recently used gives way. One cache
 * serves one configuration, since what may be shared or kept is the configuration's to say.
 *
 * Answers are kept as the bytes of their JSON: what the bound counts is what they take, and nobody can change one through
 * what was stored or handed out, as each reader gets its own.
 */
export class ResultCache {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** In the order of use, the longest unused first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #version: CatalogVersion | undefined;

  constructor({ ttlMs, maxEntries, maxBytes = RESULT_CACHE_MAX_BYTES }: ResultCacheBounds) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A result stored under an equal question less than the lifetime ago, if it is still there: a copy of the caller's own. */
  get({ catalogVersion, key }: CacheQuestion, nowMs: number): JsonObject | undefined {
    if (!this.#isCurrent(catalogVersion)) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key, entry);
    const age = nowMs - entry.storedAtMs;
    // A clock that was put back says nothing about age.
    if (!(age >= 0 && age < this.#ttlMs)) return undefined;
    this.#add(key, entry);
    const read = parseExactJson(new TextDecoder().decode(entry.json), { duplicates: "last" });
    return read.ok && isRecord(read.value) ? read.value : undefined;
  }

  /**
   * Stores a result and says whether it did. Errors are not kept, nor what an older catalog answered, nor what would take
   * more than its share of the room; they still end what was stored before. `sizeBytes`, the result's size as it came, spares writing out what is too large anyway.
   */
  put({ catalogVersion, key }: CacheQuestion, result: JsonObject, sizeBytes: number, nowMs: number): boolean {
    if (!this.#isCurrent(catalogVersion)) return false;
    const replaced = this.#entries.get(key);
    if (replaced !== undefined) this.#remove(key, replaced);
    const maxBytes = this.#maxBytes * RESULT_CACHE_ENTRY_MAX_SHARE;
    if (isFailure(result) || sizeBytes > maxBytes) return false;
    const json = new TextEncoder().encode(exactJsonText(result));
    const entry = { json, storedAtMs: nowMs };
    if (costOf(entry) > maxBytes) return false;
    this.#add(key, entry);
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest, entry);
    }
    return true;
  }

  /** Whether a version is the newest that was met; a newer one empties the cache, and so does another catalog's. */
  #isCurrent(version: CatalogVersion): boolean {
    const current = this.#version;
    const isOther = current?.catalog !== version.catalog;
    if (!isOther && version.generation <= current.generation)
      return version.generation === current.generation;
    this.#entries.clear();
    this.#bytes = 0;
    this.#version = version;
    return true;
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += costOf(entry);
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= costOf(entry);
  }
}

function costOf({ json }: Entry): number {
  return json.byteLength + RESULT_CACHE_ENTRY_OVERHEAD_BYTES;
}

/** Anything but `false` or silence: an answer that calls itself an error in other words is no answer to keep either. */
function isFailure(result: JsonObject): boolean {
  const isError = memberOf(result, "isError");
  return isError !== undefined && isError !== false;
}
