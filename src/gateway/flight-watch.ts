import type { DispatchAsk, KeptSession } from "../dispatch/admission.ts";
import type { Upstream } from "../dispatch/ports.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * One call while it runs, as the principal's object knows it. A call that was not noted there is not watched, and costs
 * nothing. Nothing here throws.
 */
export class FlightWatch {
  readonly #context: Pick<RequestContext, "noteFlight" | "waitUntil">;
  readonly #ports: Pick<GatewayPorts, "log">;
  /** Under which the call is noted. */
  #attempt: string | undefined;
  #cancelled = false;

  constructor(context: Pick<RequestContext, "noteFlight" | "waitUntil">, ports: Pick<GatewayPorts, "log">) {
    this.#context = context;
    this.#ports = ports;
  }

  /** To be told what `admit` is asked for the call. */
  asked({ attempt, flight }: Pick<DispatchAsk, "attempt" | "flight">): void {
    this.#attempt = flight === undefined ? undefined : attempt;
  }

  /**
   * To be told of a session that was opened for a try. Its caller may have taken the call back before anybody could know
   * where it was: then it is cancelled from here.
   */
  opened(session: KeptSession, requestId: string | undefined, upstream: Upstream): void {
    const attempt = this.#attempt;
    if (attempt === undefined || requestId === undefined) return;
    const { sessionId, protocolVersion } = session;
    const noted = this.#note({ attempt, requestId, session: { sessionId, protocolVersion } });
    this.#context.waitUntil(
      noted.then((cancelled) => this.#cancelAt(upstream, cancelled, requestId, session)),
    );
  }

  /** Before the call is sent again, under this id: whether anybody waits for it still. */
  async mayRetry(requestId: string): Promise<boolean> {
    const attempt = this.#attempt;
    if (attempt === undefined) return true;
    if (this.#cancelled) return false;
    return !(await this.#note({ attempt, requestId }));
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
    if (!cancelled) return;
    try {
      await upstream.cancel(requestId, undefined, session);
    } catch (error) {
      this.#ports.log(`a call could not be cancelled: ${String(error)}`);
    }
  }
}
