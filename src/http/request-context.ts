import { visibilityOf } from "../access/visibility.ts";
import type { BearerClaims } from "../access/bearer.ts";
import type { Admission, AdmitAsk, RefusalReason, RequestContext } from "../gateway/request-context.ts";
import type { AdmitRequest, FlightNote, SettleReport } from "../principal/admit-contract.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { principalPort } from "../principal/principals-store.ts";
import type { SessionHandle } from "../principal/session-id.ts";
import type { HttpContext } from "./bindings.ts";
import { artifactsOf } from "./artifacts.ts";
import { logFor } from "./log.ts";
import { noteFlight } from "./note-flight.ts";
import { settleReport } from "./settle-report.ts";
import { sleep } from "./sleep.ts";

/** A request's context, and why `admit` refused it, if it did. */
export class HttpRequestContext implements RequestContext {
  readonly principal: string;
  readonly sessionKey: string | null;
  readonly sees: RequestContext["sees"];
  refusal: RefusalReason | null = null;
  /** Whether `admit` was asked at all. */
  asked = false;
  readonly #c: HttpContext;
  readonly #claims: BearerClaims;
  readonly #session: SessionHandle | null;

  constructor(c: HttpContext, claims: BearerClaims, session: SessionHandle | null) {
    this.#c = c;
    this.#claims = claims;
    this.#session = session;
    this.principal = claims.principal;
    this.sessionKey = session?.key ?? null;
    this.sees = visibilityOf(claims.scopes);
  }

  admit(ask: AdmitAsk): Promise<Admission> {
    return this.#ask(ask, "use");
  }

  /** Opens the session itself, with the catalog that it begins with, if one is known. */
  async openSession(beginsWith: AdmitRequest["beginsWith"]): Promise<Admission> {
    return this.#ask({ beginsWith }, "open");
  }

  async endSession(): Promise<Admission> {
    return this.#ask({}, "end");
  }

  async noteFlight(note: Omit<FlightNote, "version">): Promise<boolean> {
    const port = this.#port();
    return noteFlight(
      { version: 1, ...note },
      { noteFlight: (whole) => port.noteFlight(whole), sleep, log: logFor(this.#c) },
    );
  }

  settle(report: Omit<SettleReport, "version">): void {
    const port = this.#port();
    const settled = settleReport(
      { version: 1, ...report },
      {
        settle: (whole) => port.settle(whole),
        removeArtifacts: async (evicted) => {
          const gone = await artifactsOf(this.#c).retire(principalObjectName(this.principal), evicted);
          if (!gone.ok) logFor(this.#c)(`evicted artifacts stay for now: ${gone.reason.detail}`);
          return gone.ok ? gone.value : [];
        },
        sleep,
        log: logFor(this.#c),
      },
    );
    this.waitUntil(settled);
  }

  waitUntil(work: Promise<unknown>): void {
    this.#c.executionCtx.waitUntil(work);
  }

  async #ask(
    ask: AdmitAsk & Pick<AdmitRequest, "beginsWith">,
    intent: "open" | "use" | "end",
  ): Promise<Admission> {
    this.asked = true;
    const answer = await this.#port().admit({
      version: 1,
      tokenId: this.#claims.tokenId,
      session: this.#session === null ? null : { ...this.#session, intent },
      ...ask,
    });
    if (!answer.ok) logFor(this.#c)(answer.reason.detail);
    const admission: Admission = answer.ok ? answer.value : { admitted: false, reason: "unreachable" };
    if (!admission.admitted) this.refusal = admission.reason;
    return admission;
  }

  #port() {
    return principalPort(this.#c.env.PRINCIPALS, this.principal);
  }
}
