import { memberOf, parsedJson } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { AdapterProblem } from "./answers.ts";

/** Which record: its key is any text. */
export interface RecordRef {
  readonly connectionId: string | null;
  readonly stream: string;
  readonly key: string;
}

/**
 * `connection/stream:record`, each part percent-encoded, so that any character of a key survives and no part can be read as a
 * path. What JavaScript leaves alone but a path does not (`.`) is encoded where a part is nothing else.
 */
export function recordId({ connectionId, stream, key }: RecordRef): string {
  const record = `${part(stream)}:${part(key)}`;
  return connectionId === null ? record : `${part(connectionId)}/${record}`;
}

function part(text: string): string {
  const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}

const HANDLE = "pdpp://record/";

/**
 * Reads an id: as `recordId` writes it, or in its older forms: parts that are not encoded, without a connection, or
 * `pdpp://record/` and base64url of JSON.
 */
export function parseRecordId(id: string): Result<RecordRef, AdapterProblem> {
  const ref = id.startsWith(HANDLE) ? fromHandle(id.slice(HANDLE.length)) : fromParts(id);
  const names =
    ref === undefined ? [] : [ref.stream, ...(ref.connectionId === null ? [] : [ref.connectionId])];
  const isWhole = names.length > 0 && ref?.key !== "" && names.every((name) => !/^\.{0,2}$/.test(name));
  if (ref !== undefined && isWhole) return ok(ref);
  return fail({
    code: "invalid_request",
    message:
      "id is none that search or query_records gives: connection/stream:record, each part percent-encoded.",
    param: "id",
  });
}

function fromParts(id: string): RecordRef | undefined {
  const slash = id.indexOf("/");
  const hasConnection = slash >= 0 && slash < id.indexOf(":");
  const rest = hasConnection ? id.slice(slash + 1) : id;
  const colon = rest.indexOf(":");
  if (colon < 0) return undefined;
  return {
    connectionId: hasConnection ? decoded(id.slice(0, slash)) : null,
    stream: decoded(rest.slice(0, colon)),
    key: decoded(rest.slice(colon + 1)),
  };
}

/** A text that is no percent-encoding stands for itself: it comes from a time when nothing was encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fromHandle(handle: string): RecordRef | undefined {
  let value: unknown;
  try {
    const binary = atob(handle.replaceAll("-", "+").replaceAll("_", "/"));
    value = parsedJson(new TextDecoder().decode(Uint8Array.from(binary, (unit) => unit.charCodeAt(0))));
  } catch {
    return undefined;
  }
  const [stream, key, connectionId] = ["stream", "record_id", "connection_id"].map((name) =>
    memberOf(value, name),
  );
  const isKnown = memberOf(value, "v") === 1 && memberOf(value, "kind") === "record";
  if (!isKnown || typeof stream !== "string" || typeof key !== "string") return undefined;
  return { connectionId: typeof connectionId === "string" ? connectionId : null, stream, key };
}
