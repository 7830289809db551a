import { memberOf } from "../json.ts";
import { SCRUBBED } from "./secret-places.ts";
import { mentionsSecret } from "./secret-names.ts";

/** Members by which headers, variables, form fields, pages' elements and patches name their value; in any case. */
const NAMING_MEMBERS: ReadonlySet<string> = new Set(
  "name key header field id label variable param parameter selector element placeholder path type".split(" "),
);
/** Those that hold it. */
const VALUE_MEMBERS: ReadonlySet<string> = new Set(["value", "values", "text", "content"]);

const FLAG = /^--?[\w-]{1,64}$/;
const BARE_NAME = /^[\w.-]{1,64}$/;
const USER_FLAG = /^(?:-u|-U|--user|--proxy-user)$/;

/** Whether a value is one whose own members name it: `{"name": "X-Api-Key", "value": …}`. */
export function namesItsValue(record: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(record).some((member) => {
    const name = memberOf(record, member);
    return NAMING_MEMBERS.has(member.toLowerCase()) && typeof name === "string" && mentionsSecret(name);
  });
}

export function isValueMember(name: string): boolean {
  return VALUE_MEMBERS.has(name.toLowerCase());
}

/**
 * Whether the item of a list is hidden by the one before it: behind a flag (`--password x`), or in a list of pairs, such as
 * the headers of a request are (`["Authorization", "Basic …"]`).
 */
export function isHiddenByNeighbour(items: readonly unknown[], index: number): boolean {
  const before = items[index - 1];
  if (typeof before !== "string" || !mentionsSecret(before)) return false;
  const item = items[index];
  if (typeof item === "boolean" || item === null || item === undefined) return false;
  // Behind a flag stands its value, unless another flag does.
  if (FLAG.test(before)) return typeof item !== "string" || !FLAG.test(item);
  if (!BARE_NAME.test(before)) return false;
  // The words behind a header's or a form field's flag are a pair, wherever they stand.
  const flag = items[index - 2];
  return (items.length % 2 === 0 && index % 2 === 1) || (typeof flag === "string" && FLAG.test(flag));
}

/** Behind `-u` in a list of a command's words stands `user:password`. The user stays. */
export function userOfList(items: readonly unknown[], index: number): string | undefined {
  const [before, item] = [items[index - 1], items[index]];
  if (typeof before !== "string" || typeof item !== "string" || !USER_FLAG.test(before)) return undefined;
  const [user, password] = [item.slice(0, item.indexOf(":")), item.slice(item.indexOf(":") + 1)];
  return item.includes(":") && !IDS.test(item) && password !== "" ? `${user}:${SCRUBBED}` : undefined;
}

/** `docker run -u 1000:1000` names a user and a group by their numbers. */
const IDS = /^\d*:\d*$/;
/** The user's part is bounded, so that no text is read twice for its flags. */
const USER_IN_TEXT =
  /(?<before>(?:^|\s)(?:-u|-U|--user|--proxy-user)(?:[ \t]+|=)?["']?)(?<user>[^\s:"'=]{1,128}):(?<password>(?<=["'][^\s:"'=]{1,128}:)[^"'\r\n]+|[^\s"']+)/g;

/** Takes the password out of `-u user:password` in a command. */
export function withoutUserPasswords(text: string): string {
  if (!text.includes("-")) return text;
  return text.replace(USER_IN_TEXT, (whole: string, before: string, user: string, password: string) =>
    IDS.test(`${user}:${password}`) ? whole : `${before}${user}:${SCRUBBED}`,
  );
}
