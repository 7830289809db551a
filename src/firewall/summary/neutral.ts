import { spelt, UNSEEN, UNSEEN_RUN, unitEscapes } from "../../unseen.ts";
import { cutWithin, firstPoints } from "./cut.ts";

/**
 * In running text: joiners and the common variation selectors stay, without which emoji and some scripts read wrongly;
 * `\n` and `\t` stay too.
 */
const UNSEEN_IN_TEXT =
  /(?!\n|\t|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const LINE_END = /\r\n?|[\u2028\u2029\u0085]/g;
const LONE = /\p{Cs}/gu;
/** What a reader passes over, or does not take for a letter of its own. */
const NOTHING = String.raw`[\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}]*`;
const spread = (word: string): string => Array.from(word).join(NOTHING) + NOTHING;
/** How lines begin that only the gateway writes below a summary, in compatibility's plain letters, whatever stands between them. */
const GATEWAY_LINE = new RegExp(
  `^${NOTHING}(?:(?:${spread("not")})?${spread("kep")}t(?:${NOTHING}(?:,|$)|${NOTHING}[\\p{Z}\\s])|${spread("next")}:)`,
  "iu",
);

/**
 * Of the letters of these words, and their colon: Cyrillic, Greek, Coptic, Armenian, Cherokee, Lisu and phonetic ones, the small
 * of each whose capital looks so too.
 */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    k: "кκᴋĸⲕꮶꓗ",
    e: "еεҽᴇєⲉꭼꓰ",
    p: "рρᴘⲣꮲꓑ",
    t: "тτᴛⲧꭲꓔ",
    n: "пνηոɴⲛꓠ",
    o: "оοօᴏσⲟꓳ",
    x: "хχⲭꓫ",
    ":": "꞉∶ː˸։׃",
  }).flatMap(([letter, signs]) => Array.from(signs, (sign) => [sign, letter] as const)),
);
const LIKE_OURS = new RegExp(`[${[...LOOKALIKES.keys()].join("")}]`, "gu");

const ESCAPE = "\u001b";
const CSI = "\u009b";
/** What an escape and a sign of `COMMANDS` begin, in one sign: DCS, SOS, OSC, PM, APC. */
const COMMAND_SIGNS = "\u0090\u0098\u009d\u009e\u009f";
const INTRODUCER = new RegExp(`[${ESCAPE}${CSI}${COMMAND_SIGNS}]`);
/** What an escape and one of these begin: an operating system command, a device control and the like. */
const COMMANDS = "]PX_^";
/** The longest that is taken for a title or a link; what goes on longer is text behind a stray escape. */
const COMMAND_MAX_CHARS = 2_048;

/** One line of an upstream's text for a composed line: nothing unseen in it, at most `points` code points. Linear in `points`. */
export function seen(text: string, points: number): string {
  const line = withoutAnsi(text.slice(0, 8 * points))
    .replace(UNSEEN_RUN, " ")
    .trim();
  return text.length > 8 * points ? firstPoints(Array.from(line), points) : cutWithin(line, points);
}

/** A JSON string with whatever is unseen in it escaped, so that it is exact and harmless. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, unitEscapes);
}

/** Running text: no escape sequence, no control, no bidirectional mark; no line that could be the gateway's own. */
export function plainText(text: string): string {
  const visible = withoutAnsi(text)
    .replace(LINE_END, "\n")
    .replace(LONE, "\ufffd")
    .replace(UNSEEN_IN_TEXT, "");
  return spelt(visible).split("\n").map(unlikeGateway).join("\n");
}

/** The line, marked as quoted where it begins, or seems to a reader to begin, as only the gateway's own do below a summary. */
export function unlikeGateway(line: string): string {
  return GATEWAY_LINE.test(asRead(line)) ? `> ${line}` : line;
}

/** A line's beginning as a reader takes it: in plain letters, those of other alphabets that look like them among these. */
function asRead(line: string): string {
  return line
    .normalize("NFKD")
    .toLowerCase()
    .replace(LIKE_OURS, (sign) => LOOKALIKES.get(sign) ?? sign);
}

/** ECMA-48 sequences: control sequences, and commands with a string such as titles and links. */
export function withoutAnsi(text: string): string {
  if (!INTRODUCER.test(text)) return text;
  let out = "";
  let from = 0;
  for (let at = nextEscape(text, 0); at < text.length; at = nextEscape(text, from)) {
    out += text.slice(from, at);
    from = sequenceEnd(text, at);
  }
  return out + text.slice(from);
}

function nextEscape(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === ESCAPE || sign === CSI || COMMAND_SIGNS.includes(sign)) return at;
  }
  return text.length;
}

function sequenceEnd(text: string, at: number): number {
  if (text[at] === CSI) return controlEnd(text, at + 1);
  if (text[at] !== ESCAPE) return commandEnd(text, at + 1);
  const next = text[at + 1] ?? "";
  if (next === "[") return controlEnd(text, at + 2);
  if (COMMANDS.includes(next) && next !== "") return commandEnd(text, at + 2);
  return next >= "0" && next <= "~" ? at + 2 : at + 1;
}

function controlEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) <= 0x3f) at += 1;
  const last = text.charCodeAt(at);
  return last >= 0x40 && last <= 0x7e ? at + 1 : at;
}

/** Only an ended string is dropped: an escape that nobody ends must not swallow the text behind it. */
function commandEnd(text: string, from: number): number {
  const until = Math.min(text.length, from + COMMAND_MAX_CHARS);
  for (let at = from; at < until; at += 1) {
    const sign = text[at];
    if (sign === "\u0007" || sign === "\u009c") return at + 1;
    if (sign === ESCAPE) return text[at + 1] === "\\" ? at + 2 : from;
    if (sign === "\n") return from;
  }
  return from;
}
