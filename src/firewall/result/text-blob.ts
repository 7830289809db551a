import { isRecord } from "../../json.ts";
import type { Scrubber } from "../../scrub/scrub.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";

/** Media types of texts, as they begin. */
const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|csv|x-(?:ndjson|yaml|toml|sh|www-form-urlencoded)|ndjson|jsonl|javascript|sql)\s*(?:;|$)|[\w.-]+\/[\w.-]+\+(?:json|xml|yaml)\s*(?:;|$))/i;

/** Whether a blob of this type may be a text: one that says nothing of itself may be. */
export function maybeText(mimeType: unknown): boolean {
  return mimeType === undefined || (typeof mimeType === "string" && TEXTUAL.test(mimeType.trim()));
}

/** The text that a blob in base64 is, by its bytes, to the last one; else undefined. */
export function textOfBlob(blob: string): string | undefined {
  const bytes = decodeBase64(blob);
  if (!bytes.ok) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.value);
  } catch {
    return undefined;
  }
}

/** A text as a blob (RFC 4648 §4). */
export function blobOf(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

/**
 * Resource contents without configured secrets in their blob, where that is a text: which stays one, so that a redactor can
 * read it. Scrubbed as base64 it would be text no more. Anything else as it is.
 */
export function withScrubbedBlob(resource: unknown, scrubber: Pick<Scrubber, "text">): unknown {
  if (!isRecord(resource)) return resource;
  const { blob, mimeType } = resource;
  const text = typeof blob === "string" && maybeText(mimeType) ? textOfBlob(blob) : undefined;
  if (text === undefined) return resource;
  const scrubbed = scrubber.text(text);
  return scrubbed === text ? resource : { ...resource, blob: blobOf(scrubbed) };
}

/** The same of a content part with an embedded resource (MCP 2025-11-25, "Embedded Resources"). */
export function withScrubbedResource(part: unknown, scrubber: Pick<Scrubber, "text">): unknown {
  if (!isRecord(part) || part["type"] !== "resource") return part;
  const { resource } = part;
  const scrubbed = withScrubbedBlob(resource, scrubber);
  return scrubbed === resource ? part : { ...part, resource: scrubbed };
}
