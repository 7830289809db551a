import { STANDS_FOR_ANOTHER } from "./json.ts";
import type { Result } from "./result.ts";

/** Why bytes are not kept: past the end of what one artifact may hold, no room in the isolate, or no answer from the store. */
export type NotKept = "too_long" | "no_room" | "store_failed" | "too_many";

/** `not_followed`: a path that only a whole answer answers; `too_much`: more was selected than is held of it. */
export type Unselected = "not_followed" | "too_much";

/** What was learned of one payload's bytes while they went by. */
export interface StoredPayload {
  /** The store's own name of the bytes, until they have a handle. */
  readonly storedAs: string;
  /** Of all bytes, 64 hexadecimal digits. */
  readonly sha256: string;
  /** `null` for binary content. */
  readonly lines: number | null;
  /** See `firewall/artifacts/line-index.ts`; empty for binary content. */
  readonly lineIndex: string;
}

/**
 * A payload of an answer that is too large to hold: it stands in the result's tree in place of the string (or of the
 * structured content) that it was, and its bytes are in the store already. A class, so that no JSON of an upstream's can
 * look like one.
 */
export class LargePayload {
  readonly [STANDS_FOR_ANOTHER] = true;
  readonly form: LargeForm;
  /** All bytes that came, kept or not. */
  readonly sizeBytes: number;
  /** The beginning of a text, well-formed; empty for binary content. */
  readonly head: string;
  readonly stored: Result<StoredPayload, NotKept>;
  /** What a summariser made of the text as it went by; opaque here. */
  readonly summary: unknown;
  /** JSON: the parts that the operator wants in sight, where there are any. */
  readonly selected: string | undefined;
  /** Why not all of those parts are in it. */
  readonly unselected: Unselected | undefined;
  /** Secrets that were taken out for their looks. */
  readonly redactions: number;

  constructor(
    fields: Pick<LargePayload, "form" | "sizeBytes" | "head" | "stored" | "summary"> & {
      readonly selected?: string | undefined;
      readonly unselected?: Unselected | undefined;
      readonly redactions?: number;
    },
  ) {
    this.form = fields.form;
    this.sizeBytes = fields.sizeBytes;
    this.head = fields.head;
    this.stored = fields.stored;
    this.summary = fields.summary;
    this.selected = fields.selected;
    this.unselected = fields.unselected;
    this.redactions = fields.redactions ?? 0;
  }

  /** The same of another form. */
  as(form: LargeForm): LargePayload {
    const { sizeBytes, head, stored, summary, selected, unselected, redactions } = this;
    return new LargePayload({ form, sizeBytes, head, stored, summary, selected, unselected, redactions });
  }
}

/** `text`: UTF-8 to be read by people; `json`: UTF-8 that is one JSON value; `bytes`: binary, decoded. */
export type LargeForm = "text" | "json" | "bytes";

/** Takes one payload, piece by piece; bytes that prove to be a text become one. */
export interface LargeSink {
  /** Waits while the store is behind. Never rejects: what cannot be kept is counted and let go. */
  write(bytes: Uint8Array): Promise<void>;
  /** After the last byte, or after `abort`: then the payload says that it is not kept. Never rejects. */
  close(): Promise<LargePayload>;
  /**
   * Gives it up; nothing of it stays. Also after `close`: whether an answer is one is known at its end only. A second time
   * does nothing. Never rejects.
   */
  abort(): Promise<void>;
}

/** What a text goes through as it comes. Never cuts a surrogate pair; may throw, and then nothing of the text may be kept. */
export interface CharacterFilter {
  push(text: string): string;
  end(): string;
}

/** Where the payloads of one call's answer go. */
export interface LargeSinks {
  /**
   * `mediaType` is what is known of it when it begins, mostly nothing; `name` is that of the result's member whose value it
   * is, which the payload itself does not tell.
   */
  open(form: LargeForm, mediaType: string | undefined, name?: string): LargeSink;
  /**
   * For the characters of one base64 string of that type, before they are decoded: in their bytes nobody finds a secret any
   * more. Undefined where they are a text, which its sink looks through.
   */
  readonly filterText?: (mediaType: string | undefined) => CharacterFilter | undefined;
}
