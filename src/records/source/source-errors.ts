import type { PdppError } from "../problem.ts";
import type { ReadAnswer } from "./read-source.ts";

export type FailedRead = Extract<ReadAnswer, { readonly ok: false }>;

export function failedRead(
  status: number,
  error: Pick<PdppError, "type" | "code" | "message"> & Readonly<Record<string, unknown>>,
  requestId: string | null = null,
): FailedRead {
  return { ok: false, status, error, requestId };
}

/** The source, not the request, is at fault: the same read may work later. `why` follows the source's name. */
export function sourceUnavailable(name: string, why: string, status = 0): FailedRead {
  const message = `The source ${JSON.stringify(name)} ${why}`;
  return failedRead(status, { type: "api_error", code: "source_unavailable", message });
}

/** The type that PDPP gives a status whose answer names none. */
export function errorTypeOf(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 410:
      return "gone_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 400 && status < 500 ? "invalid_request_error" : "api_error";
  }
}

/** Whether a failed read may work a moment later with nothing changed. */
export function mayRecover({ status, error }: FailedRead): boolean {
  return error.code === "source_unavailable" || status === 0 || status === 429 || status >= 500;
}
