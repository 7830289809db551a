import { UPSTREAM_BUFFER_PIECE_BYTES, UPSTREAM_BUFFER_STEP_MAX_BYTES } from "../limits.ts";
import type { BufferAccount } from "./buffer-budget.ts";

/** Why bytes are not held: more than one answer may have, or no room beside the other answers of this isolate. */
export type NotHeld = "too_long" | "no_room";

/** The bytes of one body or one event, in memory at the account's cost. */
export interface HeldBytes {
  /** Takes more, or says why not; then what is held stays as it is. Once dropped, nothing is taken. */
  offer(bytes: Uint8Array): NotHeld | undefined;
  /** Lets go of all that is held. */
  drop(why: NotHeld): void;
  /** Why they are dropped; undefined while all are held. */
  dropped(): NotHeld | undefined;
  /** Gives back a part of the room for what is about to read them; false where there is not so much. */
  lend(bytes: number): boolean;
  /** As they are, for whoever reads them before anything else is done here. */
  bytes(): Uint8Array;
  /** As UTF-8, a byte order mark left out. */
  text(): string;
  /** Begins anew and gives the room back; `keepRoom` leaves it taken, for a text that is still in use. */
  reset(keepRoom?: boolean): void;
}

/**
 * One growing array, because a list of chunks costs far more than its bytes when an upstream sends them one by one. The
 * array's whole size is what the account is charged.
 */
export function createHeldBytes(account: BufferAccount, maxBytes: number): HeldBytes {
  let array = new Uint8Array(0);
  let length = 0;
  let lent = 0;
  let dropped: NotHeld | undefined;

  const reset = (keepRoom = false) => {
    if (!keepRoom) account.free(array.length - lent);
    array = new Uint8Array(0);
    lent = 0;
    length = 0;
    dropped = undefined;
  };

  const grow = (needed: number): boolean => {
    if (needed <= array.length) return true;
    const size = Math.max(
      needed,
      Math.min(array.length + Math.min(array.length, UPSTREAM_BUFFER_STEP_MAX_BYTES), maxBytes),
      Math.min(UPSTREAM_BUFFER_PIECE_BYTES, maxBytes),
    );
    if (!account.hold(size - array.length)) return false;
    const grown = new Uint8Array(size);
    grown.set(array.subarray(0, length));
    array = grown;
    return true;
  };

  return {
    offer: (bytes) => {
      if (dropped !== undefined) return dropped;
      const needed = length + bytes.length;
      if (needed > maxBytes) return "too_long";
      if (!grow(needed)) return "no_room";
      array.set(bytes, length);
      length = needed;
      return undefined;
    },
    drop: (why) => {
      reset();
      dropped = why;
    },
    dropped: () => dropped,
    lend: (bytes) => {
      if (array.length - lent < bytes) return false;
      lent += bytes;
      account.free(bytes);
      return true;
    },
    bytes: () => array.subarray(0, length),
    text: () => new TextDecoder().decode(array.subarray(0, length)),
    reset,
  };
}
