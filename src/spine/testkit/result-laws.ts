import { parseExactJson } from "../../exact-json/parse.ts";
import { isJsonArray, isRecord, type JsonObject, memberOf } from "../../json.ts";
import { equalJson } from "../normalise/equal-json.ts";
import { thrown, type Violation } from "./violation.ts";

/** What a renderer promises of its text. */
export interface PorcelainLaw {
  readonly maxLines: number;
  /** Code points of one line; any number where it is left out. */
  readonly maxLineChars?: number;
}

/**
 * A renderer's text for a value: within its lines, on lines without control characters, and the same for the same value
 * whatever the order of its members.
 */
export function porcelainViolations(
  render: (value: unknown) => string,
  value: unknown,
  { maxLines, maxLineChars = Infinity }: PorcelainLaw,
): Violation[] {
  try {
    const text = render(value);
    const lines = text.split("\n");
    const longest = Math.max(...lines.map((line) => Array.from(line).length));
    return [
      ...(lines.length > maxLines ? [`${lines.length} lines of at most ${maxLines}`] : []),
      ...(longest > maxLineChars ? [`a line of ${longest} characters of at most ${maxLineChars}`] : []),
      ...(text === "" ? ["no line at all"] : []),
      ...(/[^\P{Cc}\n]/u.test(text) ? ["a control character"] : []),
      ...(render(value) === text ? [] : ["another text for the same value"]),
      ...(render(reversed(value)) === text ? [] : ["another text for members in another order"]),
    ];
  } catch (error) {
    return [thrown(error)];
  }
}

/** Further down no renderer says anything, and a stack ends somewhere. */
const REVERSED_DEPTH_MAX_COUNT = 64;

/** The same value with the members of its objects the other way round. */
function reversed(value: unknown, depth = REVERSED_DEPTH_MAX_COUNT): unknown {
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
 * JSON is the structured content, and its mirror is the one text that may stand beside it. `dual`: both by contract, the
 * text in words of its own. Parts that are no text (images, links) are free in either.
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
  const beside = texts.filter((text) => !isMirror(text, structured));
  if (beside.length > 0) return ["structured content beside another text"];
  return texts.length > 1 ? ["structured content mirrored twice"] : [];
}

/** Whether a text is the value's JSON, however it is spaced and ordered. */
function isMirror(text: string, value: unknown): boolean {
  const parsed = parseExactJson(text, { duplicates: "refuse" });
  return parsed.ok && equalJson(parsed.value, value);
}
