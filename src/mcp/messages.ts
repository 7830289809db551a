import { REQUEST_BATCH_MAX_COUNT } from "../limits.ts";
import { isRecord } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";

/** What one POST holds, as far as the HTTP side has to know before the protocol face reads it. */
export interface PostedMessages {
  /** The body to hand to the face. */
  readonly body: unknown;
  readonly count: number;
  readonly initialize: boolean;
  /** Whether every message is a tool call, which is admitted as a part of the call itself. */
  readonly onlyToolCalls: boolean;
}

/** A refusal of the whole POST, as JSON-RPC with `id: null`. */
export interface MessageProblem {
  readonly code: -32600 | -32700;
  readonly message: string;
}

/** The only version with batches; a client of that version does not send the header, which came later. */
const BATCH_VERSION = "2025-03-26";

/**
 * Reads the body of a POST. Batches belong to 2025-03-26 alone. In one, an `initialize`, two requests with one id or more
 * than `REQUEST_BATCH_MAX_COUNT` messages are refused; a cancellation is dropped, since what it names is at best a
 * neighbour in the same batch, whose answer would then never come.
 */
export function readMessages(
  text: string,
  versionHeader: string | null,
): Result<PostedMessages, MessageProblem> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return fail({ code: -32700, message: "Parse error" });
  }
  if (!Array.isArray(body)) {
    if (!isMessage(body)) return refuse("no JSON-RPC 2.0 message");
    return ok({
      body,
      count: 1,
      // Without an id it is a notification, which opens nothing.
      initialize: methodOf(body) === "initialize" && isRecord(body) && "id" in body,
      onlyToolCalls: methodOf(body) === "tools/call",
    });
  }
  if ((versionHeader ?? BATCH_VERSION) !== BATCH_VERSION) return refuse(`Batches belong to ${BATCH_VERSION}`);
  const messages: readonly unknown[] = body;
  if (messages.length === 0) return refuse("An empty batch");
  if (messages.length > REQUEST_BATCH_MAX_COUNT) {
    return refuse(`A batch has at most ${REQUEST_BATCH_MAX_COUNT} messages`);
  }
  if (!messages.every((message) => isMessage(message))) return refuse("no JSON-RPC 2.0 message");
  if (messages.some((message) => methodOf(message) === "initialize"))
    return refuse("initialize cannot be batched");
  const ids = messages.flatMap((message) =>
    isRecord(message) && "method" in message && "id" in message ? [message["id"]] : [],
  );
  if (new Set(ids).size < ids.length) return refuse("Two requests of the batch have one id");
  return ok({
    body: messages.filter((message) => methodOf(message) !== "notifications/cancelled"),
    count: messages.length,
    initialize: false,
    onlyToolCalls: messages.every((message) => methodOf(message) === "tools/call"),
  });
}

function refuse(message: string): Result<never, MessageProblem> {
  return fail({ code: -32600, message: `Invalid Request: ${message}` });
}

/** A request, a notification or a response; whether its parts are legal is the protocol face's to say. */
function isMessage(message: unknown): boolean {
  return (
    isRecord(message) &&
    message["jsonrpc"] === "2.0" &&
    (typeof message["method"] === "string" || "result" in message || "error" in message)
  );
}

function methodOf(message: unknown): unknown {
  return isRecord(message) ? message["method"] : undefined;
}
