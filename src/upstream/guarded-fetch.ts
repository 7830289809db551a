import {
  UPSTREAM_ANSWER_MAX_BYTES,
  UPSTREAM_LARGE_READER_BYTES,
  UPSTREAM_REDIRECT_MAX_HOPS,
  UPSTREAM_STREAM_MAX_BYTES,
} from "../limits.ts";
import type { LargeSinks } from "../large-result.ts";
import { carryAnswer, carryLargeAnswer, isAnswerTo } from "./answer.ts";
import { bodyError, discard, openBody, readWhole } from "./body.ts";
import type { BufferAccount } from "./buffer-budget.ts";
import { orAbort } from "./deadline.ts";
import { judgeUrl } from "./egress.ts";
import { guardEventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { createHeldBytes } from "./held-bytes.ts";
import { mediaType, statusFault } from "./http-answer.ts";
import { openLargeAnswer, type LargeAnswer } from "./large/large-answer.ts";
import type { MainMember } from "./large/reading.ts";
import { isRedirect, redirectTarget } from "./redirect.ts";
import { isLegalSessionId } from "./session.ts";
import { WireError, type WireFault } from "./wire-fault.ts";

/** The part of `fetch` that this room uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  readonly fetch: Fetch;
  readonly allowLoopback: boolean;
  /** The operator's headers for this upstream. They never replace one that the transport sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The operation's deadline, whose reason is a {@link WireError}. */
  readonly signal: AbortSignal;
  /** The exchange whose request an HTTP body is; undefined for notifications and for answers to the server. */
  readonly exchangeOf: (body: string) => Exchange | undefined;
  /** Told of every byte of an answer; a fault it returns ends the reading. */
  readonly count: (bytes: number) => WireFault | undefined;
  /** Where the operation's answers are counted while they are in memory. */
  readonly account: BufferAccount;
  /** Where large payloads of a call's answer go; without it they are not read. */
  readonly sinks?: LargeSinks;
  /** Epoch milliseconds, for `Retry-After` dates. */
  readonly now: () => number;
}

/** All that the MCP transport sets; nothing of a caller's request can come along. */
const TRANSPORT_HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-session-id"];
/** Headers that frame a request or steer a proxy: the runtime's business, not configuration's. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(" "),
);
const MAIN_MEMBERS: ReadonlyMap<string, MainMember> = new Map([
  ["tools/call", "content"],
  ["resources/read", "contents"],
]);
const RELAYED_HEADERS = ["content-type", "mcp-session-id"];

/**
 * A `fetch` for the MCP transport that reaches only judged addresses, follows redirects one judged hop at a time, sends
 * only listed headers, holds the deadline and bounds what it reads. It throws a {@link WireError} for whatever is not a
 * usable answer, so the transport above it sees well-formed successes only.
 */
export function createGuardedFetch(options: GuardedFetchOptions): Fetch {
  return async (url, init = {}) => {
    const method = init.method ?? "GET";
    // The idle stream that this would open costs a connection, and nobody listens to it.
    if (method === "GET") return new Response(null, { status: 405, headers: { allow: "POST, DELETE" } });
    const signal = init.signal ? AbortSignal.any([options.signal, init.signal]) : options.signal;
    const body = typeof init.body === "string" ? init.body : undefined;
    const exchange = body === undefined ? undefined : options.exchangeOf(body);
    const request: RequestInit = {
      method,
      headers: requestHeaders(init, options.headers),
      redirect: "manual",
      signal,
    };
    if (body !== undefined) request.body = exchange?.exactBody ?? body;

    const response = await send(new URL(url), request, signal, options, exchange);
    if (method === "DELETE") {
      discard(response);
      return new Response(null, { status: response.status });
    }
    if (!response.ok) throw new WireError(await statusFault(response, signal, exchange?.id, options.now()));
    refuseIllegalSession(response);
    if (exchange !== undefined) return answer(response, signal, exchange, options);
    discard(response);
    return new Response(null, { status: 202, headers: relayed(response) });
  };
}

async function send(
  url: URL,
  request: RequestInit,
  signal: AbortSignal,
  options: GuardedFetchOptions,
  exchange: Exchange | undefined,
): Promise<Response> {
  let address = url.href;
  for (let hop = 0; ; hop += 1) {
    const judged = judgeUrl(address, options);
    if (!judged.ok) throw refusedAddress(judged.reason, address, hop);
    signal.throwIfAborted();
    exchange?.dispatched();
    const response = await reach(judged.value, request, signal, options.fetch);
    if (!isRedirect(response)) return response;
    discard(response);
    const target = redirectTarget(response, judged.value);
    const why = target.ok ? "after too many others" : target.reason;
    if (!target.ok || hop === UPSTREAM_REDIRECT_MAX_HOPS) {
      const detail = `refused a redirect (${response.status}) ${why}: ${response.headers.get("location") ?? ""}`;
      throw new WireError({ kind: "refused_redirect", status: response.status, detail });
    }
    address = target.value.href;
  }
}

function refusedAddress(reason: string, address: string, hop: number): WireError {
  const detail = `refused an address (${reason}): ${address}`;
  if (hop === 0) return new WireError({ kind: "refused_address", detail });
  return new WireError({ kind: "refused_redirect", status: 307, detail });
}

async function reach(url: URL, request: RequestInit, signal: AbortSignal, fetch: Fetch): Promise<Response> {
  try {
    return await orAbort(fetch(url, request), signal, discard);
  } catch (error) {
    throw bodyError(error, signal);
  }
}

function requestHeaders(init: RequestInit, configured: Readonly<Record<string, string>>): Headers {
  const offered = new Headers(init.headers);
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(configured)) {
      if (!FRAMING_HEADERS.has(name.toLowerCase())) headers.set(name, value);
    }
  } catch {
    // The error's own text would quote the value, which is often a credential.
    throw new WireError({ kind: "bad_headers", detail: "a configured header is not a legal HTTP header" });
  }
  for (const name of TRANSPORT_HEADERS) {
    const value = offered.get(name);
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

function refuseIllegalSession(response: Response): void {
  const id = response.headers.get("mcp-session-id");
  if (id === null || isLegalSessionId(id)) return;
  discard(response);
  throw new WireError({ kind: "protocol", answered: false, detail: "an illegal Mcp-Session-Id header" });
}

function relayed(response: Response): Headers {
  const headers = new Headers();
  for (const name of RELAYED_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

/** The answer to the awaited request, judged here: the SDK sees only messages that its parser takes. */
async function answer(
  response: Response,
  signal: AbortSignal,
  exchange: Exchange,
  { count, account, sinks }: GuardedFetchOptions,
): Promise<Response> {
  const type = mediaType(response);
  const usable = response.status === 200 && (type === "application/json" || type === "text/event-stream");
  const body = usable ? openBody(response) : undefined;
  if (body === undefined) {
    discard(response);
    const detail = `HTTP ${response.status} with content type ${type || "none"} is no answer to a request`;
    throw new WireError({ kind: "protocol", answered: false, detail });
  }
  const init = { status: 200, headers: relayed(response) };
  const note = (fault: WireFault) => {
    exchange.note(fault);
  };
  const held = createHeldBytes(account, UPSTREAM_ANSWER_MAX_BYTES);
  const large = (framing: "json" | "event") => {
    // Only these results have payloads that go their own way; of a second answer nothing counts.
    const main = MAIN_MEMBERS.get(exchange.method);
    if (sinks === undefined || main === undefined || exchange.carried()) return undefined;
    const isAnswer = (message: unknown) => isAnswerTo(message, exchange.id);
    const open = () => openLargeAnswer({ sinks, main, account, signal, framing, isAnswer });
    // Where all answers have just this much in memory together, one of them must be able to go on: until what it holds is
    // read, that much of it is counted once instead of twice.
    return open() ?? (held.lend(UPSTREAM_LARGE_READER_BYTES) ? open() : undefined);
  };
  if (type === "application/json") {
    const read = await readWhole(body, signal, {
      held,
      drainBytes: UPSTREAM_STREAM_MAX_BYTES,
      count,
      overflow: note,
      large: () => large("json"),
    });
    return new Response(
      typeof read === "string" ? answerIn(read, exchange) : await largeAnswerIn(read, exchange),
      init,
    );
  }
  const limits = { held, streamBytes: UPSTREAM_STREAM_MAX_BYTES, count };
  const carry = (message: unknown) => carryAnswer(message, exchange);
  const hear = (message: unknown) => exchange.hear(message);
  const parse = (data: string) => exchange.parse(data);
  const stream = guardEventStream(body, signal, limits, {
    note,
    parse,
    carry,
    hear,
    large: () => large("event"),
    carryLarge: (event) => carryLargeAnswer(event, exchange, hear),
    marker: exchange.endMarker,
  });
  return new Response(stream, init);
}

function answerIn(text: string, exchange: Exchange): string {
  return (
    carryAnswer(parseJson(text, exchange), exchange) ?? noAnswer("the body holds no answer to the request")
  );
}

async function largeAnswerIn(large: LargeAnswer, exchange: Exchange): Promise<string> {
  const carried = await carryLargeAnswer(large, exchange);
  return carried ?? noAnswer("the body is not JSON, or holds no answer to the request");
}

function noAnswer(detail: string): never {
  throw new WireError({ kind: "protocol", answered: false, detail });
}

function parseJson(text: string, exchange: Exchange): unknown {
  try {
    return exchange.parse(text);
  } catch {
    throw new WireError({ kind: "protocol", answered: false, detail: "the body is not JSON" });
  }
}
