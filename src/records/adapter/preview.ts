import { cutAtCodePoint } from "../../code-points.ts";
import { isExactNumber } from "../../exact-json/exact-number.ts";
import { visibleJson } from "../../exact-json/visible.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isJsonArray, isRecord } from "../../json.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { cutAtBytes } from "./line.ts";
import { payloadNote } from "./payload-note.ts";

export interface Preview {
  /** One line; JSON unless it had to be cut even so. */
  readonly text: string;
  /** Whether everything is in it. */
  readonly whole: boolean;
}

/** How long texts may be in a preview, from most to least. */
const STRING_MAX_CHARS = [240, 120, 60, 30, 12];
/** A preview is read at a glance; deeper and further there is nothing to see. */
const MAX_DEPTH = 6;
const MAX_NODES = 200;
const NAME_MAX_CHARS = 64;
const ID_MAX_CHARS = 160;

/**
 * A JSON value in at most `maxBytes` of one line. Long texts are shortened before members are lost. Any depth, any size. With
 * `tellsPayloads` encoded bytes and references to blobs are told by their size and kind: no reader sees anything in them.
 */
export function previewOf(value: unknown, maxBytes: number, tellsPayloads = false): Preview {
  let last = "";
  for (const maxChars of [maxBytes, ...STRING_MAX_CHARS.filter((chars) => chars < maxBytes)]) {
    const reducer = new Reducer(maxChars, tellsPayloads);
    last = visibleJson(exactJsonText(reducer.reduce(value, 0)));
    if (utf8Length(last) <= maxBytes) return { text: last, whole: !reducer.cut };
  }
  return { text: `${cutAtBytes(last, Math.max(0, maxBytes - 3)).text}…`, whole: false };
}

class Reducer {
  cut = false;
  private nodes = 0;
  private readonly maxChars: number;
  private readonly tellsPayloads: boolean;

  constructor(maxChars: number, tellsPayloads: boolean) {
    this.maxChars = maxChars;
    this.tellsPayloads = tellsPayloads;
  }

  reduce(value: unknown, depth: number): unknown {
    this.nodes += 1;
    const told = this.tellsPayloads ? payloadNote(value) : undefined;
    if (told !== undefined) return told;
    if (typeof value === "string") return this.shortened(value);
    if (isExactNumber(value)) return value.text.length <= this.maxChars ? value : this.shortened(value.text);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MAX_DEPTH) {
      this.cut = true;
      return "…";
    }
    if (isJsonArray(value)) return this.taken(value).map((item) => this.reduce(item, depth + 1));
    if (!isRecord(value)) return "…";
    // `fromEntries` defines members, so that `__proto__` is one.
    return Object.fromEntries(
      this.taken(Object.keys(value)).map((key) => [this.named(key), this.memberOf(value[key], key, depth)]),
    );
  }

  /** A name is an argument of the next call, so it stays whole; one that no schema has is a text like any other. */
  private named(key: string): string {
    return key.length <= NAME_MAX_CHARS ? key : this.shortened(key);
  }

  /** An id leads on, and half of it leads nowhere. */
  private memberOf(value: unknown, key: string, depth: number): unknown {
    if (key === "id" && typeof value === "string" && value.length <= ID_MAX_CHARS) return value;
    return this.reduce(value, depth + 1);
  }

  private taken<Item>(items: readonly Item[]): readonly Item[] {
    const room = Math.max(0, MAX_NODES - this.nodes);
    if (items.length > room) this.cut = true;
    return items.slice(0, room);
  }

  private shortened(text: string): string {
    if (text.length <= this.maxChars) return text;
    this.cut = true;
    return `${cutAtCodePoint(text, this.maxChars - 1)}…`;
  }
}
