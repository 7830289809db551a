import { beforeUnescape, openEscapes, unescapeOnce } from "./foreign-escapes.ts";
import { isExactNumber } from "../exact-json/exact-number.ts";
import { isRecord } from "../json.ts";
import { isJsonText, rewriteJsonTokens } from "./json-tokens.ts";
import { SCRUB_ESCAPE_LAYERS_COUNT, SCRUB_MAX_DEPTH, SCRUB_SECRET_MIN_CHARS } from "../limits.ts";
import { LiteralMatcher, type Span } from "./literal-matcher.ts";
import { type FormKind, formsOf } from "./scrub-forms.ts";

/** Takes every configured secret out of what leaves the Worker or is stored: definitions, answers, artifacts, the log. */
export interface Scrubber {
  /** A JSON object or array stays one. */
  readonly text: (text: string) => string;
  /**
   * A text scrubbed and then cut, at `maxChars` or before: neither this cut nor one that was made before leaves the
   * beginning of a secret, of `SCRUB_SECRET_MIN_CHARS` or more, at the end.
   */
  readonly cut: (text: string, maxChars: number) => string;
  /**
   * The same JSON value with every string, key and number of it scrubbed; the value itself where nothing was found. What
   * is nested deeper than `SCRUB_MAX_DEPTH` is replaced whole.
   */
  readonly value: (value: unknown) => unknown;
  readonly record: (value: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** What stands in a secret's place. */
export const SCRUBBED = "[REDACTED-SECRET]";

/** What stands in its place in base64, as long as what it replaces: a blob that no longer decodes breaks clients. */
const SCRUBBED_BASE64 = "REDACTED";

type Matcher = LiteralMatcher<FormKind>;
type FoundSpan = Span & { readonly kind: FormKind };

/**
 * A scrubber for these values. Each is found as it is, under up to `SCRUB_ESCAPE_LAYERS_COUNT` layers of escapes of any
 * kinds (JSON, percent-encoding, HTML entities), and in base64. A text is read once for all secrets, and once more for
 * each layer of escapes it has.
 */
export function createScrubber(secrets: Iterable<string | undefined>): Scrubber {
  const known = [...secrets].filter((secret) => secret !== undefined);
  const long = known.filter((secret) => secret.trim().length >= SCRUB_SECRET_MIN_CHARS);
  if (long.length === 0) return NOTHING_TO_SCRUB;
  const matcher = new LiteralMatcher(long.flatMap((secret) => formsOf(secret)));
  const text = (value: string): string => scrubText(value, matcher);
  return {
    text,
    cut: (value, maxChars) => withoutOpenSecret(text(value).slice(0, maxChars), matcher),
    value: (value) => walk(value, text, 0),
    record: (value) => walkRecord(value, text, 0),
  };
}

const NOTHING_TO_SCRUB: Scrubber = {
  text: (text) => text,
  cut: (text, maxChars) => text.slice(0, maxChars),
  value: (value) => value,
  record: (value) => value,
};

function scrubText(text: string, matcher: Matcher): string {
  const spans = find(text, matcher).spans;
  if (spans.length === 0) return text;
  if (!isJsonText(text)) return replaced(text, spans);
  const clean = rewriteJsonTokens(text, (token) => {
    const scrubbed = scrubText(token, matcher);
    return scrubbed === token ? undefined : scrubbed;
  });
  // A secret made of JSON's own marks stands in no token: the secret counts for more than the JSON.
  return replaced(
    clean,
    find(clean, matcher).spans.map((span) => wholeEscapes(clean, span)),
  );
}

/** All places of secrets in a text, in all layers of its escapes; and how much of its end may be a secret's beginning. */
function find(
  text: string,
  matcher: Matcher,
): { readonly spans: readonly FoundSpan[]; readonly tail: number } {
  const layers = [text];
  let spans: readonly FoundSpan[] = [];
  let tail = 0;
  for (let layer = text; ;) {
    const scan = matcher.scan(layer);
    spans = union(spans, toOutermost(scan.spans, layers));
    if (scan.tail >= SCRUB_SECRET_MIN_CHARS) {
      const open = { start: layer.length - scan.tail, end: layer.length, kind: "text" as const };
      for (const { start } of toOutermost([open], layers)) tail = Math.max(tail, text.length - start);
    }
    if (layers.length > SCRUB_ESCAPE_LAYERS_COUNT) break;
    const next = unescapeOnce(layer);
    if (next === layer) break;
    layers.push(next);
    layer = next;
  }
  return { spans, tail };
}

/** Spans of the last layer as spans of the first. */
function toOutermost(spans: readonly FoundSpan[], layers: readonly string[]): FoundSpan[] {
  if (spans.length === 0) return [];
  const mapped = layers
    .slice(0, -1)
    .reduceRight<readonly Span[]>((inner, layer) => beforeUnescape(layer, inner), spans);
  return spans.map(({ kind, start, end }, index) => ({ start, end, ...mapped[index], kind }));
}

function union(left: readonly FoundSpan[], right: readonly FoundSpan[]): readonly FoundSpan[] {
  if (left.length === 0 || right.length === 0) return left.length === 0 ? right : left;
  const merged: FoundSpan[] = [];
  for (const span of [...left, ...right].sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
  }
  return merged;
}

function replaced(text: string, spans: readonly FoundSpan[]): string {
  let clean = "";
  let kept = 0;
  for (const { start, end, kind } of spans) {
    if (end <= kept) continue;
    const from = Math.max(start, kept);
    clean += text.slice(kept, from) + (kind === "text" ? SCRUBBED : base64Filler(end - from));
    kept = end;
  }
  return clean + text.slice(kept);
}

function base64Filler(length: number): string {
  return SCRUBBED_BASE64.repeat(Math.ceil(length / SCRUBBED_BASE64.length)).slice(0, length);
}

/** Takes a backslash in whose escape the span begins or ends into it: half an escape is no JSON. */
function wholeEscapes(text: string, span: FoundSpan): FoundSpan {
  const start = isEscaped(text, span.start) ? span.start - 1 : span.start;
  return { ...span, start, end: isEscaped(text, span.end) ? span.end + 1 : span.end };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charAt(at - slashes - 1) === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Drops an end that is a secret's beginning, also one whose last escape is incomplete; then what stands at the end. */
function withoutOpenSecret(cut: string, matcher: Matcher): string {
  let text = cut;
  for (;;) {
    const ends = [text.length, ...openEscapes(text)];
    const starts = ends.flatMap((end) => {
      const { tail } = find(text.slice(0, end), matcher);
      return tail === 0 ? [] : [end - tail];
    });
    if (starts.length === 0) return text;
    text = text.slice(0, Math.min(...starts));
  }
}

function walk(value: unknown, clean: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") {
    const written = String(value);
    const scrubbed = clean(written);
    return scrubbed === written ? value : scrubbed;
  }
  if (isExactNumber(value)) {
    // As JavaScript writes it, and as it stands: either may be a secret's text.
    const found = [String(Number(value.text)), value.text].find((written) => clean(written) !== written);
    return found === undefined ? value : clean(found);
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth > SCRUB_MAX_DEPTH) return SCRUBBED;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const copy = items.map((item) => walk(item, clean, depth + 1));
    return copy.some((item, index) => item !== items[index]) ? copy : value;
  }
  return isRecord(value) ? walkRecord(value, clean, depth) : value;
}

function walkRecord(
  value: Readonly<Record<string, unknown>>,
  clean: (text: string) => string,
  depth: number,
): Readonly<Record<string, unknown>> {
  let changed = false;
  const copy = Object.entries(value).map(([key, member]): [string, unknown] => {
    const entry: [string, unknown] = [clean(key), walk(member, clean, depth + 1)];
    changed ||= entry[0] !== key || entry[1] !== member;
    return entry;
  });
  return changed ? Object.fromEntries(copy) : value;
}
