import { type Admission, type AdmitAsk, type RequestContext, turnsCallerAway } from "./request-context.ts";
import type { GatewayPorts } from "./ports.ts";
import type { CallEvent } from "./telling/call-event.ts";
import { type EntryMore, Teller } from "./telling/teller.ts";

type Report = Parameters<RequestContext["settle"]>[0];

/** How a call ended, and what else there is to report of it. */
interface Ending {
  readonly event: CallEvent;
  readonly more: EntryMore;
  readonly report: Report;
}

/** Not asked; let in, or kept out by a control or for a fault of ours; turned away for the bearer's or the session's sake. */
type Standing = "unasked" | "judged" | "turned_away";

/**
 * One call's way to its principal. How the call ended is told once it was put to `admit`, and not at all where the bearer
 * or the session was turned away: such a call has not taken place.
 */
export class CallContext implements RequestContext {
  readonly principal: RequestContext["principal"];
  readonly sessionKey: RequestContext["sessionKey"];
  readonly sees: RequestContext["sees"];
  readonly #request: RequestContext;
  readonly #teller: Teller;
  #standing: Standing = "unasked";
  /** Under which the call was put to `admit`. */
  #attempt: string | undefined;
  #waiting: Ending | null = null;

  constructor(request: RequestContext, ports: Pick<GatewayPorts, "now" | "newId" | "log">) {
    this.#request = request;
    this.principal = request.principal;
    this.sessionKey = request.sessionKey;
    this.sees = request.sees;
    this.#teller = new Teller(request.sessionKey, ports);
  }

  get wasAsked(): boolean {
    return this.#standing !== "unasked";
  }

  async admit(ask: AdmitAsk): Promise<Admission> {
    this.#attempt = ask.attempt ?? this.#attempt;
    const admission = await this.#request.admit(ask);
    if (this.#standing !== "turned_away") {
      this.#standing = !admission.admitted && turnsCallerAway(admission.reason) ? "turned_away" : "judged";
    }
    const ended = this.#waiting;
    this.#waiting = null;
    // Who is not let in gets another answer than the one that was ready, and tells of that.
    if (ended !== null && admission.admitted) this.#report(ended);
    return admission;
  }

  noteFlight(note: Parameters<RequestContext["noteFlight"]>[0]): Promise<boolean> {
    return this.#request.noteFlight(note);
  }

  settle(report: Report): void {
    if (this.#standing === "judged") this.#request.settle(report);
  }

  waitUntil(work: Promise<unknown>): void {
    this.#request.waitUntil(work);
  }

  /** Tells how the call ended, together with the rest of what there is to report; a second ending is not told. */
  tell(event: CallEvent, more: EntryMore = {}, report: Report = {}): void {
    const ended = { event, more, report };
    if (this.#standing === "unasked") this.#waiting ??= ended;
    if (this.#standing === "judged") this.#report(ended);
  }

  #report({ event, more, report }: Ending): void {
    const key = more.key ?? this.#attempt;
    const entries = this.#teller.entries(event, key === undefined ? more : { ...more, key });
    const told = entries.length === 0 ? {} : { told: [...entries] };
    if (entries.length > 0 || Object.keys(report).length > 0) this.#request.settle({ ...report, ...told });
  }
}
