import {
  UPSTREAM_BUFFERS_GRACE_MS,
  UPSTREAM_BUFFERS_MAX_BYTES,
  UPSTREAM_SESSION_END_MAX_MS,
} from "../limits.ts";
import type { LargeSinks } from "../large-result.ts";
import { fail, type Result } from "../result.ts";
import { WantedList } from "../wanted-request.ts";
import { createBufferBudget, type BufferAccount } from "./buffer-budget.ts";
import { type Asked, classifyFault } from "./classify.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { judgeUrl } from "./egress.ts";
import type { EraConnection, EraOptions, RequestFault } from "./era.ts";
import { legacyEra } from "./legacy.ts";
import { refusesSession, type UpstreamSession } from "./session.ts";
import type { UpstreamIo, UpstreamReport, UpstreamTarget } from "./upstream-io.ts";

/** One visit to an upstream, on one session. */
export interface Operation<Value> {
  /** `resumed`: on a session that was kept, which the upstream may refuse. */
  readonly job: (connection: EraConnection, resumed: boolean) => Promise<Result<Value, RequestFault>>;
  /** Without it one answer's own bounds hold. */
  readonly count?: ByteCounter;
  /** For a call: what "unknown" would be said of. */
  readonly asked?: Asked;
  readonly sinks?: LargeSinks;
  /** Told of a session that a handshake has opened, before the job begins. */
  readonly onSession?: (session: UpstreamSession) => void;
}

type ByteCounter = EraOptions["count"];

/** Asks the upstream to forget a kept session, for when its owner is gone. Never fails: the upstream may refuse. */
export async function endSession(
  target: UpstreamTarget,
  session: UpstreamSession,
  io: UpstreamIo,
): Promise<void> {
  await courtesy(target, io, UPSTREAM_SESSION_END_MAX_MS, (options) => legacyEra.end(options, session));
}

/** Sends what nobody waits for, within a time of its own. */
export async function courtesy(
  target: UpstreamTarget,
  io: UpstreamIo,
  timeoutMs: number,
  work: (options: EraOptions) => Promise<void>,
): Promise<void> {
  if (!judgeUrl(target.url, io).ok) return;
  const deadline = startDeadline(timeoutMs);
  const account = openAccount(io, timeoutMs);
  await work(eraOptions(target, io, deadline, account));
  account.release();
  deadline.stop();
}

/**
 * Opens a connection, with a handshake or on a kept session, and does the job. A refused session is replaced once, which is
 * safe because nothing ran.
 */
export async function operate<Value>(
  target: UpstreamTarget,
  kept: UpstreamSession | undefined,
  io: UpstreamIo,
  operation: Operation<Value>,
): Promise<UpstreamReport<Value>> {
  const judged = judgeUrl(target.url, io);
  if (!judged.ok) {
    const detail = `refused the configured address (${judged.reason}): ${target.url}`;
    const answer = fail(classifyFault({ kind: "refused_address", detail }, { sent: false }));
    return { answer, session: kept ?? null };
  }
  const deadline = startDeadline(target.timeoutMs, io.signal);
  const account = openAccount(io, target.timeoutMs);
  const { count, sinks, asked } = operation;
  const options: EraOptions = {
    ...eraOptions(target, io, deadline, account),
    ...(count === undefined ? {} : { count }),
    ...(sinks === undefined ? {} : { sinks }),
  };
  const { attempt, resumed } = await attemptTwice(options, kept, operation)
    // Whatever happens: an account that stayed open would take its room from every later call.
    .finally(() => {
      deadline.stop();
      account.release();
    });
  const session = await settleSession(target, io, attempt, resumed);
  const wanted = options.wanted.all();
  const report = { session, ...(wanted.length === 0 ? {} : { wanted }) };
  if (attempt.answer.ok) return { answer: attempt.answer, ...report };
  const { fault, sent } = attempt.answer.reason;
  const context = asked === undefined ? { sent } : { sent, asked };
  return { answer: fail(classifyFault(fault, context)), ...report };
}

/** A refused session is replaced once. */
async function attemptTwice<Value>(
  options: EraOptions,
  kept: UpstreamSession | undefined,
  operation: Operation<Value>,
): Promise<{ attempt: Attempt<Value>; resumed: boolean }> {
  let attempt = await attemptOnce(options, kept, operation);
  let resumed = kept !== undefined;
  if (resumed && !attempt.answer.ok && refusesSession(attempt.answer.reason.fault)) {
    attempt = await attemptOnce(options, undefined, operation);
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
  { job, onSession }: Operation<Value>,
): Promise<Attempt<Value>> {
  const opened = await legacyEra.open(options, resume);
  if (!opened.ok) {
    const { fault, opened: session } = opened.reason;
    return { answer: fail({ fault, sent: false }), session: resume ?? session, fit: resume !== undefined };
  }
  const connection = opened.value;
  if (resume === undefined) onSession?.(connection.session());
  const answer = await job(connection, resume !== undefined);
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

export async function inBackground(work: Promise<void>, { background }: UpstreamIo): Promise<void> {
  if (background === undefined) await work;
  else background(work);
}

function eraOptions(
  target: UpstreamTarget,
  io: UpstreamIo,
  deadline: Deadline,
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
    count: unbounded,
    account,
    wanted: new WantedList(),
  };
}

/** For an operation with a deadline, and the moment that its end may take. */
function openAccount(io: UpstreamIo, timeoutMs: number): BufferAccount {
  const buffers = io.buffers ?? createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, io.now ?? Date.now);
  return buffers.open(timeoutMs + UPSTREAM_BUFFERS_GRACE_MS);
}

/** One answer's own bounds hold in any case. */
const unbounded: ByteCounter = () => undefined;
