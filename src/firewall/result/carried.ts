import { isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import type { Part } from "./tool-result.ts";

/** A part that carries something which can stand in an artifact of its own. */
export interface Carried {
  readonly kind: string;
  readonly name: unknown;
  readonly mimeType: unknown;
  /** A text, or base64; or what stands for either, decoded, where it was too large to hold. */
  readonly payload: string | LargePayload;
  readonly isText: boolean;
  /** The part without the payload. */
  readonly rest: Part;
}

/** Of a payload that is in the store, whatever the part says of what it was meant to be. */
const MEDIA_TYPES = { json: "application/json", text: "text/plain" } as const;

/** What an image, an audio part or an embedded resource carries; any part, where the whole of it was too large to hold. */
export function carriedBy(part: Part): Carried | undefined {
  const kind = String(part["type"]);
  if (kind === "image" || kind === "audio") {
    const { data, ...rest } = part;
    if (!isPayload(data)) return undefined;
    return { kind, name: part["name"], mimeType: part["mimeType"], payload: data, isText: false, rest };
  }
  const resource = part["resource"];
  if (kind === "resource" && isRecord(resource)) return carriedByResource(part, resource);
  const payload = part["payload"];
  if (!(payload instanceof LargePayload)) return undefined;
  const { payload: _, ...rest } = part;
  return {
    kind,
    name: part["name"] ?? part["uri"],
    mimeType: payload.form === "bytes" ? part["mimeType"] : MEDIA_TYPES[payload.form],
    payload,
    isText: payload.form !== "bytes",
    rest,
  };
}

function carriedByResource(part: Part, resource: Readonly<Record<string, unknown>>): Carried | undefined {
  const isText = isPayload(memberOf(resource, "text"));
  const carrier = isText ? "text" : "blob";
  const payload = memberOf(resource, carrier);
  if (!isPayload(payload)) return undefined;
  const beside = Object.entries(resource).filter(([key]) => key !== carrier);
  return {
    kind: "resource",
    name: memberOf(resource, "uri") ?? memberOf(resource, "name"),
    mimeType: memberOf(resource, "mimeType"),
    payload,
    isText,
    rest: { ...part, resource: Object.fromEntries(beside) },
  };
}

function isPayload(value: unknown): value is string | LargePayload {
  return typeof value === "string" || value instanceof LargePayload;
}
