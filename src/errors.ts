/**
 * Every failure is a tagged reason here, and one exhaustive switch maps reasons to the wire. `detail` is the operator's
 * alone: it goes to the log and never to a model.
 */

/** What is known of the upstream's side effect when a call failed. */
export type Outcome = "not_dispatched" | "completed" | "unknown";

/** Why an upstream gave no usable answer. `detail` is unredacted text for the log. */
export type UpstreamFailure = {
  readonly outcome: Outcome;
  readonly detail: string;
} & (
  | { readonly reason: "timeout" }
  /** The caller went away first. */
  | { readonly reason: "cancelled" }
  | { readonly reason: "unreachable" }
  | { readonly reason: "rate_limited"; readonly retryAfterSeconds: number | null }
  | { readonly reason: "unauthorized" }
  | { readonly reason: "forbidden" }
  | { readonly reason: "unknown_tool" }
  | { readonly reason: "too_large" }
  | { readonly reason: "refused_address" }
  | { readonly reason: "refused_redirect" }
  | { readonly reason: "protocol" }
  | { readonly reason: "http_status"; readonly status: number }
  | { readonly reason: "rpc_error"; readonly code: number }
);

/** One thing wrong with arguments: a JSON Pointer, and the keyword that is not satisfied. Never a value. */
export interface ArgumentProblem {
  readonly path: string;
  readonly keyword: string;
}

/** Why a meta-tool gave no result. `path` is the path, id or handle that was asked for, where there is one. */
export type GatewayFailure =
  | {
      readonly reason: "arguments";
      /** A tool's id, or nothing where a meta-tool's own arguments are wrong. */
      readonly path: string;
      readonly message: string;
      readonly errors: readonly ArgumentProblem[];
      /** The compact schema. */
      readonly schema: unknown;
    }
  | { readonly reason: "schema"; readonly path: string; readonly finding: string }
  | { readonly reason: "unknown_id"; readonly path: string; readonly didYouMean: readonly string[] }
  | { readonly reason: "path_invalid"; readonly path: string; readonly problem: string; readonly try: string }
  | {
      readonly reason: "path_not_found";
      readonly path: string;
      readonly nearest: string;
      readonly try: readonly string[];
    }
  /** Expired, unknown and another's handles are one reason, so that nobody learns which. */
  | { readonly reason: "no_artifact"; readonly path: string }
  /** The artifact is there, and this selector does not read it. */
  | { readonly reason: "selector"; readonly path: string; readonly try: readonly string[] }
  | {
      readonly reason: "upstream";
      readonly path: string;
      readonly failure: UpstreamFailure;
      /** Our own words for it. */
      readonly message: string;
      /** Near misses, where the upstream does not know the tool. */
      readonly didYouMean: readonly string[];
    }
  /** Something of ours did not answer, and nothing was sent. `replay` where a tool was to be called. */
  | {
      readonly reason: "not_ready";
      readonly path: string;
      readonly what: "catalog" | "principal" | "artifacts";
      readonly replay?: ReplayContract;
      readonly detail: string;
    }
  /** A fault of ours, or an answer that is no legal result. */
  | {
      readonly reason: "internal" | "malformed_result";
      readonly path: string;
      readonly outcome: Outcome;
      readonly detail: string;
    };

/** Until tools have contracts of their own, none may run again. */
export type ReplayContract = "never_replay";

export type ErrorCode =
  | "ARGS_INVALID"
  | "SCHEMA_INVALID"
  | "HYDRATE_FAILED"
  | "PATH_INVALID"
  | "PATH_NOT_FOUND"
  | "VIEW_FAILED"
  | "RATE_LIMITED"
  | "UPSTREAM_TIMEOUT"
  | "UPSTREAM_UNAVAILABLE"
  | "AUTH_FAILED"
  | "PERMISSION_DENIED"
  | "UPSTREAM_ERROR";

/** An error as a model reads it (CONTRACTS "Errors"): one line of JSON with its keys in this order. */
export interface WireError {
  readonly error: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

const NEVER_REPLAY: ReplayContract = "never_replay";

/** Every failure's form on the wire. Nothing of a `detail` is in it. */
export function toWire(failure: GatewayFailure): WireError {
  const { path } = failure;
  switch (failure.reason) {
    case "arguments":
      return wire("ARGS_INVALID", failure.message, path, false, {
        errors: failure.errors.map(({ path, keyword }) => ({ path, keyword })),
        schema: failure.schema,
      });
    case "schema":
      return wire("SCHEMA_INVALID", "the tool's own input schema is broken", path, false, {
        finding: failure.finding,
      });
    case "unknown_id":
      return wire("HYDRATE_FAILED", "no such tool in the catalog now", path, false, {
        did_you_mean: failure.didYouMean,
      });
    case "path_invalid":
      return wire("PATH_INVALID", "not a browse path: write / or /namespace/segment", path, false, {
        problem: failure.problem,
        try: failure.try,
      });
    case "path_not_found":
      return wire("PATH_NOT_FOUND", "the path leads nowhere in the catalog now", path, false, {
        nearest: failure.nearest,
        try: failure.try,
      });
    case "no_artifact":
      return wire("VIEW_FAILED", "nothing is kept under this handle", path, false, {
        try: "execute the tool again and use the handle it answers with",
      });
    case "selector":
      return wire("VIEW_FAILED", "the selector does not read this artifact", path, false, {
        try: failure.try,
      });
    case "upstream":
      return upstreamWire(failure.failure, failure.message, path, failure.didYouMean);
    case "not_ready":
      return wire("UPSTREAM_UNAVAILABLE", NOT_READY[failure.what], path, true, {
        outcome: "not_dispatched",
        ...(failure.replay === undefined ? {} : { replay: failure.replay }),
      });
    case "internal":
      return wire("UPSTREAM_ERROR", "the gateway failed at this call", path, false, {
        outcome: failure.outcome,
      });
    case "malformed_result":
      return wire("UPSTREAM_ERROR", "the upstream server's answer is not a legal tool result", path, false, {
        outcome: failure.outcome,
      });
  }
}

const NOT_READY = {
  catalog: "the catalog is not ready yet",
  principal: "the gateway could not admit the call",
  artifacts: "the artifact store did not answer",
};

/** The text for the operator's log, where there is more to say than the wire does. */
export function logDetail(failure: GatewayFailure): string | undefined {
  switch (failure.reason) {
    case "upstream":
      return failure.failure.detail;
    case "not_ready":
    case "internal":
    case "malformed_result":
      return failure.detail;
    case "arguments":
    case "schema":
    case "unknown_id":
    case "path_invalid":
    case "path_not_found":
    case "no_artifact":
    case "selector":
      return undefined;
  }
}

function upstreamWire(
  failure: UpstreamFailure,
  message: string,
  path: string,
  didYouMean: readonly string[],
): WireError {
  const { outcome } = failure;
  // Whoever may not run again may only repeat what never ran.
  const mayRepeat = outcome === "not_dispatched";
  switch (failure.reason) {
    case "timeout":
      return wire("UPSTREAM_TIMEOUT", message, path, mayRepeat, { outcome, replay: NEVER_REPLAY });
    case "unreachable":
      return wire("UPSTREAM_UNAVAILABLE", message, path, mayRepeat, { outcome, replay: NEVER_REPLAY });
    case "rate_limited":
      return wire("RATE_LIMITED", message, path, true, {
        scope: "upstream",
        retry_after: failure.retryAfterSeconds,
      });
    case "unauthorized":
      return wire("AUTH_FAILED", message, path, false);
    case "forbidden":
      return wire("PERMISSION_DENIED", message, path, false);
    case "unknown_tool":
      return wire("HYDRATE_FAILED", message, path, false, { did_you_mean: didYouMean });
    case "cancelled":
    case "too_large":
    case "refused_address":
    case "refused_redirect":
    case "protocol":
    case "http_status":
    case "rpc_error":
      return wire("UPSTREAM_ERROR", message, path, false, { outcome });
  }
}

function wire(
  error: ErrorCode,
  message: string,
  path: string,
  retryable: boolean,
  details?: Readonly<Record<string, unknown>>,
): WireError {
  return { error, message, path, retryable, ...(details === undefined ? {} : { details }) };
}
