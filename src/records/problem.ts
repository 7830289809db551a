/** How a resource server says no: the status, the type and the code of PDPP's error object. */
interface Wire {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 429 | 500 | 502 | 503 | 504;
  readonly type: PdppErrorType;
}

export type PdppErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "not_found_error"
  | "gone_error"
  | "rate_limit_error"
  | "api_error";

const WIRE = {
  invalid_request: { status: 400, type: "invalid_request_error" },
  invalid_argument: { status: 400, type: "invalid_request_error" },
  invalid_cursor: { status: 400, type: "invalid_request_error" },
  invalid_expand: { status: 400, type: "invalid_request_error" },
  invalid_sort: { status: 400, type: "invalid_request_error" },
  unknown_field: { status: 400, type: "invalid_request_error" },
  authentication_error: { status: 401, type: "authentication_error" },
  field_not_granted: { status: 403, type: "permission_error" },
  grant_stream_not_allowed: { status: 403, type: "permission_error" },
  grant_revoked: { status: 403, type: "permission_error" },
  package_revoked: { status: 403, type: "permission_error" },
  permission_error: { status: 403, type: "permission_error" },
  not_found: { status: 404, type: "not_found_error" },
  connection_not_found: { status: 404, type: "not_found_error" },
  stream_not_declared: { status: 404, type: "not_found_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  ambiguous_connection: { status: 409, type: "invalid_request_error" },
  ambiguous_schema_detail: { status: 409, type: "invalid_request_error" },
  cursor_expired: { status: 410, type: "gone_error" },
  too_large: { status: 413, type: "invalid_request_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  api_error: { status: 500, type: "api_error" },
  source_unavailable: { status: 503, type: "api_error" },
} as const satisfies Readonly<Record<string, Wire>>;

/** What the embedded resource server can say; an external one's codes are passed on as they come. */
export type PdppCode = keyof typeof WIRE;

export function isPdppCode(code: string): code is PdppCode {
  return Object.hasOwn(WIRE, code);
}

/** Why a request is not answered. `extra` stands beside the code in the error object. */
export interface PdppProblem {
  readonly code: PdppCode;
  /** For a person or a model: what is wrong and what would work; never a value that the caller may not see. */
  readonly message: string;
  /** The parameter that is at fault. */
  readonly param?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** PDPP's error object, as the wire has it but for the request id. */
export interface PdppError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly [member: string]: unknown;
}

export function problem(
  code: PdppCode,
  message: string,
  rest: Omit<PdppProblem, "code" | "message"> = {},
): PdppProblem {
  return { code, message, ...rest };
}

/** The one way from a problem to the wire. */
export function wireProblem({ code, message, param, extra }: PdppProblem): {
  readonly status: number;
  readonly error: PdppError;
} {
  const { status, type } = WIRE[code];
  return { status, error: { ...extra, type, code, message, ...(param === undefined ? {} : { param }) } };
}
