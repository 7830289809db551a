import { COOKIES_MAX_COUNT, SECRET_PASSWORD_MIN_CHARS, SECRET_VALUE_MIN_CHARS } from "../limits.ts";
import { isPlaceholder } from "./secret-placeholders.ts";
import type { SecretSpan } from "./secret-values.ts";

/** A cookie's name and the beginning of its value (RFC 6265, section 4.1.1): a sentence about cookies has none. */
const FIRST_COOKIE = '[\\w!#$%&*+.^|~-]{1,128}=(?:[^\\s"\'`\\\\<;]|"[^"\\r\\n\\\\])';
const COOKIE_HEADER = "[cC](?:ookie|OOKIE):[ \\t]{0,8}";
const COOKIE_FLAG = "(?:-b|--cookie)[ \\t=]{1,8}\\\\{0,7}[\"']?";
/** A request's header with cookies, and what curl is told of them. */
export const COOKIES_IN_TEXT = `(?:${COOKIE_HEADER}|${COOKIE_FLAG})(?=${FIRST_COOKIE})`;
const COOKIES = new RegExp(COOKIES_IN_TEXT, "y");
const COOKIE = '[^\\s"\'`\\\\<;]+(?:(?<==)"[^"\\r\\n\\\\]{0,4096}")?';
const COOKIE_PAIRS = new RegExp(`${COOKIE}(?:;[ \\t]{0,8}${COOKIE}){0,${COOKIES_MAX_COUNT - 1}}`, "y");
/** `Set-Cookie` has attributes, and is a name that says secret. */
const NO_NAME_BEFORE = /^[^\w-]?$/;

/** All cookies of a request: which of them opens something is known to their server alone. Nothing before `floor` is looked at. */
export function cookies(text: string, at: number, floor: number): SecretSpan | undefined {
  if (!NO_NAME_BEFORE.test(text.slice(Math.max(floor, at - 1), at))) return undefined;
  const start = skip(COOKIES, text, at);
  const end = start === undefined ? undefined : skip(COOKIE_PAIRS, text, start);
  if (start === undefined || end === undefined || end - start < SECRET_VALUE_MIN_CHARS) return undefined;
  return { start, end };
}

const GAP = "(?:[ \\t]|\\\\\\r?\\n){1,8}";
/** Words of a command up to a flag, the fewest. */
const UP_TO = `(?:${GAP}[^\\s|;&]{1,128}){0,16}?${GAP}`;
const LOGIN = "(?:docker|podman|nerdctl|skopeo|helm|oc|az|cf)[ \\t](?:\\w{1,16}[ \\t])?login";
const LDAP = "ldap(?:search|modify|add|delete|passwd|whoami)";
const MACHINE = "(?:machine[ \\t]{1,16}[^\\s]{1,253}|default)\\s{1,32}";
const LOGIN_WORD = "(?:login|account)[ \\t]{1,16}[^\\s]{1,128}\\s{1,32}";

/** Commands whose flag of one letter has a password behind it, and the entries of a `.netrc`. */
export const COMMAND_IN_TEXT = `mysql|mariadb|mycli|sshpass|redis-cli|${LOGIN}|${LDAP}|mongo(?:sh|dump|restore|import|export)?[ \\t]|sqlcmd|bcp[ \\t]|(?:un)?zip[ \\t]|curl[ \\t]|smbclient|identified[ \\t]by|IDENTIFIED[ \\t]BY|requirepass|masterauth|bindpw|vault[ \\t]login|openssl[ \\t]|machine[ \\t]|default\\s{1,32}login[ \\t]`;
const COMMAND = new RegExp(
  [
    `(?:mysql\\w{0,8}|mariadb[\\w-]{0,12}|mycli)${UP_TO}-p(?=\\S)`,
    `sshpass${UP_TO}-p[ \\t]{0,8}`,
    `redis-cli${UP_TO}(?:-a|--pass)[ \\t]{1,8}`,
    `${LOGIN}${UP_TO}-p[ \\t]{1,8}`,
    `${LDAP}${UP_TO}-w[ \\t]{1,8}`,
    `mongo(?:sh|dump|restore|import|export)?${UP_TO}-p[ \\t]{1,8}`,
    `(?:sqlcmd|bcp|(?:un)?zip)${UP_TO}-P[ \\t]{0,8}`,
    `curl${UP_TO}-[uU](?=\\w)[^\\s:"'=]{1,128}:(?!/)`,
    `smbclient${UP_TO}-U[ \\t]{0,8}["']?[^\\s%"']{1,64}%`,
    `(?:identified|IDENTIFIED)[ \\t](?:by|BY)[ \\t]{1,8}(?=["'])`,
    "(?:requirepass|masterauth|bindpw)[ \\t]{1,8}",
    "vault[ \\t]login[ \\t]{1,8}(?!-)",
    `openssl${UP_TO}-pass(?:in|out)?[ \\t]pass:`,
    `${MACHINE}(?:${LOGIN_WORD}){1,2}password[ \\t]{1,16}`,
    `${MACHINE}password[ \\t]{1,16}(?=[^\\s]{1,256}\\s{1,32}login[ \\t])`,
  ].join("|"),
  "y",
);
const QUOTED = /\\{0,7}(?:"[^"\r\n\\]+(?=\\{0,7}")|'[^'\r\n\\]+(?=\\{0,7}'))/y;
const BARE = /[^\s"'`\\]+/y;
const OPENING = /\\{0,7}["']/y;

/** The password in a command, or in an entry of a `.netrc`. Each start reads a bounded number of characters before it. */
export function commandPassword(text: string, at: number): SecretSpan | undefined {
  const valueAt = skip(COMMAND, text, at);
  if (valueAt === undefined) return undefined;
  const quotedEnd = skip(QUOTED, text, valueAt);
  const start = quotedEnd === undefined ? valueAt : (skip(OPENING, text, valueAt) ?? valueAt);
  const end = quotedEnd ?? skip(BARE, text, valueAt);
  if (end === undefined || end - start < SECRET_PASSWORD_MIN_CHARS) return undefined;
  return isPlaceholder(text.slice(start, end), quotedEnd === undefined) ? undefined : { start, end };
}

function skip(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
