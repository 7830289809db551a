import { orAbort } from "./deadline.ts";
import type { HeldBytes, NotHeld } from "./held-bytes.ts";
import { networkFault, WireError, type WireFault } from "./wire-fault.ts";

/** What reads a body: chunks as they come, decompressed. */
export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** The body of a response, or nothing where it has none. */
export function openBody(response: Response): BodyReader | undefined {
  return response.body?.getReader();
}

/** Gives up a body nobody will read, so that its connection is freed. */
export function discard(response: Response): void {
  // A body that already failed has nothing left to free.
  response.body?.cancel().catch(() => undefined);
}

export function release(reader: BodyReader): void {
  reader.cancel().catch(() => undefined);
}

/** The next chunk, undefined at the end; throws a {@link WireError} when the network or the deadline ends it. */
export async function nextChunk(reader: BodyReader, signal: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await orAbort(reader.read(), signal);
    return done ? undefined : value;
  } catch (error) {
    throw bodyError(error, signal);
  }
}

/** The signal's reason first: a runtime words an aborted read in its own way. */
export function bodyError(thrown: unknown, signal: AbortSignal): WireError {
  if (signal.aborted && signal.reason instanceof WireError) return signal.reason;
  return thrown instanceof WireError ? thrown : new WireError(networkFault(thrown));
}

export interface BodyLimits {
  /** Where the body is held. */
  readonly held: HeldBytes;
  /** Bytes read at most before the connection is dropped. */
  readonly drainBytes: number;
  /** Told of every chunk's size; a fault it returns ends the reading. */
  readonly count: (bytes: number) => WireFault | undefined;
  /** Told once, when the body can no longer be held: the deadline may strike before the rest is drained. */
  readonly overflow: (fault: WireFault) => void;
}

/**
 * A whole body as text. One that cannot be held is read on all the same, because its end tells that the upstream
 * finished: the `too_large` fault then says `drained`.
 */
export async function readWhole(
  reader: BodyReader,
  signal: AbortSignal,
  limits: BodyLimits,
): Promise<string> {
  const { held } = limits;
  let total = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(reader, signal);
      if (chunk === undefined) break;
      total += chunk.length;
      const excess = limits.count(chunk.length);
      if (excess !== undefined) throw new WireError(excess);
      const before = held.dropped();
      held.append(chunk);
      const dropped = held.dropped();
      if (before === undefined && dropped !== undefined) limits.overflow(tooLarge(total, false, dropped));
      if (total > limits.drainBytes) throw new WireError(tooLarge(total, false, dropped));
    }
  } catch (error) {
    release(reader);
    const dropped = held.dropped();
    throw dropped === undefined ? error : new WireError(tooLarge(total, false, dropped));
  }
  const dropped = held.dropped();
  if (dropped !== undefined) throw new WireError(tooLarge(total, true, dropped));
  return held.text();
}

export function tooLarge(bytes: number, drained: boolean, dropped: NotHeld = "too_long"): WireFault {
  const why = dropped === "no_room" ? ", with no room for it beside other answers" : "";
  const end = drained ? "read to its end" : "not read to its end";
  return { kind: "too_large", drained, detail: `an answer of ${bytes} bytes or more${why}, ${end}` };
}

/** At most `maxBytes` from the beginning of a body, as far as they come before `signal` ends; never throws. */
export async function readPrefix(response: Response, signal: AbortSignal, maxBytes: number): Promise<string> {
  const reader = openBody(response);
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  try {
    while (left > 0) {
      const chunk = await nextChunk(reader, signal);
      if (chunk === undefined) break;
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      left -= chunk.length;
    }
  } catch {
    // What came so far is all there is: the status already says what happened.
  }
  release(reader);
  return text;
}
