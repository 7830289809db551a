import type { UpstreamFailure } from "../errors.ts";
import { knowledgeOfFailure } from "../fault-of-failure.ts";
import { fail, type Result } from "../result.ts";
import { readAttemptCount } from "../spine/replay/allowance.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import {
  acceptTerminal,
  dispatch,
  type Execution,
  loseWorker,
  NEW_EXECUTION,
  type ReplayTerms,
  retractDispatch,
} from "../spine/replay/execution.ts";
import type { ExecutionKnowledge } from "../spine/replay/knowledge.ts";
import { WantedList, type WantedRequest } from "../wanted-request.ts";
import type { KeptSession } from "./admission.ts";
import type { RetryClock, UpstreamReport } from "./ports.ts";
import { retryDelayMs, type RetrySettings } from "./retry-delay.ts";

/** What the tries of one call have to keep to. */
export interface RetryTerms {
  readonly contract: ReplayContract;
  /** For all tries together, the waits between them included, from the first on. */
  readonly timeoutMs: number;
  readonly settings: RetrySettings;
  /** Asked before each try but the first, counted from 1, whether it may be made; absent: it may. */
  readonly mayTry?: (nth: number) => Promise<boolean>;
}

/** A call after its last try. */
export interface Tried {
  /** The last try's, whose failure says of the outcome what is known after all of them. */
  readonly answer: UpstreamReport["answer"];
  /** The session to keep; `null`: there is none, and a kept one is void. */
  readonly session: KeptSession | null;
  readonly attempts: number;
  /** Of every try that another one was made after, in their order. */
  readonly overcome: readonly UpstreamFailure[];
  /** What is known of the call's effect. */
  readonly knowledge: ExecutionKnowledge;
  /** What the upstream wanted of the caller, in all tries together; absent where nothing. */
  readonly wanted?: readonly WantedRequest[];
}

/**
 * Sends the call for the nth time, counted from 1, on a session; `timeoutMs` is the time it may take, where it has less than
 * its server's own.
 */
export type Try = (
  session: KeptSession | undefined,
  timeoutMs: number | undefined,
  nth: number,
) => Promise<UpstreamReport>;

/**
 * Calls, and calls again where three say so: the spine's table, since what may have run and may not run twice stays as it
 * is; the operator, by the failure's code and a number of tries; and the one deadline over them all. A result of the tool
 * is an answer, whatever it says, and ends the trying.
 */
export async function callWithRetries(
  send: Try,
  kept: KeptSession | undefined,
  { contract, timeoutMs, settings, mayTry = async () => true }: RetryTerms,
  clock: RetryClock,
): Promise<Tried> {
  const terms = termsOf(contract, settings);
  const endsAtMs = clock.now() + timeoutMs;
  // A clock that is stepped back gives no try more time than its server has.
  const leftMs = () => Math.min(endsAtMs - clock.now(), timeoutMs);
  // A server that hangs would take all the time there is from the tries behind it, where there may be any.
  const shares = (made: number) => (mayRepeatTimeouts(terms, settings) ? settings.max_attempts - made : 1);
  const limitMs = (made: number) =>
    settings.max_attempts === 1 ? undefined : Math.max(1, Math.floor(leftMs() / shares(made)));
  let landed: Landed = { answer: NOTHING_SENT, session: kept ?? null, attempts: 0, execution: NEW_EXECUTION };
  const wanted = new WantedList();
  const overcome: UpstreamFailure[] = [];
  let next = dispatch(landed.execution, terms);
  while (next.ok) {
    const nth = landed.attempts + 1;
    if (nth > 1 && !landed.answer.ok) overcome.push(landed.answer.reason);
    const report = await send(landed.session ?? undefined, limitMs(landed.attempts), nth);
    for (const request of report.wanted ?? []) wanted.add(request);
    landed = land(next.value, report, nth);
    next = dispatch(landed.execution, terms);
    if (next.ok && !(await pause(landed, leftMs, settings, clock))) break;
    // Asked behind the wait, and answered elsewhere: there may be no time left when it is known.
    if (next.ok && !((await mayTry(nth + 1)) && isTime(leftMs, clock))) break;
  }
  const all = wanted.all();
  return { ...tried(landed), overcome, ...(all.length === 0 ? {} : { wanted: all }) };
}

interface Landed {
  readonly answer: UpstreamReport["answer"];
  readonly session: KeptSession | null;
  readonly attempts: number;
  readonly execution: Execution;
}

const NOTHING_SENT: UpstreamReport["answer"] = fail({
  reason: "unreachable",
  outcome: "not_dispatched",
  detail: "nothing was sent",
});

/** Nobody is there to probe with. A first dispatch is no replay, so there is one replay less than there are tries. */
function termsOf(contract: ReplayContract, { max_attempts: tries }: RetrySettings): ReplayTerms {
  const replays = readAttemptCount(tries - 1);
  return {
    contract: contract === "probe_required" ? "never_replay" : contract,
    max_attempts: replays.ok ? replays.value : 0,
  };
}

function mayRepeatTimeouts({ contract }: ReplayTerms, { retryable_codes: codes }: RetrySettings): boolean {
  return contract === "convergent" && codes.includes("UPSTREAM_TIMEOUT");
}

function land(inFlight: Execution, { answer, session }: UpstreamReport, attempts: number): Landed {
  return { answer, session, attempts, execution: moved(inFlight, answer) };
}

/** Where the request stands once its try has ended. Where the spine allows no move, nobody knows what happened. */
function moved(inFlight: Execution, answer: Result<unknown, UpstreamFailure>): Execution {
  const knowledge = answer.ok ? "completed" : knowledgeOfFailure(answer.reason);
  const lost = loseWorker(inFlight);
  switch (knowledge) {
    case "completed":
      return settled(acceptTerminal(inFlight), lost);
    case "not_dispatched":
      return settled(retractDispatch(inFlight), lost);
    case "in_flight":
    case "outcome_unknown":
      return lost;
  }
}

function settled(move: Result<Execution, unknown>, otherwise: Execution): Execution {
  return move.ok ? move.value : otherwise;
}

/** Waits for the next try's turn; `false` where there is none. */
async function pause(
  { answer, attempts }: Landed,
  leftMs: () => number,
  settings: RetrySettings,
  clock: RetryClock,
): Promise<boolean> {
  if (answer.ok || clock.signal?.aborted === true) return false;
  const chances = { tries: attempts, leftMs: leftMs(), random: clock.random() };
  const delayMs = retryDelayMs(answer.reason, chances, settings);
  if (delayMs === undefined) return false;
  await (clock.signal === undefined ? clock.sleep(delayMs) : clock.sleep(delayMs, clock.signal));
  return isTime(leftMs, clock);
}

/** A function, since a wait changes what was read before it. */
function isTime(leftMs: () => number, { signal }: RetryClock): boolean {
  return leftMs() > 0 && signal?.aborted !== true;
}

/** A try that was turned away says nothing of an earlier one that was lost, and neither may its failure. */
function tried({ answer, session, attempts, execution: { knowledge } }: Landed): Omit<Tried, "overcome"> {
  if (answer.ok || knowledge !== "outcome_unknown") return { answer, session, attempts, knowledge };
  return { answer: fail({ ...answer.reason, outcome: "unknown" }), session, attempts, knowledge };
}
