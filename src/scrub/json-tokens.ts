import { numberEnd, startsNumber, stringEnd } from "../exact-json/tokens.ts";

/** Whether a text is a JSON object or array; a bare scalar is taken for plain text. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Rewrites the strings, keys among them, and the numbers of a JSON text, and leaves its layout. `rewrite` gives the new
 * string, or `undefined` for what stays as it is written; a number it sees as JavaScript writes it, and as it stands. Flat: the text may be nested as deeply as its length allows.
 */
export function rewriteJsonTokens(text: string, rewrite: (token: string) => string | undefined): string {
  const parts: string[] = [];
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charAt(at);
    const isString = unit === '"';
    if (!isString && !startsNumber(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const end = isString ? stringEnd(text, at) : numberEnd(text, at);
    const token = text.slice(at, end);
    const clean = isString
      ? rewrite(String(JSON.parse(token)))
      : (rewrite(String(Number(token))) ?? rewrite(token));
    if (clean !== undefined) {
      parts.push(text.slice(kept, at), JSON.stringify(clean));
      kept = end;
    }
    at = end;
  }
  return parts.join("") + text.slice(kept);
}
