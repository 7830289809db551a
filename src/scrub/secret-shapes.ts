import { SECRET_PEM_MAX_CHARS } from "../limits.ts";
import { commandPassword, COMMAND_IN_TEXT, cookies, COOKIES_IN_TEXT } from "./secret-commands.ts";
import { SCRUBBED } from "./secret-places.ts";
import { SECRET_WORD_IN_TEXT } from "./secret-names.ts";
import { TOKEN_PREFIXES, type TokenKind, tokenEnd } from "./secret-tokens.ts";
import {
  assignedValue,
  bearerValue,
  keyEnd,
  MEMBER_IN_TEXT,
  memberValue,
  type SearchedText,
  secretBesideId,
  type SecretSpan,
  SIGNATURE_IN_URL,
  urlSignature,
  USER_FLAG_IN_TEXT,
  userPassword,
} from "./secret-values.ts";

export interface RedactedText {
  readonly text: string;
  /** How many secrets were taken out. */
  readonly count: number;
}

/** Where anything may begin, a group a kind; a kind that reads on may leave the text to those behind it. */
const SOURCES = [
  ...TOKEN_PREFIXES,
  "-{4,5} ?BEGIN |Private-Lines: ",
  ":\\\\?/\\\\?/",
  SIGNATURE_IN_URL,
  USER_FLAG_IN_TEXT,
  COOKIES_IN_TEXT,
  COMMAND_IN_TEXT,
  MEMBER_IN_TEXT,
  SECRET_WORD_IN_TEXT,
];
const STARTER = new RegExp(SOURCES.map((source) => `(${source})`).join("|"), "g");
const MAY_START = new RegExp(SOURCES.join("|"));
const TOKEN_KINDS: readonly TokenKind[] = ["distinct", "apart", "code", "web"];
/** Kinds that a cursor may look like. */
const ALSO_CURSORS: ReadonlySet<TokenKind> = new Set<TokenKind>(["code", "web"]);
/** The parameter by which an address goes on, with what stands before it. */
const CURSOR_KEY = /^[^\w.-]?tokens?$/i;
const [PEM_GROUP, URL_GROUP, SIGNATURE_GROUP, USER_GROUP] = [5, 6, 7, 8];
const [COOKIES_GROUP, COMMAND_GROUP, MEMBER_GROUP] = [9, 10, 11];
const AMAZON_KEY_ID = /A[KS]IA/y;

/** A secret and where it was seen to begin: at its name or its flag, with which it makes sense. */
export interface FoundSecret extends SecretSpan {
  readonly from: number;
}

/** Whether it is worth looking for secrets in a text: no is certain. */
export function mayHoldSecrets(text: string): boolean {
  return MAY_START.test(text);
}

/**
 * Takes out of a text what has the shape of a secret: known kinds of tokens and keys, a URL's password or signature, the
 * credential after `bearer`, the password in `-u user:password`, `mysql -p…` and a `.netrc`, a request's cookies, values assigned to names that say secret, in JSON or not. What says that
 * there was one (the name, the scheme, the user) stays. The same text always gives the same; what it gives is given back
 * unchanged.
 *
 * Linear: what may begin a secret is found in one pass, and what is read behind it is either short, or taken out and not
 * read again, or ends where nothing else that begins inside could read on. Idempotent: what follows a secret is read as if
 * a text began there, what precedes it as if one ended there, and what matches in a beginning of a text matches in the text.
 *
 * `isCursor`: of a value to read on with, which may be a web token or any code and says `token=` of itself; that stays.
 */
export function redactSecrets(text: string, isCursor = false): RedactedText {
  const spans = secretsIn(text, 0, isCursor);
  return { text: withoutSecrets(text, spans), count: spans.length };
}

/**
 * The secrets of a text that begin at `from` or later, in order: what stands before it was looked at, and says only what
 * begins there. Places where one was taken out before are none.
 */
export function secretsIn(text: string, from: number, isCursor = false): readonly FoundSecret[] {
  const spans: FoundSecret[] = [];
  let at = from;
  let floor = 0;
  for (let mark = text.indexOf(SCRUBBED); mark !== -1; mark = text.indexOf(SCRUBBED, floor)) {
    if (mark > at) findSecrets({ text: text.slice(0, mark), isCut: true }, at, floor, spans, isCursor);
    floor = mark + SCRUBBED.length;
    at = Math.max(at, floor);
  }
  findSecrets({ text, isCut: false }, at, floor, spans, isCursor);
  return spans;
}

/** The secrets of a text that begin at `from` or later, in order. Nothing before `floor` is looked at. */
function findSecrets(
  searched: SearchedText,
  from: number,
  floor: number,
  spans: FoundSecret[],
  isCursor: boolean,
): void {
  const { text } = searched;
  let fresh = floor;
  let keyUntil = 0;
  let keyFrom = -1;
  for (let at = from; ;) {
    STARTER.lastIndex = at;
    const starter = STARTER.exec(text);
    if (starter === null) return;
    const { index } = starter;
    at = index + 1;
    const kind = starter.findIndex((group, number) => number > 0 && group !== undefined);
    let span: SecretSpan | undefined;
    const tokenKind = TOKEN_KINDS[kind - 1];
    if (tokenKind !== undefined && isCursor && ALSO_CURSORS.has(tokenKind)) continue;
    if (tokenKind !== undefined) span = spanTo(index, tokenEnd(text, tokenKind, index, fresh));
    else if (kind === PEM_GROUP) span = spanTo(index, pemEnd(text, index));
    else if (kind === URL_GROUP) span = urlPassword(text, index);
    else if (kind === SIGNATURE_GROUP) span = urlSignature(text, index);
    else if (kind === USER_GROUP) span = userPassword(text, index, fresh);
    else if (kind === COOKIES_GROUP) span = cookies(text, index, fresh);
    else if (kind === COMMAND_GROUP) span = commandPassword(text, index);
    else if (kind === MEMBER_GROUP) span = memberValue(text, index);
    else if (index >= keyUntil || keyFrom < fresh) {
      // A name is one key, however many of its parts say secret; behind a secret that was taken out of it a new one begins.
      if (index >= keyUntil) keyUntil = keyEnd(text, index + starter[0].length);
      keyFrom = index;
      if (isCursor && CURSOR_KEY.test(text.slice(Math.max(fresh, index - 1), keyUntil))) continue;
      span = bearerValue(text, index) ?? assignedValue(searched, index, keyUntil, fresh);
    }
    if (span === undefined) continue;
    // What is kept of it may hold another: a key's own name, a URL's user.
    if (span.start > at)
      findSecrets({ text: text.slice(0, span.start), isCut: true }, at, fresh, spans, isCursor);
    spans.push({ ...span, from: index });
    const beside = tokenKind === "apart" ? besideAmazonId(text, index, span.end) : undefined;
    if (beside !== undefined) spans.push({ ...beside, from: index });
    fresh = beside?.end ?? span.end;
    at = fresh;
  }
}

function besideAmazonId(text: string, index: number, end: number): SecretSpan | undefined {
  AMAZON_KEY_ID.lastIndex = index;
  return AMAZON_KEY_ID.test(text) ? secretBesideId(text, end) : undefined;
}

function spanTo(start: number, end: number | undefined): SecretSpan | undefined {
  return end === undefined ? undefined : { start, end };
}

const AUTHORITY = /:\\?\/\\?\/[^\s/:@"'`<>\\]*:(?!\d{1,5}[?#])/y;
/** To the last `@` of the authority: people do not escape the one in a password. */
const PASSWORD = /[^\s/"'`<>\\]+(?=@)/y;

function urlPassword(text: string, at: number): SecretSpan | undefined {
  AUTHORITY.lastIndex = at;
  if (!AUTHORITY.test(text)) return undefined;
  const start = AUTHORITY.lastIndex;
  PASSWORD.lastIndex = start;
  return PASSWORD.test(text) ? { start, end: PASSWORD.lastIndex } : undefined;
}

const PEM_BEGIN =
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,4}(?=[\r\n\\])/y;
const PEM_MARK = /-{4,5} ?(?:BEGIN|END) /g;
const PEM_END = /-{4,5} ?END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
/** Pieces of a key that has lost its end: how it is encrypted (RFC 1421), line breaks, also escaped, and base64 too long for a word. */
const PEM_BODY = /(?:Proc-Type|DEK-Info): [\w,-]{1,80}|\\[nrt]|[\s>|]+|[A-Za-z0-9+/=]{16,}/y;

/** The end of a private key in PEM (RFC 7468), to its end mark, or as far as its text goes where that is missing. */
function pemEnd(text: string, at: number): number | undefined {
  PEM_BEGIN.lastIndex = at;
  if (!PEM_BEGIN.test(text)) return undefined;
  let end = PEM_BEGIN.lastIndex;
  // The next mark ends this search and is where the next one begins at the earliest.
  PEM_MARK.lastIndex = end;
  const mark = PEM_MARK.exec(text);
  if (mark !== null && mark.index - end <= SECRET_PEM_MAX_CHARS) {
    PEM_END.lastIndex = mark.index;
    if (PEM_END.test(text)) return PEM_END.lastIndex;
  }
  for (;;) {
    PEM_BODY.lastIndex = end;
    if (!PEM_BODY.test(text)) return end;
    end = PEM_BODY.lastIndex;
  }
}

/** The text with the mark in the place of each span, in order and apart. */
export function withoutSecrets(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let kept = 0;
  const parts: string[] = [];
  for (const { start, end, quote = "" } of spans) {
    parts.push(text.slice(kept, start), quote, SCRUBBED, quote);
    kept = end;
  }
  return parts.join("") + text.slice(kept);
}
