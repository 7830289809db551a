import { compareCodePoints } from "../../code-points.ts";
import { readListedName } from "../../identity/listed-name.ts";
import {
  CATALOG_ID_MAX_CHARS,
  SIMILAR_ADDITION_MIN_CHARS,
  SIMILAR_PREFIX_MIN_CHARS,
  SIMILAR_SLIP_MIN_CHARS,
  SIMILAR_TWO_SLIPS_MIN_CHARS,
} from "../../limits.ts";
import { withoutClientPrefix } from "../../routing/index/exact-name.ts";
import { validateSelection } from "../../routing/selection/validate-selection.ts";
import { nounKey, splitWords } from "../tree/words.ts";
import { editDistance } from "../../routing/text/edit-distance.ts";

/** An id, or what was written for one, as it is compared: letters and digits only, in one case, where it says "letters". */
interface Reading {
  /** All of it, in one case. */
  readonly text: string;
  readonly letters: string;
  /** Letters without hash and version. */
  readonly bare: string;
  /** Letters before the colon; empty without one. */
  readonly namespace: string;
  /** The name as it is written, and its letters. */
  readonly name: string;
  readonly nameLetters: string;
}

/** What was asked for, with its name's words. */
interface Asked extends Reading {
  readonly words: string;
}

/** How an id may be what was meant, the likeliest first. Nothing else is near. */
const KINDS = [
  "slip_in_id",
  "other_hash",
  "other_namespace",
  "slip",
  "other_order",
  "prefix",
  "addition",
] as const;

interface Nearness {
  readonly kind: (typeof KINDS)[number];
  /** Among ids of one kind: the smaller, the likelier. */
  readonly distance: number;
}

/**
 * The ids that a wrong one was likely meant for, the likeliest first; none where nothing is near. What the selection
 * contract would repair it to comes first, so that `tool_execute` and `/api/validate-selection` say the same. Then: one
 * slip of the pen anywhere in the id; another hash, version, case or separator; the name in another namespace; one or two
 * slips in the name; the same words in another order or number; a beginning that few share; a name with something added. Where
 * there is none of that, the same without what a client puts before a server's tools (`mcp__github__create_issue`).
 *
 * One pass over the ids, or two, and a bounded comparison each.
 */
export function likelyIds(asked: string, ids: readonly string[], count: number): string[] {
  const written = unlisted(asked.trim());
  const likely = likelyIdsOf(written, ids, count);
  const ofClient = likely.length === 0 ? withoutClientPrefix(written) : undefined;
  return ofClient === undefined ? likely : likelyIdsOf(ofClient, ids, count);
}

function likelyIdsOf(written: string, ids: readonly string[], count: number): string[] {
  if (written.length > CATALOG_ID_MAX_CHARS) return [];
  const { selected_id: repaired } = validateSelection(ids, written, { repair: true });
  const reading = readingOf(written);
  const wanted: Asked = { ...reading, words: wordsOf(reading.name) };
  const near: (Nearness & { readonly id: string })[] = [];
  for (const id of ids) {
    const found = id === repaired ? undefined : nearnessOf(wanted, readingOf(id));
    if (found !== undefined) near.push({ id, ...found });
  }
  // A beginning that more tools share than can be shown points at none of them.
  const begun = near.filter(({ kind }) => kind === "prefix").length;
  const likely = near
    .filter(({ kind }) => kind !== "prefix" || begun <= count)
    .sort(
      (left, right) =>
        KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
        left.distance - right.distance ||
        compareCodePoints(left.id, right.id),
    )
    .map(({ id }) => id);
  return [...(repaired === null ? [] : [repaired]), ...likely].slice(0, Math.max(0, count));
}

/** The id that a listed name stands for, where it can be read back; any other text as it is. */
export function unlisted(text: string): string {
  const read = readListedName(text);
  return read.ok && read.value.form === "short" ? read.value.id : text;
}

function readingOf(id: string): Reading {
  const end = id.search(/[#@]/);
  const bareEnd = end < 0 ? id.length : end;
  const colon = id.lastIndexOf(":", bareEnd - 1);
  const text = id.toLowerCase();
  // Nearly every id is ASCII, whose lower case has the places of the id, and whose letters a plain class tells ten times as fast.
  const isAscii = ASCII.test(id);
  const lower = isAscii ? text : id;
  const lettersOf = isAscii ? asciiLettersOf : anyLettersOf;
  const namespace = lettersOf(lower.slice(0, Math.max(0, colon)));
  const nameLetters = lettersOf(lower.slice(colon + 1, bareEnd));
  const bare = namespace + nameLetters;
  const letters = bare + lettersOf(lower.slice(bareEnd));
  return { text, letters, bare, namespace, name: id.slice(colon + 1, bareEnd), nameLetters };
}

const ASCII = /^[\0-\x7f]*$/;

function asciiLettersOf(lower: string): string {
  return lower.replaceAll(/[^a-z0-9]+/g, "");
}

function anyLettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

function nearnessOf(asked: Asked, own: Reading): Nearness | undefined {
  const inId = editDistance(asked.text, own.text, 1);
  if (inId !== undefined) return { kind: "slip_in_id", distance: inId };
  if (asked.nameLetters === "") return undefined;
  if (own.bare === asked.bare || own.letters === asked.letters) return { kind: "other_hash", distance: 0 };
  if (own.nameLetters === asked.nameLetters) return { kind: "other_namespace", distance: 0 };
  const slips = slipsBetween(asked, own);
  if (slips !== undefined) return { kind: "slip", distance: slips };
  // From here on the name says less, so the namespace has to be right if one was given.
  if (asked.namespace !== "" && asked.namespace !== own.namespace) return undefined;
  const more = own.nameLetters.length - asked.nameLetters.length;
  if (Math.abs(more) <= SIMILAR_SLIP_MIN_CHARS && asked.words !== "" && asked.words === wordsOf(own.name)) {
    return { kind: "other_order", distance: Math.abs(more) };
  }
  if (asked.nameLetters.length >= SIMILAR_PREFIX_MIN_CHARS && own.nameLetters.startsWith(asked.nameLetters)) {
    return { kind: "prefix", distance: more };
  }
  return isAddition(asked.nameLetters, own.nameLetters) ? { kind: "addition", distance: -more } : undefined;
}

/** Slips in the name and the namespace together, as many as the name's length allows: a short one becomes another name. */
function slipsBetween(asked: Reading, own: Reading): number | undefined {
  const chars = Math.min(asked.nameLetters.length, own.nameLetters.length);
  if (chars < SIMILAR_SLIP_MIN_CHARS) return undefined;
  const most = chars < SIMILAR_TWO_SLIPS_MIN_CHARS ? 1 : 2;
  const whole = editDistance(asked.bare, own.bare, most);
  return asked.namespace === "" ? (editDistance(asked.nameLetters, own.nameLetters, most) ?? whole) : whole;
}

/** The words of a name whatever their order, singular and plural alike. */
function wordsOf(name: string): string {
  return splitWords(name).map(nounKey).sort(compareCodePoints).join(" ");
}

/** Whether the text is a whole name and something more, most of it the name. */
function isAddition(asked: string, name: string): boolean {
  return (
    name.length >= SIMILAR_ADDITION_MIN_CHARS && 2 * name.length >= asked.length && asked.startsWith(name)
  );
}
