import { compileGlob, matchAny } from "../glob.ts";
import type { Glob } from "../glob.ts";

/** Decides which tools, resources and prompts exist for a bearer. */
export interface Visibility {
  (id: string): boolean;
  /** Equal keys see the same, so that what they see need be found out once; `null` sees everything. */
  readonly key: string | null;
}

/** An id's optional ends (seed 000 §1.1): `@version`, `#hash8`. */
const HASH_END = /#[0-9a-f]{8}$/;
const VERSION_END = /@[A-Za-z0-9._-]{1,32}$/;

/** Everything there is. */
export const SEES_EVERYTHING: Visibility = Object.assign(() => true, { key: null });

/**
 * The visibility that scopes give; `null` is everything. A scope is tried on the whole id and on the id without its hash
 * and version, so that `github:create_issue` keeps its meaning when the tool's schema changes. A scope that is no glob
 * shows nothing: a fault never widens.
 */
export function visibilityOf(scopes: readonly string[] | null): Visibility {
  if (scopes === null) return SEES_EVERYTHING;
  const globs: Glob[] = [];
  for (const scope of scopes) {
    const glob = compileGlob(scope);
    if (glob.ok) globs.push(glob.value);
  }
  const sees = (id: string): boolean => matchAny(globs, id) || matchAny(globs, bareId(id));
  return Object.assign(sees, { key: JSON.stringify([...new Set(scopes)].sort()) });
}

function bareId(id: string): string {
  return id.replace(HASH_END, "").replace(VERSION_END, "");
}
