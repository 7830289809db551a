import { memberOf, parsedJson } from "../../src/json.ts";
import { textOf } from "./events.ts";
import { REFUSAL_MAX_BYTES, REFUSAL_MAX_CHARS } from "./limits.ts";
import type { RpcError } from "./messages.ts";

const CODE = /^[\w.-]{1,64}$/;
const SERVER_ERROR = -32_000;

/** Why there is no answer: an HTTP status, or a way that failed. */
export interface Refusal {
  /** Null where no answer came. */
  readonly status: number | null;
  /** PDPP's code where the server gave one. */
  readonly code: string;
  /** What the server says, bounded; it has not been freed of the bearer. */
  readonly message: string;
}

/** Reads the refusal out of an answer that is no success. PDPP's error object, JSON-RPC's and plain text are understood. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return {
      status,
      code: "redirect_refused",
      message: "the server redirects, and the bearer is not sent on",
    };
  }
  const text = await textOf(response.body ?? new ReadableStream(), REFUSAL_MAX_BYTES).catch(() => "");
  const error = memberOf(parsedJson(text), "error");
  const [code, message] = [memberOf(error, "code"), memberOf(error, "message")];
  return {
    status,
    code: typeof code === "string" && CODE.test(code) ? code : `http_${status}`,
    message: shown(typeof message === "string" ? message : response.statusText || "no reason given"),
  };
}

export function unreachable(): Refusal {
  return { status: null, code: "source_unavailable", message: "the server does not answer" };
}

export function noAnswer(message: string): Refusal {
  return { status: null, code: "source_unavailable", message };
}

export function rpcErrorOf({ status, code, message }: Refusal): RpcError {
  return {
    code: SERVER_ERROR,
    message: status === null ? message : `HTTP ${status}: ${message}`,
    data: { code, ...(status === null ? {} : { http_status: status }) },
  };
}

/** One bounded line of it. */
function shown(message: string): string {
  return message
    .slice(0, REFUSAL_MAX_CHARS)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll(/\p{Cs}/gu, "\uFFFD");
}
