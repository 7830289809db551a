import { isJsonArray, isRecord } from "../../json.ts";
import type { RedactedText, Redactor } from "../../scrub/redactor.ts";
import { decodeBase64 } from "./base64.ts";
import { type Carried, carriedBy } from "./carried.ts";
import { hasOddBytes } from "./loose-text.ts";
import { blobOf, isTextType, textOfBlob } from "./text-blob.ts";

/** A result without what looks like a secret, and how many there were. */
export interface RedactedResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly count: number;
}

/**
 * Takes secrets out of every string of a `tools/call` result. Pictures and the like are not text: what three letters of their
 * base64 happen to say means nothing, and a change would break them. A text in base64 (`resource.blob`) stays one.
 */
export function redactResult(result: Readonly<Record<string, unknown>>, redactor: Redactor): RedactedResult {
  const { content, ...others } = result;
  if (!isJsonArray(content)) {
    const { value, count } = redactor.value(result);
    return { result: isRecord(value) ? value : result, count };
  }
  const parts = content.map((part) => redactPart(part, redactor));
  const rest = redactor.value(others);
  const count = parts.reduce((sum, part) => sum + part.count, rest.count);
  if (count === 0) return { result, count };
  const members = Object.entries(result).map(([name, value]): [string, unknown] => [
    name,
    name === "content" ? parts.map((part) => part.value) : isRecord(rest.value) ? rest.value[name] : value,
  ]);
  return { result: Object.fromEntries(members), count };
}

function redactPart(part: unknown, redactor: Redactor): { readonly value: unknown; readonly count: number } {
  const carried = isRecord(part) ? carriedBy(part) : undefined;
  if (!isRecord(part) || carried === undefined || carried.isText || !isBinary(carried)) {
    return redactor.value(part);
  }
  const rest = redactor.value(carried.rest);
  const blob = redactedBlob(carried, redactor);
  const value = isRecord(rest.value) ? rest.value : carried.rest;
  const count = rest.count + (blob?.count ?? 0);
  if (count === 0) return { value: part, count };
  const { resource } = part;
  const redacted = value["resource"];
  return isRecord(resource)
    ? {
        value: {
          ...value,
          resource: { ...(isRecord(redacted) ? redacted : resource), blob: blob?.text ?? resource["blob"] },
        },
        count,
      }
    : { value: { ...value, data: blob?.text ?? part["data"] }, count };
}

function isBinary({ payload, kind }: Carried): boolean {
  if (typeof payload !== "string") return true;
  // No picture and no sound is so short; a token may well be base64.
  return (kind === "resource" || payload.length >= MEDIA_MIN_CHARS) && decodeBase64(payload).ok;
}

const MEDIA_MIN_CHARS = 100;

/** The text that a blob is, by what is said of it, redacted and in base64 again; undefined where nothing was found. */
function redactedBlob({ payload, mimeType }: Carried, redactor: Redactor): RedactedText | undefined {
  if (typeof payload !== "string") return undefined;
  const decoded = textOfBlob(payload, mimeType);
  if (decoded !== undefined) {
    const { text, count } = redactor.text(decoded);
    if (count > 0) return { text: blobOf(text), count };
    if (!hasOddBytes(decoded)) return undefined;
  } else if (mimeType !== undefined && !isTextType(mimeType)) return undefined;
  // A token that may be read as base64 is no text in it.
  const asIs = redactor.text(payload);
  return payload.length < MEDIA_MIN_CHARS && asIs.count > 0 ? asIs : undefined;
}
