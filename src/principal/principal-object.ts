import { DurableObject } from "cloudflare:workers";
import { encodeBase64url } from "../base64url.ts";
import { APPROVAL_ID_RANDOM_BYTES } from "../limits.ts";
import type { LedgerDoor, OutboxBindings } from "../outbox/delivery.ts";
import { asTakenBack, readEntry, writeEntry } from "../outbox/entry.ts";
import { ledgerDoor } from "../outbox/ledger-door.ts";
import { Outbox } from "../outbox/outbox-store.ts";
import { oneLine } from "../scrub/log-line.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";
import {
  admitRequestSchema,
  approvalDecisionSchema,
  flightNoteSchema,
  revocationSchema,
  settleReportSchema,
} from "./admit-contract.ts";
import type {
  AdmitDecision,
  AdmitRefusal,
  AdmitRequest,
  ApprovalDecisionRequest,
  ApprovalVerdict,
  FlightNote,
  Foresight,
  FoundFlight,
  NotedFlight,
  PassedCall,
  ReadAdmitRequest,
  Revocation,
  SettleReport,
  Settlement,
} from "./admit-contract.ts";
import { artifactReviewSchema } from "./artifact-contract.ts";
import type { ArtifactReview, ArtifactReviewRequest } from "./artifact-contract.ts";
import type { CatalogVersion } from "./browse-state.ts";
import { journalAsk, rateOwner, underWay } from "./asked-call.ts";
import { CallArtifacts } from "./call-artifacts.ts";
import { CallControls } from "./call-controls.ts";
import type { RateOwner } from "./call-controls.ts";
import { CallFlights, flightScope } from "./call-flights.ts";
import { newsOf } from "./catalog-news.ts";
import { CallJournal } from "./call-journal.ts";
import { CallUpstreams } from "./call-upstreams.ts";
import { Housekeeping } from "./housekeeping-store.ts";
import { MeteredSql } from "./metered-sql-store.ts";
import { PRINCIPALS_OWN, SeenCards } from "./seen-cards.ts";
import { judgeSession } from "./session-standing.ts";
import type { SessionIntent } from "./session-standing.ts";
import type { SessionHandle } from "./session-id.ts";
import { SessionStore } from "./session-store.ts";

/**
 * Everything that is decided together for one principal's call: `admit` before it, `settle` after. Nothing of a call's
 * arguments is stored, and of its result only a first answer that a repetition may ask for, for minutes. State is
 * `#private`, since every other method of an object can be called from outside.
 *
 * Each method runs its SQL without an `await` in between, so that no other call sees half of it and all of its writes
 * are committed together.
 */
export class PrincipalObject extends DurableObject {
  declare protected readonly env: Cloudflare.Env & OutboxBindings;
  readonly #sql: MeteredSql;
  readonly #housekeeping: Housekeeping;
  readonly #sessions: SessionStore;
  readonly #seen: SeenCards;
  readonly #upstreams: CallUpstreams;
  readonly #artifacts: CallArtifacts;
  readonly #controls: CallControls;
  readonly #journal: CallJournal;
  readonly #flights: CallFlights;
  readonly #ledger: LedgerDoor;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env & OutboxBindings) {
    super(ctx, env);
    this.#sql = new MeteredSql(ctx.storage.sql);
    const outbox = new Outbox(this.#sql, ctx.id.toString(), () => crypto.randomUUID());
    this.#housekeeping = new Housekeeping(ctx.storage, this.#sql, outbox);
    this.#sessions = new SessionStore(this.#sql);
    this.#seen = new SeenCards(this.#sql, this.#housekeeping, this.#sessions);
    this.#upstreams = new CallUpstreams(this.#sql, this.#housekeeping);
    this.#artifacts = new CallArtifacts(this.#sql, this.#housekeeping);
    this.#controls = new CallControls(this.#sql, this.#housekeeping, newApprovalId);
    this.#flights = new CallFlights(this.#sql, this.#housekeeping);
    this.#journal = new CallJournal(this.#sql, this.#housekeeping, (nowMs) => {
      this.#flights.tellLost(nowMs);
    });
    this.#ledger = ledgerDoor(() => this.env.LEDGER, startTimer);
  }

  /**
   * May this call go on, and with what? Refusals, in this order: revoked token, session, journal, no room for what is kept,
   * missing consent, quota. A call out of an old catalog is told so before the last four, and commits nothing. Then the cards
   * in their cache-stable order, upstream sessions and artifacts, a call to be cancelled, and the catalog's news. Repeating a
   * call is harmless; a dry one is only judged.
   */
  async admit(request: AdmitRequest): Promise<AdmitDecision> {
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    const parsed = admitRequestSchema.safeParse(request);
    if (!parsed.success) return this.#refuse({ reason: "malformed" }, nowMs);
    const { tokenId, session, catalogVersion, browse, upstreams, artifacts, dry, quota, cancel } =
      parsed.data;
    const writes = dry !== true;
    if (this.#isRevoked(tokenId)) return this.#refuse({ reason: "token_revoked" }, nowMs);
    if (session) {
      const refusal = this.#passSession(session, parsed.data.beginsWith ?? null, writes, nowMs);
      if (refusal !== null) return this.#refuse(refusal, nowMs);
    }
    const newestGeneration = catalogVersion
      ? this.#seen.newestGeneration(catalogVersion, writes, nowMs)
      : null;
    const stale =
      catalogVersion && newestGeneration !== null ? catalogVersion.generation < newestGeneration : false;
    const owner = rateOwner(quota?.per === "principal" ? null : (session ?? null), nowMs);
    const passed = writes && !stale ? this.#passCall(parsed.data, owner, nowMs) : ok({});
    if (!passed.ok) return this.#refuse(passed.reason, nowMs);
    const arrangement =
      browse && catalogVersion && !stale && session?.intent !== "end"
        ? this.#seen.arrange(session ?? null, catalogVersion, browse, writes, nowMs)
        : null;
    const upstreamSessions = this.#upstreams.find(upstreams ?? [], nowMs);
    const foresight = !writes && !stale ? this.#foresee(parsed.data, owner, nowMs) : null;
    const found = artifacts ? this.#artifacts.find(artifacts, nowMs) : [];
    const gone = artifacts && found.length < artifacts.length ? this.#artifacts.gone(artifacts, nowMs) : [];
    const cancelled = cancel && writes ? this.#takeBack(parsed.data, cancel.requestKey, nowMs) : null;
    const changedFrom = writes && !stale ? this.#news(parsed.data) : null;
    const rowsWritten = await this.#housekeeping.finish(nowMs);
    return {
      version: 1,
      admitted: true,
      newestGeneration,
      stale,
      arrangement,
      upstreamSessions,
      ...(artifacts ? { artifacts: found } : {}),
      ...(gone.length === 0 ? {} : { goneArtifacts: gone }),
      ...passed.value,
      ...foresight,
      ...(cancel ? { cancelled } : {}),
      ...(changedFrom === null ? {} : { changedFrom }),
      rowsWritten,
    };
  }

  /** What a call left behind. Sent after the answer; a report that cannot be read changes nothing. */
  async settle(report: SettleReport): Promise<Settlement> {
    const parsed = settleReportSchema.safeParse(report);
    if (!parsed.success) return { version: 1, accepted: false, rowsWritten: 0 };
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    this.#upstreams.forget(parsed.data.lost ?? []);
    this.#upstreams.remember(parsed.data.opened ?? [], nowMs);
    const evicted = this.#artifacts.settle(parsed.data, nowMs);
    const { attempt: over, seen, journal } = parsed.data;
    const landing = typeof over === "string" ? this.#flights.settle(over) : null;
    const takenBack = landing?.cancelled === true ? (over ?? null) : null;
    const known = landing?.told === true ? (over ?? null) : null;
    const told = this.#tell(parsed.data.told ?? [], { takenBack, known }, nowMs);
    if (journal) {
      const { attempt } = journal;
      const facts = { told: told.includes(attempt), isCancelled: attempt === takenBack };
      this.#journal.report({ ...journal, ...facts }, nowMs);
    }
    for (const attempt of told) this.#journal.markTold(attempt);
    if (seen) this.#seen.record(seen.sessionKey ?? PRINCIPALS_OWN, seen.catalogVersion, seen.cards, nowMs);
    const rowsWritten = await this.#housekeeping.finish(nowMs);
    return { version: 1, accepted: true, ...(evicted.length === 0 ? {} : { evicted }), rowsWritten };
  }

  /** What has become of a call that is under way: the session opened for it, its next try. A call that is not known is not noted. */
  async noteFlight(note: FlightNote): Promise<NotedFlight> {
    const parsed = flightNoteSchema.safeParse(note);
    if (!parsed.success) return { version: 1, cancelled: false, rowsWritten: 0 };
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    const cancelled = this.#flights.note(parsed.data, nowMs);
    return { version: 1, cancelled, rowsWritten: await this.#housekeeping.finish(nowMs) };
  }

  /** Refuses a token from the next `admit` on, until the token would have expired anyway. */
  async revoke(revocation: Revocation): Promise<Settlement> {
    const parsed = revocationSchema.safeParse(revocation);
    if (!parsed.success) return { version: 1, accepted: false, rowsWritten: 0 };
    const { tokenId, expiresAtMs } = parsed.data;
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    if (expiresAtMs > nowMs && !this.#isRevoked(tokenId)) {
      this.#housekeeping.writeUntil(expiresAtMs);
      this.#sql.run("INSERT INTO revoked_tokens (id, expires_at_ms) VALUES (?, ?)", tokenId, expiresAtMs);
    }
    return { version: 1, accepted: true, rowsWritten: await this.#housekeeping.finish(nowMs) };
  }

  /** An operator's word on a call that waits for a person. The same word again changes nothing, and is `already`. */
  async decideApproval(request: ApprovalDecisionRequest): Promise<ApprovalVerdict> {
    const parsed = approvalDecisionSchema.safeParse(request);
    if (!parsed.success) {
      return { version: 1, outcome: "unknown", state: null, expiresAtMs: null, rowsWritten: 0 };
    }
    const { approvalId, decision } = parsed.data;
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    const { outcome, approval } = this.#controls.decide(approvalId, decision, nowMs);
    const rowsWritten = await this.#housekeeping.finish(nowMs);
    const { state, expiresAtMs } = approval ?? { state: null, expiresAtMs: null };
    return { version: 1, outcome, state, expiresAtMs, rowsWritten };
  }

  /** What is kept, for an operator, who may let some of it go. Asked again it goes on. */
  async reviewArtifacts(request: ArtifactReviewRequest): Promise<ArtifactReview | Settlement> {
    const parsed = artifactReviewSchema.safeParse(request);
    if (!parsed.success) return { version: 1, accepted: false, rowsWritten: 0 };
    const nowMs = Date.now();
    await this.#housekeeping.wake(nowMs);
    const review = this.#artifacts.review(parsed.data.free ?? null, nowMs);
    return { version: 1, ...review, rowsWritten: await this.#housekeeping.finish(nowMs) };
  }

  /**
   * Tells the ledger what there is to tell, also of calls that were never reported on, and deletes what has expired, and the
   * object's storage with its last row. A ledger that does not answer is no error here: the platform gives an alarm up that
   * fails six times.
   */
  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    const sweeps = this.#housekeeping.alarmFired(this.#nextLapseMs(), nowMs);
    this.#journal.tellLapsed(nowMs);
    if (sweeps) {
      this.#sessions.forgetCounts();
      this.#artifacts.forgetBooked();
      this.#controls.forgetCounts();
      this.#journal.forgetCounts();
      this.#flights.forgetCounts();
      this.#housekeeping.sweep(nowMs);
    }
    const door: LedgerDoor = {
      deliver: async (delivery) =>
        this.#ledger.deliver({ ...delivery, kept: this.#artifacts.level(sweeps, Date.now()) }),
    };
    return this.#housekeeping.ship(door, () => this.#nextLapseMs(), log);
  }

  /** When the first lease ends of a call that nobody has told about. */
  #nextLapseMs(): number | null {
    const inJournal = this.#journal.nextLapseMs();
    const inFlight = this.#flights.nextLapseMs();
    return inJournal === null || inFlight === null ? (inJournal ?? inFlight) : Math.min(inJournal, inFlight);
  }

  /** The call that its caller waits for no more; nothing of it is held for longer than it may take to end it. */
  #takeBack(request: ReadAdmitRequest, requestKey: string, nowMs: number): FoundFlight | null {
    const found = this.#flights.cancel(flightScope(request), requestKey, nowMs);
    if (found === null) return null;
    const { flight, endsAtMs } = found;
    if (flight.attempt !== undefined) {
      this.#journal.shortenLease(flight.attempt, endsAtMs);
      this.#artifacts.shorten(flight.attempt, endsAtMs);
    }
    return flight;
  }

  #isRevoked(tokenId: string): boolean {
    if (!this.#housekeeping.tables.exists) return false;
    return this.#sql.run("SELECT 1 FROM revoked_tokens WHERE id = ?", tokenId).length > 0;
  }

  #passSession(
    session: SessionHandle & { readonly intent: SessionIntent },
    beginsWith: CatalogVersion | null,
    writes: boolean,
    nowMs: number,
  ): AdmitRefusal | null {
    const row = this.#housekeeping.tables.exists ? this.#sessions.find(session.key) : null;
    const judged = judgeSession(session, row, nowMs);
    if (judged.step === "refuse") return { reason: judged.reason };
    if (writes && judged.step === "insert") {
      this.#housekeeping.writeUntil(session.expiresAtMs);
      this.#sessions.insert(session, beginsWith);
    }
    if (writes && judged.step === "mark_ended") {
      this.#sessions.markEnded(session.key);
      this.#controls.endSession(session.key);
    }
    return null;
  }

  /** The journal first: what has run already is neither charged nor asked about again. All is judged before it is committed. */
  #passCall(request: ReadAdmitRequest, owner: RateOwner, nowMs: number): Result<PassedCall, AdmitRefusal> {
    const { quota, approval } = request;
    const ask = journalAsk(request);
    const step = ask === null ? null : this.#journal.judge(ask, nowMs);
    if (step?.step === "refused") return fail(step.refusal);
    if (step?.step === "full") return fail(underWay(step.forMs));
    if (step?.step === "answered") return ok({ journal: { disposition: "answered", answer: step.answer } });
    // Before a person is asked about a call that cannot run.
    const fullForMs = request.flight ? this.#flights.fullForMs(request.attempt ?? "", nowMs) : null;
    if (fullForMs !== null) return fail(underWay(fullForMs));
    const room = this.#artifacts.judge(request, step !== null && step.entry === null, nowMs);
    if (!room.ok) return room;
    const refusal = quota || approval ? this.#controls.pass(request, owner, nowMs) : null;
    if (refusal !== null) return fail(refusal);
    if (step !== null && step.entry !== null) this.#journal.write(step.entry, nowMs);
    if (room.value !== null) this.#artifacts.hold(room.value, nowMs);
    this.#takeOff(request, nowMs);
    return ok({
      ...(approval ? { approval: "granted" } : {}),
      ...(step === null ? {} : { journal: { disposition: "run" } }),
      ...(room.value === null ? {} : { artifactAllowance: room.value.allowance }),
    });
  }

  /** What has its answer already meets no limit, and needs no consent. */
  #foresee(request: ReadAdmitRequest, owner: RateOwner, nowMs: number): Foresight {
    const ask = journalAsk(request);
    const earlier = ask === null ? {} : { earlier: this.#journal.foresee(ask, nowMs) };
    if (earlier.earlier === "answered") return { quota: { exceeded: null }, approval: null, ...earlier };
    return {
      ...this.#controls.foresee(request, owner, nowMs),
      ...this.#artifacts.foresee(request.reserve, nowMs),
      ...earlier,
    };
  }

  /** A repetition of its attempt changes nothing. */
  #takeOff(request: ReadAdmitRequest, nowMs: number): void {
    const { attempt, flight } = request;
    if (!flight || typeof attempt !== "string") return;
    const [kept = null] = this.#upstreams.find([flight.upstream], nowMs);
    this.#flights.open(attempt, flight, flightScope(request), kept, nowMs);
  }

  /** The generation that a session's look was answered from before, if this one is the first that is answered from a newer one. */
  #news({ session, catalogVersion, browses, attempt }: ReadAdmitRequest): number | null {
    if (browses !== true || !catalogVersion || session?.intent !== "use") return null;
    const known = this.#housekeeping.tables.has("told_generations") ? this.#sessions.told(session.key) : null;
    const { changedFrom, told } = newsOf(known, catalogVersion, attempt ?? null);
    if (told !== null) {
      this.#housekeeping.writeUntil(session.expiresAtMs);
      this.#sessions.markTold(session.key, told);
    }
    return changedFrom;
  }

  /**
   * Keeps entries for the ledger. Gives the attempts that they are of. `takenBack` is one whose caller did not wait for it, and
   * `known` one that was told of before.
   */
  #tell(
    entries: readonly string[],
    { takenBack, known }: { readonly takenBack: string | null; readonly known: string | null },
    nowMs: number,
  ): string[] {
    const attempts: string[] = [];
    for (const text of entries) {
      const entry = readEntry(text);
      if (!entry.ok) {
        log(`an entry cannot be read: ${entry.reason}`);
        continue;
      }
      const { key, event } = entry.value;
      // Only a call that executes something is in the journal, and to look for it reads every row there.
      const attempt = event.event.startsWith("execute.") ? key : null;
      if (key === known || (attempt !== null && this.#journal.wasTold(attempt))) continue;
      const rewritten = key === takenBack ? writeEntry(asTakenBack(entry.value)) : null;
      this.#housekeeping.tell(rewritten?.ok === true ? rewritten.value : text, nowMs);
      if (attempt !== null) attempts.push(attempt);
    }
    return attempts;
  }

  /** What was written before the refusal stays: a session that was opened, a generation, an approval that waits. */
  async #refuse(refusal: AdmitRefusal, nowMs: number): Promise<AdmitDecision> {
    return { version: 1, admitted: false, ...refusal, rowsWritten: await this.#housekeeping.finish(nowMs) };
  }
}

/** For the operator. What cannot be told is named by its kind, and never quoted. */
function log(text: string): void {
  console.error(oneLine(`a principal's outbox: ${text}`));
}

function startTimer(ms: number, expired: () => void): () => void {
  const timer = setTimeout(expired, ms);
  return () => {
    clearTimeout(timer);
  };
}

function newApprovalId(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(APPROVAL_ID_RANDOM_BYTES)));
}
