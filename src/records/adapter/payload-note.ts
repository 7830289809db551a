import { memberOf } from "../../json.ts";
import { RECORD_ENCODED_MIN_CHARS } from "../../limits.ts";
import { oneLine } from "./line.ts";
import { numberText } from "./notes.ts";
import { textAt } from "./schema/document.ts";

/** What a line says of bytes in base64 and of a reference to a blob; undefined for anything else. */
export function payloadNote(value: unknown): string | undefined {
  if (typeof value === "string") return isEncoded(value) ? `<base64, ${value.length} chars>` : undefined;
  if (textAt(value, "blob_id") === null) return undefined;
  const type = textAt(value, "mime_type");
  const size = numberText(memberOf(value, "size_bytes"));
  const parts = [
    "blob",
    ...(type === null ? [] : [oneLine(type, MEDIA_TYPE_MAX_CHARS)]),
    ...(size === undefined ? [] : [`${size} bytes`]),
  ];
  return `<${parts.join(", ")}>`;
}

const MEDIA_TYPE_MAX_CHARS = 60;

/** Either alphabet (RFC 4648 §4, §5), with the line breaks of a mail (RFC 2045 §6.8) or as an address of its own (RFC 2397). */
const ENCODED = /^[A-Za-z0-9+/_\r\n-]+={0,2}$/;
const ENCODED_ADDRESS = /^data:[\w.+/;=-]{0,120};base64,/;

function isEncoded(text: string): boolean {
  if (text.length <= RECORD_ENCODED_MIN_CHARS) return false;
  return ENCODED_ADDRESS.test(text) || ENCODED.test(text.trimEnd());
}
