import { isJsonArray, isRecord, memberOf, parsedJson } from "../../src/json.ts";

export type RequestId = string | number;

/** What a client wrote on one line. */
export interface Posted {
  /** As it was written: numbers that JavaScript would round go on unrounded. */
  readonly text: string;
  /** Of the requests in it, each of which is owed one answer. */
  readonly ids: readonly RequestId[];
  readonly isBatch: boolean;
  readonly isInitialize: boolean;
  /** The request that the client gives up, if that is what it says. */
  readonly cancels: RequestId | undefined;
}

/** A JSON-RPC error of our own. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const PARSE_ERROR: RpcError = { code: -32700, message: "Parse error" };
const INVALID_REQUEST: RpcError = { code: -32600, message: "Invalid Request" };

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}

/** Reads a line as JSON-RPC; what is none is owed an error, under its id if it has one. */
export function readPosted(
  text: string,
): Posted | { readonly id: RequestId | null; readonly error: RpcError } {
  const value = parsedJson(text);
  if (value === undefined) return { id: null, error: PARSE_ERROR };
  const messages = isJsonArray(value) ? value : [value];
  const stray = messages.find((message) => !isMessage(message));
  if (messages.length === 0 || stray !== undefined) {
    const id = isJsonArray(value) ? null : memberOf(stray, "id");
    return { id: isRequestId(id) ? id : null, error: INVALID_REQUEST };
  }
  const [first] = messages;
  const cancelled = memberOf(memberOf(first, "params"), "requestId");
  const isCancel = memberOf(first, "method") === "notifications/cancelled" && messages.length === 1;
  return {
    text,
    ids: messages.flatMap((message) => {
      const id = memberOf(message, "id");
      return memberOf(message, "method") !== undefined && isRequestId(id) ? [id] : [];
    }),
    isBatch: isJsonArray(value),
    isInitialize: messages.length === 1 && memberOf(first, "method") === "initialize",
    cancels: isCancel && isRequestId(cancelled) ? cancelled : undefined,
  };
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || memberOf(value, "jsonrpc") !== "2.0") return false;
  const [method, id] = [memberOf(value, "method"), memberOf(value, "id")];
  if (method === undefined) return isRequestId(id) && isAnswer(value);
  return typeof method === "string" && (id === undefined || isRequestId(id));
}

function isAnswer(value: unknown): boolean {
  const [result, error] = [memberOf(value, "result"), memberOf(value, "error")];
  if (result !== undefined) return error === undefined && isRecord(result);
  return typeof memberOf(error, "code") === "number" && typeof memberOf(error, "message") === "string";
}

/** What a server sent that a client may be shown. */
export interface Received {
  /** One line. */
  readonly text: string;
  /** The requests that it answers. */
  readonly answers: readonly RequestId[];
  /** The protocol version of an answer to `initialize`. */
  readonly protocolVersion: string | undefined;
}

/**
 * Reads what a server sent: answers to requests that are still owed one, or a notification. Undefined for all else (no
 * JSON, answers to nothing, requests of the server's own): a client must not be made to read it. A batch is taken whole.
 */
export function readReceived(text: string, owed: ReadonlySet<RequestId>): Received | undefined {
  const value = parsedJson(text);
  const messages = isJsonArray(value) ? value : [value];
  const answers: RequestId[] = [];
  let notifications = 0;
  for (const message of messages) {
    if (memberOf(message, "jsonrpc") !== "2.0") return undefined;
    const [method, id] = [memberOf(message, "method"), memberOf(message, "id")];
    if (typeof method === "string" && id === undefined) notifications += 1;
    else if (method === undefined && isRequestId(id) && owed.has(id) && isAnswer(message)) answers.push(id);
    else return undefined;
  }
  if (messages.length === 0 || new Set(answers).size < answers.length) return undefined;
  if (isJsonArray(value) && notifications > 0) return undefined;
  const version = memberOf(memberOf(value, "result"), "protocolVersion");
  return {
    // JSON has line breaks only between its tokens.
    text: text.replaceAll(/[\r\n]+/g, " ").trim(),
    answers,
    protocolVersion: typeof version === "string" && VERSION.test(version) ? version : undefined,
  };
}

/** The line of an error of our own. */
export function errorLine(id: RequestId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
