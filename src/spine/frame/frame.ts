import { parseExactJson } from "../../exact-json/parse.ts";
import { fail, ok, type Result } from "../../result.ts";
import { exceedsLimit, type FrameLimit } from "./frame-limit.ts";
import type { FrameProblem } from "./frame-problem.ts";
import { classifyMessage, type Message } from "./message.ts";

const SEALED: unique symbol = Symbol("frame");

/**
 * A JSON-RPC message that was read: its text as it came, the value of that text, and what the value is. The three agree
 * because only `parseFrame` makes one.
 */
export interface Frame {
  readonly [SEALED]: true;
  readonly text: string;
  readonly value: unknown;
  readonly message: Message;
}

/**
 * Reads one JSON-RPC 2.0 message (reference: JSON-RPC 2.0 §4 and §5, and strict where they leave room): no member twice at
 * any depth, one kind only, ids and numbers kept as they stood. Never throws; a refusal has its one reason.
 */
export function parseFrame(text: string, limit: FrameLimit): Result<Frame, FrameProblem> {
  if (exceedsLimit(text, limit)) return fail({ reason: "over_limit", limit_bytes: limit });
  if (isBlank(text)) return fail({ reason: "empty" });
  const parsed = parseExactJson(text, { duplicates: "refuse" });
  if (!parsed.ok) return parsed;
  const message = classifyMessage(parsed.value);
  if (!message.ok) return message;
  return ok(Object.freeze({ [SEALED]: true, text, value: parsed.value, message: message.value }));
}

/** Whether a text has nothing but JSON's white space. */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text);
}
