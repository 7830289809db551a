/** A JSON-RPC error as far as it decides anything. `ours`: it answers our request, not the connection in general. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly ours: boolean;
}

/**
 * What went wrong on the wire, before anyone judges what it means for the call. `detail` is unredacted text for the log.
 */
export type WireFault = { readonly detail: string } & (
  | { readonly kind: "refused_address" }
  | { readonly kind: "refused_redirect"; readonly status: number }
  | { readonly kind: "bad_headers" }
  | { readonly kind: "deadline" }
  | { readonly kind: "cancelled" }
  /** `connected: false` only where the runtime's own error code proves that nothing was sent. */
  | { readonly kind: "network"; readonly connected: boolean }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfterSeconds: number | null;
      readonly rpc: RpcError | null;
      /** A `WWW-Authenticate` header: the refusal is about credentials. */
      readonly challenged: boolean;
      /** The body speaks of a session: the last resort where status and code leave it open. */
      readonly speaksOfSession: boolean;
    }
  | { readonly kind: "rpc"; readonly error: RpcError }
  /** `drained`: the answer was read to its end, so the upstream finished. */
  | { readonly kind: "too_large"; readonly drained: boolean }
  /** No answer to our request, or not a legal one. `answered`: it did answer our request, in a shape we cannot use. */
  | { readonly kind: "protocol"; readonly answered: boolean }
);

/** Carries a fault through the promises of `fetch` and the MCP SDK; it never leaves this room. */
export class WireError extends Error {
  readonly fault: WireFault;

  constructor(fault: WireFault) {
    super(fault.detail);
    this.name = "WireError";
    this.fault = fault;
  }
}

/** The fault in whatever was thrown; an error that is not ours is the protocol's. */
export function faultOf(thrown: unknown): WireFault {
  if (thrown instanceof WireError) return thrown.fault;
  const detail = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { kind: "protocol", answered: false, detail };
}

/** Codes with which Node's resolver, sockets and TLS end before a byte of the request is written. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  ..."ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL".split(" "),
  ..."UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID".split(" "),
  ..."DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE".split(" "),
]);

/**
 * A failed `fetch` or body. Workers give no codes, only words, so there every failure counts as after sending: a lost
 * write must not be taken for one that never left.
 */
export function networkFault(thrown: unknown): WireFault {
  const codes = errorCodes(thrown);
  const connected = codes.length === 0 || !codes.every((code) => NOT_CONNECTED.has(code));
  const words = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { kind: "network", connected, detail: [words, ...codes].join(" ") };
}

/** The codes of an error, its cause, and the causes of an aggregate (one per address tried). */
function errorCodes(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [];
  const own = "code" in thrown && typeof thrown.code === "string" && thrown.code !== "" ? [thrown.code] : [];
  const inner = thrown.cause instanceof Error && thrown.cause !== thrown ? errorCodes(thrown.cause) : [];
  return [...own, ...inner];
}
