import { parseExactJson } from "../../../../src/exact-json/parse.ts";
import { exactJsonText } from "../../../../src/exact-json/write.ts";
import { isJsonArray, isRecord } from "../../../../src/json.ts";

/**
 * What a model reads of an answer's parts: texts as they are, anything else as JSON. The data of images and sound is left
 * out, since what they cost a model hangs on their pixels and seconds and not on their bytes.
 */
export function modelText(content: unknown): string {
  return partsOf(content).map(partText).join("\n");
}

/** All that a `tools/call` result says, once: its parts, and its structured content where the text does not say the same. */
export function wholeText(result: Readonly<Record<string, unknown>>): string {
  const structured = result["structuredContent"] ?? result["toolResult"];
  const parts = partsOf(result["content"]);
  if (structured === undefined) return modelText(parts);
  const json = exactJsonText(structured);
  const text = parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n");
  return saysSame(text, json) ? modelText(parts) : [...parts.map(partText), json].join("\n");
}

function partsOf(content: unknown): Record<string, unknown>[] {
  return isJsonArray(content) ? content.filter(isRecord) : [];
}

function partText(part: Readonly<Record<string, unknown>>): string {
  const { type, text, data: _data, ...rest } = part;
  if (type === "text" && typeof text === "string") return text;
  return exactJsonText(type === "image" || type === "audio" ? { type, ...rest } : part);
}

function saysSame(text: string, json: string): boolean {
  const parsed = parseExactJson(text, { duplicates: "last" });
  return parsed.ok && exactJsonText(parsed.value) === json;
}
