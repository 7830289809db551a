import { PATTERN_STATE_BYTES, VALIDATOR_CACHE_MAX_BYTES, VALIDATOR_CACHE_MAX_ENTRIES } from "../limits.ts";
import type { AnalysisOptions } from "./analyse.ts";
import type { SchemaFinding } from "./finding.ts";
import type { Result } from "../result.ts";
import { type CompiledSchema, compileSchema } from "./validator.ts";

type Compiled = Result<CompiledSchema, SchemaFinding>;

export interface ValidatorCache {
  /**
   * The validator of the schema whose content has this hash. `contentHash` has to be a cryptographic hash of the whole
   * schema: then an entry is the same for everyone, and tenants can share the cache without seeing each other's anything.
   */
  compile(contentHash: string, schema: unknown, bytes: number, options?: AnalysisOptions): Compiled;
  readonly size: number;
}

/** Keeps the validators used last, by number and by the bytes of their schemas. A failure is kept too: it costs as much to find. */
export function createValidatorCache(
  maxEntries: number = VALIDATOR_CACHE_MAX_ENTRIES,
  maxBytes: number = VALIDATOR_CACHE_MAX_BYTES,
): ValidatorCache {
  // A Map iterates in the order of insertion, so the first entry is the one unused for longest.
  const entries = new Map<string, { readonly compiled: Compiled; readonly bytes: number }>();
  let total = 0;
  return {
    get size() {
      return entries.size;
    },
    compile(contentHash, schema, bytes, options = {}) {
      const key = `${options.describes ?? "arguments"} ${contentHash}`;
      const known = entries.get(key);
      if (known !== undefined) {
        entries.delete(key);
        entries.set(key, known);
        return known.compiled;
      }
      const compiled = compileSchema(schema, options);
      // Few bytes can say a large pattern.
      const states = compiled.ok ? compiled.value.patternStates : 0;
      const size = bytes + PATTERN_STATE_BYTES * states;
      entries.set(key, { compiled, bytes: size });
      total += size;
      for (const [oldest, entry] of entries) {
        if (entries.size <= maxEntries && total <= maxBytes) break;
        entries.delete(oldest);
        total -= entry.bytes;
      }
      return compiled;
    },
  };
}
