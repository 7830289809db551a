import { counted, grouped, pointsOf } from "../cut.ts";
import { listed } from "../fit.ts";
import type { Range, Tally } from "../scalars.ts";
import type { Shape, Sizes } from "./shape.ts";
import { keyText, stringText } from "./value-text.ts";

/** What is said of values one by one must not be longer. */
const TALLIES_MAX_CHARS = 90;
/** Numbers that are counted one by one rather than by their range. */
const NUMBER_TALLIES_MAX_COUNT = 4;
/** Strings up to here are of a usual length. */
const USUAL_POINTS = 200;
/** The least that is tried for what is in an object. */
const INNER_MIN_ROOM = 24;
const INNER_MAX_ROOM = 160;
const PLAIN_STRING = "string";
const ALWAYS_NULL = "always null";
/** A value among what is said of others. */
const VALUE_POINTS = 32;

/** What the values of one place have in common, in about `room` characters. */
export function describe(shape: Shape, room: number): string {
  const kinds: { readonly text: string; readonly count: number }[] = [
    { count: shape.objects, text: shape.objects === 0 ? "" : describeObjects(shape, room) },
    { count: shape.arrays, text: shape.arrays === 0 ? "" : describeArrays(shape) },
    { count: shape.numbers, text: shape.numbers === 0 ? "" : describeNumbers(shape) },
    { count: shape.strings, text: shape.strings === 0 ? "" : describeStrings(shape) },
    { count: shape.trues, text: "true" },
    { count: shape.falses, text: "false" },
    { count: shape.nulls, text: "null" },
  ].filter(({ count }) => count > 0);
  const [only] = kinds;
  if (only === undefined) return "nothing";
  if (kinds.length === 1) {
    const constant = /^(?:true|false|null)$/.test(only.text) && only.count > 1;
    return constant ? `always ${only.text}` : only.text;
  }
  return kinds.map(({ text, count }) => `${text}×${grouped(count)}`).join(" | ");
}

export function describeNumbers({ numbers, numberRange, numberTallies }: Shape): string {
  const tallies = numberTallies.all;
  const [first] = tallies ?? [];
  if (tallies?.length === 1 && first !== undefined) return constantly(first, first.value);
  const range = numberRange.range;
  if (tallies !== undefined && tallies.length <= NUMBER_TALLIES_MAX_COUNT && numbers > 2 * tallies.length) {
    const text = tallied(tallies, (value) => value);
    if (text !== undefined) return text;
  }
  return range === undefined ? "number" : rangeText(range);
}

function rangeText({ min, max }: Range): string {
  return min === max ? min : `${min}–${max}`;
}

export function describeStrings({ strings, stringTallies, dates, longest, firstLong }: Shape): string {
  const value = (text: string): string =>
    stringText({ head: text, points: pointsOf(text), whole: true }, VALUE_POINTS);
  const tallies = stringTallies.all;
  const [first] = tallies ?? [];
  if (tallies?.length === 1 && first !== undefined) return constantly(first, value(first.value));
  if (strings === 1 && firstLong !== undefined) return stringText(firstLong, VALUE_POINTS);
  const range = dates.range;
  if (range !== undefined) return rangeText(range);
  if (tallies !== undefined) {
    const text = tallied(tallies, value);
    if (text !== undefined) return text;
  }
  return longest > USUAL_POINTS ? `${PLAIN_STRING} up to ${counted(longest, "char")}` : PLAIN_STRING;
}

function constantly({ count }: Tally, text: string): string {
  return count === 1 ? text : `always ${text}`;
}

function tallied(tallies: readonly Tally[], show: (value: string) => string): string | undefined {
  const once = tallies.every(({ count }) => count === 1);
  const text = tallies
    .map(({ value, count }) => (once ? show(value) : `${show(value)}×${grouped(count)}`))
    .join(" ");
  return text.length <= TALLIES_MAX_CHARS ? text : undefined;
}

/** `html_url`, `nodeId`, `etag`, and with how often they are there. */
const ADDRESS_NAME =
  /(?:^|[_-])(?:urls?|uri|href|id|sha|hash|etag|token)(?= \(|$)|[a-z](?:Url|Uri|Id|Href|Hash)(?= \(|$)/;

/** `[30 objects]`, `[0–5 strings]`; how many there are in each. */
function describeArrays(shape: Shape): string {
  const { items, elements } = shape;
  if (shape.deep) return "[…]";
  if (items === undefined) return elements.max === 0 ? "[]" : `[${sizeText(elements, shape.partial)} values]`;
  const { one, many } = nounOf(items);
  const noun = elements.max === 1 && !shape.partial ? one : many;
  const small = items.scalars === items.count ? describe(items, 0) : "";
  const detail = small === "" || small === PLAIN_STRING || small === "number" ? "" : `: ${small}`;
  return `[${sizeText(elements, shape.partial)} ${noun}${detail}]`;
}

function sizeText({ min, max }: Sizes, partial: boolean): string {
  if (partial) return `${grouped(max)} or more`;
  return min === max ? grouped(max) : `${grouped(min)}–${grouped(max)}`;
}

/** What the values are, where all are of one type. */
export function nounOf(shape: Shape): { readonly one: string; readonly many: string } {
  const { count } = shape;
  if (count === shape.objects) return { one: "object", many: "objects" };
  if (count === shape.arrays) return { one: "array", many: "arrays" };
  if (count === shape.numbers) return { one: "number", many: "numbers" };
  if (count === shape.strings) return { one: "string", many: "strings" };
  return { one: "value", many: "values" };
}

function describeObjects(shape: Shape, room: number): string {
  if (shape.deep) return "{…}";
  if (shape.values !== undefined) {
    const size = sizeText(shape.members, shape.partial);
    if (shape.toldApart || room < INNER_MIN_ROOM) return `{${size} keys}`;
    return `{${size} keys, each ${describe(shape.values, room / 2)}}`;
  }
  if (shape.fields.size === 0 && shape.lost === 0) return "{}";
  if (room < INNER_MIN_ROOM || shape.fields.size === 0)
    return `{${sizeText(shape.members, shape.partial)} members}`;
  return describeFields(shape, room);
}

/**
 * The fields of a record: those of which there is something to say, then the names of those that are any strings, then the
 * names of what there was no room for.
 */
export function describeFields(shape: Shape, room: number): string {
  const strings: string[] = [];
  const nulls: string[] = [];
  const told: string[] = [];
  const rest: string[] = [];
  let used = 0;
  const inner = Math.min(INNER_MAX_ROOM, room / 3);
  const detailRoom = room * 0.75;
  for (const [key, field] of shape.fields) {
    const name = `${keyText(key)}${presenceText(field, shape)}`;
    const text = describe(field, inner);
    if (text === PLAIN_STRING) strings.push(name);
    else if (text === ALWAYS_NULL) nulls.push(name);
    else if (used + name.length + text.length > detailRoom && told.length > 0) rest.push(name);
    else {
      told.push(`${name}: ${text}`);
      used += name.length + text.length + 4;
    }
  }
  const names = Math.max(INNER_MIN_ROOM, room - used);
  const groups = [
    told.join(", "),
    strings.length === 0
      ? ""
      : `strings: ${listed(tellingFirst(strings), rest.length === 0 ? names : names * 0.6)}`,
    nulls.length === 0 ? "" : `${ALWAYS_NULL}: ${listed(nulls, names * 0.4)}`,
    rest.length === 0 ? "" : `also: ${listed(rest, strings.length === 0 ? names : names * 0.4)}`,
    lostText(shape),
  ];
  return `{${groups.filter((group) => group !== "").join("; ")}}`;
}

/** Names of addresses and ids, which tell the least of what a record says, after the others. */
function tellingFirst(names: readonly string[]): string[] {
  const isAddress = (name: string): boolean => ADDRESS_NAME.test(name);
  return [...names.filter((name) => !isAddress(name)), ...names.filter(isAddress)];
}

function presenceText(field: Shape, shape: Shape): string {
  return field.presence < shape.objects && shape.objects > 1
    ? ` (in ${grouped(field.presence)} of ${grouped(shape.objects)})`
    : "";
}

function lostText(shape: Shape): string {
  if (shape.lost === 0) return "";
  return shape.objects === 1 ? counted(shape.lost, "more member") : "other keys";
}
