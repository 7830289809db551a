import {
  INLINE_MIN_CHARS,
  PREVIEW_DEPTH_MAX_COUNT,
  PREVIEW_ITEMS_MAX_COUNT,
  PREVIEW_MEMBERS_MAX_COUNT,
} from "../../limits/spine.ts";
import { wholeBound } from "./bounds.ts";
import { type Parts, partsOf } from "./members.ts";
import { cutPlain, quoteJson, quoteKey, type QuotePlace } from "./quote.ts";
import { countChars } from "./truncate.ts";

/** What stands where an object or an array has no room, or lies too deep. */
const COLLAPSED = { array: "[…]", object: "{…}" } as const;

/** A value on its way into a preview. `chars` is its length where nothing is cut, or anything beyond the bound. */
type Piece = Text | Container;

type Text =
  | { readonly kind: "fixed"; readonly text: string; readonly chars: number }
  | { readonly kind: "string"; readonly value: string; readonly chars: number };

interface Container {
  readonly kind: "array" | "object";
  readonly entries: readonly Entry[];
  /** `+N more`, or nothing. */
  readonly more: string;
  readonly chars: number;
  /** Brackets, names, separators and `more`. */
  readonly frameChars: number;
}

interface Entry {
  readonly label: Label;
  readonly piece: Piece;
}

/** `name=`, or nothing in an array. A name is shown whole; one beyond the bound keeps its object from being opened. */
interface Label {
  readonly text: string;
  readonly chars: number;
}

const NO_LABEL: Label = { text: "", chars: 0 };

/**
 * Any value in one line of at most `maxChars` code points (3 at least): strings in JSON's quotes, `[a, b, c, +N more]`,
 * `{k=v, k=v, k=v, k=v, +N more}` with its names by code point. What does not fit is shortened from the inside: strings
 * lose their ends and carry the mark of it, whatever is small stays whole, and an object or array collapses once even
 * shortened values would not fit into it. Counts are those of the value. Never throws, at any depth.
 */
export function previewJson(value: unknown, maxChars: number, place: QuotePlace = "line"): string {
  const room = wholeBound(maxChars, INLINE_MIN_CHARS);
  const piece = pieceOf(partsOf(value), 0, { room, place });
  if (piece.kind === "fixed") return cutPlain(piece.text, room);
  return fitted(piece, room, place);
}

interface Bounds {
  readonly room: number;
  readonly place: QuotePlace;
}

function pieceOf(parts: Parts, depth: number, bounds: Bounds): Piece {
  switch (parts.kind) {
    case "scalar":
      return fixed(parts.text, bounds.room);
    case "string": {
      const { chars, isWhole } = quoteJson(parts.value, bounds.room, bounds.place);
      return { kind: "string", value: parts.value, chars: isWhole ? chars : Infinity };
    }
    case "array": {
      if (parts.items.length === 0) return fixed("[]", bounds.room);
      if (depth === PREVIEW_DEPTH_MAX_COUNT) return fixed(COLLAPSED.array, bounds.room);
      // A hole is an element as well.
      const shown = Array.from(
        { length: Math.min(parts.items.length, PREVIEW_ITEMS_MAX_COUNT) },
        (_, index) => ({
          label: NO_LABEL,
          piece: pieceOf(partsOf(parts.items[index]), depth + 1, bounds),
        }),
      );
      return container("array", shown, parts.items.length);
    }
    case "object": {
      if (parts.keys.length === 0) return fixed("{}", bounds.room);
      if (depth === PREVIEW_DEPTH_MAX_COUNT) return fixed(COLLAPSED.object, bounds.room);
      const shown = parts.keys.slice(0, PREVIEW_MEMBERS_MAX_COUNT).map((key) => ({
        label: labelOf(key, bounds),
        piece: pieceOf(partsOf(parts.of[key]), depth + 1, bounds),
      }));
      return container("object", shown, parts.keys.length);
    }
  }
}

function fixed(text: string, room: number): Text {
  return { kind: "fixed", text, chars: countChars(text, room + 1) };
}

function labelOf(key: string, { room, place }: Bounds): Label {
  const { text, chars, isWhole } = quoteKey(key, room, place);
  return { text: `${text}=`, chars: isWhole ? chars + 1 : Infinity };
}

function container(kind: Container["kind"], entries: readonly Entry[], size: number): Container {
  const more = size > entries.length ? `+${size - entries.length} more` : "";
  const separators = SEPARATOR.length * (entries.length - (more === "" ? 1 : 0));
  const labels = entries.reduce((sum, { label }) => sum + label.chars, 0);
  const frameChars = 2 + separators + labels + more.length;
  const chars = entries.reduce((sum, { piece }) => sum + piece.chars, frameChars);
  return { kind, entries, more, chars, frameChars };
}

const SEPARATOR = ", ";

/** A piece in at most `room` code points, which is {@link leastChars} of it or more. */
function fitted(piece: Piece, room: number, place: QuotePlace): string {
  if (piece.kind === "fixed") return piece.text;
  if (piece.kind === "string") return quoteJson(piece.value, room, place).text;
  const least = piece.entries.map((entry) => leastChars(entry.piece));
  let spare = least.reduce((rest, chars) => rest - chars, room - piece.frameChars);
  if (spare < 0) return COLLAPSED[piece.kind];

  // What needs little more is served first, and what it leaves is shared among the others.
  const wanted = piece.entries.map(({ piece }, index) => ({ piece, index, least: least[index] ?? 0 }));
  wanted.sort(
    (one, other) =>
      one.piece.chars - one.least - (other.piece.chars - other.least) || one.index - other.index,
  );
  const texts: string[] = [];
  for (const [served, { piece, index, least }] of wanted.entries()) {
    const share = Math.floor(spare / (wanted.length - served));
    const text = fitted(piece, Math.min(piece.chars, least + share), place);
    spare -= countChars(text) - least;
    texts[index] = text;
  }
  const members = piece.entries.map(({ label }, index) => `${label.text}${texts[index] ?? ""}`);
  const inside = [...members, ...(piece.more === "" ? [] : [piece.more])].join(SEPARATOR);
  return piece.kind === "array" ? `[${inside}]` : `{${inside}}`;
}

/** A number or a word is never cut inside of others; all else can be marked in three. */
function leastChars(piece: Piece): number {
  return piece.kind === "fixed" ? piece.chars : Math.min(piece.chars, INLINE_MIN_CHARS);
}
