import type { DispatchAsk, KeptSession } from "../dispatch/admission.ts";
import type { Upstream } from "../dispatch/ports.ts";
import { TAKEN_BACK_GRACE_MS, TAKEN_BACK_LOOK_MAX_MS, TAKEN_BACK_LOOK_MS } from "../limits.ts";
import type { CallOrigin } from "../surface.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

type WatchPorts = Pick<GatewayPorts, "running" | "sleep" | "log">;

/**
 * One call while it runs, as the principal's object knows it. A call that was not noted there is not watched, and costs
 * nothing. Nothing here throws.
 *
 * Of a call that its caller takes back the server sends no answer (MCP 2025-11-25, "Cancellation"), so that after a grace for
 * one that was on its way the call ends as lost. Its request hears of that where both are in one isolate; elsewhere it would
 * learn of it by asking alone, which is done where the answers of others wait for this one. What the principal's object holds
 * for the call it frees by itself.
 */
export class FlightWatch {
  readonly #context: Pick<RequestContext, "noteFlight" | "waitUntil">;
  readonly #ports: WatchPorts;
  readonly #hasNeighbours: boolean;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  /** Under which the call is noted. */
  #attempt: string | undefined;
  #begun = false;
  #cancelled = false;

  constructor(
    context: Pick<RequestContext, "noteFlight" | "waitUntil">,
    ports: WatchPorts,
    { hasNeighbours = false }: Pick<CallOrigin, "hasNeighbours">,
  ) {
    this.#context = context;
    this.#ports = ports;
    this.#hasNeighbours = hasNeighbours;
  }

  /** Ends the call, wherever it is: nobody waits for it, nor for what may still come of it. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** To be told what `admit` is asked for the call. */
  asked({ attempt, flight }: Pick<DispatchAsk, "attempt" | "flight">): void {
    this.#attempt = flight === undefined ? undefined : attempt;
  }

  /** To be told before each try is sent. */
  begin(): void {
    const attempt = this.#attempt;
    if (attempt === undefined || this.#begun) return;
    this.#begun = true;
    void this.#endTakenBack(this.#ports.running.begin(attempt));
    if (this.#hasNeighbours) void this.#lookAfter(attempt);
  }

  /** To be told once the call has ended. */
  end(): void {
    this.#over.abort();
    if (this.#attempt !== undefined) this.#ports.running.end(this.#attempt);
  }

  /**
   * To be told of a session that was opened for a try. Its caller may have taken the call back before anybody could know
   * where it was: then it is not sent, or cancelled from here.
   */
  opened(session: KeptSession, requestId: string | undefined, upstream: Upstream): void {
    const attempt = this.#attempt;
    if (attempt === undefined || requestId === undefined) return;
    const isSent = !this.#cancelled;
    if (!isSent) this.#ending.abort();
    const { sessionId, protocolVersion } = session;
    const noted = this.#note({ attempt, requestId, session: { sessionId, protocolVersion } });
    this.#context.waitUntil(
      noted.then((cancelled) => this.#cancelAt(upstream, cancelled && isSent, requestId, session)),
    );
  }

  /** Before the call is sent again, under this id: whether anybody waits for it still. */
  async mayRetry(requestId: string): Promise<boolean> {
    const attempt = this.#attempt;
    if (attempt === undefined) return true;
    if (this.#cancelled) return false;
    return !(await this.#note({ attempt, requestId }));
  }

  async #endTakenBack(takenBack: Promise<void>): Promise<void> {
    await takenBack;
    this.#cancelled = true;
    await this.#ports.sleep(TAKEN_BACK_GRACE_MS, this.#over.signal);
    this.#ending.abort();
  }

  async #lookAfter(attempt: string): Promise<void> {
    const { signal } = this.#over;
    for (let waitMs = TAKEN_BACK_LOOK_MS; !signal.aborted && !this.#cancelled;) {
      await this.#ports.sleep(waitMs, signal);
      waitMs = Math.min(2 * waitMs, TAKEN_BACK_LOOK_MAX_MS);
      if (!signal.aborted && (await this.#note({ attempt }))) this.#ports.running.takeBack(attempt);
    }
  }

  async #note(note: Parameters<RequestContext["noteFlight"]>[0]): Promise<boolean> {
    try {
      const cancelled = await this.#context.noteFlight(note);
      this.#cancelled ||= cancelled;
      return cancelled;
    } catch (error) {
      this.#ports.log(`a call could not be noted: ${String(error)}`);
      return false;
    }
  }

  async #cancelAt(
    upstream: Upstream,
    cancelled: boolean,
    requestId: string,
    session: KeptSession,
  ): Promise<void> {
    const attempt = this.#attempt;
    if (!cancelled || attempt === undefined) return;
    try {
      await upstream.cancel(requestId, undefined, session);
    } catch (error) {
      this.#ports.log(`a call could not be cancelled: ${String(error)}`);
    }
    this.#ports.running.takeBack(attempt);
  }
}
