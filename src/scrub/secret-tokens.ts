/** A kind of token that is known by its beginning: two regular expressions' sources. */
interface TokenShape {
  readonly prefix: string;
  /**
   * Greedy, and without a condition on what follows, so that a shape found in a text's beginning is found in the whole
   * text too. It fails within a bounded number of characters, or at the end of a run that no other prefix can begin in.
   */
  readonly body: string;
}

const shape = (prefix: string, body: string): TokenShape => ({ prefix, body });

/** Beginnings that stand in no word of a language: a secret wherever they are. */
const DISTINCT: readonly TokenShape[] = [
  shape("gh[pousr]_", "[A-Za-z0-9]{36,}"),
  shape("github_pat_", "\\w{22,}"),
  shape("gl(?:pat|oas|rt|dt|ptt)-", "[\\w-]{20,}"),
  shape("xox[abeoprs]-", "[A-Za-z0-9-]{10,}"),
  shape("xapp-\\d-", "[A-Za-z0-9-]{10,}"),
  shape("hooks\\.slack\\.com/services/", "[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
  shape("sk-ant-", "[\\w-]{20,}"),
  shape("AIza", "[\\w-]{35,}"),
  shape("GOCSPX-", "[\\w-]{20,}"),
  shape("ya29\\.", "[\\w-]{20,}"),
  shape("npm_", "[A-Za-z0-9]{36,}"),
  shape("pypi-", "[\\w-]{50,}"),
  shape("whsec_", "[A-Za-z0-9+/=]{24,}"),
  shape("do[opr]_v1_", "[a-f0-9]{64,}"),
  shape("shp(?:at|ca|pa|ss)_", "[A-Fa-f0-9]{32,}"),
  shape("dckr_pat_", "[\\w-]{20,}"),
  shape("lin_api_", "[A-Za-z0-9]{32,}"),
  shape("figd_", "[\\w-]{30,}"),
  shape("sntrys_", "[\\w+/=-]{40,}"),
  shape("ATATT3", "[\\w=-]{50,}"),
  shape("AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
  // Our own bearers.
  shape("lg_(?:client|package|owner)_", "[\\w-]{43,}"),
];

/** Beginnings that words end in (`task-`) or that any long code may hold: a secret where nothing is written before them. */
const APART: readonly TokenShape[] = [
  shape("sk-(?:proj|svcacct|admin|None|or-v1)-", "[\\w-]{20,}"),
  shape("sk-", "[A-Za-z0-9]{20,}"),
  shape("[rs]k_(?:live|test)_", "[A-Za-z0-9]{16,}"),
  shape("(?:A3T[A-Z0-9]|A(?:KI|SI|GP|ID|RO|IP|NP|NV|BI|CC)A)", "[A-Z0-9]{16,}"),
  shape("SG\\.", "[\\w-]{16,}\\.[\\w-]{16,}"),
  shape("dapi", "[a-f0-9]{32,}"),
  shape("hf_", "[A-Za-z0-9]{30,}"),
  shape("gsk_", "[A-Za-z0-9]{40,}"),
  shape("hv[bs]\\.", "[\\w-]{24,}"),
  shape("ntn_", "[A-Za-z0-9]{40,}"),
  shape("sbp_", "[a-f0-9]{40,}"),
];

/** JSON in base64url, then two to four parts more, of which an encrypted one may be empty (RFC 7519, RFC 7516). */
const WEB_TOKEN = shape("eyJ", "[\\w-]{8,}(?:\\.[\\w-]*){2,4}");

const prefixes = (shapes: readonly TokenShape[]): string => shapes.map(({ prefix }) => prefix).join("|");
const whole = (shapes: readonly TokenShape[]): RegExp =>
  new RegExp(shapes.map(({ prefix, body }) => prefix + body).join("|"), "y");

/** Regular expressions' sources for where a token may begin, in the order of `TokenKind`. */
export const TOKEN_PREFIXES = [prefixes(DISTINCT), prefixes(APART), WEB_TOKEN.prefix] as const;

export type TokenKind = "distinct" | "apart" | "web";

const ESCAPE = "\\\\[bfnrt]|\\\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}";
/** What may stand before a token that has to stand apart: nothing, no letter or digit, or an escape that ends in one. */
const AFTER_NO_WORD = new RegExp(`(?:^|[^A-Za-z0-9]|${ESCAPE})$`);
/** A web token's own alphabet has more. Runs of it are read once, since one is tried at their beginning only. */
const AFTER_NO_WEB_RUN = new RegExp(`(?:^|[^\\w-]|${ESCAPE})$`);
const LONGEST_ESCAPE_CHARS = 6;

const SHAPES: Readonly<Record<TokenKind, { readonly token: RegExp; readonly after?: RegExp }>> = {
  distinct: { token: whole(DISTINCT) },
  apart: { token: whole(APART), after: AFTER_NO_WORD },
  web: { token: whole([WEB_TOKEN]), after: AFTER_NO_WEB_RUN },
};

/** Where the token ends that begins at `at` behind one of `TOKEN_PREFIXES`; nothing before `floor` is looked at. */
export function tokenEnd(text: string, kind: TokenKind, at: number, floor: number): number | undefined {
  const { token, after } = SHAPES[kind];
  if (after !== undefined && !after.test(text.slice(Math.max(floor, at - LONGEST_ESCAPE_CHARS), at)))
    return undefined;
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : undefined;
}
