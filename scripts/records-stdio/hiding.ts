const INSTEAD = "[bearer]";

/**
 * What takes a bearer out of text that somebody else wrote, also where the escapes of JSON spell it; all else stays as it
 * was written. A bearer has letters, digits and `-._~+/=` (RFC 6750 §2.1).
 */
export function hiding(bearer: string): (text: string) => string {
  const spelt = Array.from(bearer, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    const anyCase = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:${/\w/.test(char) ? char : `\\\\?\\${char}`}|\\\\u${anyCase})`;
  });
  const pattern = new RegExp(spelt.join(""), "g");
  return (text) => text.replaceAll(pattern, INSTEAD);
}
