import { exactJsonText } from "../../exact-json/write.ts";
import { isJsonArray, isRecord, type JsonObject, memberOf } from "../../json.ts";
import type { PorcelainBounds } from "../render/bounds.ts";
import type { Violation } from "./replay-laws.ts";

/**
 * A renderer's text for a value: within its lines, on lines without control characters, and the same for the same value
 * whatever the order of its members.
 */
export function porcelainViolations(
  render: (value: unknown) => string,
  value: unknown,
  { maxLines }: Pick<PorcelainBounds, "maxLines">,
): Violation[] {
  const text = render(value);
  const lines = text.split("\n");
  return [
    ...(lines.length > maxLines ? [`${lines.length} lines of at most ${maxLines}`] : []),
    ...(text === "" ? ["no line at all"] : []),
    ...(/[^\P{Cc}\n]/u.test(text) ? ["a control character"] : []),
    ...(render(value) === text ? [] : ["another text for the same value"]),
    ...(render(reversed(value)) === text ? [] : ["another text for members in another order"]),
  ];
}

/** The same value with the members of its objects the other way round, at the top and one below: enough to tell. */
function reversed(value: unknown, depth = 2): unknown {
  if (depth === 0) return value;
  if (isJsonArray(value)) return value.map((item) => reversed(item, depth - 1));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    reversed(item, depth - 1),
  ]);
  return Object.fromEntries(members.toReversed());
}

/**
 * The shape of a tool's result. `exclusive`: porcelain or JSON, never both, since hosts show models both and charge twice;
 * JSON is the structured content and its one mirror. `dual`: both by contract, the text in words of its own.
 */
export function resultShapeViolations(result: JsonObject, shape: "exclusive" | "dual"): Violation[] {
  const structured = memberOf(result, "structuredContent");
  const content = memberOf(result, "content");
  if (!isJsonArray(content)) return ["content is not an array"];
  const texts = content.flatMap((part) => {
    const text = memberOf(part, "text");
    return typeof text === "string" ? [text] : [];
  });
  if (shape === "dual")
    return structured === undefined || texts.length === 0 ? ["a dual result lacks a form"] : [];
  if (structured === undefined) return [];
  return texts[0] === exactJsonText(structured) ? [] : ["structured content beside another text"];
}
