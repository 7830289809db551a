import { orAbort } from "./deadline.ts";
import type { HeldBytes, NotHeld } from "./held-bytes.ts";
import type { LargeAnswer } from "./large/large-answer.ts";
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
  /** Who reads a body that cannot be held; undefined where nobody can. */
  readonly large?: () => LargeAnswer | undefined;
}

/**
 * A whole body as text, or read in pieces where it cannot be held and `large` can. Otherwise one that cannot be held is
 * read on all the same, because its end tells that the upstream finished: the `too_large` fault then says `drained`.
 */
export async function readWhole(
  reader: BodyReader,
  signal: AbortSignal,
  limits: BodyLimits,
): Promise<string | LargeAnswer> {
  const { held } = limits;
  let total = 0;
  let large: LargeAnswer | undefined;
  try {
    for (;;) {
      const chunk = await nextChunk(reader, signal);
      if (chunk === undefined) break;
      total += chunk.length;
      const excess = limits.count(chunk.length);
      if (excess !== undefined) throw new WireError(excess);
      if (large === undefined && held.dropped() === undefined) {
        const why = held.offer(chunk);
        if (why !== undefined) {
          large = limits.large?.();
          if (large === undefined) {
            held.drop(why);
            limits.overflow(tooLarge(total, false, why));
          } else {
            await large.push(held.bytes());
            held.reset();
          }
        }
      }
      if (total > limits.drainBytes) throw new WireError(tooLarge(total, false, held.dropped()));
      // What is no JSON does not become an answer by being read to its end.
      if (large !== undefined && !(await large.push(chunk))) {
        release(reader);
        break;
      }
    }
  } catch (error) {
    release(reader);
    await large?.abandon();
    const dropped = held.dropped();
    throw dropped === undefined ? error : new WireError(tooLarge(total, false, dropped));
  }
  if (large !== undefined) return large;
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
