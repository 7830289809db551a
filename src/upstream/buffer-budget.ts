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

/** What is kept free for small answers, so that a few large ones that go slow cannot lose everybody's. */
export interface BufferReserve {
  /** In all, beside the budget. */
  readonly bytes: number;
  /** An account that holds no more than this may take from it. */
  readonly accountBytes: number;
}

const NO_RESERVE: BufferReserve = { bytes: 0, accountBytes: 0 };

/**
 * A counter and nothing more: nobody waits for room, so no request depends on another one's promises, which Workers
 * forbid, and none can hold up the rest. A Worker whose client goes away may stop between two steps and never run its
 * `finally`; what such an operation held is given back when its lifetime is over and someone needs the room.
 *
 * @param now epoch milliseconds
 */
export function createBufferBudget(
  maxBytes: number,
  now: () => number,
  reserve: BufferReserve = NO_RESERVE,
): BufferBudget {
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
  const hasRoom = (holding: Holding, bytes: number): boolean => {
    const isSmall = holding.bytes + bytes <= reserve.accountBytes;
    const most = isSmall ? maxBytes + reserve.bytes : maxBytes;
    if (held + bytes <= most) return true;
    const at = now();
    for (const each of holdings) if (each.expiresAt <= at) close(each);
    return held + bytes <= most;
  };

  return {
    open: (lifetimeMs) => {
      const holding: Holding = { bytes: 0, over: false, expiresAt: now() + lifetimeMs };
      return {
        hold: (bytes) => {
          // In this order: making room may end this very operation.
          if (!hasRoom(holding, bytes) || holding.over) return false;
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
