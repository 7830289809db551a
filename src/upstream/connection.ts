import type { UpstreamFailure } from "../errors.ts";
import {
  UPSTREAM_BUFFERS_GRACE_MS,
  UPSTREAM_BUFFERS_MAX_BYTES,
  UPSTREAM_SESSION_END_MAX_MS,
} from "../limits.ts";
import type { LargeSinks } from "../large-result.ts";
import { fail, ok, type Result } from "../result.ts";
import { createBufferBudget, type BufferAccount, type BufferBudget } from "./buffer-budget.ts";
import { classifyFault } from "./classify.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { judgeUrl } from "./egress.ts";
import type { EraConnection, EraOptions, RequestFault } from "./era.ts";
import type { Fetch } from "./guarded-fetch.ts";
import { trackSinks } from "./large/tracked-sinks.ts";
import { legacyEra } from "./legacy.ts";
import { listByteCounter, listPages, type PageRequest } from "./list-pages.ts";
import { refusesSession, type UpstreamSession } from "./session.ts";

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
}

export interface ToolCall {
  /** The upstream's own name. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Where payloads go that are too large to hold; without it an answer past `UPSTREAM_ANSWER_MAX_BYTES` is a fault. */
  readonly sinks?: LargeSinks;
}

/**
 * Calls one tool: one POST on a kept session, three without. The value is the `tools/call` result as it came, `isError`
 * ones included. A refused session is replaced once, which is safe because nothing ran.
 */
export async function callTool(
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  call: ToolCall,
  io: UpstreamIo,
): Promise<UpstreamReport<Record<string, unknown>>> {
  const params: Record<string, unknown> = { name: call.name, arguments: call.args };
  if (call.meta !== undefined) params["_meta"] = call.meta;
  const job = (connection: EraConnection) => connection.request("tools/call", params);
  const operation = { job, count: unbounded, toolName: call.name };
  if (call.sinks === undefined) return operate(target, session, io, operation);
  const sinks = trackSinks(call.sinks);
  const report = await operate(target, session, io, { ...operation, sinks });
  if (!report.answer.ok) await inBackground(sinks.abandon(), io);
  return report;
}

export interface ToolListing<Entry> {
  /** What was read of every page's entries, in order. */
  readonly tools: Entry[];
  /** Only a handshake brings them. */
  readonly instructions?: string;
}

/**
 * Lists every tool to the last page; `reason` is `protocol` for a repeated cursor and `too_large` past a bound. Of an entry
 * only what `read` makes of it outlives its page.
 */
export function listTools<Entry>(
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  io: UpstreamIo,
  read: (entry: unknown) => Entry,
): Promise<UpstreamReport<ToolListing<Entry>>> {
  const job = async (connection: EraConnection): Promise<Result<ToolListing<Entry>, RequestFault>> => {
    const request: PageRequest = (method, params) => connection.request(method, params);
    const listed = await listPages("tools/list", "tools", request, read);
    if (!listed.ok) return listed;
    const instructions = connection.instructions();
    return ok({ tools: listed.value, ...(instructions !== undefined && { instructions }) });
  };
  return operate(target, session, io, { job, count: listByteCounter() });
}

/** Asks the upstream to forget a kept session, for when its owner is gone. Never fails: the upstream may refuse. */
export async function endSession(
  target: UpstreamTarget,
  session: UpstreamSession,
  io: UpstreamIo,
): Promise<void> {
  if (!judgeUrl(target.url, io).ok) return;
  const deadline = startDeadline(UPSTREAM_SESSION_END_MAX_MS);
  const account = openAccount(io, UPSTREAM_SESSION_END_MAX_MS);
  await legacyEra.end(eraOptions(target, io, deadline, unbounded, account), session);
  account.release();
  deadline.stop();
}

interface Operation<Value> {
  readonly job: (connection: EraConnection) => Promise<Result<Value, RequestFault>>;
  readonly count: ByteCounter;
  /** For a call: what an "unknown tool" would be about. */
  readonly toolName?: string;
  readonly sinks?: LargeSinks;
}

type ByteCounter = EraOptions["count"];

async function operate<Value>(
  target: UpstreamTarget,
  kept: UpstreamSession | undefined,
  io: UpstreamIo,
  { job, count, toolName, sinks }: Operation<Value>,
): Promise<UpstreamReport<Value>> {
  const judged = judgeUrl(target.url, io);
  if (!judged.ok) {
    const detail = `refused the configured address (${judged.reason}): ${target.url}`;
    const answer = fail(classifyFault({ kind: "refused_address", detail }, { sent: false }));
    return { answer, session: kept ?? null };
  }
  const deadline = startDeadline(target.timeoutMs, io.signal);
  const account = openAccount(io, target.timeoutMs);
  const options = eraOptions(target, io, deadline, count, account);
  const { attempt, resumed } = await attemptTwice(
    sinks === undefined ? options : { ...options, sinks },
    kept,
    job,
  )
    // Whatever happens: an account that stayed open would take its room from every later call.
    .finally(() => {
      deadline.stop();
      account.release();
    });
  const session = await settleSession(target, io, attempt, resumed);
  if (attempt.answer.ok) return { answer: attempt.answer, session };
  const { fault, sent } = attempt.answer.reason;
  const context = toolName === undefined ? { sent } : { sent, toolName };
  return { answer: fail(classifyFault(fault, context)), session };
}

/** A refused session is replaced once. */
async function attemptTwice<Value>(
  options: EraOptions,
  kept: UpstreamSession | undefined,
  job: Operation<Value>["job"],
): Promise<{ attempt: Attempt<Value>; resumed: boolean }> {
  let attempt = await attemptOnce(options, kept, job);
  let resumed = kept !== undefined;
  if (resumed && !attempt.answer.ok && refusesSession(attempt.answer.reason.fault)) {
    attempt = await attemptOnce(options, undefined, job);
    resumed = false;
  }
  return { attempt, resumed };
}

interface Attempt<Value> {
  readonly answer: Result<Value, RequestFault>;
  /** The session after it, where there is one. */
  readonly session: UpstreamSession | undefined;
  /** Whether that session is fit for the next operation. */
  readonly fit: boolean;
}

async function attemptOnce<Value>(
  options: EraOptions,
  resume: UpstreamSession | undefined,
  job: Operation<Value>["job"],
): Promise<Attempt<Value>> {
  const opened = await legacyEra.open(options, resume);
  if (!opened.ok) {
    const { fault, opened: session } = opened.reason;
    return { answer: fail({ fault, sent: false }), session: resume ?? session, fit: resume !== undefined };
  }
  const connection = opened.value;
  const answer = await job(connection);
  const session = connection.session();
  await connection.close();
  return { answer, session, fit: answer.ok || !refusesSession(answer.reason.fault) };
}

/** A session that this operation opened and that nobody will keep is ended, so that upstreams do not collect them. */
async function settleSession<Value>(
  target: UpstreamTarget,
  io: UpstreamIo,
  { session, fit }: Attempt<Value>,
  resumed: boolean,
): Promise<UpstreamSession | null> {
  if (session === undefined) return null;
  const keep = io.sessions !== "end" || resumed;
  if (keep && fit) return session;
  if (!resumed && session.sessionId !== undefined) {
    await inBackground(endSession(target, session, io), io);
  }
  return null;
}

async function inBackground(work: Promise<void>, { background }: UpstreamIo): Promise<void> {
  if (background === undefined) await work;
  else background(work);
}

function eraOptions(
  target: UpstreamTarget,
  io: UpstreamIo,
  deadline: Deadline,
  count: ByteCounter,
  account: BufferAccount,
): EraOptions {
  return {
    url: target.url,
    headers: target.headers,
    allowLoopback: io.allowLoopback,
    fetch: io.fetch,
    newId: io.newId,
    now: io.now ?? Date.now,
    signal: deadline.signal,
    count,
    account,
  };
}

/** For an operation with a deadline, and the moment that its end may take. */
function openAccount(io: UpstreamIo, timeoutMs: number): BufferAccount {
  const buffers = io.buffers ?? createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, io.now ?? Date.now);
  return buffers.open(timeoutMs + UPSTREAM_BUFFERS_GRACE_MS);
}

/** One answer's own bounds hold in any case. */
const unbounded: ByteCounter = () => undefined;
