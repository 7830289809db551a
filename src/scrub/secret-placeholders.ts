/** What stands for a value in a documentation, a schema or a message about one. */
const WORDS: ReadonlySet<string> = new Set(
  "string boolean integer number object array null none undefined unknown required optional missing invalid expired revoked incorrect denied granted allowed forbidden enabled disabled default redacted hidden masked removed omitted changed changeme example inherit password buffer text varchar uuid bytes vergessen erforderlich ungültig oublié requis requise invalide obligatoire olvidada requerida obligatoria inválida obrigatória".split(
    " ",
  ),
);

const WORD_MAX_CHARS = 16;

/**
 * Other forms. What begins like one and was cut before a secret inside it must be one too, so that redaction of what is
 * left changes nothing: none is known by its end but a member's name, which is letters alone and has no secret inside.
 */
const FORMS = [
  // Masks, with a few characters shown: `ghp_****abcd`.
  /^\w{0,8}[*•]{3,}\w{0,4}$/,
  /^[.…_#·-]+$/,
  // References: `${NAME}`, `${{ secrets.NAME }}`, `{{ name }}`, `$NAME`, `<your token>`.
  /^(?:\$\{{1,2}|\{\{)[\s\w.:]*\}{0,2}$/,
  /^\$(?=[A-Z0-9]*_|(?:PASSWORD|TOKEN|SECRET)$)[A-Z_][A-Z0-9_]*$/,
  /^<[\w .-]*>?$/,
  /^%[A-Z_]+%?$/,
  // A tag of YAML, whose value stands behind it.
  /^![A-Za-z]*$/,
  /^x{8,16}$/i,
  /^your[-_][\w-]*$/i,
  // Another member that is called so, and a type. Its last word is a capital's: `rootpassword` and `my_password` are passwords.
  /^[a-z]{1,16}(?:[A-Z][a-z]{1,16}|_[a-z]{1,16}){0,3}(?:Password|Token|Secret)$/,
  /^[A-Z][A-Za-z]{1,24}::\w{0,24}$/,
];

/** In a program's text: where a value comes from. */
const EXPRESSION =
  /^(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|self|this|config|settings|options|opts|params|props|args|request|req|response|res|secrets|env|ctx|context|data|user|event|body|input|credentials|var|local|data|z|t|module|crypto)[.[][\w$.[]*(?:\([\w$.()]*)?$/;
/** So short that no token fits in, but for web tokens; a word with a year in brackets is what people take for a password. */
const CALL =
  /^(?!.*eyJ|[A-Z]?[a-z]+[([]\d{4})[A-Za-z_$][A-Za-z_$.]{1,18}[([][A-Za-z_$.\d]{0,16}[()[\]]{0,4}$/;
const AROUND_WORD = /^[([]|[.:!?]$/g;

/** Whether a value under a name that says secret only stands for one. `isBare`: it stood without quotes. */
export function isPlaceholder(value: string, isBare: boolean): boolean {
  if (value.length <= WORD_MAX_CHARS && WORDS.has(value.replace(AROUND_WORD, "").toLowerCase())) return true;
  if (FORMS.some((form) => form.test(value))) return true;
  return isBare && (EXPRESSION.test(value) || CALL.test(value));
}
