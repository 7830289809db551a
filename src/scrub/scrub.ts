import { isExactNumber } from "../exact-json/exact-number.ts";
import { isRecord } from "../json.ts";
import { isJsonText, rewriteJsonTokens } from "./json-tokens.ts";
import { SCRUB_MAX_DEPTH, SCRUB_SECRET_MIN_CHARS } from "../limits.ts";
import { LiteralMatcher } from "./literal-matcher.ts";
import { formsOf } from "./scrub-forms.ts";
import { scrubStream, type TextFilter, UNFILTERED } from "./scrub-stream.ts";
import {
  findSecrets,
  replaced,
  SCRUBBED,
  type SecretMatcher,
  withoutOpenSecret,
  wholeEscapes,
} from "./secret-places.ts";

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
  /** For a text that comes in pieces and is too large to hold. */
  readonly stream: () => TextFilter;
}

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
    stream: () => scrubStream(matcher),
  };
}

const NOTHING_TO_SCRUB: Scrubber = {
  text: (text) => text,
  cut: (text, maxChars) => text.slice(0, maxChars),
  value: (value) => value,
  record: (value) => value,
  stream: () => UNFILTERED,
};

function scrubText(text: string, matcher: SecretMatcher): string {
  const spans = findSecrets(text, matcher).spans;
  if (spans.length === 0) return text;
  if (!isJsonText(text)) return replaced(text, spans);
  const clean = rewriteJsonTokens(text, (token) => {
    const scrubbed = scrubText(token, matcher);
    return scrubbed === token ? undefined : scrubbed;
  });
  // A secret made of JSON's own marks stands in no token: the secret counts for more than the JSON.
  return replaced(
    clean,
    findSecrets(clean, matcher).spans.map((span) => wholeEscapes(clean, span)),
  );
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
