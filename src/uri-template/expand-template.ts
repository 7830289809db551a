import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { TEMPLATED_URI_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { encodeReserved, encodeUnreserved, hasBytes } from "./encode.ts";
import type { TemplateOperator, TemplateVariable, UriTemplate } from "./parse-template.ts";

export type ExpansionReason =
  /** Neither a string, nor a list or an object of strings; or without bytes; or several values where a prefix of one is asked. */
  { readonly reason: "bad_value"; readonly variable: string } | { readonly reason: "too_long" };

/** A value as RFC 6570 §2.4 knows them; `undefined` where a variable has none. */
type Value =
  | { readonly text: string }
  | { readonly list: readonly string[] }
  | { readonly pairs: readonly (readonly [string, string])[] }
  | undefined;

/** What each operator does (RFC 6570, appendix A). */
const RULES: Readonly<Record<TemplateOperator, Rule>> = {
  "": { first: "", separator: ",", named: false, ifEmpty: "", encode: encodeUnreserved },
  "+": { first: "", separator: ",", named: false, ifEmpty: "", encode: encodeReserved },
  "#": { first: "#", separator: ",", named: false, ifEmpty: "", encode: encodeReserved },
  ".": { first: ".", separator: ".", named: false, ifEmpty: "", encode: encodeUnreserved },
  "/": { first: "/", separator: "/", named: false, ifEmpty: "", encode: encodeUnreserved },
  ";": { first: ";", separator: ";", named: true, ifEmpty: "", encode: encodeUnreserved },
  "?": { first: "?", separator: "&", named: true, ifEmpty: "=", encode: encodeUnreserved },
  "&": { first: "&", separator: "&", named: true, ifEmpty: "=", encode: encodeUnreserved },
};

interface Rule {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  readonly ifEmpty: string;
  readonly encode: (text: string) => string;
}

/** It would make an escape of what a value begins with. */
const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/g;

/**
 * The URI that a template gives with these values (RFC 6570 §3, levels 1 to 4): strings, and lists and objects of
 * strings. Literals stand as the template has them, though RFC 6570 §3.1 would escape some: servers find their templates by them
 * as they wrote them, the official SDK's among them. A variable without a value is left out; only own members count, so a variable may be called `constructor`.
 */
export function expandTemplate(
  template: UriTemplate,
  values: Readonly<Record<string, unknown>>,
): Result<string, ExpansionReason> {
  let uri = "";
  for (const part of template.parts) {
    if ("literal" in part) {
      uri += part.literal.replace(LONE_PERCENT, "%25");
    } else {
      const rule = RULES[part.operator];
      const pieces: string[] = [];
      for (const variable of part.variables) {
        const value = valueOf(memberOf(values, variable.name));
        if (!value.ok || !applies(variable, value.value)) {
          return fail({ reason: "bad_value", variable: variable.name });
        }
        if (value.value !== undefined) pieces.push(expanded(variable, value.value, rule));
      }
      if (pieces.length > 0) uri += rule.first + pieces.join(rule.separator);
    }
    if (uri.length > TEMPLATED_URI_MAX_CHARS) return fail({ reason: "too_long" });
  }
  return ok(uri);
}

/** A prefix is of one text (RFC 6570 §2.4.1). */
function applies({ prefixChars }: TemplateVariable, value: Value): boolean {
  return prefixChars === undefined || value === undefined || "text" in value;
}

function expanded(
  { name, exploded, prefixChars }: TemplateVariable,
  value: Exclude<Value, undefined>,
  rule: Rule,
): string {
  const { encode, separator, named } = rule;
  const withName = (text: string, key = name) => `${key}${text === "" && named ? rule.ifEmpty : `=${text}`}`;
  if ("text" in value) {
    const text = encode(prefixChars === undefined ? value.text : firstOf(value.text, prefixChars));
    return named ? withName(text) : text;
  }
  if ("list" in value) {
    const items = value.list.map(encode);
    if (exploded) return items.map((item) => (named ? withName(item) : item)).join(separator);
    const joined = items.join(",");
    return named ? withName(joined) : joined;
  }
  const pairs = value.pairs.map(([key, text]) => [encode(key), encode(text)] as const);
  if (exploded) return pairs.map(([key, text]) => withName(text, key)).join(separator);
  const joined = pairs.flat().join(",");
  return named ? withName(joined) : joined;
}

/** A list or an object without members counts as no value (RFC 6570 §2.4.2, §3.2.1). */
function valueOf(given: unknown): Result<Value, undefined> {
  if (given === undefined || given === null) return ok(undefined);
  if (isText(given)) return ok({ text: given });
  if (isJsonArray(given)) {
    if (!given.every(isText)) return fail(undefined);
    return ok(given.length === 0 ? undefined : { list: given });
  }
  if (!isRecord(given)) return fail(undefined);
  const pairs: (readonly [string, string])[] = [];
  for (const [key, text] of Object.entries(given)) {
    if (!hasBytes(key) || !isText(text)) return fail(undefined);
    pairs.push([key, text]);
  }
  return ok(pairs.length === 0 ? undefined : { pairs });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && hasBytes(value);
}

/** The first characters of a text, by code point: half a surrogate pair could not be escaped. */
function firstOf(text: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) {
    end += (text.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return text.slice(0, end);
}
