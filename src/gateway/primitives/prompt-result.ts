import { labelOf } from "../../firewall/result/label.ts";
import type { Part, ToolResult } from "../../firewall/result/tool-result.ts";
import { counted } from "../../firewall/summary/cut.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import { PROMPT_ROLE_SHOWN_MAX_CODE_POINTS, PROMPT_ROLES_COUNTED_MAX_COUNT } from "../../limits.ts";
import { NO_ANSWER } from "../../no-answer.ts";
import { fail, ok, type Result } from "../../result.ts";
import { textPart } from "../answers.ts";
import type { Line } from "./clean-listing.ts";
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
 * Judges the result of a `prompts/get` (MCP 2025-11-25, "PromptMessage"), which has no secrets any more, and shapes it for the firewall: the content of each
 * message, in order, and where there is more than one role a line with it wherever it changes. Fails, with the text for the
 * log, for what is no legal result.
 */
export function shapePrompt(
  result: Readonly<Record<string, unknown>>,
  name: string,
  line: Line,
): Result<ShapedResult, string> {
  if (memberOf(result, "isError") === true) return fail(NO_ANSWER.error);
  const given = memberOf(result, "messages");
  const textAs = { label: labelOf("prompt", line(name)).label };
  if (given instanceof LargePayload) {
    const parts = [{ type: "messages", payload: given }];
    const bundled = () => ({ things: "messages", asItCame: (part: Part) => part });
    return ok({ result: shapedResult(result, "messages", parts, {}), shaping: { textAs, bundled } });
  }
  if (!isJsonArray(given)) return fail("the result has no messages");
  const messages: Message[] = [];
  for (const each of given) {
    const message = messageOf(each);
    if (message === undefined) return fail("a message has no role or no content");
    messages.push(message);
  }
  const { content, places } = partsOf(messages, line);
  const ours = messages.length === 0 ? {} : { [MESSAGES_KEY]: messages.map(({ rest }) => rest) };
  const parts = messages.length === 0 ? [textPart(EMPTY)] : content;
  return ok({
    result: shapedResult(result, "messages", parts, ours),
    shaping: {
      textAs,
      about: () => (messages.length > 1 ? countsOf(messages, line) : undefined),
      structured: (clean) => messagesOf(clean, messages, places),
      bundled: () => ({ things: "parts of messages", asItCame: messageAt(messages, places) }),
    },
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

function partsOf(
  messages: readonly Message[],
  line: Line,
): {
  readonly content: readonly Part[];
  readonly places: readonly (readonly number[])[];
} {
  const isDialogue = new Set(messages.map(({ role }) => role)).size > 1;
  const content: Part[] = [];
  let before: string | undefined;
  const places = messages.map(({ role, parts }) => {
    if (isDialogue && role !== before) content.push(textPart(`${shownRole(role, line)}:`));
    before = role;
    return parts.map((part) => content.push(part) - 1);
  });
  return { content, places };
}

function shownRole(role: string, line: Line): string {
  return line(role, PROMPT_ROLE_SHOWN_MAX_CODE_POINTS);
}

/** A part as a message of its own; it may be one of several of its message. */
function messageAt(
  messages: readonly Message[],
  places: readonly (readonly number[])[],
): (part: Part, place: number) => unknown {
  const byPlace = new Map(
    places.flatMap((each, index) => each.map((place) => [place, messages[index]?.role] as const)),
  );
  return (content, place) => {
    const role = byPlace.get(place);
    return role === undefined ? content : { role, content };
  };
}

/** `40 messages: 20 user, 20 assistant`. */
function countsOf(messages: readonly Message[], line: Line): string {
  const counts = new Map<string, number>();
  for (const { role } of messages) {
    const shown = shownRole(role, line);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  const told = [...counts].slice(0, PROMPT_ROLES_COUNTED_MAX_COUNT);
  const left = counts.size - told.length;
  const more = left === 0 ? "" : ` and ${counted(left, "role")} more`;
  return `${counted(messages.length, "message")}: ${told.map(([role, count]) => `${count} ${role}`).join(", ")}${more}`;
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
