import type { JsonLocation } from "../../../json-path/node.ts";
import { decodeUtf8 } from "../../result/utf8.ts";
import {
  AT_VALUE,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  documentStart,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipSpace,
  skipValue,
  stringClose,
} from "./scan.ts";

/** Where a value stands among the document's bytes. */
export interface Span {
  start: number;
  end: number;
}

/** What is looked for below a value, and who asked for the value itself. */
interface Wanted {
  readonly below: Map<string | number, Wanted>;
  span: Span | undefined;
}

interface Open {
  readonly wanted: Wanted;
  readonly isObject: boolean;
  readonly start: number;
  index: number;
}

/**
 * The places of values, by their locations, in one pass over a document that was found valid. Where a name comes twice the
 * last one counts, as in every parser. `undefined` for what is not there.
 */
export function spansOf(
  bytes: Uint8Array,
  locations: readonly JsonLocation[],
): readonly (Span | undefined)[] {
  const root = wanted();
  const leaves = locations.map((location) => {
    let at = root;
    for (const key of location) {
      const below = at.below.get(key) ?? wanted();
      at.below.set(key, below);
      at = below;
    }
    return at;
  });
  scan(bytes, root);
  return leaves.map(({ span }) => span);
}

function wanted(): Wanted {
  return { below: new Map(), span: undefined };
}

function scan(bytes: Uint8Array, root: Wanted): void {
  const open: Open[] = [];
  /** Goes by a value, or into it where something below is wanted. */
  const visit = (at: number, target: Wanted | undefined): number => {
    const first = bytes[at];
    if (target !== undefined && target.below.size > 0 && (first === OPEN_OBJECT || first === OPEN_ARRAY)) {
      open.push({ wanted: target, isObject: first === OPEN_OBJECT, start: at, index: 0 });
      return at + 1;
    }
    const { end } = skipValue(bytes, at, AT_VALUE);
    if (target !== undefined) target.span = { start: at, end };
    return end;
  };
  let at = visit(documentStart(bytes), root);
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    at = skipSpace(bytes, at);
    const byte = bytes[at];
    if (byte === undefined) return;
    if (byte === COMMA) {
      inner.index += 1;
      at += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      at += 1;
      inner.wanted.span = { start: inner.start, end: at };
      open.pop();
    } else if (inner.isObject) {
      const close = stringClose(bytes, at + 1);
      if (close < 0) return;
      const name: unknown = JSON.parse(decodeUtf8(bytes.subarray(at, close)));
      const colon = skipSpace(bytes, close);
      at = visit(skipSpace(bytes, colon + 1), inner.wanted.below.get(String(name)));
    } else at = visit(at, inner.wanted.below.get(inner.index));
  }
}
