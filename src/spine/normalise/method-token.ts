import { METHOD_WORD_MAX_CHARS } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

/** The methods that there are, by the names that mean them. */
export interface MethodNames {
  readonly canonical: readonly string[];
  /** Other names, each for a canonical one; an alias that is a canonical name as well is that name. */
  readonly aliases?: ReadonlyMap<string, string>;
}

export interface KnownMethod {
  readonly method: string;
  /** The name that was given, where it was an alias. */
  readonly alias?: string;
}

export interface UnknownMethod {
  readonly reason: "unknown_method";
  /** A canonical name that reads alike, to be offered and never to be run. */
  readonly didYouMean?: string;
}

/**
 * The method that a name means: a canonical name or an alias, to the character. No likeness makes two names one: what
 * folds to the same letters may do different things, so that likeness is only offered back.
 */
export function readMethod(name: unknown, names: MethodNames): Result<KnownMethod, UnknownMethod> {
  if (typeof name !== "string") return fail({ reason: "unknown_method" });
  if (names.canonical.includes(name)) return ok({ method: name });
  const method = names.aliases?.get(name);
  if (method !== undefined && names.canonical.includes(method)) return ok({ method, alias: name });
  const didYouMean = suggestMethod(name, names.canonical);
  return fail({ reason: "unknown_method", ...(didYouMean === undefined ? {} : { didYouMean }) });
}

/**
 * The one canonical name with the same letters and digits, capitals and all other characters aside (`prepareRename` and
 * `prepare_rename`); where the whole of a name is like none, its last segment counts (`textDocument/prepareRename`).
 * Nothing where several are alike, or where a name has no such letters.
 */
export function suggestMethod(name: string, canonical: readonly string[]): string | undefined {
  if (name.length > METHOD_WORD_MAX_CHARS) return undefined;
  for (const view of [(text: string) => text, lastSegment]) {
    const token = fold(view(name));
    const alike = token === "" ? [] : canonical.filter((known) => token === fold(view(known)));
    const hits = new Set(alike);
    if (hits.size > 0) return hits.size === 1 ? alike[0] : undefined;
  }
  return undefined;
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Not exported: the fold loses what tells names apart. */
function fold(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}
