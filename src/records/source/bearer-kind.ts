import { isJsonArray, memberOf } from "../../json.ts";

/** Kinds of bearers that a grant narrows. */
const CLIENT_KINDS: ReadonlySet<unknown> = new Set(["client", "mcp_package"]);
/** Under which names servers of different versions tell it. */
const KIND_MEMBERS = ["pdpp_token_kind", "token_kind", "kind"] as const;
/** Scopes that reach past every grant. */
const WIDE_SCOPE = /^(?:owner|operator)$/i;

/**
 * Whether a schema answer says that its bearer is anything but a client's: an owner's, an operator's, or of a kind that nobody
 * knows. One that says nothing of it says nothing against it either: what the bearer may read is the server's own to hold.
 */
export function deniesClient(body: unknown): boolean {
  const told = [memberOf(body, "bearer"), memberOf(memberOf(body, "data"), "bearer")];
  return told.some(
    (bearer) =>
      KIND_MEMBERS.some((name) => {
        const kind = memberOf(bearer, name) ?? null;
        return kind !== null && kind !== "" && !CLIENT_KINDS.has(kind);
      }) || scopesOf(bearer).some((scope) => WIDE_SCOPE.test(scope)),
  );
}

function scopesOf(bearer: unknown): readonly string[] {
  return [memberOf(bearer, "scope"), memberOf(bearer, "scopes")]
    .flatMap((value): readonly unknown[] => (isJsonArray(value) ? value : [value]))
    .flatMap((value) => (typeof value === "string" ? value.split(/[\s,]+/) : []));
}
