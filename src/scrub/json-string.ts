/** How far the content of a JSON string goes that may not be all there. */
export interface StringContent {
  /** Where its closing quote stands, or where it goes on; before an escape that is not all there. */
  readonly end: number;
  /** `faulty`: with a control character, which no string of JSON holds as it is. */
  readonly state: "closed" | "open" | "faulty";
  readonly hasEscapes: boolean;
}

const SPECIAL = /["\\\p{Cc}]/gu;
const LAST_REFUSED = "\u001f";

/** Reads a string's content on from `from`, which is inside no escape. */
export function stringContent(text: string, from: number): StringContent {
  let hasEscapes = false;
  for (let at = from; ;) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (found === null) return { end: text.length, state: "open", hasEscapes };
    const { index } = found;
    const [unit] = found;
    if (unit === '"') return { end: index, state: "closed", hasEscapes };
    if (unit <= LAST_REFUSED) return { end: index, state: "faulty", hasEscapes };
    hasEscapes ||= unit === "\\";
    at = index + (unit === "\\" ? (text.charAt(index + 1) === "u" ? 6 : 2) : 1);
    if (at > text.length) return { end: index, state: "open", hasEscapes };
  }
}

/** What a string token of JSON, quotes and all, says; undefined where it is none. */
export function decodedString(token: string): string | undefined {
  try {
    const text: unknown = JSON.parse(token);
    return typeof text === "string" ? text : undefined;
  } catch {
    // An escape that JSON does not know.
    return undefined;
  }
}

const ESCAPE = /\\(["\\/bfnrt]|u[\da-fA-F]{4})?/g;

/** How much of a string's content there is before an escape that JSON does not know. */
export function decodableLength(content: string): number {
  for (const { index, 1: known } of content.matchAll(ESCAPE)) if (known === undefined) return index;
  return content.length;
}
