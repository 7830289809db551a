import {
  ARTIFACT_ROOM_RETRY_MS,
  ARTIFACTS_DEFAULT_BYTES,
  ARTIFACTS_DEFAULT_COUNT,
  ARTIFACTS_HANDED_OUT_MAX_COUNT,
} from "../limits.ts";
import type { KeptLevel } from "../outbox/delivery.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ReadAdmitRequest, ReadSettleReport } from "./admit-contract.ts";
import type {
  ArtifactAllowance,
  ArtifactAmount,
  ArtifactQuota,
  ArtifactReserve,
  ArtifactReview,
  ArtifactRow,
  ArtifactsFull,
  EvictedArtifact,
  GoneArtifact,
} from "./artifact-contract.ts";
import { allowanceOf, exceeds, thoseThatGiveWay } from "./artifact-quota.ts";
import { ArtifactReservations } from "./artifact-reservations.ts";
import { ArtifactRowStore, type BookedArtifacts } from "./artifact-row-store.ts";
import { GoneArtifactStore } from "./gone-artifact-store.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** A Worker of before quotas has no other. */
const DEFAULT_QUOTA: ArtifactQuota = {
  maxBytes: ARTIFACTS_DEFAULT_BYTES,
  maxCount: ARTIFACTS_DEFAULT_COUNT,
  onFull: "evict",
};

const NOTHING: BookedArtifacts = { bytes: 0, count: 0, nextExpiryMs: null, lastExpiryMs: 0, largestBytes: 0 };

/** Room that an attempt is to hold. */
export interface Room {
  readonly attempt: string;
  readonly allowance: ArtifactAllowance;
  readonly endsAtMs: number;
}

/**
 * One principal's kept results: which there are, and how much of its quota they and the calls under way take up. Room is
 * judged before anything of a call is committed, held until the call is settled, and what was kept is then booked.
 */
export class CallArtifacts {
  readonly #housekeeping: Housekeeping;
  readonly #rows: ArtifactRowStore;
  readonly #gone: GoneArtifactStore;
  readonly #reservations = new ArtifactReservations();

  constructor(sql: MeteredSql, housekeeping: Housekeeping) {
    this.#housekeeping = housekeeping;
    this.#rows = new ArtifactRowStore(sql);
    this.#gone = new GoneArtifactStore(sql);
  }

  find(handles: readonly string[], nowMs: number): ArtifactRow[] {
    const { tables } = this.#housekeeping;
    if (!tables.has("artifacts")) return [];
    // A table of an older version lacks columns.
    tables.ensure();
    return handles.map((handle) => this.#rows.find(handle, nowMs)).filter((row) => row !== null);
  }

  /** Of handles that are not found, those that gave way. */
  gone(handles: readonly string[], nowMs: number): GoneArtifact[] {
    if (!this.#housekeeping.tables.has("gone_artifacts")) return [];
    const isUnderWay = this.#reservations.firstEndMs(nowMs) !== null;
    return handles
      .map((handle) => this.#gone.find(handle, isUnderWay, nowMs))
      .filter((gone) => gone !== null);
  }

  /**
   * May this call run, and with how much room? Nothing is held yet; `null`: it asks for none. `begun`: this very attempt was
   * let in before, so that it runs with what there is.
   */
  judge(
    { reserve, attempt }: Pick<ReadAdmitRequest, "reserve" | "attempt">,
    begun: boolean,
    nowMs: number,
  ): Result<Room | null, ArtifactsFull> {
    if (!reserve || typeof attempt !== "string") return ok(null);
    const goneUntilMs = this.#housekeeping.tables.has("gone_artifacts")
      ? this.#gone.standsUntilMs(nowMs)
      : null;
    const room = ({ bytes, count }: ArtifactAmount) => {
      const allowance = { bytes, count, ...(goneUntilMs === null ? {} : { goneUntilMs }) };
      return ok({ attempt, allowance, endsAtMs: nowMs + reserve.leaseMs });
    };
    const known = this.#reservations.find(attempt, nowMs);
    if (known !== null) return room(known);
    const allowance = this.#allowance(reserve, nowMs);
    if (allowance !== null) return room(allowance);
    return begun ? room({ bytes: 0, count: 0 }) : fail(this.#full(reserve, nowMs));
  }

  hold({ attempt, allowance, endsAtMs }: Room, nowMs: number): void {
    this.#reservations.hold(attempt, allowance, endsAtMs, nowMs);
  }

  /** The attempt's caller has taken it back: it holds its room no longer than this. */
  shorten(attempt: string, endsAtMs: number): void {
    this.#reservations.shorten(attempt, endsAtMs);
  }

  /** What a call would meet. Nothing is written or held. */
  foresee(
    reserve: ArtifactReserve | null | undefined,
    nowMs: number,
  ): { readonly artifactsFull?: Pick<ArtifactsFull, "retryAfterMs"> | null } {
    if (!reserve) return {};
    if (this.#allowance(reserve, nowMs) !== null) return { artifactsFull: null };
    return { artifactsFull: { retryAfterMs: this.#full(reserve, nowMs).retryAfterMs } };
  }

  /**
   * Frees the room that the call held, and books what it has kept, to which the oldest give way. Gives those that gave way a
   * while ago, whose bytes are to be deleted.
   */
  settle(
    { attempt, artifacts, artifactQuota, removed }: ReadSettleReport,
    nowMs: number,
  ): readonly EvictedArtifact[] {
    if (typeof attempt === "string") this.#reservations.end(attempt);
    const remembers = this.#housekeeping.tables.has("gone_artifacts");
    if (remembers && removed) this.#gone.markRemoved(removed);
    const kept = (artifacts ?? []).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
    for (const row of kept) {
      this.#housekeeping.writeUntil(row.expiresAtMs);
      if (!this.#gone.comesBack(row)) continue;
      this.#rows.write({ ...row, storedAs: row.storedAs ?? undefined }, nowMs);
    }
    this.#makeRoom(kept, artifactQuota ?? DEFAULT_QUOTA, nowMs);
    // A report of what was deleted is the end of it: who sends it has deleted enough for one request.
    return this.#housekeeping.tables.has("gone_artifacts") && !removed ? this.#gone.handOut(nowMs) : [];
  }

  #makeRoom(kept: readonly Pick<ArtifactRow, "handle">[], quota: ArtifactQuota, nowMs: number): void {
    // Under `refuse` nothing gives way: what is over the quota came of a call whose room lapsed or was forgotten, and refuses
    // the next calls.
    if (kept.length === 0 || quota.onFull === "refuse") return;
    const booked = this.#rows.booked(nowMs);
    if (!exceeds(booked, quota)) return;
    const spared = new Set(kept.map(({ handle }) => handle));
    const evicted = thoseThatGiveWay(this.#rows.oldest(nowMs), booked, quota, spared);
    this.#rows.remove(evicted, nowMs);
    this.#gone.add(evicted, nowMs, false);
  }

  /** What an operator sees of it, and what went because of him: nobody can read that from now on. */
  review(
    free: "all" | readonly string[] | null,
    nowMs: number,
  ): Omit<ArtifactReview, "version" | "rowsWritten"> {
    if (!this.#housekeeping.tables.has("artifacts")) return { count: 0, bytes: 0, artifacts: [], freed: [] };
    this.#housekeeping.tables.ensure();
    const going = free === null ? [] : this.#rows.oldest(nowMs, free === "all" ? null : free);
    const freed = going.slice(0, ARTIFACTS_HANDED_OUT_MAX_COUNT);
    if (freed.length > 0) this.#rows.remove(freed, nowMs);
    this.#gone.add(freed, nowMs, true);
    const { count, bytes } = this.#rows.booked(nowMs);
    return { count, bytes, artifacts: this.#rows.list(nowMs), freed };
  }

  /** What is kept, for the ledger. `anew`: every row may be read for it, as a sweep does; else it is told where it is known. */
  level(anew: boolean, nowMs: number): KeptLevel | undefined {
    const known = anew ? this.#booked(nowMs) : this.#rows.known(nowMs);
    return known === null
      ? undefined
      : { count: known.count, bytes: known.bytes, untilMs: known.lastExpiryMs };
  }

  /** To be called when rows went some other way. */
  forgetBooked(): void {
    this.#rows.forgetBooked();
    this.#gone.forget();
  }

  #allowance(reserve: ArtifactReserve, nowMs: number): ArtifactAmount | null {
    return allowanceOf(reserve, () => {
      const booked = this.#booked(nowMs);
      return { ...sum(booked, this.#reservations.total(nowMs)), largestBytes: booked.largestBytes };
    });
  }

  #full(reserve: ArtifactReserve, nowMs: number): ArtifactsFull {
    const booked = this.#booked(nowMs);
    const wouldFit = allowanceOf(reserve, () => booked) !== null;
    const endsAtMs = wouldFit ? this.#reservations.firstEndMs(nowMs) : booked.nextExpiryMs;
    const retryAfterMs = endsAtMs === null ? null : endsAtMs - nowMs;
    return {
      reason: "artifacts_full",
      retryAfterMs:
        wouldFit && retryAfterMs !== null ? Math.min(retryAfterMs, ARTIFACT_ROOM_RETRY_MS) : retryAfterMs,
    };
  }

  #booked(nowMs: number): BookedArtifacts {
    return this.#housekeeping.tables.has("artifacts") ? this.#rows.booked(nowMs) : NOTHING;
  }
}

function sum(left: ArtifactAmount, right: ArtifactAmount): ArtifactAmount {
  return { bytes: left.bytes + right.bytes, count: left.count + right.count };
}
