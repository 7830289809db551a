import { isRecord } from "./json.ts";
import { SCRUB_SECRET_MIN_CHARS } from "./limits.ts";

/** Takes the exact value of every configured secret out of what leaves the Worker: answers, artifacts and log lines. */
export interface Scrubber {
  text(text: string): string;
  /** The same JSON value with every string and every key of it scrubbed; the value itself where nothing was found. */
  value(value: unknown): unknown;
  record(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** What stands in a secret's place. */
export const SCRUBBED = "[REDACTED-SECRET]";

/**
 * A scrubber for these values. Besides a value itself it knows the forms that text commonly wraps it in: escaped as in a
 * JSON string, once and twice (an answer quoted inside another), and percent-encoded as in a URL. Longer values first,
 * so that a secret that contains another is not left half standing.
 */
export function createScrubber(secrets: Iterable<string | undefined>): Scrubber {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.trim().length < SCRUB_SECRET_MIN_CHARS) continue;
    for (const form of formsOf(secret)) forms.add(form);
  }
  const needles = [...forms].sort((left, right) => right.length - left.length);
  const text = (value: string): string => {
    let clean = value;
    for (const needle of needles)
      if (clean.includes(needle)) clean = clean.replaceAll(needle, () => SCRUBBED);
    return clean;
  };
  return {
    text,
    value: (value) => (needles.length === 0 ? value : walk(value, text)),
    record: (value) => (needles.length === 0 ? value : walkRecord(value, text)),
  };
}

function formsOf(secret: string): string[] {
  const trimmed = secret.trim();
  const escaped = inJson(trimmed);
  const forms = [secret, trimmed, escaped, inJson(escaped)];
  // A lone surrogate has no percent-encoding.
  if (!/\p{Surrogate}/u.test(trimmed)) forms.push(encodeURIComponent(trimmed));
  return forms;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Copies only what changes. Depth is bounded where results come in, so recursion is safe here. */
function walk(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const copy = items.map((item) => walk(item, clean));
    return copy.some((item, index) => item !== items[index]) ? copy : value;
  }
  return isRecord(value) ? walkRecord(value, clean) : value;
}

function walkRecord(
  value: Readonly<Record<string, unknown>>,
  clean: (text: string) => string,
): Readonly<Record<string, unknown>> {
  let changed = false;
  const copy = Object.entries(value).map(([key, member]): [string, unknown] => {
    const entry: [string, unknown] = [clean(key), walk(member, clean)];
    changed ||= entry[0] !== key || entry[1] !== member;
    return entry;
  });
  return changed ? Object.fromEntries(copy) : value;
}
