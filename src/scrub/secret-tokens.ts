import { APART, DISTINCT, shape, type TokenShape } from "./token-shapes.ts";

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
