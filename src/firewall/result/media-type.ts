import { MEDIA_TYPE_MAX_CHARS } from "../../limits.ts";

/** RFC 6838 §4.2: a type and a subtype; parameters are left out. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** A media type that an upstream named, as one word without parameters; `otherwise` where it is none. */
export function cleanMediaType(value: unknown, otherwise: string): string {
  if (typeof value !== "string" || value.length > 2 * MEDIA_TYPE_MAX_CHARS) return otherwise;
  const [type = ""] = value.toLowerCase().split(";", 1);
  const trimmed = type.trim();
  return trimmed.length <= MEDIA_TYPE_MAX_CHARS && MEDIA_TYPE.test(trimmed) ? trimmed : otherwise;
}
