import { beforeUnescape, openEscapes, unescapeOnce } from "./foreign-escapes.ts";
import { SCRUB_ESCAPE_LAYERS_COUNT, SCRUB_SECRET_MIN_CHARS } from "../limits.ts";
import type { LiteralMatcher, Span } from "./literal-matcher.ts";
import type { FormKind } from "./scrub-forms.ts";

/** What stands in a secret's place. */
export const SCRUBBED = "[REDACTED-SECRET]";

/** What stands in its place in base64, as long as what it replaces: a blob that no longer decodes breaks clients. */
const SCRUBBED_BASE64 = "REDACTED";

export type SecretMatcher = LiteralMatcher<FormKind>;
export type FoundSpan = Span & { readonly kind: FormKind };

/** All places of secrets in a text, in all layers of its escapes; and how much of its end may be a secret's beginning. */
export function findSecrets(
  text: string,
  matcher: SecretMatcher,
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

export function replaced(text: string, spans: readonly FoundSpan[]): string {
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
export function wholeEscapes(text: string, span: FoundSpan): FoundSpan {
  const start = isEscaped(text, span.start) ? span.start - 1 : span.start;
  return { ...span, start, end: isEscaped(text, span.end) ? span.end + 1 : span.end };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charAt(at - slashes - 1) === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Drops an end that is a secret's beginning, also one whose last escape is incomplete; then what stands at the end. */
export function withoutOpenSecret(cut: string, matcher: SecretMatcher): string {
  let text = cut;
  for (;;) {
    const ends = [text.length, ...openEscapes(text)];
    const starts = ends.flatMap((end) => {
      const { tail } = findSecrets(text.slice(0, end), matcher);
      return tail === 0 ? [] : [end - tail];
    });
    if (starts.length === 0) return text;
    text = text.slice(0, Math.min(...starts));
  }
}
