import { unescapeOnce } from "./foreign-escapes.ts";
import { SCRUB_ESCAPE_LAYERS_COUNT, SCRUB_SECRET_MIN_CHARS } from "../limits.ts";
import type { Literal } from "./literal-matcher.ts";

/** How a secret stands in a text: as characters, or in the base64 of bytes that hold it. */
export type FormKind = "text" | "base64";

/**
 * The literals by which a secret is found in a text and in what is left of the text when its escapes are taken off, layer
 * by layer. What looks like an escape in the secret itself may be taken off with them, so it is looked for without too.
 */
export function formsOf(secret: string): Literal<FormKind>[] {
  const trimmed = secret.trim();
  const texts = new Set([secret, trimmed, trimmed.replaceAll(" ", "+")]);
  // A JSON number comes out as JavaScript writes it: without the digits that a double cannot hold.
  const number = /^-?\d+(?:\.\d+)?$/.test(trimmed) ? String(Number(trimmed)) : "";
  if (number.length >= SCRUB_SECRET_MIN_CHARS) texts.add(number);
  let bare = trimmed;
  for (let layer = 0; layer < SCRUB_ESCAPE_LAYERS_COUNT; layer += 1) {
    bare = unescapeOnce(bare);
    if (bare.trim().length >= SCRUB_SECRET_MIN_CHARS) texts.add(bare);
  }
  const encoded = new Set(base64Forms(trimmed));
  return [
    ...[...texts].map((text) => ({ text, kind: "text" as const })),
    ...[...encoded].map((text) => ({ text, kind: "base64" as const })),
  ];
}

/**
 * The characters of base64 and base64url (RFC 4648) that the secret's bytes decide alone, at each of the three places that
 * a byte can have in a group. Where the neighbours decide with them, at most six bits stay.
 */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const padded = "\0".repeat(before) + String.fromCharCode(...bytes);
    const whole = Math.floor((padded.length * 8) / 6);
    const form = btoa(padded).slice(Math.ceil((before * 8) / 6), whole);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
