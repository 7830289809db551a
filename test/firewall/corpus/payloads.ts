import { exactJsonText } from "../../../src/exact-json/write.ts";
import { isRecord, memberOf } from "../../../src/json.ts";
import { exactly } from "../../fixtures/results/kit/exactly.ts";
import type { Outcome } from "./outcome.ts";

/** What of a result can be found again neither in the answer nor in any artifact; `artifacts` are their bytes. */
export function lostOf(
  result: Record<string, unknown>,
  outcome: Outcome,
  artifacts: readonly Buffer[],
): readonly string[] {
  const parts = (Array.isArray(result["content"]) ? result["content"] : []).filter(isRecord);
  const shown = new Set(outcome.content.map(exactJsonText));
  const isShown = (part: unknown) => shown.has(exactJsonText(part));
  const isKept = (bytes: Buffer) => artifacts.some((artifact) => artifact.equals(bytes));
  const lost: string[] = [];

  const textParts = parts.filter(({ type }) => type === "text");
  const text = textParts.map((part) => String(part["text"])).join("\n");
  const isTextThere = textParts.every(isShown) || outcome.texts[0] === text || isKept(Buffer.from(text));
  if (!isTextThere) lost.push("the text");

  const member = "content" in result || "structuredContent" in result ? "structuredContent" : "toolResult";
  if (Object.hasOwn(result, member)) {
    const json = exactJsonText(result[member]);
    const inEnvelope = exactJsonText(memberOf(outcome.envelope, "structured_content") ?? null) === json;
    const isThere =
      isJsonOf(text, json) || inEnvelope || outcome.texts.includes(json) || isKept(Buffer.from(json));
    if (!isThere) lost.push("the structured content");
  }

  const lists = artifacts.flatMap(listIn);
  const others = parts.filter(({ type }) => type !== "text");
  const inList = new Set(lists.map(exactJsonText));
  for (const [index, part] of others.entries()) {
    const whole = exactJsonText(part);
    const isThere =
      isShown(part) || inList.has(whole) || isKept(Buffer.from(whole)) || payloadsOf(part).some(isKept);
    if (!isThere) lost.push(`part ${index} of those that are no text`);
  }
  return lost;
}

function isJsonOf(text: string, json: string): boolean {
  return /^\s*[[{]/.test(text) && exactJsonText(exactly(text)) === json;
}

/** The bytes that a part carries; what is no base64 is what it is. */
function payloadsOf(part: Record<string, unknown>): Buffer[] {
  const resource = part["resource"];
  const data = part["data"] ?? memberOf(resource, "blob");
  const plain = memberOf(resource, "text");
  return [
    ...(typeof data === "string" ? [Buffer.from(data, "base64"), Buffer.from(data)] : []),
    ...(typeof plain === "string" ? [Buffer.from(plain)] : []),
  ];
}

/** Parts that were kept together, as one JSON array. */
function listIn(artifact: Buffer): unknown[] {
  if (artifact[0] !== "[".charCodeAt(0)) return [];
  try {
    const list: unknown = JSON.parse(artifact.toString());
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
