import { type GatewayFailure, toWire } from "../errors.ts";
import { displayText, firstCodePoints } from "../catalog/cards/display-text.ts";
import { visibleJson } from "../exact-json/visible.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { ERROR_PATH_MAX_CHARS } from "../limits.ts";
import type { ToolAnswer } from "../surface.ts";

export type Render = "porcelain" | "json";

/** Where programs find an answer's object, in either render; models do not see it. */
export const ENVELOPE_KEY = "loomgate/envelope";

/** Where programs find what the parts kept from a result said beside their bytes. */
export const KEPT_PARTS_KEY = "loomgate/kept-parts";

/** An answer that has both forms: the lines for a model, or the object, its text first and other parts behind it. */
export function objectAnswer(
  render: Render,
  object: object,
  porcelain: readonly unknown[],
  beside: readonly unknown[] = [],
): ToolAnswer {
  const meta = { [ENVELOPE_KEY]: object };
  return render === "json"
    ? {
        content: [jsonPart(object), ...beside],
        structuredContent: object,
        _meta: meta,
      }
    : { content: porcelain, _meta: meta };
}

/** One line of compact JSON, the same in both renders; a schema's numbers as they are written. */
export function errorAnswer(failure: GatewayFailure): ToolAnswer {
  return { content: [jsonPart(toWire(failure))], isError: true };
}

export function textPart(text: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text };
}

/** An object as a text that a model reads. */
export function jsonPart(object: object): { readonly type: "text"; readonly text: string } {
  return textPart(visibleJson(exactJsonText(object)));
}

/** How an error names what was asked for: one bounded line of it. */
export function shownPath(asked: string): string {
  return firstCodePoints(displayText(asked.slice(0, 4 * ERROR_PATH_MAX_CHARS)), ERROR_PATH_MAX_CHARS);
}
