import {
  SEARCH_SNIPPET_MAX_CHARS,
  SEARCH_SNIPPET_MAX_WORDS,
  SEARCH_SNIPPET_PLACES_MAX_COUNT,
} from "../../../limits/records.ts";
import { BEGINNING, documentTerms } from "../../search/terms.ts";

export interface Snippet {
  /**
   * About `SEARCH_SNIPPET_MAX_WORDS` words of the original around the place where most of the words stand, each found word
   * between `<mark>` and `</mark>`. These are the only such tags: the `<` of one in the original is written `&lt;`.
   */
  readonly text: string;
  /** How many different words stand together there. */
  readonly found: number;
}

interface Place {
  readonly word: string;
  /** Which word of the text it is. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** The begin of a tag that reads like ours. */
const MARK_TAG = /<(?=\/?mark(?![a-z0-9]))/giu;

/** `words` are terms as `askedTerm` gives them. Text without any of them gives its beginning. */
export function snippetOf(text: string, words: ReadonlySet<string>): Snippet {
  const starts: number[] = [];
  const places: Place[] = [];
  const latest = new Map<string, number>();
  let isEnough = false;
  let lastNeeded = 0;
  const beginnings = [...words].filter((word) => word.endsWith(BEGINNING)).map((word) => word.slice(0, -1));
  for (const { term, start, end, signEnd = end } of documentTerms(text)) {
    const index = starts.push(start) - 1;
    if (isEnough && index > lastNeeded) break;
    const begun = beginnings.find((beginning) => term.startsWith(beginning));
    const isWhole = words.has(term);
    if (!isWhole && begun === undefined) continue;
    const word = isWhole ? term : `${begun}${BEGINNING}`;
    places.push({ word, index, start, end: isWhole ? end : signEnd });
    if (isEnough) continue;
    latest.set(word, index);
    lastNeeded = index + SEARCH_SNIPPET_MAX_WORDS;
    // No later stretch is better than the first one with all of the words.
    isEnough =
      places.length === SEARCH_SNIPPET_PLACES_MAX_COUNT ||
      (latest.size === words.size && Math.min(...latest.values()) > index - SEARCH_SNIPPET_MAX_WORDS);
  }
  const { first, last, found } = bestOf(places);
  const spare = SEARCH_SNIPPET_MAX_WORDS - (last - first + 1);
  const from = Math.max(0, Math.min(first - Math.floor(spare / 2), starts.length - SEARCH_SNIPPET_MAX_WORDS));
  const begin = from === 0 ? 0 : (starts[from] ?? 0);
  const next = starts[from + SEARCH_SNIPPET_MAX_WORDS];
  const end = next === undefined ? text.length : begin + text.slice(begin, next).trimEnd().length;
  const place = places.find(({ index }) => index === first);
  return { text: marked(text, withinChars(text, begin, end, place), places), found };
}

/** The stretch of a snippet's words in which most different words stand, the earliest of equals. */
function bestOf(places: readonly Place[]): {
  readonly first: number;
  readonly last: number;
  readonly found: number;
} {
  let best = { first: 0, last: 0, found: 0 };
  const counts = new Map<string, number>();
  let from = 0;
  for (const { word, index } of places) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    while ((places[from]?.index ?? index) <= index - SEARCH_SNIPPET_MAX_WORDS) {
      const left = places[from]?.word ?? word;
      const count = (counts.get(left) ?? 0) - 1;
      if (count === 0) counts.delete(left);
      else counts.set(left, count);
      from += 1;
    }
    if (counts.size > best.found)
      best = { first: places[from]?.index ?? index, last: index, found: counts.size };
  }
  return best;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A stretch cut down to its bound, around the place that it is shown for, and never inside a code point. */
function withinChars(text: string, start: number, end: number, place: Span | undefined): Span {
  if (end - start <= SEARCH_SNIPPET_MAX_CHARS) return { start, end };
  const before = Math.floor(SEARCH_SNIPPET_MAX_CHARS / 4);
  const from = Math.max(start, Math.min((place?.start ?? start) - before, end - SEARCH_SNIPPET_MAX_CHARS));
  const to = from + SEARCH_SNIPPET_MAX_CHARS;
  return { start: from + Number(isInPair(text, from)), end: to - Number(isInPair(text, to)) };
}

function isInPair(text: string, offset: number): boolean {
  return offset > 0 && offset < text.length && (text.codePointAt(offset - 1) ?? 0) > 0xff_ff;
}

function marked(text: string, { start, end }: Span, places: readonly Place[]): string {
  const parts: string[] = [];
  let at = start;
  for (const span of unitedSpans(places, start, end)) {
    parts.push(...unlike(text, at, span.start), "<mark>", ...unlike(text, span.start, span.end), "</mark>");
    at = span.end;
  }
  return [...parts, ...unlike(text, at, end)].join("");
}

/** Neighbouring signs of a script without spaces are found by overlapping pairs: one mark for all of them. */
function unitedSpans(places: readonly Place[], start: number, end: number): readonly Span[] {
  const spans: Span[] = [];
  for (const place of places) {
    const span = { start: Math.max(place.start, start), end: Math.min(place.end, end) };
    if (span.start >= span.end) continue;
    const before = spans.at(-1);
    if (before === undefined || before.end < span.start) spans.push(span);
    else spans[spans.length - 1] = { start: before.start, end: span.end };
  }
  return spans;
}

/** A piece of the text in which no tag reads like ours, also where the piece ends within the tag. */
function unlike(text: string, start: number, end: number): readonly string[] {
  const tail = text.slice(end, end + MARK_TAIL_CHARS);
  const piece = text.slice(start, end);
  const safe = (piece + tail).replace(MARK_TAG, (sign, offset: number) =>
    offset < piece.length ? "&lt;" : sign,
  );
  return [safe.slice(0, safe.length - tail.length)];
}

/** What decides whether a `<` begins such a tag: `/mark` and the sign after it. */
const MARK_TAIL_CHARS = 6;
