import { isJsonArray, isRecord, type JsonObject } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { FrameProblem } from "./frame-problem.ts";
import { isRequestId, type RequestId } from "./request-id.ts";

export const MESSAGE_KINDS = ["request", "notification", "success", "error"] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

export type MessageParams = JsonObject | readonly unknown[];

/** An error object of JSON-RPC 2.0 §5.1; `data` is there only if the peer sent it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a JSON-RPC 2.0 message is. Numbers in `params`, `result` and `data` are exact where they need to be. */
export type Message =
  | {
      readonly kind: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params?: MessageParams;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params?: MessageParams }
  | { readonly kind: "success"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId; readonly error: RpcError };

type Judged<Value> = Result<Value, FrameProblem>;

const no = <Reason extends FrameProblem["reason"]>(reason: Reason) => fail({ reason });

/**
 * Says what a parsed value is as a JSON-RPC 2.0 message. What could be read as two kinds is none. Members that JSON-RPC
 * does not know are let be. Batches are refused: MCP has none.
 *
 * An error response with a `null` id is what JSON-RPC 2.0 §5 has a peer send that could not read an id. It answers no
 * request that could be named, so it is no message but a reason of its own, which tells the peer's code and is never answered.
 */
export function classifyMessage(value: unknown): Judged<Message> {
  if (!isRecord(value)) return no("not_an_object");
  if (!Object.hasOwn(value, "jsonrpc") || value["jsonrpc"] !== "2.0") return no("wrong_version");
  const hasMethod = Object.hasOwn(value, "method");
  const hasResult = Object.hasOwn(value, "result");
  const hasError = Object.hasOwn(value, "error");
  if (hasMethod && (hasResult || hasError)) return no("method_with_outcome");
  if (hasResult && hasError) return no("result_with_error");
  if (hasMethod) return classifyCall(value);
  if (Object.hasOwn(value, "params")) return no("params_without_method");
  if (hasError) return classifyError(value);
  if (!hasResult) return no("no_method_and_no_outcome");
  const id = readId(value);
  return id.ok ? ok({ kind: "success", id: id.value, result: value["result"] }) : id;
}

function classifyCall(value: JsonObject): Judged<Message> {
  const method = value["method"];
  if (typeof method !== "string") return no("method_not_string");
  if (method === "") return no("method_empty");
  const params = readParams(value);
  if (!params.ok) return params;
  if (!Object.hasOwn(value, "id")) return ok({ kind: "notification", method, ...params.value });
  const id = readId(value);
  return id.ok ? ok({ kind: "request", id: id.value, method, ...params.value }) : id;
}

function classifyError(value: JsonObject): Judged<Message> {
  const error = readError(value["error"]);
  if (!error.ok) return error;
  if (Object.hasOwn(value, "id") && value["id"] === null)
    return fail({ reason: "uncorrelated_error", code: error.value.code });
  const id = readId(value);
  return id.ok ? ok({ kind: "error", id: id.value, error: error.value }) : id;
}

function readId(value: JsonObject): Judged<RequestId> {
  if (!Object.hasOwn(value, "id")) return no("id_missing");
  const id = value["id"];
  if (id === null) return no("id_null");
  return isRequestId(id) ? ok(id) : no("id_not_string_or_number");
}

function readParams(value: JsonObject): Judged<{ readonly params?: MessageParams }> {
  if (!Object.hasOwn(value, "params")) return ok({});
  const params = value["params"];
  return isRecord(params) || isJsonArray(params) ? ok({ params }) : no("params_not_structured");
}

function readError(error: unknown): Judged<RpcError> {
  if (!isRecord(error)) return no("error_not_object");
  const code = Object.hasOwn(error, "code") ? error["code"] : undefined;
  // One kept exactly (`1.0`, `-0`, twenty digits) is no code that anybody could compare.
  if (typeof code !== "number" || !Number.isSafeInteger(code)) return no("error_code_not_integer");
  const message = Object.hasOwn(error, "message") ? error["message"] : undefined;
  if (typeof message !== "string") return no("error_message_not_string");
  return ok({ code, message, ...(Object.hasOwn(error, "data") && { data: error["data"] }) });
}
