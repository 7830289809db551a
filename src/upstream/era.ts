import type { LargeSinks } from "../large-result.ts";
import type { Result } from "../result.ts";
import type { Progress } from "../surface.ts";
import type { WantedList } from "../wanted-request.ts";
import type { BufferAccount } from "./buffer-budget.ts";
import type { Fetch } from "./guarded-fetch.ts";
import type { UpstreamSession } from "./session.ts";
import type { WireFault } from "./wire-fault.ts";

/** A fault, and whether the request it befell was handed to the network. */
export interface RequestFault {
  readonly fault: WireFault;
  readonly sent: boolean;
}

/** How one request is sent, where it matters. */
export interface Sending {
  /** Unique for ever; without it one is made. */
  readonly id?: string;
  /** Told of progress under the request's own id. */
  readonly onProgress?: (progress: Progress) => void;
}

/** An open connection to one upstream, for the requests of one operation. */
export interface EraConnection {
  /** What to keep for the next operation. */
  session(): UpstreamSession;
  /** The upstream's instructions; only a handshake brings them. */
  instructions(): string | undefined;
  /** Sends one request and gives its `result` as it came. */
  request(
    method: string,
    params: Record<string, unknown>,
    sending?: Sending,
  ): Promise<Result<Record<string, unknown>, RequestFault>>;
  /** Frees every connection; an unanswered request is given up. */
  close(): Promise<void>;
}

export interface EraOptions {
  readonly url: string;
  /** The operator's headers for this upstream. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowLoopback: boolean;
  readonly fetch: Fetch;
  /** Never repeats: a UUID. */
  readonly newId: () => string;
  readonly now: () => number;
  /** The operation's deadline. */
  readonly signal: AbortSignal;
  /** Told of every byte of an answer; a fault it returns ends the reading. */
  readonly count: (bytes: number) => WireFault | undefined;
  /** Where the operation's answers are counted while they are in memory. */
  readonly account: BufferAccount;
  /** Where it is noted what the upstream wants of us. */
  readonly wanted: WantedList;
  /** Where large payloads of a call's answer go; without it they are not read. */
  readonly sinks?: LargeSinks;
}

/** A handshake that failed, and the session it may have opened all the same. */
export interface OpenFault {
  readonly fault: WireFault;
  readonly opened: UpstreamSession | undefined;
}

/** One protocol era: how to open a connection, with a handshake or on a kept session, and how to end a session. */
export interface Era {
  open(options: EraOptions, resume: UpstreamSession | undefined): Promise<Result<EraConnection, OpenFault>>;
  /** Asks the upstream to forget a session; whatever it answers is fine. */
  end(options: EraOptions, session: UpstreamSession): Promise<void>;
  /** Sends a notification on a session, without any handshake; never fails. */
  notify(
    options: EraOptions,
    session: UpstreamSession,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<void>;
}
