import { sha256 } from "@noble/hashes/sha2.js";
import { RATE_WINDOW_MS } from "../limits.ts";
import { UNNAMED_ATTEMPT } from "./rate-window.ts";
import type { RateWindow } from "./rate-window.ts";

/**
 * A window's times and attempts as the bytes of one row: a version, the newest time, how many there are, each time as its
 * distance to the newest (below a window's 60,000 ms, so two bytes), and eight bytes for each attempt that is remembered.
 */
const VERSION = 1;
const NEWEST_AT = 1;
const COUNT_AT = 9;
const TIMES_AT = 13;
const TIME_BYTES = 2;
const ATTEMPT_BYTES = 8;
const encoder = new TextEncoder();

export type RateEntries = Pick<RateWindow, "atMs" | "attempts">;

/** Packs entries whose times are ascending and within one window. */
export function packEntries({ atMs, attempts }: RateEntries): ArrayBuffer {
  const newest = atMs.at(-1) ?? 0;
  const attemptsAt = TIMES_AT + atMs.length * TIME_BYTES;
  const view = new DataView(new ArrayBuffer(attemptsAt + attempts.length * ATTEMPT_BYTES));
  view.setUint8(0, VERSION);
  view.setFloat64(NEWEST_AT, newest);
  view.setUint32(COUNT_AT, atMs.length);
  for (const [index, at] of atMs.entries()) view.setUint16(TIMES_AT + index * TIME_BYTES, newest - at);
  for (const [index, attempt] of attempts.entries()) {
    view.setBigUint64(attemptsAt + index * ATTEMPT_BYTES, attempt);
  }
  return view.buffer;
}

/** Entries out of a row. What cannot be read, such as a later version's, counts as none. */
export function unpackEntries(bytes: ArrayBuffer): RateEntries {
  const none = { atMs: [], attempts: [] };
  const view = new DataView(bytes);
  if (bytes.byteLength < TIMES_AT || view.getUint8(0) !== VERSION) return none;
  const count = view.getUint32(COUNT_AT);
  const newest = view.getFloat64(NEWEST_AT);
  const attemptsAt = TIMES_AT + count * TIME_BYTES;
  if (attemptsAt > bytes.byteLength || !Number.isSafeInteger(newest)) return none;
  const atMs: number[] = [];
  for (let at = TIMES_AT; at < attemptsAt; at += TIME_BYTES) {
    atMs.push(newest - Math.min(view.getUint16(at), RATE_WINDOW_MS));
  }
  const attempts: bigint[] = [];
  for (let at = attemptsAt; at + ATTEMPT_BYTES <= bytes.byteLength; at += ATTEMPT_BYTES) {
    attempts.push(view.getBigUint64(at));
  }
  return { atMs, attempts };
}

/** 64 bits of an attempt's name: among the attempts of a minute no two have the same. JSON text keeps lone surrogates. */
export function attemptTag(attempt: string | null): bigint {
  if (attempt === null) return UNNAMED_ATTEMPT;
  return new DataView(sha256(encoder.encode(JSON.stringify(attempt))).buffer).getBigUint64(0);
}
