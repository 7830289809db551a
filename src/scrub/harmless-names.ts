import { HARMLESS_NAME_MAX_CHARS } from "../limits.ts";

/** Words before `token` by which a listing goes on where it stopped: without it nobody could read the next page. */
const PAGING_WORDS =
  "next|prev|previous|start|starting|page|paging|pagination|paginator|continuation|continue|cursor|sync|delta|skip|scroll|resume|resumption|change|progress|poll|polling|watch";
const BEFORE_PAGING = "(?:(?:new|first|last|initial) ?)*";
const PAGING_TOKEN = `(?<=^| )${BEFORE_PAGING}(?:(?:${PAGING_WORDS}) ?)+tokens?(?= |$)`;

/** Tokens that are words of a design, of a language or of a model. */
const OTHER_TOKENS =
  "(?<=^| )(?:design|style|theme|colou?r|spacing|typography|syntax|lexical|special|stop|pad|bos|eos|unk|mask|sep|cls|non ?fungible) ?tokens?(?= |$)";

const SECRET_WORDS =
  "(?:(?:api|access|private|account|signing|encryption|auth|master|subscription) ?key|secret(?: ?key)?|token|password|passwd|passphrase|passcode|pwd|authorization|bearer|credential|cookie)s?";
/** What is told of a secret, and of tokens that are traded. */
const TOLD_OF_IT =
  "type|kind|name|url|uri|endpoint|server|expiry|expires|expired|expiration|ttl|lifetime|age|at|in|on|by|date|time|timestamp|seconds|days|min|max|length|len|size|policy|policies|status|state|enabled|disabled|required|optional|protected|version|arn|path|file|location|ref|reference|selector|manager|store|provider|algorithm|alg|format|usage|used|uses|limit|budget|label|title|description|hint|count|strength|scope|role|rotation|rotated|owner|issuer|audience|header|field|input|form|page|rule|requirement|changed|updated|created|modified|last|class|category|source|method|mode|consent|banner|notice|preference|setting|domain|symbol|address|decimals|supply|balance|price|amount|holder|pair|transfer|standard|contract";
const TOLD = `${SECRET_WORDS} ?(?:(?:${TOLD_OF_IT})s? ?)+$`;
/** An id is known to everybody; those of access keys and secrets are half of a pair, or the secret itself. */
const NUMBERED = "(?<=^| )(?:(?:api ?key|token|credential) ?ids?)$";
/** Names that others defined (RFC 8414, GitHub), whose rest says anything. */
const DEFINED = "^(?:sub ?)?token ?texts?$|token ?endpoint\\b.*$|secret ?scanning\\b.*$";

const HARMLESS = new RegExp([PAGING_TOKEN, OTHER_TOKENS, TOLD, NUMBERED, DEFINED].join("|"), "g");

/** A name's words in small letters with one space between; `nextPageToken`, `NEXT-PAGE-TOKEN` and `next.page.token` are one. */
export function spacedWords(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** Words without the phrases that hold a word which says secret and say none. A name too long for one is left as it is. */
export function withoutHarmlessPhrases(words: string): string {
  return words.length > HARMLESS_NAME_MAX_CHARS ? words : words.replace(HARMLESS, " ");
}

/** Where a listing stopped: to be given back as it is. A `marker` alone, or one of a store's pages: others mark anything. */
const CURSOR = new RegExp(
  `^(?:(?:.* )?(?:next|prev|previous|start|end|page|scroll)? ?(?:cursor|scroll ?id)|(?:(?:next|prev|previous|start|end|page) ?)?(?:(?:key|version id|upload id|part number) ?)?marker|next|prev|previous|(?:.* )?${BEFORE_PAGING}(?:(?:${PAGING_WORDS}) ?)+token)$`,
);

/** Whether a member of this name is sent back to read on, as it came: nobody can take an opaque value apart. */
export function namesCursor(name: string): boolean {
  return (
    name.length <= HARMLESS_NAME_MAX_CHARS && MAY_NAME_CURSOR.test(name) && CURSOR.test(spacedWords(name))
  );
}

const MAY_NAME_CURSOR = /cursor|marker|scroll|token|next|prev/i;
