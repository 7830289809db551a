import { SECRET_PEM_MAX_CHARS } from "../limits.ts";
import { SCRUBBED } from "./scrub.ts";
import { SECRET_WORD_IN_TEXT } from "./secret-names.ts";
import { TOKEN_PREFIXES, type TokenKind, tokenEnd } from "./secret-tokens.ts";
import { assignedValue, bearerValue, keyEnd, type SecretSpan } from "./secret-values.ts";

export interface RedactedText {
  readonly text: string;
  /** How many secrets were taken out. */
  readonly count: number;
}

/** Where anything may begin, a group a kind: tokens, a private key, a URL's authority, a word that says secret. */
const STARTER = new RegExp(
  [...TOKEN_PREFIXES, "-----BEGIN ", ":\\\\?/\\\\?/", SECRET_WORD_IN_TEXT]
    .map((source) => `(${source})`)
    .join("|"),
  "g",
);
const TOKEN_KINDS: readonly TokenKind[] = ["distinct", "apart", "web"];
const [PEM_GROUP, URL_GROUP] = [4, 5];

/**
 * Takes out of a text what has the shape of a secret: known kinds of tokens and keys, a URL's password, the credential
 * after `bearer`, values assigned to names that say secret. What says that there was one (the name, the scheme, the user)
 * stays. The same text always gives the same; what it gives is given back unchanged.
 *
 * Linear: what may begin a secret is found in one pass, and what is read behind it is either short, or taken out and not
 * read again, or ends where nothing else that begins inside could read on. Idempotent: what follows a secret is read as if
 * a text began there, what precedes it as if one ended there, and what matches in a beginning of a text matches in the text.
 */
export function redactSecrets(text: string): RedactedText {
  let count = 0;
  const pieces = text.split(SCRUBBED).map((piece) => {
    const spans: SecretSpan[] = [];
    findSecrets(piece, 0, 0, spans);
    count += spans.length;
    return replaced(piece, spans);
  });
  return { text: pieces.join(SCRUBBED), count };
}

/** The secrets of `text` that begin at `from` or later, in order. Nothing before `floor` is looked at. */
function findSecrets(text: string, from: number, floor: number, spans: SecretSpan[]): void {
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
    if (tokenKind !== undefined) span = spanTo(index, tokenEnd(text, tokenKind, index, fresh));
    else if (kind === PEM_GROUP) span = spanTo(index, pemEnd(text, index));
    else if (kind === URL_GROUP) span = urlPassword(text, index);
    else if (index >= keyUntil || keyFrom < fresh) {
      // A name is one key, however many of its parts say secret; behind a secret that was taken out of it a new one begins.
      if (index >= keyUntil) keyUntil = keyEnd(text, index);
      keyFrom = index;
      span = bearerValue(text, index) ?? assignedValue(text, index, keyUntil, fresh);
    }
    if (span === undefined) continue;
    // What is kept of it may hold another: a key's own name, a URL's user.
    if (span.start > at) findSecrets(text.slice(0, span.start), at, fresh, spans);
    spans.push(span);
    fresh = span.end;
    at = span.end;
  }
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

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_MARK = /-----(?:BEGIN|END) /g;
const PEM_END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/y;
/** Pieces of a key that has lost its end: line breaks, also escaped, and base64 too long for a word. */
const PEM_BODY = /\\[nrt]|[\s>|]+|[A-Za-z0-9+/=]{16,}/y;

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

function replaced(text: string, spans: readonly SecretSpan[]): string {
  let kept = 0;
  const parts: string[] = [];
  for (const { start, end, quote = "" } of spans) {
    parts.push(text.slice(kept, start), quote, SCRUBBED, quote);
    kept = end;
  }
  return parts.join("") + text.slice(kept);
}
