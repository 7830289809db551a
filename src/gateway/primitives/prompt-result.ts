import { labelOf } from "../../firewall/result/label.ts";
import type { Part, ToolResult } from "../../firewall/result/tool-result.ts";
import { seen } from "../../firewall/summary/neutral.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import { PROMPT_ROLE_SHOWN_MAX_CODE_POINTS } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import { textPart } from "../answers.ts";
import { RESULT_KEY, type ShapedResult, shapedResult } from "./shaped-result.ts";

/** Where programs find what each message says beside its content, in order. */
const MESSAGES_KEY = "loomgate/messages";

/** A message, and the places of its content among the parts. */
interface Message {
  readonly role: string;
  readonly rest: Readonly<Record<string, unknown>>;
  readonly parts: readonly Part[];
  readonly isList: boolean;
}

/**
 * Judges the result of a `prompts/get` (MCP 2025-11-25, "PromptMessage") and shapes it for the firewall: the content of each
 * message, in order, and where there is more than one role a line with it wherever it changes. Fails, with the text for the
 * log, for what is no legal result.
 */
export function shapePrompt(
  result: Readonly<Record<string, unknown>>,
  name: string,
): Result<ShapedResult, string> {
  const given = memberOf(result, "messages");
  const textAs = { label: labelOf("prompt", name).label };
  if (given instanceof LargePayload) {
    const parts = [{ type: "messages", payload: given }];
    return ok({ result: shapedResult(result, "messages", parts, {}), shaping: { textAs } });
  }
  if (!isJsonArray(given)) return fail("the result has no messages");
  const messages: Message[] = [];
  for (const each of given) {
    const message = messageOf(each);
    if (message === undefined) return fail("a message has no role or no content");
    messages.push(message);
  }
  const { content, places } = partsOf(messages);
  const ours = messages.length === 0 ? {} : { [MESSAGES_KEY]: messages.map(({ rest }) => rest) };
  const parts = messages.length === 0 ? [textPart(EMPTY)] : content;
  return ok({
    result: shapedResult(result, "messages", parts, ours),
    shaping: { textAs, structured: (clean) => messagesOf(clean, messages, places) },
  });
}

const EMPTY = "the prompt is empty: its server answered with no messages";

function messageOf(value: unknown): Message | undefined {
  const role = memberOf(value, "role");
  const content = memberOf(value, "content");
  if (!isRecord(value) || typeof role !== "string") return undefined;
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== "content"));
  if (isRecord(content)) return { role, rest, parts: [content], isList: false };
  // Some servers send several parts in one message, as sampling has them.
  return isJsonArray(content) && content.every(isRecord)
    ? { role, rest, parts: content, isList: true }
    : undefined;
}

function partsOf(messages: readonly Message[]): {
  readonly content: readonly Part[];
  readonly places: readonly (readonly number[])[];
} {
  const isDialogue = new Set(messages.map(({ role }) => role)).size > 1;
  const content: Part[] = [];
  let before: string | undefined;
  const places = messages.map(({ role, parts }) => {
    if (isDialogue && role !== before) content.push(textPart(roleLine(role)));
    before = role;
    return parts.map((part) => content.push(part) - 1);
  });
  return { content, places };
}

function roleLine(role: string): string {
  return `${seen(role, PROMPT_ROLE_SHOWN_MAX_CODE_POINTS)}:`;
}

/** The prompt as MCP has it, made again of what is left of it without secrets. */
function messagesOf(
  { content, meta }: ToolResult,
  messages: readonly Message[],
  places: readonly (readonly number[])[],
): unknown {
  const rests = memberOf(meta, MESSAGES_KEY);
  const description = memberOf(memberOf(meta, RESULT_KEY), "description");
  return {
    ...(typeof description === "string" ? { description } : {}),
    messages: messages.map(({ role, isList }, index) => {
      const rest: unknown = isJsonArray(rests) ? rests[index] : undefined;
      const parts = (places[index] ?? []).map((place) => content[place]);
      return { role, ...(isRecord(rest) ? rest : {}), content: isList ? parts : parts[0] };
    }),
  };
}
