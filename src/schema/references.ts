import { SCHEMA_URI_MAX_CHARS } from "../limits.ts";
import type { Dialect } from "./dialect.ts";
import type { FindingCode } from "./finding.ts";
import { isRecord, type JsonObject, memberOf } from "../json.ts";
import { decodeFragment, resolvePointer } from "./json-pointer.ts";
import { refStandsAlone } from "./keywords.ts";
import { fail, ok, type Result } from "../result.ts";

/** A schema that a `$ref` can be relative to: the document itself, or one inside it with an `$id` of its own. */
export interface Resource {
  readonly uri: string;
  readonly root: unknown;
  readonly anchors: Map<string, unknown>;
}

/** Where schemas without an address live. The name cannot be registered (RFC 2606), so nothing can mean it by accident. */
const DOCUMENT_URI = "https://schema.invalid/";

export function documentResource(root: unknown): Resource {
  return { uri: DOCUMENT_URI, root, anchors: new Map() };
}

/** What a schema says about its own address: another base URI, names for itself, or nothing. */
export interface Identification {
  readonly uri: string | undefined;
  /** Something is given as an address and is none; it changes nothing then. */
  readonly unreadable: boolean;
  readonly anchors: readonly string[];
  readonly dynamicAnchor: string | undefined;
}

const ANONYMOUS: Identification = {
  uri: undefined,
  unreadable: false,
  anchors: [],
  dynamicAnchor: undefined,
};

export function identify(schema: JsonObject, base: string, dialect: Dialect): Identification {
  if (refStandsAlone(dialect) && typeof memberOf(schema, "$ref") === "string") return ANONYMOUS;
  const declared = memberOf(schema, dialect === "4" ? "id" : "$id");
  const anchors: string[] = [];
  let uri: string | undefined;
  let unreadable = false;
  if (typeof declared === "string") {
    // Up to draft 7 an `$id` of only a fragment is a name for the schema and changes no base.
    if (declared.startsWith("#")) {
      if (declared.length > 1) anchors.push(declared.slice(1));
    } else {
      uri = resolveUri(declared, base)?.uri;
      unreadable = uri === undefined;
    }
  }
  for (const keyword of ["$anchor", "$dynamicAnchor"]) {
    const anchor = memberOf(schema, keyword);
    if (typeof anchor === "string") anchors.push(anchor);
  }
  const dynamic = memberOf(schema, "$dynamicAnchor");
  return { uri, unreadable, anchors, dynamicAnchor: typeof dynamic === "string" ? dynamic : undefined };
}

function resolveUri(
  reference: string,
  base: string,
): { readonly uri: string; readonly fragment: string } | undefined {
  if (Math.max(reference.length, base.length) > SCHEMA_URI_MAX_CHARS) return undefined;
  try {
    const url = new URL(reference, base);
    const fragment = url.hash.slice(1);
    url.hash = "";
    return { uri: url.href, fragment };
  } catch {
    return undefined;
  }
}

/** What a reference leads to, and the resource that it lies in. Nothing is ever fetched (MCP, basic: no network dereferencing). */
export function resolveReference(
  reference: string,
  from: Resource,
  resources: ReadonlyMap<string, Resource>,
): Result<{ readonly value: unknown; readonly resource: Resource }, FindingCode> {
  const local = reference.startsWith("#") || reference === "";
  const target = local ? { uri: from.uri, fragment: reference.slice(1) } : resolveUri(reference, from.uri);
  if (target === undefined) return fail("unresolved_ref");
  const resource = target.uri === from.uri ? from : resources.get(target.uri);
  if (resource === undefined) return fail("external_ref");
  const fragment = decodeFragment(target.fragment);
  if (fragment === undefined) return fail("unresolved_ref");
  const found =
    fragment === "" || fragment.startsWith("/")
      ? resolvePointer(resource.root, fragment)
      : resource.anchors.has(fragment)
        ? { value: resource.anchors.get(fragment) }
        : undefined;
  if (found === undefined || !(isRecord(found.value) || typeof found.value === "boolean"))
    return fail("unresolved_ref");
  return ok({ value: found.value, resource });
}
