/** A word that says secret, with what may stand between its parts left out. */
interface SecretWord {
  readonly parts: readonly string[];
  /** What makes another word of it when it follows: `tokenizer`, `secretary`. */
  readonly unless?: string;
}

/** Words that say secret in the middle of a text, before a `:` or `=`, and as a member's name. */
const WORDS: readonly SecretWord[] = [
  { parts: ["api", "key"] },
  { parts: ["access", "key"] },
  { parts: ["private", "key"] },
  { parts: ["account", "key"] },
  { parts: ["signing", "key"] },
  { parts: ["encryption", "key"] },
  { parts: ["secret"], unless: "ar" },
  { parts: ["token"], unless: "i[sz]" },
  { parts: ["password"] },
  { parts: ["passwd"] },
  { parts: ["passphrase"] },
  { parts: ["passcode"] },
  { parts: ["pwd"] },
  { parts: ["authorization"] },
  { parts: ["bearer"] },
];

/** Prose has these before a colon as often as a configuration has; as a member's name there is no doubt. */
const MEMBER_WORDS: readonly SecretWord[] = [
  ...WORDS,
  { parts: ["credential"] },
  { parts: ["cookie"] },
  { parts: ["auth", "key"] },
];

/** A regular expression's source for the words that say secret in a text, in any case, their parts joined or apart. */
export const SECRET_WORD_IN_TEXT = sourceOf(WORDS, "[ _.-]?");

/** Too short to say secret in the middle of a name (`compass`, `author`, `option`); alone they do. */
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  "pass",
  "auth",
  "otp",
  "totp",
  "pin",
  "jwt",
  "creds",
  "sessionid",
  "sid",
]);

/** The same words at the end of a longer name, as a word of their own: `db_pass`, `basicAuth`, `user-otp`. */
const LAST_WORD =
  /(?:[^\p{L}\p{N}](?:[Pp]ass|PASS|[Aa]uth|AUTH|[Oo]tp|OTP|[Jj]wt|JWT|[Cc]reds|CREDS)|[\p{Ll}\p{N}](?:Pass|Auth|Otp|Jwt|Creds))$/u;

const IN_NAME = new RegExp(sourceOf(MEMBER_WORDS, ""));
/** How many tokens a model may write or has written is the commonest number beside these words, and no secret. */
const COUNT_NAME = /token(?:s|count|limit|budget|usage)/g;
const COUNT = /^\d[\d._]*$/;

/** Whether a member of this name holds a secret. Neither case nor what is between letters and digits counts. */
export function namesSecret(name: string): boolean {
  const letters = lettersOf(name);
  return WHOLE_NAMES.has(letters) || IN_NAME.test(letters) || LAST_WORD.test(name);
}

/** Whether a name that says secret only counts tokens here: `max_tokens` before a number. */
export function countsTokens(name: string, value: string): boolean {
  if (!COUNT.test(value)) return false;
  const letters = lettersOf(name);
  const rest = letters.replace(COUNT_NAME, " ");
  return rest !== letters && !IN_NAME.test(rest);
}

function lettersOf(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}

function sourceOf(words: readonly SecretWord[], between: string): string {
  return words
    .map(({ parts, unless }) => {
      const word = parts.map((part) => (between === "" ? part : anyCase(part))).join(between);
      return unless === undefined ? word : `${word}(?!${unless})`;
    })
    .join("|");
}

/** One expression finds words in any case beside tokens whose case counts. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
