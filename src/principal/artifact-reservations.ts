import { ARTIFACT_RESERVATIONS_MAX_COUNT } from "../limits.ts";
import type { ArtifactAmount } from "./artifact-contract.ts";

interface Reservation extends ArtifactAmount {
  readonly endsAtMs: number;
}

/**
 * Room held for calls under way, by their attempts. It is in memory alone, since most calls keep nothing, and a row written
 * and deleted for each would cost more than all else that such a call does. An object that dies forgets it, and then lets
 * calls in as if those under way kept nothing: what they do keep is booked when they end, and refuses the next ones, so
 * that the quota is exceeded once, by no more than the calls under way were allowed.
 */
export class ArtifactReservations {
  readonly #open = new Map<string, Reservation>();

  /** What an attempt was allowed before; repeating it changes that no more. */
  find(attempt: string, nowMs: number): ArtifactAmount | null {
    const known = this.#open.get(attempt);
    return known === undefined || known.endsAtMs <= nowMs ? null : { bytes: known.bytes, count: known.count };
  }

  hold(attempt: string, { bytes, count }: ArtifactAmount, endsAtMs: number, nowMs: number): void {
    this.#letLapse(nowMs);
    this.#open.set(attempt, { bytes, count, endsAtMs });
    if (this.#open.size > ARTIFACT_RESERVATIONS_MAX_COUNT) this.#forgetFirst();
  }

  /** The attempt holds its room no longer than this. */
  shorten(attempt: string, endsAtMs: number): void {
    const known = this.#open.get(attempt);
    if (known !== undefined && known.endsAtMs > endsAtMs) this.#open.set(attempt, { ...known, endsAtMs });
  }

  end(attempt: string): void {
    this.#open.delete(attempt);
  }

  total(nowMs: number): ArtifactAmount {
    let bytes = 0;
    let count = 0;
    for (const reservation of this.#open.values()) {
      if (reservation.endsAtMs <= nowMs) continue;
      bytes += reservation.bytes;
      count += reservation.count;
    }
    return { bytes, count };
  }

  /** When the first of them lapses; `null` where there is none. */
  firstEndMs(nowMs: number): number | null {
    let first: number | null = null;
    for (const { endsAtMs } of this.#open.values()) {
      if (endsAtMs > nowMs && (first === null || endsAtMs < first)) first = endsAtMs;
    }
    return first;
  }

  #letLapse(nowMs: number): void {
    for (const [attempt, { endsAtMs }] of this.#open) if (endsAtMs <= nowMs) this.#open.delete(attempt);
  }

  #forgetFirst(): void {
    let first: { readonly attempt: string; readonly endsAtMs: number } | null = null;
    for (const [attempt, { endsAtMs }] of this.#open) {
      if (first === null || endsAtMs < first.endsAtMs) first = { attempt, endsAtMs };
    }
    if (first !== null) this.#open.delete(first.attempt);
  }
}
