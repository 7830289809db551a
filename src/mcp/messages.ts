import { REQUEST_BATCH_MAX_COUNT } from "../limits.ts";
import { isJsonArray, memberOf } from "../json.ts";
import {
  type FrameProblem,
  frameProblemError,
  INVALID_REQUEST,
  PARSE_ERROR,
} from "../spine/frame/frame-problem.ts";
import { classifyMessage, type Message } from "../spine/frame/message.ts";
import { plainJson } from "../exact-json/plain.ts";
import { parseExactJson } from "../exact-json/parse.ts";
import { isReadable } from "./message-size.ts";
import { fail, ok, type Result } from "../result.ts";

/** What one POST holds, as far as the HTTP side has to know before the protocol face reads it. */
export interface PostedMessages {
  /** The body to hand to the face, its numbers as they were written. */
  readonly body: unknown;
  readonly count: number;
  readonly initialize: boolean;
  /** The method of the only message; null where there are several, and for an answer. */
  readonly method: string | null;
}

/** A refusal of the whole POST, as JSON-RPC with `id: null`. */
export interface MessageProblem {
  readonly code: -32600 | -32700;
  readonly message: string;
}

/** The only version with batches; a client of that version does not send the header, which came later. */
const BATCH_VERSION = "2025-03-26";

/**
 * Reads the body of a POST, strictly: a member given twice at any depth, an ambiguous envelope, another version and an id
 * that is null are refused, since two readers of one text must not read two things. Batches belong to 2025-03-26 alone. In one, an `initialize`, two requests with one id or more
 * than `REQUEST_BATCH_MAX_COUNT` messages are refused; a cancellation is dropped, since what it names is at best a
 * neighbour in the same batch, whose answer would then never come.
 */
export function readMessages(
  text: string,
  versionHeader: string | null,
): Result<PostedMessages, MessageProblem> {
  if (!isReadable(text)) return refuse("The message is nested too deep or has too many values");
  const parsed = parseExactJson(text, { duplicates: "refuse" });
  if (!parsed.ok) return refuseFrame(parsed.reason);
  const body = parsed.value;
  if (!isJsonArray(body)) {
    const message = classifyMessage(body);
    if (!message.ok) return refuseFrame(message.reason);
    return ok({
      body,
      count: 1,
      // Without an id it is a notification, which opens nothing.
      initialize: message.value.kind === "request" && message.value.method === "initialize",
      method: methodOf(message.value) ?? null,
    });
  }
  if ((versionHeader ?? BATCH_VERSION) !== BATCH_VERSION) return refuse(`Batches belong to ${BATCH_VERSION}`);
  if (body.length === 0) return refuse("An empty batch");
  if (body.length > REQUEST_BATCH_MAX_COUNT) {
    return refuse(`A batch has at most ${REQUEST_BATCH_MAX_COUNT} messages`);
  }
  const messages: Message[] = [];
  for (const item of body) {
    const message = classifyMessage(item);
    if (!message.ok) return refuseFrame(message.reason);
    messages.push(message.value);
  }
  if (messages.some((message) => methodOf(message) === "initialize"))
    return refuse("initialize cannot be batched");
  // `1` and `1.0` are two ids here, and one to whoever reads the answers with numbers of its own.
  const ids = messages.flatMap((message) =>
    message.kind === "request"
      ? [typeof message.id === "string" ? message.id : Number(plainJson(message.id))]
      : [],
  );
  if (new Set(ids).size < ids.length) return refuse("Two requests of the batch have one id");
  return ok({
    body: body.filter((item) => memberOf(item, "method") !== "notifications/cancelled"),
    count: messages.length,
    initialize: false,
    method: messages.length === 1 && messages[0] !== undefined ? (methodOf(messages[0]) ?? null) : null,
  });
}

function refuseFrame(problem: FrameProblem): Result<never, MessageProblem> {
  if (problem.reason === "syntax") return fail({ code: PARSE_ERROR, message: "Parse error" });
  // What two peers on one line would answer for ever, a POST is answered once: it has a response of its own.
  const told = frameProblemError(problem) ?? {
    code: INVALID_REQUEST,
    message: "The error names no request.",
  };
  return fail({ code: told.code, message: `Invalid Request: ${told.message}` });
}

function refuse(message: string): Result<never, MessageProblem> {
  return fail({ code: INVALID_REQUEST, message: `Invalid Request: ${message}` });
}

function methodOf(message: Message): string | undefined {
  return message.kind === "request" || message.kind === "notification" ? message.method : undefined;
}
