import type { PinRecord } from "../../outbox/refresh-record.ts";

/** Which catalog the configuration expects, by its fingerprint, and what another one may do. */
export interface Pin {
  readonly hash: string;
  /** `warn`: another catalog is published and told of. `strict`: it is not published. */
  readonly mode: "warn" | "strict";
}

/** How a catalog that was found stands to the pin; null where none could be made. */
export function judgePin(pin: Pin, actual: string | null): PinRecord {
  return { mode: pin.mode, expected: pin.hash, actual, matches: actual === pin.hash };
}
