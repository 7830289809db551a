import {
  UPSTREAM_LARGE_MEMBERS_MAX_COUNT,
  UPSTREAM_LARGE_PARTS_MAX_COUNT,
  UPSTREAM_LARGE_PAYLOAD_MIN_BYTES,
  UPSTREAM_LARGE_REST_MAX_BYTES,
} from "../../limits.ts";
import type { BufferAccount } from "../buffer-budget.ts";
import type { Outflow } from "./outflow.ts";
import type { TextBuffer } from "./text-buffer.ts";

/** The bounds of one answer's reading. */
export interface LargeBounds {
  /** A payload of more bytes goes to the store. */
  readonly payloadBytes: number;
  /** JSON text of what stays here, all together. */
  readonly restBytes: number;
  /** Parts with a payload of their own. */
  readonly parts: number;
  /** Unknown members with one. */
  readonly members: number;
}

export const LARGE_BOUNDS: LargeBounds = {
  payloadBytes: UPSTREAM_LARGE_PAYLOAD_MIN_BYTES,
  restBytes: UPSTREAM_LARGE_REST_MAX_BYTES,
  parts: UPSTREAM_LARGE_PARTS_MAX_COUNT,
  members: UPSTREAM_LARGE_MEMBERS_MAX_COUNT,
};

/** The member of a result whose elements have payloads: of `tools/call`, and of `resources/read`. */
export type MainMember = "content" | "contents";

/** What the readers of one answer share. */
export interface Reading {
  readonly main: MainMember;
  readonly outflow: Outflow;
  /** For the one value that is being read and may yet stay here. */
  readonly buffer: TextBuffer;
  readonly room: Room;
  readonly bounds: LargeBounds;
  /** See `JsonStream.hush`. */
  readonly hush: () => void;
}

/** Taken from the account in pieces of so many bytes: most parts are small. */
const STEP_BYTES = 16 * 1024;

/** What stays of an answer, charged to its operation's account. */
export class Room {
  readonly #account: BufferAccount;
  readonly #maxBytes: number;
  #used = 0;
  #held = 0;

  constructor(account: BufferAccount, maxBytes: number) {
    this.#account = account;
    this.#maxBytes = maxBytes;
  }

  /** Takes room for that many bytes, or none. */
  take(bytes: number): boolean {
    const used = this.#used + bytes;
    if (used > this.#maxBytes) return false;
    if (used > this.#held) {
      const more = Math.ceil((used - this.#held) / STEP_BYTES) * STEP_BYTES;
      if (!this.#account.hold(more)) return false;
      this.#held += more;
    }
    this.#used = used;
    return true;
  }

  /** Nothing stays after all. */
  release(): void {
    this.#account.free(this.#held);
    this.#held = 0;
    this.#used = 0;
  }
}
