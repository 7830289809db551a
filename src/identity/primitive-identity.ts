import { NAMESPACE_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { legalName, trimmed, trimmedEnd } from "./legal-name.ts";
import { FALLBACK_NAMESPACE, inferNamespace, type NamespaceMode } from "./namespace.ts";
import { formatPrimitiveId, type PrimitiveIdParts } from "./primitive-id.ts";
import { promptArgumentNames, promptHash8, resourceHash8 } from "./shape-hash.ts";
import type { ToolIdReason } from "./tool-id.ts";

/** A resource's or prompt's canonical id with its parts. Two of one server may share it: see `resolveCollisions`. */
export interface PrimitiveIdentity extends PrimitiveIdParts {
  readonly id: string;
}

export type PrimitiveIdentityReason = ToolIdReason | "blank_uri" | "ill_formed_uri" | "blank_name";

/**
 * The identity of a resource or resource template: its URI decides the hash, the declared name (else the URI's last
 * segment) how it reads. Without a configured server the URI's scheme is the namespace. A URI with a lone surrogate
 * has no bytes to hash and is refused.
 */
export function identifyResource(
  mode: NamespaceMode,
  resource: { readonly uri: string; readonly name: unknown },
): Result<PrimitiveIdentity, PrimitiveIdentityReason> {
  const { uri, name } = resource;
  if (uri.trim() === "") return fail("blank_uri");
  if (/\p{Surrogate}/u.test(uri)) return fail("ill_formed_uri");
  return identity({
    kind: "resource",
    namespace: mode.source === "server" ? mode.namespace : schemeNamespace(uri),
    name: legalName(typeof name === "string" && name !== "" ? name : lastSegment(uri), "r_"),
    version: null,
    hash8: resourceHash8(uri),
  });
}

/**
 * The identity of a prompt: its whole name, made legal, with any prefix kept, and the set of its argument names
 * (`prompts/list`'s `arguments`, as it came). The namespace is the configured server's, or the one the name claims.
 */
export function identifyPrompt(
  mode: NamespaceMode,
  prompt: { readonly name: string; readonly arguments: unknown },
): Result<PrimitiveIdentity, PrimitiveIdentityReason> {
  if (prompt.name.trim() === "") return fail("blank_name");
  const name = legalName(prompt.name, "r_");
  return identity({
    kind: "prompt",
    namespace: mode.source === "server" ? mode.namespace : inferNamespace(prompt.name),
    name,
    version: null,
    hash8: promptHash8(name, promptArgumentNames(prompt.arguments)),
  });
}

function identity(parts: PrimitiveIdParts): Result<PrimitiveIdentity, PrimitiveIdentityReason> {
  const id = formatPrimitiveId(parts);
  return id.ok ? ok({ ...parts, id: id.value }) : id;
}

/** The URI's scheme (what stands before its first `:`, RFC 3986 §3.1) as a legal namespace. */
function schemeNamespace(uri: string): string {
  const colon = uri.indexOf(":");
  if (colon === -1) return FALLBACK_NAMESPACE;
  const folded = uri
    .slice(0, colon)
    .toLowerCase()
    .replace(/[^a-z0-9_-]/gu, "-");
  const text = trimmed(folded, "-_");
  if (text === "") return FALLBACK_NAMESPACE;
  return (/^[a-z]/.test(text) ? text : `${FALLBACK_NAMESPACE}-${text}`).slice(0, NAMESPACE_MAX_CHARS);
}

/** What follows the last `/`, trailing ones aside; of `scheme://`, all of it. */
function lastSegment(uri: string): string {
  const path = trimmedEnd(uri, "/");
  return path.slice(path.lastIndexOf("/") + 1);
}
