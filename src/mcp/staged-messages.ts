import { plainJson } from "../exact-json/plain.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import type { RpcProblem } from "../surface.ts";
import { progressTokenOf } from "./progress-token.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "../spine/frame/rpc-code.ts";
import { INTERNAL_PROBLEM } from "./internal-problem.ts";

/** One POST's messages on their way through the SDK, which knows numbers only as JavaScript does. */
export interface StagedMessages {
  /** What the SDK is given: requests under ids of ours, and every number as the nearest that JavaScript has. */
  readonly staged: unknown;
  /** A request as it came. */
  readonly requestOf: (stagedId: unknown) => Readonly<Record<string, unknown>> | undefined;
  /** The result to put in place of the SDK's. */
  readonly answer: (stagedId: unknown, result: object) => void;
  /** The error to put in place of the SDK's result. */
  readonly refuse: (stagedId: unknown, problem: RpcProblem) => void;
  /** The HTTP body: the SDK's text with the requests' own ids and the results that were given here. */
  readonly finish: (text: string) => string;
}

/** What a message of the SDK's says, each member once. */
interface Answered {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Keeps request ids, arguments, results and our own errors away from the SDK's parser and its `JSON.stringify`, both of
 * which would round numbers (12345678901234567890, 1.0): it gets stand-ins, and what it answers is made whole here.
 */
export function stageMessages(body: unknown): StagedMessages {
  const isBatch = isJsonArray(body);
  const requests = new Map<unknown, Readonly<Record<string, unknown>>>();
  const results = new Map<unknown, object>();
  const problems = new Map<unknown, RpcProblem>();
  const stage = (message: unknown): unknown => {
    const plain = plainJson(message);
    if (!isRecord(message) || !isRecord(plain) || !("id" in message) || !("method" in message)) return plain;
    const stagedId = requests.size;
    requests.set(stagedId, message);
    return { ...plain, ...stagedParams(plain, message), id: stagedId };
  };
  const finished = (message: unknown): Answered => {
    const stagedId = memberOf(message, "id");
    const request = requests.get(stagedId);
    const id = request === undefined ? stagedId : memberOf(request, "id");
    const problem = problems.get(stagedId);
    if (problem !== undefined) {
      const { code, message: text, data } = problem;
      return { jsonrpc: "2.0", id, error: { code, message: text, ...(data === undefined ? {} : { data }) } };
    }
    const error = memberOf(message, "error");
    if (error !== undefined)
      return { jsonrpc: "2.0", id, error: withoutInternals(error, memberOf(request, "method")) };
    return { jsonrpc: "2.0", id, result: results.get(stagedId) ?? memberOf(message, "result") };
  };
  return {
    staged: isBatch ? body.map(stage) : stage(body),
    requestOf: (stagedId) => requests.get(stagedId),
    answer: (stagedId, result) => results.set(stagedId, result),
    refuse: (stagedId, problem) => problems.set(stagedId, problem),
    finish: (text) => {
      const parsed: unknown = JSON.parse(text);
      const messages = isJsonArray(parsed) ? parsed : [parsed];
      const answers = messages.map((message) => finished(message));
      // The SDK answers a batch that holds one request with a bare object; JSON-RPC 2.0 §6 wants an array.
      return exactJsonText(isBatch ? answers : answers[0]);
    },
  };
}

/** A number as progress token gives way to a small one: the SDK refuses those that JavaScript cannot count with. */
function stagedParams(plain: object, message: unknown): { readonly params?: object } {
  const token = progressTokenOf(memberOf(message, "params"));
  const params = memberOf(plain, "params");
  const meta = memberOf(params, "_meta");
  if (token === undefined || typeof token === "string" || !isRecord(params) || !isRecord(meta)) return {};
  return { params: { ...params, _meta: { ...meta, progressToken: 0 } } };
}

/**
 * Where the SDK fails at a request it says -32603 with its own stack of reasons, parameters it cannot read included: the
 * client is told which of the two it was, and no more.
 */
function withoutInternals(error: unknown, method: unknown): unknown {
  if (memberOf(error, "code") !== INTERNAL_ERROR) return error;
  return method === "initialize" ? { code: INVALID_PARAMS, message: "Invalid params" } : INTERNAL_PROBLEM;
}
