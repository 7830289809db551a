import { NAMESPACE_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { compareCodePoints } from "../code-points.ts";

/** The namespace of names that carry none. */
export const FALLBACK_NAMESPACE = "mcp";

/** Where the namespaces of a server's definitions come from: its configured name, or each definition by itself. */
export type NamespaceMode =
  | { readonly source: "server"; readonly server: string; readonly namespace: string }
  | { readonly source: "infer" };

/**
 * The namespace that an upstream name claims (seed 000 §1.4): what stands before its first `.`, else its first `/`,
 * else, with three or more `_`-separated parts, its first part. Not checked and not folded: `GitHub.x` claims
 * `GitHub`, which no id can have, so that tool is refused later with a reason.
 */
export function inferNamespace(upstreamName: string): string {
  const beforeDot = before(upstreamName, ".");
  if (beforeDot !== "") return beforeDot;
  const beforeSlash = before(upstreamName, "/");
  if (beforeSlash !== "") return beforeSlash;
  const parts = upstreamName.split("_", 3);
  const [first] = parts;
  return parts.length === 3 && first !== undefined && first !== "" ? first : FALLBACK_NAMESPACE;
}

/**
 * The name that goes with an inferred namespace (seed 000 §1.4): what follows the first `.`, else the first `/`,
 * where both sides have something; else the whole, since an underscore may belong to the name itself.
 */
export function deriveName(upstreamName: string): string {
  return after(upstreamName, ".") ?? after(upstreamName, "/") ?? upstreamName;
}

/** Why configured servers cannot have the namespaces that their names give. */
export type ServerNamespaceReason =
  | { readonly reason: "empty_namespace"; readonly server: string }
  | { readonly reason: "equal_namespaces"; readonly namespace: string; readonly servers: readonly string[] };

/**
 * The namespace of a configured server: its name lower-cased, each run outside `[a-z0-9_-]` one `-`, cut to start at
 * a letter, to at most 64 characters and not to end in `-`. A name without a Latin letter gives none.
 */
export function serverNamespace(server: string): Result<string, ServerNamespaceReason> {
  const folded = server.toLowerCase().replace(/[^a-z0-9_-]+/g, "-");
  const start = folded.search(/[a-z]/);
  if (start === -1) return fail({ reason: "empty_namespace", server });
  const slug = folded.slice(start, start + NAMESPACE_MAX_CHARS);
  let end = slug.length;
  while (slug.charAt(end - 1) === "-") end -= 1;
  return ok(slug.slice(0, end));
}

/**
 * The namespaces of all configured servers, by server name. Every problem is told at once: names without a
 * namespace, then sets of names with the same one, which would let one server pass under another's policy.
 */
export function serverNamespaces(
  servers: readonly string[],
): Result<ReadonlyMap<string, string>, readonly ServerNamespaceReason[]> {
  const namespaces = new Map<string, string>();
  const owners = new Map<string, string[]>();
  const problems: ServerNamespaceReason[] = [];
  for (const server of servers) {
    const namespace = serverNamespace(server);
    if (!namespace.ok) {
      problems.push(namespace.reason);
      continue;
    }
    namespaces.set(server, namespace.value);
    const sharing = owners.get(namespace.value);
    if (sharing === undefined) owners.set(namespace.value, [server]);
    else sharing.push(server);
  }
  for (const [namespace, sharing] of owners) {
    if (sharing.length < 2) continue;
    problems.push({ reason: "equal_namespaces", namespace, servers: [...sharing].sort(compareCodePoints) });
  }
  return problems.length === 0 ? ok(namespaces) : fail(problems);
}

/** What stands before the first mark; empty without the mark. */
function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? "" : text.slice(0, at);
}

/** What follows the first mark, where both sides have something. */
function after(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  return at > 0 && at + mark.length < text.length ? text.slice(at + mark.length) : undefined;
}
