import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import {
  UPSTREAM_DEADLINE_MAX_MS,
  UPSTREAM_PING_INTERVAL_MS,
  UPSTREAM_SERVER_REQUEST_MAX_COUNT,
} from "../limits.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { plainJson } from "../exact-json/plain.ts";
import { isRecord } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import { VERSION } from "../version.ts";
import { orAbort } from "./deadline.ts";
import type { Era, EraConnection, EraOptions, OpenFault, RequestFault, Sending } from "./era.ts";
import { createExchange, type ExchangeState } from "./exchange.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createRequestIds } from "./request-ids.ts";
import { listenTo } from "./server-messages.ts";
import type { UpstreamSession } from "./session.ts";
import { faultOf, WireError, type WireFault } from "./wire-fault.ts";

/** The protocol's versions with sessions, 2024-10-07 to 2025-11-25, through the official client. */
export const legacyEra: Era = { open, end, notify };

/** The SDK's own timer never decides: the operation's deadline does. */
const NO_TIMEOUT = { timeout: UPSTREAM_DEADLINE_MAX_MS };

/** The client would compile every output schema it lists; foreign schemas are the schema room's business. */
const NO_VALIDATION = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "not validated here" }),
};

async function open(
  options: EraOptions,
  resume: UpstreamSession | undefined,
): Promise<Result<EraConnection, OpenFault>> {
  const transport = new UniqueIdTransport(options, resume);
  const client = new Client({ name: "loomgate", version: VERSION }, { jsonSchemaValidator: NO_VALIDATION });
  const session = (): UpstreamSession => {
    const sessionId = transport.upstreamSessionId;
    return {
      ...(sessionId === undefined ? {} : { sessionId }),
      protocolVersion: transport.protocolVersion ?? resume?.protocolVersion ?? "",
      serverInfo: { ...(client.getServerVersion() ?? resume?.serverInfo) },
      capabilities: { ...(client.getServerCapabilities() ?? resume?.capabilities) },
    };
  };
  try {
    await orAbort(client.connect(transport, NO_TIMEOUT), options.signal);
  } catch (error) {
    const fault = transport.faultFor(error);
    const opened = transport.upstreamSessionId === undefined ? undefined : session();
    await client.close();
    return fail({ fault, opened });
  }
  return ok({
    session,
    instructions: () => client.getInstructions(),
    request: (method, params, sending = {}) => {
      transport.sending = sending;
      return request(client, transport, method, params, options.signal);
    },
    close: () => client.close(),
  });
}

/** The result comes past the SDK's parser, untouched; what the SDK resolves with only says that it is here. */
async function request(
  client: Client,
  transport: UniqueIdTransport,
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Result<Record<string, unknown>, RequestFault>> {
  const before = transport.current;
  try {
    // The SDK's union of known requests is closed; any method with an object of parameters has their shape.
    const message = { method, params } as Parameters<Client["request"]>[0];
    await orAbort(client.request(message, z.unknown(), NO_TIMEOUT), signal);
    const result = transport.current?.result();
    if (result !== undefined) return ok(result);
    const fault: WireFault = {
      kind: "protocol",
      answered: true,
      detail: "the answer came without its result",
    };
    return fail({ fault, sent: true });
  } catch (error) {
    const exchange = transport.current;
    const sent = exchange !== before && exchange?.sent() === true;
    return fail({ fault: transport.faultFor(error), sent });
  }
}

async function notify(
  options: EraOptions,
  session: UpstreamSession,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  const transport = httpTransport(options, session, () => undefined);
  try {
    await transport.start();
    await orAbort(transport.send({ jsonrpc: "2.0", method, params: { ...params } }), options.signal);
  } catch {
    // The upstream may be gone, and the request with it.
  }
  await transport.close();
}

async function end(options: EraOptions, session: UpstreamSession): Promise<void> {
  if (session.sessionId === undefined) return;
  const transport = httpTransport(options, session, () => undefined);
  try {
    await transport.start();
    await orAbort(transport.terminateSession(), options.signal);
  } catch {
    // The upstream may refuse to end it, or be gone: then the session ends by the upstream's own clock.
  }
  await transport.close();
}

function httpTransport(
  options: EraOptions,
  resume: UpstreamSession | undefined,
  exchangeOf: (body: string) => ExchangeState | undefined,
): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: createGuardedFetch({ ...options, exchangeOf }),
    // A dropped stream is not asked for again: that needs the GET which is never sent.
    reconnectionOptions: {
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
    ...(resume?.sessionId === undefined ? {} : { sessionId: resume.sessionId }),
  });
  if (resume !== undefined) transport.setProtocolVersion(resume.protocolVersion);
  return transport;
}

/** `method` follows `id`: see `requestHead`. */
function requestOf(id: string, method: string, params: unknown): JSONRPCRequest {
  return { jsonrpc: "2.0", id, method, ...(isRecord(params) && { params }) };
}

/**
 * Stands between the SDK's client and its HTTP transport: requests leave with unique ids, answers come back under the
 * client's own, once, and a stream that ends without an answer becomes an error instead of silence.
 */
class UniqueIdTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The latest request of ours. */
  current: ExchangeState | undefined;
  /** How the next request is sent. */
  sending: Sending = {};

  readonly #inner: StreamableHTTPClientTransport;
  readonly #ids;
  readonly #newId: () => string;
  readonly #resumed: boolean;
  readonly #wanted: EraOptions["wanted"];
  readonly #now: () => number;
  readonly #startedMs: number;
  #pings = 0;
  #refusals = 0;

  constructor(options: EraOptions, resume: UpstreamSession | undefined) {
    this.#newId = options.newId;
    this.#wanted = options.wanted;
    this.#now = options.now;
    this.#startedMs = options.now();
    this.#ids = createRequestIds(options.newId);
    this.#resumed = resume !== undefined;
    this.#inner = httpTransport(options, resume, (body) =>
      this.current?.matches(body) === true ? this.current : undefined,
    );
  }

  /** Defined on a resumed connection even where the upstream keeps no session: the client then skips the handshake. */
  get sessionId(): string | undefined {
    return this.#inner.sessionId ?? (this.#resumed ? "" : undefined);
  }

  get upstreamSessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get protocolVersion(): string | undefined {
    return this.#inner.protocolVersion;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => {
        this.#receive(message);
      },
      onclose: () => this.onclose?.(),
      // Whatever matters to a request reaches it as a rejection or through its stream's end.
      onerror: () => undefined,
    });
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) || !("id" in message)) {
      await this.#inner.send(message);
      return;
    }
    const exchange = this.#begin(message);
    await this.#inner.send(requestOf(exchange.id, message.method, plainJson(message.params)));
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** The fault behind an error: what was noticed on the wire says more than what the SDK made of it. */
  faultFor(error: unknown): WireFault {
    const fault = faultOf(error);
    const ended = fault.kind === "deadline" || fault.kind === "cancelled";
    if (error instanceof WireError && !ended) return fault;
    const noted = this.current?.fault();
    if (noted !== undefined) return noted;
    if (ended) return fault;
    return { kind: "protocol", answered: this.current?.answered() === true, detail: fault.detail };
  }

  #begin(message: JSONRPCRequest): ExchangeState {
    const { method, params } = message;
    const { id: wish, onProgress } = this.sending;
    this.sending = {};
    const id = this.#ids.assign(message.id, wish);
    const hear = listenTo({
      token: id,
      wanted: this.#wanted,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    // The SDK's text would round exact numbers, so where there are some the body is written here.
    const exactBody =
      plainJson(params) === params
        ? undefined
        : exactJsonText({ ...requestOf(id, method, undefined), params });
    const exchange = createExchange(id, method, this.#newId, { hear, exactBody });
    this.current = exchange;
    return exchange;
  }

  #receive(message: JSONRPCMessage): void {
    if ("method" in message) {
      if ("id" in message) this.#receiveRequest(message);
      else if (this.current?.isEnd(message.method) === true) this.#streamEnded(this.current);
      return;
    }
    const exchange = this.current;
    if (exchange === undefined || message.id !== exchange.id) return;
    const local = this.#ids.take(message.id);
    if (local === undefined) return;
    if ("error" in message) {
      const { code, message: words } = message.error;
      const error = { code, message: words, ours: true };
      exchange.answer({ kind: "rpc", error, detail: `JSON-RPC error ${code}: ${words}` });
    } else exchange.answer();
    this.onmessage?.({ ...message, id: local });
  }

  /**
   * The client answers a ping, and refuses what it never offered to do (-32601); each answer is one more request of ours.
   * They are counted apart, so that no flood of pings leaves a question unanswered.
   */
  #receiveRequest(message: JSONRPCRequest): void {
    const isPing = message.method === "ping";
    const count = isPing ? (this.#pings += 1) : (this.#refusals += 1);
    const whiles = isPing ? (this.#now() - this.#startedMs) / UPSTREAM_PING_INTERVAL_MS : 0;
    if (count <= UPSTREAM_SERVER_REQUEST_MAX_COUNT + whiles) this.onmessage?.(message);
  }

  /** The error's own content is never read: the fault was noted when the stream ended. */
  #streamEnded(exchange: ExchangeState): void {
    const local = this.#ids.take(exchange.id);
    if (local === undefined) return;
    this.onmessage?.({ jsonrpc: "2.0", id: local, error: { code: -32000, message: "the stream ended" } });
  }
}
