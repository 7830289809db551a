import {
  URI_TEMPLATE_EXPRESSIONS_MAX_COUNT,
  URI_TEMPLATE_MAX_CHARS,
  URI_TEMPLATE_VARIABLES_MAX_COUNT,
} from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";

/** What stands first in an expression (RFC 6570 §2.2); empty for simple expansion. */
export type TemplateOperator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** One variable as one expression has it. */
export interface TemplateVariable {
  readonly name: string;
  readonly operator: TemplateOperator;
  /** `{list*}`: each member of a list stands for itself. */
  readonly exploded: boolean;
  /** `{var:3}`: only so many first characters of the value. */
  readonly prefixChars?: number;
}

/** A piece of a template: text as written, or the variables of one expression. */
export type TemplatePart =
  | { readonly literal: string }
  | { readonly operator: TemplateOperator; readonly variables: readonly TemplateVariable[] };

/** A URI template (RFC 6570), read once. */
export interface UriTemplate {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
  /** In order of appearance; a name that stands there twice is there twice. */
  readonly variables: readonly TemplateVariable[];
}

/** Which rule a text breaks first. */
export type UriTemplateReason =
  | "too_long"
  | "too_many_expressions"
  | "too_many_variables"
  | "unbalanced_braces"
  | "empty_expression"
  | "bad_variable"
  | "ill_formed_text";

const OPERATORS: ReadonlySet<string> = new Set(["+", "#", ".", "/", ";", "?", "&"]);

/** RFC 6570 §2.3 and §2.4: a name, then `:` and a length below 10,000, or `*`. */
const VARIABLE =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*)(?::([1-9][0-9]{0,3})|(\*))?$/;

/**
 * Reads a URI template, or says why the text is none. Text outside of expressions may hold whatever has bytes: expansion
 * escapes it (RFC 6570 §3.1). Over the bounds a template counts as illegal.
 */
export function parseTemplate(text: string): Result<UriTemplate, UriTemplateReason> {
  if (text.length > URI_TEMPLATE_MAX_CHARS) return fail("too_long");
  if (/\p{Surrogate}/u.test(text)) return fail("ill_formed_text");
  const parts: TemplatePart[] = [];
  const variables: TemplateVariable[] = [];
  let expressions = 0;
  let at = 0;
  while (at < text.length) {
    const opening = text.indexOf("{", at);
    const literal = text.slice(at, opening === -1 ? text.length : opening);
    if (literal.includes("}")) return fail("unbalanced_braces");
    if (literal !== "") parts.push({ literal });
    if (opening === -1) break;
    const closing = text.indexOf("}", opening);
    if (closing === -1) return fail("unbalanced_braces");
    expressions += 1;
    if (expressions > URI_TEMPLATE_EXPRESSIONS_MAX_COUNT) return fail("too_many_expressions");
    const expression = parseExpression(text.slice(opening + 1, closing));
    if (!expression.ok) return expression;
    parts.push(expression.value);
    variables.push(...expression.value.variables);
    if (variables.length > URI_TEMPLATE_VARIABLES_MAX_COUNT) return fail("too_many_variables");
    at = closing + 1;
  }
  return ok({ text, parts, variables });
}

/** The names of a template's variables in order of appearance, each once. */
export function variableNames(template: UriTemplate): readonly string[] {
  return [...new Set(template.variables.map(({ name }) => name))];
}

/** Whether a URI is one without this variable too: those of named operators and `{.ext}` may be left out. */
export function isOptional({ operator }: TemplateVariable): boolean {
  return operator === "?" || operator === "&" || operator === ";" || operator === ".";
}

function parseExpression(
  body: string,
): Result<Extract<TemplatePart, { variables: unknown }>, UriTemplateReason> {
  const operator = operatorOf(body.charAt(0));
  const list = body.slice(operator.length);
  if (list === "") return fail("empty_expression");
  const variables: TemplateVariable[] = [];
  for (const spec of list.split(",")) {
    const read = VARIABLE.exec(spec);
    const name = read?.[1];
    if (name === undefined) return fail("bad_variable");
    const length = read?.[2];
    variables.push({
      name,
      operator,
      exploded: read?.[3] === "*",
      ...(length === undefined ? {} : { prefixChars: Number(length) }),
    });
  }
  return ok({ operator, variables });
}

function operatorOf(first: string): TemplateOperator {
  return isOperator(first) ? first : "";
}

function isOperator(text: string): text is TemplateOperator {
  return OPERATORS.has(text);
}
