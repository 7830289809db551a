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
  /** A 503 may say when the server is back. */
  | { readonly reason: "unreachable"; readonly retryAfterSeconds?: number }
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
