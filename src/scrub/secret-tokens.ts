import { SECRET_CODE_BEFORE_CHARS } from "../limits.ts";
import { APART, CODES, DISTINCT, shape, type TokenShape } from "./token-shapes.ts";

/** JSON in base64url, then two to four parts more, of which an encrypted one may be empty (RFC 7519, RFC 7516). */
const WEB_TOKEN = shape("eyJ", "[\\w-]{8,}(?:\\.[\\w-]*){2,4}");

const prefixes = (shapes: readonly TokenShape[]): string => shapes.map(({ prefix }) => prefix).join("|");
const whole = (shapes: readonly TokenShape[]): RegExp =>
  new RegExp(shapes.map(({ prefix, body }) => prefix + body).join("|"), "y");

/** Regular expressions' sources for where a token may begin, in the order of `TokenKind`. */
export const TOKEN_PREFIXES = [
  prefixes(DISTINCT),
  prefixes(APART),
  prefixes(CODES),
  WEB_TOKEN.prefix,
] as const;

export type TokenKind = "distinct" | "apart" | "code" | "web";

const ESCAPE = "\\\\[bfnrt]|\\\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}";
/** What may stand before a token that has to stand apart: nothing, no letter or digit, or an escape that ends in one. */
const AFTER_NO_WORD = new RegExp(`(?:^|[^A-Za-z0-9]|${ESCAPE})$`);
/** A web token's own alphabet has more. Runs of it are read once, since one is tried at their beginning only. */
const AFTER_NO_WEB_RUN = new RegExp(`(?:^|[^\\w-]|${ESCAPE})$`);
/** In base64 any short beginning turns up by chance; a slash of an address has less of its alphabet before it. */
const AFTER_NO_CODE = new RegExp(`(?:^|[^\\w+/-]|(?<![\\w+/-]{16})/|${ESCAPE})$`);
/** A slash and what stands before it; an escape is shorter. */
const BEFORE_CHARS = 17;
/** So much of base64url has letters of both cases and digits, and is no name made of words. */
const INSIDE_CODE = new RegExp(`^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d)[\\w-]{${SECRET_CODE_BEFORE_CHARS}}$`);

const SHAPES: Readonly<Record<TokenKind, { readonly token: RegExp; readonly after?: RegExp }>> = {
  distinct: { token: whole(DISTINCT) },
  apart: { token: whole(APART), after: AFTER_NO_WORD },
  code: { token: whole(CODES), after: AFTER_NO_CODE },
  web: { token: whole([WEB_TOKEN]), after: AFTER_NO_WEB_RUN },
};

/** Where the token ends that begins at `at` behind one of `TOKEN_PREFIXES`; nothing before `floor` is looked at. */
export function tokenEnd(text: string, kind: TokenKind, at: number, floor: number): number | undefined {
  const { token, after } = SHAPES[kind];
  if (after !== undefined && !after.test(text.slice(Math.max(floor, at - BEFORE_CHARS), at)))
    return undefined;
  token.lastIndex = at;
  if (!token.test(text)) return undefined;
  const end = token.lastIndex;
  return INSIDE_CODE.test(text.slice(Math.max(floor, at - SECRET_CODE_BEFORE_CHARS), at)) ? undefined : end;
}
