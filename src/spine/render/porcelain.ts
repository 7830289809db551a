import {
  INLINE_MIN_CHARS,
  PORCELAIN_DEFAULT_MAX_INLINE_CHARS,
  PORCELAIN_DEFAULT_MAX_LINES,
} from "../../limits/spine.ts";
import { type PorcelainBounds, wholeBound } from "./bounds.ts";
import { boundLines } from "./lines.ts";
import { partsOf } from "./members.ts";
import { previewJson } from "./preview.ts";
import { quoteKey } from "./quote.ts";

/**
 * Any JSON value as lines for a model; the same value gives the same text, whatever order its members came in.
 *
 * - An object: `key: preview` a member, by code point of the key; `empty object` where it has none.
 * - An array: `N item(s)`, then `[i] preview` an item, counted from 1.
 * - Anything else: its preview.
 *
 * At most `maxLines` lines; where there are more, the last says `… N line(s) omitted`, itself among the N. A key and a
 * preview have at most `maxInlineChars` code points each, so that a line has twice that and the `: ` between them, or an
 * item's number before it. Never throws, at any depth.
 */
export function renderJsonPorcelain(value: unknown, bounds: Partial<PorcelainBounds> = {}): string {
  const { maxLines = PORCELAIN_DEFAULT_MAX_LINES, maxInlineChars = PORCELAIN_DEFAULT_MAX_INLINE_CHARS } =
    bounds;
  const chars = wholeBound(maxInlineChars, INLINE_MIN_CHARS);
  const parts = partsOf(value);
  switch (parts.kind) {
    case "object": {
      const { keys, of } = parts;
      if (keys.length === 0) return "empty object";
      return boundLines(keys.length, maxLines, (index) => {
        const key = keys[index] ?? "";
        return `${quoteKey(key, chars).text}: ${previewJson(of[key], chars)}`;
      });
    }
    case "array": {
      const { items } = parts;
      return boundLines(items.length + 1, maxLines, (line) =>
        line === 0 ? `${items.length} item(s)` : `[${line}] ${previewJson(items[line - 1], chars)}`,
      );
    }
    case "scalar":
    case "string":
      return previewJson(value, chars);
  }
}
