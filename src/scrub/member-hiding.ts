import { namesCursor, spacedWords } from "./harmless-names.ts";
import {
  AUTH_SCHEMES,
  isPlainUnder,
  mentionsSecret,
  namesNeighbourSecret,
  namesSecret,
} from "./secret-names.ts";
import { isPlaceholder } from "./secret-placeholders.ts";
import { SCRUBBED } from "./secret-places.ts";
import { redactSecrets } from "./secret-shapes.ts";

/**
 * How a JSON value is looked at, by where it stands. `open`: for what has a secret's shape. `kept`: for what
 * is a secret without doubt, since it is an opaque value to be given back as it came. `under`: it stands under a name that says secret, and all of it is one.
 */
export type Regard = "open" | "kept" | { readonly under: string };

/** Of a member, by its object's regard and its name. */
export function regardOfMember(object: Regard, name: string): Regard {
  if (namesSecret(name)) return { under: name };
  if (namesCursor(name)) return "kept";
  if (typeof object !== "object") return "open";
  // One that speaks of the secret around it: `{"secret": {"secretName": …}}`.
  return tellsOnly(name) || mentionsSecret(name) ? "open" : object;
}

/** Of what an object or array holds, by the regard that it stands in itself. */
export function regardInside(container: Regard, isObject: boolean): Regard {
  return container === "kept" && isObject ? "open" : container;
}

/** What is told of a secret beside it, where a name that says secret stands for all of it. */
const TELLING: ReadonlySet<string> = new Set(
  "name names display full type kind title description summary label labels format user username login email mail host hostname port url uri domain path database db schema region zone location project tenant account org organization team app application client issuer audience scope scopes role roles permission permissions group groups status state reason message messages error errors warning code created updated modified changed expires expiry expired expiration ttl valid last first used rotated at in on by from until since date time timestamp seconds days count total size length min max minimum maximum pattern required optional ref env environment provider owner version algorithm secure http only same site httponly samesite enabled disabled public active help placeholder visibility default mode id ids".split(
    " ",
  ),
);

/** These tell of it beside another word only: a schema's `default` is the secret. */
const TELLING_ALONE: ReadonlySet<string> = new Set(["", "id", "ids", "default"]);

function tellsOnly(name: string): boolean {
  const words = spacedWords(name);
  return !TELLING_ALONE.has(words) && words.split(" ").every((word) => TELLING.has(word));
}

/** The names of HTTP authentication schemes stay. */
const SCHEME = new RegExp(`^\\s*(?:${AUTH_SCHEMES}|digest|oauth|hawk)\\s+(?=\\S)`, "i");
/** With space in one place alone where there is no scheme, else a long one would be divided in every way. */
const SCHEME_ALONE = new RegExp(`^\\s*(?:(?:${AUTH_SCHEMES}|digest|oauth|hawk)\\s*)?$`, "i");

/** What a string under a name that says secret becomes; undefined where it keeps none. */
export function hiddenText(under: string, text: string): string | undefined {
  if (SCHEME_ALONE.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[0] ?? "";
  const value = text.slice(scheme.length);
  if (value === SCRUBBED || isPlaceholder(value, false) || isPlainUnder(under, value)) return undefined;
  return scheme + SCRUBBED;
}

/** Whether a number under a name that says secret is one; `name` is its own. */
export function hidesNumber(under: string, name: string | undefined, written: string): boolean {
  return (
    !isPlainUnder(under, written) && (name === undefined || name === under || spacedWords(name) !== "id")
  );
}

/** What a scalar becomes that turned out to stand under such a name; undefined where it stays. */
export function hiddenScalar(under: string, text: string, isString: boolean): string | undefined {
  if (isString) return hiddenText(under, text);
  return hidesNumber(under, undefined, text) ? SCRUBBED : undefined;
}

/** Members that name their neighbour: of headers, variables, form fields and patches. In any case. */
const NAMING_MEMBERS: ReadonlySet<string> = new Set(
  "name key header field id label variable param parameter parameterkey path".split(" "),
);
const VALUE_MEMBERS: ReadonlySet<string> = new Set(["value", "values", "parametervalue"]);
const NEIGHBOUR_MAX_CHARS = 14;

export function isValueMember(name: string): boolean {
  return name.length <= NEIGHBOUR_MAX_CHARS && VALUE_MEMBERS.has(name.toLowerCase());
}

/** Whether a member whose value is `true` says that its object's value is a secret: of Terraform's outputs, of variables. */
export function saysSecret(member: string): boolean {
  return /^(?:is_?)?(?:sensitive|secret)$/i.test(member);
}

/** Whether a member says that its object's value is a secret: `{"name": "X-Api-Key", "value": …}`. */
export function isSecretsName(member: string, text: string): boolean {
  return (
    member.length <= NEIGHBOUR_MAX_CHARS &&
    (NAMING_MEMBERS.has(member.toLowerCase()) ? namesNeighbourSecret(text) : isSecretsKind(member, text)) &&
    isItself(text)
  );
}

/** The kind of a form's field; a `token` of that kind is mostly one of a language. */
function isSecretsKind(member: string, text: string): boolean {
  return KIND.test(member) && SECRETS_KIND.test(text);
}

const KIND = /^(?:type|inputType|kind)$/i;
const SECRETS_KIND = /^(?:password|passwd|secret|secure_?string)$/i;

/** What is left of a text that loses something might say another name. */
function isItself(text: string): boolean {
  return !/^\s*[[{]/.test(text) && !text.includes(SCRUBBED) && redactSecrets(text).count === 0;
}

const FLAG = /^--?[\w-]{1,64}$/;
const BARE_NAME = /^[\w.-]{1,64}$/;

/** Whether a list's item is the value of the flag before it: `["--password", "x"]`. */
export function isFlagsValue(before: string | undefined, text: string | undefined): boolean {
  if (before === undefined || !FLAG.test(before) || !namesSecret(before)) return false;
  return text === undefined || !FLAG.test(text);
}

/** Whether the first of two names the second one: `["Authorization", "Basic …"]`. */
export function namesPair(first: string | undefined): first is string {
  return first !== undefined && BARE_NAME.test(first) && namesSecret(first);
}

const USER_FLAG = /^(?:-u|-U|--user|--proxy-user)$/;
const IDS = /^\d*:\d*$/;
const USER_AND_PASSWORD = /^([^\s:]{1,128}):(?!\/)(.+)$/s;

/** Behind `-u` in a list of a command's words stands `user:password`. The user stays. */
export function withoutUsersPassword(before: string | undefined, text: string): string | undefined {
  if (before === undefined || !USER_FLAG.test(before) || IDS.test(text)) return undefined;
  const [, user, password] = USER_AND_PASSWORD.exec(text) ?? [];
  return user === undefined || password === SCRUBBED ? undefined : `${user}:${SCRUBBED}`;
}
