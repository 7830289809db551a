import type { CacheSettings } from "../../config.ts";
import { memberOf } from "../../json.ts";
import { globTest, idForms } from "../globs.ts";
import { oncePerObject } from "../../once-per-object.ts";

/** What decides whether a tool's answers may be used again. */
export interface CacheFacts {
  readonly toolId: string;
  /** Whether its server's hints are believed. */
  readonly trusted: boolean;
  /** What the hints say. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** It says in so many words that it writes or destroys, which silence does not. */
  readonly explicitlyWrites: boolean;
}

const globsOf = oncePerObject((globs: readonly string[]) => globs.map((glob) => globTest(glob, false)));

/**
 * The facts in a tool's `annotations`, as its server sent them. Only JSON booleans say anything; a tool whose word on
 * destruction is anything but `false` or silence is not read-only, whatever else it says.
 */
export function cacheFacts(toolId: string, annotations: unknown, trusted: boolean): CacheFacts {
  const readOnly = memberOf(annotations, "readOnlyHint");
  const destructive = memberOf(annotations, "destructiveHint");
  return {
    toolId,
    trusted,
    readOnly: readOnly === true && (destructive === undefined || destructive === false),
    destructive: destructive === true,
    explicitlyWrites: readOnly === false || destructive === true,
  };
}

/**
 * Whether a tool's answers may be used again (seed 000 §4.5). With an `allow` list it is the operator's word alone, but for
 * a tool of a trusted server that says itself that it writes; without one, a trusted server's word that the tool is
 * read-only. Nothing at all unless `read_only` is on.
 */
export function mayCache(settings: CacheSettings, facts: CacheFacts): boolean {
  const { toolId, trusted, readOnly, destructive, explicitlyWrites } = facts;
  if (!settings.read_only || (trusted && (explicitlyWrites || destructive))) return false;
  return settings.allow.length > 0 ? isNamed(settings.allow, toolId) : trusted && readOnly;
}

/** Whether a tool's answers are the same for every principal, by the operator's word. */
export function isShared({ shared }: CacheSettings, toolId: string): boolean {
  return isNamed(shared, toolId);
}

function isNamed(globs: readonly string[], toolId: string): boolean {
  const ids = idForms(toolId);
  return globsOf(globs).some((names) => ids.some(names));
}
