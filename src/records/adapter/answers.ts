import { visibleJson } from "../../exact-json/visible.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { RECORD_ERROR_MAX_BYTES } from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { ToolAnswer } from "../../surface.ts";
import { type PdppError, type PdppProblem, wireProblem } from "../problem.ts";
import type { ReadAnswer } from "../source/read-source.ts";
import { oneLine } from "./line.ts";

/** Why the adapter itself refuses a call, in a code of PDPP or of its own; the source was not asked for what was wanted. */
export type AdapterProblem = Omit<PdppProblem, "code"> & {
  readonly code: PdppProblem["code"] | "invalid_filter" | "conflicting_connection_id";
};

export type Refused = Extract<ReadAnswer, { readonly ok: false }>;

export function answerOf(text: string, structuredContent: Readonly<Record<string, unknown>>): ToolAnswer {
  return { content: [{ type: "text", text }], structuredContent };
}

export function refusal(problem: AdapterProblem): ToolAnswer {
  const { code } = problem;
  // Our own codes are refusals of an argument, like PDPP's `invalid_request`.
  const isOwn = code === "invalid_filter" || code === "conflicting_connection_id";
  const { status, error } = wireProblem({ ...problem, code: isOwn ? "invalid_request" : code });
  return errorAnswer({ ...error, code }, status, null);
}

/** A source's no, as it said it. */
export function sourceRefusal({ error, status, requestId }: Refused): ToolAnswer {
  return errorAnswer(error, status, requestId);
}

/** A source's yes in a shape that nobody can read. */
export function unreadable(requestId: string | null): ToolAnswer {
  const message = "The source's answer has an unexpected shape.";
  return errorAnswer({ type: "api_error", code: "api_error", message }, 502, requestId);
}

function errorAnswer(error: PdppError, status: number, requestId: string | null): ToolAnswer {
  // A source that was never reached has no status.
  const rest = { ...(status === 0 ? {} : { http_status: status }), request_id: requestId };
  const whole = { error, ...rest };
  const text = visibleJson(exactJsonText(whole));
  if (utf8Length(text) <= RECORD_ERROR_MAX_BYTES) return failed(text, whole);
  const short = { error: shortened(error), ...rest };
  return failed(visibleJson(exactJsonText(short)), short);
}

const ERROR_MESSAGE_MAX_CHARS = 1_000;
const ERROR_WORD_MAX_CHARS = 200;

function shortened(error: PdppError): PdppError {
  const retryWith = error["retry_with"];
  return {
    type: oneLine(error.type, ERROR_WORD_MAX_CHARS),
    code: oneLine(error.code, ERROR_WORD_MAX_CHARS),
    message: oneLine(error.message, ERROR_MESSAGE_MAX_CHARS),
    ...(error.param === undefined ? {} : { param: oneLine(error.param, ERROR_WORD_MAX_CHARS) }),
    ...(typeof retryWith === "string" ? { retry_with: oneLine(retryWith, ERROR_WORD_MAX_CHARS) } : {}),
    truncated: true,
  };
}

function failed(text: string, structuredContent: Readonly<Record<string, unknown>>): ToolAnswer {
  return { ...answerOf(text, structuredContent), isError: true };
}
