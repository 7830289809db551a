import type { UpstreamFailure } from "../errors.ts";
import type { Result } from "../result.ts";
import type { WantedRequest } from "../wanted-request.ts";
import type { BufferBudget } from "./buffer-budget.ts";
import type { Fetch } from "./guarded-fetch.ts";
import type { UpstreamSession } from "./session.ts";

/** One configured upstream. */
export interface UpstreamTarget {
  /** For the log. */
  readonly name: string;
  readonly url: string;
  /** The operator's headers; a caller's credentials are never among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole operation, handshake and every page included. */
  readonly timeoutMs: number;
}

export interface UpstreamIo {
  readonly fetch: Fetch;
  /** Unique for ever: a UUID. */
  readonly newId: () => string;
  /** Counts answers in memory over all operations of the isolate; without it an operation has a budget of its own. */
  readonly buffers?: BufferBudget;
  /** Development only. */
  readonly allowLoopback: boolean;
  /** Ends the operation early. */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds; only `Retry-After` dates need it. */
  readonly now?: () => number;
  /** Keep the session for the next operation (the default), or end one that this operation opened. */
  readonly sessions?: "keep" | "end";
  /** Takes work that nobody waits for (`waitUntil`); without it the operation waits for it. */
  readonly background?: (work: Promise<void>) => void;
}

/** How an operation went, and the session to keep after it: null means there is none, and a kept one is void. */
export interface UpstreamReport<Value> {
  readonly answer: Result<Value, UpstreamFailure>;
  readonly session: UpstreamSession | null;
  /** What the upstream asked of us meanwhile and was refused; absent where nothing. */
  readonly wanted?: readonly WantedRequest[];
}
