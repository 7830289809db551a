/** Every way in which bytes are no frame, in the order in which they are judged: of two, the first is told. */
export const FRAME_PROBLEM_REASONS = [
  "over_limit",
  "not_utf8",
  "empty",
  "syntax",
  "duplicate_member",
  "too_many_numbers",
  "not_an_object",
  "wrong_version",
  "method_with_outcome",
  "result_with_error",
  "params_without_method",
  "no_method_and_no_outcome",
  "method_not_string",
  "method_empty",
  "params_not_structured",
  "error_not_object",
  "error_code_not_integer",
  "error_message_not_string",
  "uncorrelated_error",
  "id_missing",
  "id_null",
  "id_not_string_or_number",
] as const;

export type FrameProblemReason = (typeof FRAME_PROBLEM_REASONS)[number];

/**
 * Why something is no frame. Nothing in it is the peer's text but the bounded `path` of a duplicate member, a JSON
 * Pointer, and the integer `code` of an error that names no request.
 */
export type FrameProblem =
  | { readonly reason: "over_limit"; readonly limit_bytes: number }
  | { readonly reason: "duplicate_member"; readonly path: string }
  | { readonly reason: "uncorrelated_error"; readonly code: number }
  | {
      readonly reason: Exclude<FrameProblemReason, "over_limit" | "duplicate_member" | "uncorrelated_error">;
    };

/** JSON-RPC 2.0 §5.1. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;

export interface FrameProblemError {
  readonly code: typeof PARSE_ERROR | typeof INVALID_REQUEST;
  readonly message: string;
}

/** What a peer that is refused is told; words of ours alone. */
const ERRORS: Readonly<Record<FrameProblemReason, readonly [FrameProblemError["code"], string] | undefined>> =
  {
    over_limit: [INVALID_REQUEST, "The frame is longer than the limit."],
    not_utf8: [PARSE_ERROR, "The frame is not UTF-8."],
    empty: [PARSE_ERROR, "The frame is empty."],
    syntax: [PARSE_ERROR, "The frame is not JSON."],
    duplicate_member: [INVALID_REQUEST, "An object has the same member twice."],
    too_many_numbers: [INVALID_REQUEST, "The frame has more numbers than are kept exactly."],
    not_an_object: [INVALID_REQUEST, "The frame is not one JSON object."],
    wrong_version: [INVALID_REQUEST, 'The member jsonrpc is not "2.0".'],
    method_with_outcome: [INVALID_REQUEST, "The frame has a method and an outcome."],
    result_with_error: [INVALID_REQUEST, "The frame has a result and an error."],
    params_without_method: [INVALID_REQUEST, "The frame has params and no method."],
    no_method_and_no_outcome: [INVALID_REQUEST, "The frame has neither a method nor an outcome."],
    method_not_string: [INVALID_REQUEST, "The method is not a string."],
    method_empty: [INVALID_REQUEST, "The method is empty."],
    params_not_structured: [INVALID_REQUEST, "The params are neither an object nor an array."],
    error_not_object: [INVALID_REQUEST, "The error is not an object."],
    error_code_not_integer: [INVALID_REQUEST, "The error's code is not an integer."],
    error_message_not_string: [INVALID_REQUEST, "The error's message is not a string."],
    // It is itself such an answer: two peers that answered it would answer each other for ever.
    uncorrelated_error: undefined,
    id_missing: [INVALID_REQUEST, "The response has no id."],
    id_null: [INVALID_REQUEST, "The id is null."],
    id_not_string_or_number: [INVALID_REQUEST, "The id is neither a string nor a number."],
  };

/** The JSON-RPC error for what is no frame; undefined where nothing may be answered. */
export function frameProblemError(problem: FrameProblem): FrameProblemError | undefined {
  const error = ERRORS[problem.reason];
  return error && { code: error[0], message: error[1] };
}

/** The same as a response's JSON text, one line. Its id is `null`: what was refused has no id that may be believed. */
export function frameProblemAnswer(problem: FrameProblem): string | undefined {
  const error = frameProblemError(problem);
  return error && JSON.stringify({ jsonrpc: "2.0", id: null, error });
}
