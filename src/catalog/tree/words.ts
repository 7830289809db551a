import { TREE_NAME_MAX_CHARS, TREE_NAME_MAX_WORDS } from "../../limits.ts";

/** A word of a tool's name: as it was written, lower-cased, and the key that its singular and plural share. */
export interface Word {
  readonly form: string;
  readonly key: string;
}

/** Plurals that no suffix rule folds. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["people", "person"],
  ["children", "child"],
  ["indices", "index"],
  ["matrices", "matrix"],
  ["vertices", "vertex"],
  ["analyses", "analysis"],
  ["aliases", "alias"],
  ["statuses", "status"],
]);

/** Words that end like a plural and are none, or have none. */
const NO_PLURAL: ReadonlySet<string> = new Set(
  (
    "access advice alias api audio auth browser cache canvas cash code connectivity content css data dns " +
    "email engagement feedback finance focus graphql health help history html http https info information " +
    "inventory json lens media memory metadata money music news os pdf pricing progress research series " +
    "sms software spam sql status storage support svg text traffic trash vision weather web wifi xml yaml"
  ).split(" "),
);

/**
 * The ASCII words of an identifier, lower-cased: split at separators and at case (`getHTTPUrl`, `create-issue`,
 * `a.b`). Digits stay with the letters that they touch (`s3`, `oauth2`).
 */
export function splitWords(name: string): string[] {
  return name
    .slice(0, TREE_NAME_MAX_CHARS)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z](?!s(?![a-z]))[a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .slice(0, TREE_NAME_MAX_WORDS);
}

/**
 * A key that a noun's singular and plural share, by spelling alone (`issues`, `branches`, `queries`, `caches`). It is
 * no word: it is compared and never shown.
 */
export function nounKey(form: string): string {
  const known = IRREGULAR.get(form) ?? form;
  if (known.length < 3 || /(?:ss|us|is)$/.test(known)) return known;
  const base = known.endsWith("s") ? known.slice(0, -1) : known;
  const open = base.endsWith("e") ? base.slice(0, -1) : base;
  return open.endsWith("y") && !/[aeo]y$/.test(open) ? `${open.slice(0, -1)}i` : open;
}

/** Whether the form is written as a plural. */
export function isPlural(form: string): boolean {
  return IRREGULAR.has(form) || (form.endsWith("s") && !/(?:ss|us|is)$/.test(form) && !NO_PLURAL.has(form));
}

/** The plural of a countable noun; anything else comes back as it is. */
export function pluralOf(form: string): string {
  if (form.length < 3 || NO_PLURAL.has(form) || isPlural(form) || !/^[a-z]*[aeiouy][a-z]*$/.test(form))
    return form;
  for (const [plural, singular] of IRREGULAR) if (singular === form) return plural;
  if (/(?:s|x|z|ch|sh)$/.test(form)) return `${form}es`;
  return /[^aeiou]y$/.test(form) ? `${form.slice(0, -1)}ies` : `${form}s`;
}

/** Numbers, single letters and hashes name nothing that a reader could look for. */
export function isMeaningless(form: string): boolean {
  return form.length < 2 || /^\d+$/.test(form) || (/^[0-9a-f]{6,}$/.test(form) && /\d/.test(form));
}
