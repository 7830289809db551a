/** What one operation holds of the budget. */
export interface BufferAccount {
  /** Takes room for that many bytes more; false, and nothing taken, where there is none or the operation is over. */
  hold(bytes: number): boolean;
  /** Gives back a part of what is held. */
  free(bytes: number): void;
  /** The operation is over: gives everything back, and from here on nothing can be held. */
  release(): void;
}

/** Bytes of foreign answers in memory at one time, over all operations that share the budget. */
export interface BufferBudget {
  /** An account for an operation that lasts at most `lifetimeMs` milliseconds. */
  open(lifetimeMs: number): BufferAccount;
  /** Bytes held now. */
  held(): number;
}

interface Holding {
  bytes: number;
  over: boolean;
  readonly expiresAt: number;
}

/**
 * A counter and nothing more: nobody waits for room, so no request depends on another one's promises, which Workers
 * forbid, and none can hold up the rest. A Worker whose client goes away may stop between two steps and never run its
 * `finally`; what such an operation held is given back when its lifetime is over and someone needs the room.
 *
 * @param now epoch milliseconds
 */
export function createBufferBudget(maxBytes: number, now: () => number): BufferBudget {
  /** Those that hold something: an operation that was stopped with nothing in its hands leaves no trace. */
  const holdings = new Set<Holding>();
  let held = 0;

  const free = (holding: Holding, bytes: number) => {
    const given = Math.min(bytes, holding.bytes);
    holding.bytes -= given;
    held -= given;
    if (holding.bytes === 0) holdings.delete(holding);
  };
  const close = (holding: Holding) => {
    free(holding, holding.bytes);
    holding.over = true;
  };
  const hasRoom = (bytes: number): boolean => {
    if (held + bytes <= maxBytes) return true;
    const at = now();
    for (const holding of holdings) if (holding.expiresAt <= at) close(holding);
    return held + bytes <= maxBytes;
  };

  return {
    open: (lifetimeMs) => {
      const holding: Holding = { bytes: 0, over: false, expiresAt: now() + lifetimeMs };
      return {
        hold: (bytes) => {
          // In this order: making room may end this very operation.
          if (!hasRoom(bytes) || holding.over) return false;
          holdings.add(holding);
          holding.bytes += bytes;
          held += bytes;
          return true;
        },
        free: (bytes) => {
          free(holding, bytes);
        },
        release: () => {
          close(holding);
        },
      };
    },
    held: () => held,
  };
}
