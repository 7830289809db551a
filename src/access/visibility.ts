import { compileGlob, matchAny } from "../glob.ts";
import type { Glob } from "../glob.ts";

/** Decides which tools, resources and prompts exist for a bearer. */
export interface Visibility {
  (id: string): boolean;
  /** Equal keys see the same, so that what they see need be found out once; `null` sees everything. */
  readonly key: string | null;
}

/** An id's optional ends (seed 000 §1.1, §9.3): `@version`, `#hash8`, and of a resource or a prompt `~N`. */
const RANK_END = /~[1-9][0-9]{0,9}$/;
const HASH_END = /#[0-9a-f]{8}$/;
const VERSION_END = /@[A-Za-z0-9._-]{1,32}$/;

/** Everything there is. */
export const SEES_EVERYTHING: Visibility = Object.assign(() => true, { key: null });

/**
 * The visibility that scopes give; `null` is everything. A scope is tried on the whole id and on the id without its hash
 * and version, so that `github:create_issue` keeps its meaning when the tool's schema changes; of a resource or a prompt
 * also without its kind, so that `github:*` is all that a server has. A scope that is no glob shows nothing: a fault never
 * widens.
 */
export function visibilityOf(scopes: readonly string[] | null): Visibility {
  if (scopes === null) return SEES_EVERYTHING;
  const globs: Glob[] = [];
  for (const scope of scopes) {
    const glob = compileGlob(scope);
    if (glob.ok) globs.push(glob.value);
  }
  const sees = (id: string): boolean => formsOf(id).some((form) => matchAny(globs, form));
  return Object.assign(sees, { key: JSON.stringify([...new Set(scopes)].sort()) });
}

/** What a scope is tried on. */
function formsOf(id: string): readonly string[] {
  const kind = KIND_MARK.exec(id)?.[0];
  if (kind === undefined) return [id, bareId(id)];
  const canonical = id.replace(RANK_END, "");
  const forms = [id, canonical, bareId(canonical)];
  return [...forms, ...forms.map((form) => form.slice(kind.length))];
}

const KIND_MARK = /^(?:resource|prompt)::/;

function bareId(id: string): string {
  return id.replace(HASH_END, "").replace(VERSION_END, "");
}
