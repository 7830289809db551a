import {
  NAMESPACE_MAX_CHARS,
  TOOL_ID_MAX_CHARS,
  TOOL_NAME_MAX_CHARS,
  TOOL_VERSION_MAX_CHARS,
} from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";

/** A tool id in its parts (seed 000 §1.1). At least one of `version` and `hash8` is there. */
export interface ToolIdParts {
  readonly namespace: string;
  readonly name: string;
  readonly version: string | null;
  readonly hash8: string | null;
}

/** Which rule of the grammar a text, or a set of parts, breaks first. */
export type ToolIdReason =
  | "too_long"
  | "no_namespace"
  | "bad_namespace"
  | "bad_name"
  | "bad_version"
  | "bad_hash8"
  | "no_version_or_hash8";

const NAMESPACE = new RegExp(`^[a-z][a-z0-9_-]{0,${NAMESPACE_MAX_CHARS - 1}}$`);
const NAME = new RegExp(`^[A-Za-z_][A-Za-z0-9_.-]{0,${TOOL_NAME_MAX_CHARS - 1}}$`);
const VERSION = new RegExp(`^[A-Za-z0-9._-]{1,${TOOL_VERSION_MAX_CHARS}}$`);
const HASH8 = /^[0-9a-f]{8}$/;

/** Whether a text is a legal version of a tool. */
export function isToolVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Whether a text is a legal name of a tool in an id. */
export function isToolName(text: string): boolean {
  return NAME.test(text);
}

/** Assembles `namespace:name[@version][#hash8]`. Inverse of `parseToolId` (seed 000 §1.6). */
export function formatToolId(parts: ToolIdParts): Result<string, ToolIdReason> {
  const { namespace, name, version, hash8 } = parts;
  if (!NAMESPACE.test(namespace)) return fail("bad_namespace");
  if (!NAME.test(name)) return fail("bad_name");
  if (version !== null && !VERSION.test(version)) return fail("bad_version");
  if (hash8 !== null && !HASH8.test(hash8)) return fail("bad_hash8");
  if (version === null && hash8 === null) return fail("no_version_or_hash8");
  const id = `${namespace}:${name}${suffix("@", version)}${suffix("#", hash8)}`;
  return id.length > TOOL_ID_MAX_CHARS ? fail("too_long") : ok(id);
}

/**
 * Splits a canonical tool id. Only what `formatToolId` writes is accepted: no white space around it, no other case,
 * and a `~N` key of a collision is refused (seed 000 §9.1).
 */
export function parseToolId(id: string): Result<ToolIdParts, ToolIdReason> {
  if (id.length > TOOL_ID_MAX_CHARS) return fail("too_long");
  const colon = id.indexOf(":");
  if (colon === -1) return fail("no_namespace");
  const [beforeHash, hash8] = cutAtLast(id.slice(colon + 1), "#");
  const [name, version] = cutAtLast(beforeHash, "@");
  const parts = { namespace: id.slice(0, colon), name, version, hash8 };
  const formatted = formatToolId(parts);
  return formatted.ok ? ok(parts) : formatted;
}

function suffix(mark: string, part: string | null): string {
  return part === null ? "" : `${mark}${part}`;
}

function cutAtLast(text: string, mark: string): [before: string, after: string | null] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
