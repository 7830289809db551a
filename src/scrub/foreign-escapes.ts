import type { Span } from "./literal-matcher.ts";

/**
 * One escape as texts commonly wrap a character in: a backslash (JSON, and what else quotes so), percent-encoded UTF-8, an
 * HTML entity. Each alternative is bounded, so that a pass is linear.
 */
const ESCAPE =
  /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[^])|%(?:[0-7][0-9a-f]|[cd][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3})|&(?:amp|lt|gt|quot|apos|#0{0,4}[1-9]\d{0,6}|#x0{0,4}[1-9a-f][0-9a-f]{0,5});/gi;

const ESCAPE_MARK = /[\\%&]/;
/** The longest escape that a cut can leave behind incomplete, in characters. */
const ESCAPE_MAX_CHARS = 14;

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
  ["\\b", "\b"],
  ["\\f", "\f"],
]);
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** The text with one layer of escapes taken off, whatever their kinds; the text itself where it has none. */
export function unescapeOnce(text: string): string {
  return ESCAPE_MARK.test(text) ? text.replace(ESCAPE, meaning) : text;
}

/** Where spans of `unescapeOnce(text)`, in order and apart, stand in `text`: whole escapes, never a part of one. */
export function beforeUnescape(text: string, spans: readonly Span[]): Span[] {
  const edges = spans.flatMap(({ start, end }) => [start, end]);
  const mapped: number[] = [];
  /** How much longer the text is than what was read of it, up to here. */
  let surplus = 0;
  const settle = (until: number): void => {
    for (let edge = edges[mapped.length]; edge !== undefined && edge <= until; edge = edges[mapped.length])
      mapped.push(edge + surplus);
  };
  for (const match of text.matchAll(ESCAPE)) {
    if (mapped.length === edges.length) break;
    const at = match.index - surplus;
    const { length } = meaning(match[0]);
    settle(at);
    // An edge inside of what one escape means takes the whole escape in.
    for (let edge = edges[mapped.length]; edge !== undefined && edge < at + length;) {
      mapped.push(mapped.length % 2 === 0 ? match.index : match.index + match[0].length);
      edge = edges[mapped.length];
    }
    surplus += match[0].length - length;
  }
  settle(Number.POSITIVE_INFINITY);
  return spans.map((_, index) => ({ start: mapped[2 * index] ?? 0, end: mapped[2 * index + 1] ?? 0 }));
}

/** Where an escape may have begun that the text's end cut short. */
export function openEscapes(text: string): number[] {
  const from = Math.max(0, text.length - ESCAPE_MAX_CHARS);
  const tail = text.slice(from);
  return [...tail.matchAll(/[\\%&]/g)].map(({ index }) => from + index);
}

function meaning(escape: string): string {
  if (escape.startsWith("%")) return decodeURIComponentSafely(escape);
  if (escape.startsWith("&")) return entity(escape.slice(1, -1));
  if (escape.length > 2) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return CONTROLS.get(escape) ?? escape.slice(1);
}

function decodeURIComponentSafely(escape: string): string {
  try {
    return decodeURIComponent(escape);
  } catch {
    // Overlong and the like: no character.
    return escape;
  }
}

function entity(name: string): string {
  const named = ENTITIES.get(name.toLowerCase());
  if (named !== undefined) return named;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return Number.isInteger(code) && code <= 0x10_ffff ? String.fromCodePoint(code) : `&${name};`;
}
