import { bareObject } from "../json.ts";
import { TEMPLATED_URI_MAX_CHARS, URI_MATCH_STEPS_MAX_COUNT } from "../limits.ts";
import { type Atom, atomsOf } from "./atoms.ts";
import { decodeReserved, decodeUnreserved, escapedUri } from "./encode.ts";
import { pairsFit, readPairs } from "./match-pairs.ts";
import { separatorOf, slotEnd, slotFits, type Steps } from "./match-slot.ts";
import type { UriTemplate } from "./parse-template.ts";
import { type UriUnits, uriUnits } from "./uri-units.ts";

type Matched = string | readonly string[];

/** What a URI says of a template's variables: strings, and lists where several values stand in one place. No prototype. */
export type TemplateMatch = Readonly<Record<string, Matched>>;

/** Templates are matched over and over; each is taken apart once. */
const known = new WeakMap<UriTemplate, readonly Atom[]>();

/**
 * The values with which a template gives this URI, or `undefined` where none do. A variable stands for at least one
 * character; those of `{?…}`, `{&…}` and `{;…}` come in any order and may be missing, those of `{.…}` may be missing. Where
 * several readings are possible, an earlier variable takes as much as it can. Literals may stand there as they are or escaped. Objects under exploded variables are not
 * read back. What `expandTemplate` made of strings and lists without an empty one matches; what matches expands to the same
 * URI where it is escaped as RFC 6570 does and has one reading. Work is bounded by the lengths of both and by `steps`.
 */
export function matchTemplate(
  template: UriTemplate,
  uri: string,
  steps: Steps = { left: URI_MATCH_STEPS_MAX_COUNT },
): TemplateMatch | undefined {
  const atoms = known.get(template) ?? atomsOf(template);
  known.set(template, atoms);
  steps.left -= 1;
  if (uri.length > TEMPLATED_URI_MAX_CHARS) return undefined;
  const text = escapedUri(uri);
  if (text.length > TEMPLATED_URI_MAX_CHARS || !framed(atoms, text)) return undefined;
  const units = uriUnits(text);
  const fits = fitsOf(atoms, units, steps);
  return fits?.[0]?.[0] === 1 ? valuesOf(template, atoms, units, fits, steps) : undefined;
}

/** Whether the text at both ends is there: most URIs fall through here, at no cost. */
function framed(atoms: readonly Atom[], uri: string): boolean {
  const [first, last] = [atoms[0], atoms.at(-1)];
  if (first?.kind === "text" && !uri.startsWith(first.text)) return false;
  return last?.kind !== "text" || uri.endsWith(last.text);
}

/** For each atom, and behind the last: at which units it and all behind it fit, up to the URI's end. */
function fitsOf(atoms: readonly Atom[], units: UriUnits, steps: Steps): readonly Uint8Array[] | undefined {
  let behind: Uint8Array = new Uint8Array(units.count + 1);
  behind[units.count] = 1;
  const fits: Uint8Array[] = [behind];
  for (const atom of atoms.toReversed()) {
    if (atom.kind === "text") behind = textFits(atom.text, units, behind, steps);
    else if (atom.kind === "slot") behind = slotFits(atom, units, behind, steps);
    else behind = pairsFit(atom, units, behind, steps);
    if (steps.left < 0) return undefined;
    fits.push(behind);
  }
  return fits.toReversed();
}

function textFits(text: string, units: UriUnits, behind: Uint8Array, steps: Steps): Uint8Array {
  const { uri, count, unitAt } = units;
  const fits = new Uint8Array(count + 1);
  steps.left -= count;
  for (let at = uri.indexOf(text); at !== -1; at = uri.indexOf(text, at + 1)) {
    const [start, end] = [unitAt[at] ?? -1, unitAt[at + text.length] ?? -1];
    if (start !== -1 && end !== -1 && behind[end] === 1) fits[start] = 1;
  }
  return fits;
}

/** Reads the values along the way that fits. */
function valuesOf(
  template: UriTemplate,
  atoms: readonly Atom[],
  units: UriUnits,
  fits: readonly Uint8Array[],
  steps: Steps,
): TemplateMatch | undefined {
  const found = bareObject<Matched>();
  let at = 0;
  for (const [index, atom] of atoms.entries()) {
    const behind = fits[index + 1];
    if (behind === undefined) return undefined;
    if (atom.kind === "text") {
      at = units.unitAt[(units.offsets[at] ?? 0) + atom.text.length] ?? -1;
    } else if (atom.kind === "slot") {
      const end = slotEnd(atom, units, at, behind, steps);
      if (end === undefined) return undefined;
      const text = between(units, at, end).slice(atom.mark.length);
      if (end !== at && !note(found, atom.variable.name, slotValue(atom, text), template)) return undefined;
      at = end;
    } else {
      const read = readPairs(atom, units, at, behind, steps);
      if (read === undefined) return undefined;
      const values = new Map<string, string[]>();
      for (const { variable, from, to } of read.pairs) {
        const text = between(units, from, to);
        // A comma in a value is escaped; as it is, it stands between the values of a list.
        const items = variable.exploded ? [text] : text.split(",");
        const same = values.get(variable.name) ?? [];
        same.push(...items.map(decodeUnreserved));
        values.set(variable.name, same);
      }
      for (const [name, all] of values) {
        if (!note(found, name, oneOrAll(all), template)) return undefined;
      }
      at = read.end;
    }
  }
  return found;
}

function slotValue(atom: Extract<Atom, { kind: "slot" }>, text: string): Matched {
  const { operator } = atom.variable;
  if (operator === "+" || operator === "#") return decodeReserved(text);
  const separator = separatorOf(atom);
  return oneOrAll((separator === "" ? [text] : text.split(separator)).map(decodeUnreserved));
}

function oneOrAll(values: readonly string[]): Matched {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

function between({ uri, offsets }: UriUnits, from: number, to: number): string {
  return uri.slice(offsets[from] ?? 0, offsets[to] ?? 0);
}

/** Whether a value agrees with what was found for its name before; of a value and its prefix the longer one is kept. */
function note(
  found: Record<string, Matched>,
  name: string,
  value: Matched,
  { variables }: UriTemplate,
): boolean {
  const before = found[name];
  if (before === undefined || equal(before, value)) {
    found[name] = value;
    return true;
  }
  const prefixed = variables.some((one) => one.name === name && one.prefixChars !== undefined);
  if (!prefixed || typeof before !== "string" || typeof value !== "string") return false;
  if (value.startsWith(before)) found[name] = value;
  return value.startsWith(before) || before.startsWith(value);
}

function equal(left: Matched, right: Matched): boolean {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
