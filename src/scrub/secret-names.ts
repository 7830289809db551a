import { SECRET_NAMES_CACHED_COUNT, SECRET_NAME_CACHED_MAX_CHARS } from "../limits.ts";
import { withoutHarmlessPhrases, spacedWords } from "./harmless-names.ts";
import { SCRUBBED } from "./secret-places.ts";

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
  { parts: ["client", "key", "data"] },
  { parts: ["signing", "key"] },
  { parts: ["encryption", "key"] },
  { parts: ["secret"], unless: "ar" },
  { parts: ["token"], unless: "i[sz]|omic" },
  { parts: ["password"], unless: "less" },
  { parts: ["passwd"] },
  { parts: ["passphrase"] },
  { parts: ["passcode"] },
  { parts: ["pwd"] },
  { parts: ["authorization"] },
  { parts: ["bearer"] },
  { parts: ["set", "cookie"] },
  // The same in other languages, with and without their accents.
  { parts: ["passwort"], unless: "l[aä]ng|richt|abl|ein|feld|schutz|manager|[aä]nder|verg|st[aä]rk|regel" },
  { parts: ["kennwort"], unless: "l[aä]ng|richt|abl|ein|feld|schutz|[aä]nder|verg|st[aä]rk|regel" },
  { parts: ["mot", "de", "passe"], unless: "oubl" },
  { parts: ["contraseña"], unless: "olv" },
  { parts: ["contrasena"], unless: "olv" },
  { parts: ["palavra", "passe"] },
  { parts: ["senha"] },
  { parts: ["wachtwoord"] },
  { parts: ["пароль"] },
  { parts: ["密码"], unless: "[学本器]" },
  { parts: ["密碼"], unless: "[學本器]" },
  { parts: ["口令"] },
  { parts: ["密钥"] },
  { parts: ["パスワード"] },
  { parts: ["비밀번호"] },
];

/** Prose has these before a colon as often as a configuration has; as a member's name there is no doubt. */
const MEMBER_WORDS: readonly SecretWord[] = [
  ...WORDS,
  { parts: ["credential"] },
  { parts: ["cookie"] },
  { parts: ["auth", "key"] },
  { parts: ["master", "key"] },
  { parts: ["subscription", "key"] },
  { parts: ["seed", "phrase"] },
  { parts: ["mnemonic"] },
  { parts: ["recovery", "code"] },
  { parts: ["backup", "code"] },
];

/** Schemes of HTTP authentication that stand before one credential without parameters. */
export const AUTH_SCHEMES =
  "basic|bearer|token|api-?key|negotiate|ntlm|ssws|dpop|geniekey|splunk|sso-key|aws4-hmac-sha256";

/** Endings of names that say secret only where the value looks like a code. */
const LIKELY_WORDS =
  "pass pw pswd auth otp psk clave salt key cred creds credential credentials sid sessid sessionid".split(
    " ",
  );
/** Whose keys those are: others sort, cache, or find a row. */
const KEYS_OWNERS =
  "session auth master license licence ssh deploy service role hmac symmetric aes rsa shared preshared webhook stripe openai anthropic gemini mistral cohere app function admin root decryption cipher crypto vault recovery sas server rest consumer integration write ingest security wifi wpa registration activation product storage subscription network";
const LIKELY_NAME = new RegExp(
  `(?:^| )(?:${LIKELY_WORDS.filter((word) => word !== "key").join("|")}|(?:${KEYS_OWNERS.replaceAll(" ", "|")}) key)$`,
);

/** A regular expression's source for the words that say secret in a text, in any case, their parts joined or apart. */
export const SECRET_WORD_IN_TEXT = `${sourceOf(WORDS, "[ _.-]?")}|(?:${LIKELY_WORDS.map(anyCase).join("|")})(?=["'\\]*\\\\]{0,4}[ \\t]{0,8}(?:[:=]|%3[ADad]))`;

/** Too short to say secret in the middle of a name (`compass`, `author`, `option`); alone they do. */
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  "pass",
  "pw",
  "pswd",
  "auth",
  "otp",
  "totp",
  "pin",
  "psk",
  "jwt",
  "creds",
  "sessid",
  "phpsessid",
  "jsessionid",
  "sid",
  "senha",
]);

/** The same words at the end of a longer name, as a word of their own: `db_pass`, `basicAuth`, `user-otp`, `x-session-id`. */
const LAST_WORDS = / (?:pass|auth|otp|jwt|creds|psk|session id|sid|senha)$/;

/** What a tool hands out to be called with again, mostly of a browser or a shell; in headers and cookies it has other names. */
const SESSION_HANDLE = "sessionid";

/** Inside of other words too (`desenhar`, `resenha`): a word of its own in names. */
const ALONE = "senha";

const IN_NAME = new RegExp(sourceOf(withoutAlone(MEMBER_WORDS), ""));
/** How many tokens a model may write or has written is the commonest number beside these words, and no secret. */
const COUNT_NAME = /token(?:s|count|limit|budget|usage)/g;
const COUNT = /^-?\d[\d.,_]*$/;
/** Of a text that was taken apart, and of a design: words, and what is too short to open anything. */
const NO_TOKEN = /^(?:[\p{L}\p{P}]{1,24}|#[\da-fA-F]{3,8}|[a-zA-Z]{0,8}|[\d.]{1,5}(?:px|r?em|%|ms|s)?)$/u;
/** Tests pass. */
const PASSES = /^(?:pass|(?:.* )?pass)$/;
/** The working directory, to a shell. */
const WORKING_DIRECTORY = /^(?:.* )?(?:old ?)?pwd$/;
const PATH = /^(?:[/~]|[A-Za-z]:[\\/])/;

/** What stands at the end of a name that names another member's value: `API key`, `#password`, not `password resets`. */
const AT_THE_END = new RegExp(`(?:${sourceOf(withoutAlone(MEMBER_WORDS), " ?")})s?$`);
/** Nobody's password is written in these scripts: it is told of there. A longer one is judged no more. */
const OTHER_SCRIPT = /[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const TOLD_IN_IT = /^[^A-Za-z0-9]{0,64}$/;

interface NameJudgement {
  /** It has a word that says secret, whatever it says of it. */
  readonly mentions: boolean;
  /** A member of this name holds a secret. */
  readonly isSecret: boolean;
  /** The name in words, in small letters. */
  readonly words: string;
  /** It says so at its end. */
  readonly ends: boolean;
  /** It may hold one. */
  readonly isLikely: boolean;
}

/** Documents repeat their names. */
const judged = new Map<string, NameJudgement>();

function judge(name: string): NameJudgement {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const words = spacedWords(name.replaceAll(SCRUBBED, " "));
  const { mentions, isSecret } = saying(words);
  const made = {
    mentions,
    isSecret,
    words,
    isLikely: LIKELY_NAME.test(words),
    ends:
      isSecret &&
      (WHOLE_NAMES.has(lettersOf(words)) || AT_THE_END.test(words) || LAST_WORDS.test(` ${words}`)),
  };
  if (name.length <= SECRET_NAME_CACHED_MAX_CHARS) {
    if (judged.size >= SECRET_NAMES_CACHED_COUNT) judged.clear();
    judged.set(name, made);
  }
  return made;
}

function saying(words: string): Pick<NameJudgement, "mentions" | "isSecret"> {
  const letters = lettersOf(words);
  if (letters === SESSION_HANDLE) return { mentions: true, isSecret: false };
  if (WHOLE_NAMES.has(letters) || LAST_WORDS.test(words)) return { mentions: true, isSecret: true };
  const mentions = IN_NAME.test(letters);
  return { mentions, isSecret: mentions && IN_NAME.test(lettersOf(withoutHarmlessPhrases(words))) };
}

/** Whether a name has anything to do with secrets: where nothing is lost by hiding too much. */
export function mentionsSecret(name: string): boolean {
  return judge(name).mentions;
}

/**
 * Whether a member of this name holds a secret. Neither case nor what is between letters and digits counts. What only
 * speaks of one (`token_type`, `password_policy`) or turns pages (`nextPageToken`) holds none.
 */
export function namesSecret(name: string): boolean {
  return judge(name).isSecret;
}

/** Whether a member of this name may hold a secret, if its value looks like one. */
export function maySaySecret(name: string): boolean {
  return judge(name).isLikely;
}

/** Whether a name that stands for another member's value says secret; it may be a sentence, so its end counts. */
export function namesNeighbourSecret(name: string): boolean {
  return name.length <= SECRET_NAME_CACHED_MAX_CHARS && judge(name).ends;
}

/** Whether a value under a name that says secret is none: `max_tokens` before a number, `PWD` before a path. */
export function isPlainUnder(name: string, value: string): boolean {
  const { words } = judge(name);
  if (WORKING_DIRECTORY.test(words)) return PATH.test(value);
  if (words === "tokens" && NO_TOKEN.test(value)) return true;
  if (OTHER_SCRIPT.test(words) && TOLD_IN_IT.test(value)) return true;
  if (!COUNT.test(value)) return false;
  if (PASSES.test(words)) return true;
  const letters = lettersOf(words);
  const rest = letters.replace(COUNT_NAME, " ");
  return rest !== letters && !IN_NAME.test(rest);
}

function lettersOf(words: string): string {
  return words.replaceAll(" ", "");
}

function withoutAlone(words: readonly SecretWord[]): readonly SecretWord[] {
  return words.filter(({ parts }) => parts[0] !== ALONE);
}

function sourceOf(words: readonly SecretWord[], between: string): string {
  return words
    .map(({ parts, unless }) => {
      const word = parts.map((part) => (between.startsWith("[") ? anyCase(part) : part)).join(between);
      return unless === undefined ? word : `${word}(?!${unless})`;
    })
    .join("|");
}

/** One expression finds words in any case beside tokens whose case counts. */
function anyCase(word: string): string {
  return word.replace(/\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
