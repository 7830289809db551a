import {
  REDACT_JSON_LAYERS_COUNT,
  REDACT_STREAM_CONTEXT_CHARS,
  REDACT_STREAM_REACH_CHARS,
  REDACT_STREAM_STEP_CHARS,
  REDACT_STREAM_WINDOW_CHARS,
} from "../limits.ts";
import { JsonRedaction } from "./json-redaction.ts";
import { HiddenStream } from "./hidden-stream.ts";
import { type Regard, regardOfMember } from "./member-hiding.ts";
import type { RedactingFilter, StringRedaction } from "./redaction.ts";
import { LineStream, redactLines } from "./redact-lines.ts";
import { SCRUBBED } from "./secret-places.ts";
import { type RedactedText, redactSecrets, secretsIn, withoutSecrets } from "./secret-shapes.ts";

const BEGINS_AS_JSON = /^\s*[[{]/;

/** Whether a text may be JSON; one that begins with more space than is held is none. */
function beginsAsJson(text: string): boolean {
  return BEGINS_AS_JSON.test(text) && text.search(/\S/) < REDACT_STREAM_REACH_CHARS;
}

/** The strings of JSON in `layer` strings of JSON. */
function stringsOf(layer: number): StringRedaction {
  return {
    whole: (text) => redactText(text, layer),
    inPieces: (isCursor) => (isCursor ? new PlainStream(true) : redactStream(layer)),
  };
}

const LAYERS = Array.from({ length: REDACT_JSON_LAYERS_COUNT + 1 }, (_, layer) => stringsOf(layer));

/** A text: one or more JSON objects or arrays as such, all else as a plain text. `layer` strings of JSON are around it. */
export function redactText(text: string, layer = 0): RedactedText {
  const strings = LAYERS[layer + 1];
  if (strings === undefined || !beginsAsJson(text)) return redactPlain(text);
  const json = new JsonRedaction(strings, Number.POSITIVE_INFINITY);
  const clean = json.push(text) + json.end();
  return json.fault ? redactBroken(text, strings) : { text: clean, count: json.count };
}

/** JSON up to a fault, and a plain text behind the last step before it: what comes in pieces goes the same way. */
function redactBroken(text: string, strings: StringRedaction): RedactedText {
  const json = new JsonRedaction(strings, REDACT_STREAM_REACH_CHARS);
  let clean = "";
  let at = 0;
  for (; at < text.length && !json.fault; at += REDACT_STREAM_STEP_CHARS)
    clean += json.push(text.slice(at, at + REDACT_STREAM_STEP_CHARS));
  if (!json.fault) clean += json.end();
  const rest = redactPlain(json.rest + text.slice(at));
  return { text: clean + rest.text, count: json.count + rest.count };
}

function redactPlain(text: string): RedactedText {
  return redactLines(redactSecrets(text));
}

/** A plain text that comes in pieces. */
class PlainText implements RedactingFilter {
  readonly #secrets = new PlainStream();
  readonly #lines = new LineStream();

  readonly count = (): number => this.#lines.count(this.#secrets.count());

  push(piece: string): string {
    return this.#lines.push(this.#secrets.push(piece));
  }

  end(): string {
    return this.#lines.push(this.#secrets.end()) + this.#lines.end();
  }
}

/** The same for a text that comes in pieces: see `RedactingFilter`. */
export function redactStream(layer = 0): RedactingFilter {
  const strings = LAYERS[layer + 1];
  return strings === undefined ? new PlainText() : new TextStream(strings);
}

/** The same for the value of a member of that name. */
export function redactMemberStream(name: string): RedactingFilter {
  const regard = regardOfMember("open", name);
  const [, strings] = LAYERS;
  if (strings === undefined) return new PlainText();
  if (regard === "open") return new TextStream(strings);
  return new TextStream(
    strings,
    regard,
    regard === "kept" ? new PlainStream(true) : new HiddenStream(regard.under),
  );
}

/** Finds out what a text is by its beginning; JSON that turns out to be none goes on as a plain text. */
class TextStream implements RedactingFilter {
  readonly #json: JsonRedaction;
  readonly #plain: RedactingFilter;
  #kind: "unknown" | "json" | "plain" = "unknown";
  #gathered = "";

  constructor(strings: StringRedaction, regard: Regard = "open", plain: RedactingFilter = new PlainText()) {
    this.#json = new JsonRedaction(strings, REDACT_STREAM_REACH_CHARS, regard);
    this.#plain = plain;
  }

  readonly count = (): number => this.#json.count + this.#plain.count();

  push(piece: string): string {
    this.#gathered += piece;
    const whole = this.#gathered.length - (this.#gathered.length % REDACT_STREAM_STEP_CHARS);
    return whole === 0 || this.#isBlank(whole) ? "" : this.#pass(this.#taken(whole));
  }

  end(): string {
    const passed = this.#pass(this.#taken(this.#gathered.length));
    if (this.#kind !== "json") return passed + this.#plain.end();
    const last = this.#json.end();
    if (!this.#json.fault) return passed + last;
    return passed + last + this.#plain.push(this.#json.rest) + this.#plain.end();
  }

  /** Whether nothing is known of the text yet. */
  #isBlank(whole: number): boolean {
    if (this.#kind !== "unknown" || whole >= REDACT_STREAM_REACH_CHARS) return false;
    return !/\S/.test(this.#gathered.slice(0, whole));
  }

  /** Whole steps, so that it does not matter how the text was cut. */
  #taken(count: number): string {
    const taken = this.#gathered.slice(0, count);
    this.#gathered = this.#gathered.slice(count);
    return taken;
  }

  #pass(text: string): string {
    if (this.#kind === "unknown") this.#kind = beginsAsJson(text) ? "json" : "plain";
    if (this.#kind !== "json") return this.#plain.push(text);
    let passed = "";
    // A step at a time: what it holds is measured against its reach.
    for (let at = 0; at < text.length; at += REDACT_STREAM_STEP_CHARS) {
      const next = at + REDACT_STREAM_STEP_CHARS;
      passed += this.#json.push(text.slice(at, next));
      if (!this.#json.fault) continue;
      this.#kind = "plain";
      return passed + this.#plain.push(this.#json.rest + text.slice(next));
    }
    return passed;
  }
}

/** What may go on behind a secret that is longer than what can be held. */
const RUN = /^[\w+/=.~%-]*/;

/**
 * Takes secrets out of a plain text of any length. A window is held back until it is so long that a secret which begins in
 * its first part ends inside it; that part then leaves, up to a place that no secret reaches over. A little of what has
 * left is still looked at, for what stands before a secret.
 */
class PlainStream implements RedactingFilter {
  #held = "";
  /** So much of it has left already. */
  #context = 0;
  #isCut = false;
  #count = 0;
  readonly #isCursor: boolean;

  constructor(isCursor = false) {
    this.#isCursor = isCursor;
  }

  readonly count = (): number => this.#count;

  push(piece: string): string {
    this.#held += this.#behindCut(piece);
    return this.#held.length < REDACT_STREAM_WINDOW_CHARS ? "" : this.#release();
  }

  end(): string {
    const spans = secretsIn(this.#held, this.#context, this.#isCursor);
    this.#count += spans.length;
    const clean = withoutSecrets(this.#held, spans).slice(this.#context);
    this.#held = "";
    this.#context = 0;
    return clean;
  }

  #release(): string {
    const spans = secretsIn(this.#held, this.#context, this.#isCursor);
    let cut = wholeCharacters(this.#held, this.#held.length - REDACT_STREAM_REACH_CHARS);
    for (let mark = this.#held.indexOf(SCRUBBED, cut - SCRUBBED.length); mark !== -1 && mark < cut;) {
      if (mark + SCRUBBED.length > cut) cut = mark;
      mark = this.#held.indexOf(SCRUBBED, mark + 1);
    }
    // A place inside a secret moves to where that was seen to begin; what stands there is looked at again with what follows.
    for (const { from, end } of spans.toReversed()) if (from < cut && cut < end) cut = from;
    const first = spans[0];
    if (cut <= this.#context && first !== undefined) return this.#cutSecret(first.start, spans.length);
    const before = spans.filter(({ end }) => end <= cut);
    this.#count += before.length;
    const clean = withoutSecrets(this.#held.slice(0, cut), before).slice(this.#context);
    this.#keep(Math.max(0, cut - REDACT_STREAM_CONTEXT_CHARS, before.at(-1)?.end ?? 0), cut);
    return clean;
  }

  #keep(from: number, cut: number): void {
    this.#held = this.#held.slice(from);
    this.#context = cut - from;
  }

  /** A secret so long that all that is held belongs to it. */
  #cutSecret(start: number, count: number): string {
    this.#count += count === 0 ? 0 : 1;
    const clean = this.#held.slice(this.#context, start) + SCRUBBED;
    this.#held = "";
    this.#context = 0;
    this.#isCut = true;
    return clean;
  }

  #behindCut(piece: string): string {
    if (!this.#isCut) return piece;
    const rest = piece.replace(RUN, "");
    this.#isCut = rest === "";
    return rest;
  }
}

const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

function wholeCharacters(text: string, place: number): number {
  return HIGH_SURROGATE.test(text.charAt(place - 1)) ? place - 1 : place;
}
