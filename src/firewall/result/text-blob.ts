import { isRecord } from "../../json.ts";
import type { Scrubber } from "../../scrub/scrub.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { beginsAsText, looseBytes, looseText } from "./loose-text.ts";

/** Media types of texts, as they begin; some servers send every file as bytes. */
const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|csv|x-(?:ndjson|yaml|toml|sh|www-form-urlencoded)|ndjson|jsonl|javascript|sql)\s*(?:;|$)|[\w.-]+\/[\w.-]+\+(?:json|xml|yaml)\s*(?:;|$))/i;

/** Whether what is of this type is a text. */
export function isTextType(mimeType: unknown): boolean {
  return typeof mimeType === "string" && TEXTUAL.test(mimeType.trim());
}

/**
 * The text that a blob in base64 is, by its type and by how it begins, or by that alone where it has none; else undefined. Bytes
 * that are no UTF-8 are in it as `LooseDecoder` has them.
 */
export function textOfBlob(blob: string, mimeType: unknown): string | undefined {
  const isSaid = isTextType(mimeType);
  if (mimeType !== undefined && !isSaid) return undefined;
  const bytes = decodeBase64(blob);
  if (!bytes.ok || !beginsAsText(bytes.value, isSaid)) return undefined;
  return looseText(bytes.value);
}

/** Such a text as a blob (RFC 4648 §4). */
export function blobOf(text: string): string {
  return encodeBase64(looseBytes(text));
}

/**
 * Resource contents without configured secrets in their blob, where that is a text: which stays one, so that a redactor can
 * read it. Scrubbed as base64 it would be text no more. Anything else as it is.
 */
export function withScrubbedBlob(resource: unknown, scrubber: Pick<Scrubber, "text">): unknown {
  if (!isRecord(resource)) return resource;
  const { blob, mimeType } = resource;
  const text = typeof blob === "string" ? textOfBlob(blob, mimeType) : undefined;
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
