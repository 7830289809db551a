import { orAbort } from "./deadline.ts";
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
  /** Bytes kept; one more and all are dropped. */
  readonly keepBytes: number;
  /** Bytes read at most before the connection is dropped. */
  readonly drainBytes: number;
  /** Told of every chunk's size; a fault it returns ends the reading. */
  readonly count: (bytes: number) => WireFault | undefined;
  /** Told once, when more than `keepBytes` came: the deadline may strike before the rest is drained. */
  readonly overflow: (fault: WireFault) => void;
}

/**
 * A whole body. One larger than `keepBytes` is read on without being kept, because its end tells that the upstream
 * finished: the `too_large` fault then says `drained`.
 */
export async function readWhole(
  reader: BodyReader,
  signal: AbortSignal,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(reader, signal);
      if (chunk === undefined) break;
      const before = total;
      total += chunk.length;
      const excess = limits.count(chunk.length);
      if (excess !== undefined) throw new WireError(excess);
      if (total <= limits.keepBytes) chunks.push(chunk);
      else if (before <= limits.keepBytes) {
        chunks.length = 0;
        limits.overflow(tooLarge(total, false));
      }
      if (total > limits.drainBytes) throw new WireError(tooLarge(total, false));
    }
  } catch (error) {
    release(reader);
    if (total > limits.keepBytes) throw new WireError(tooLarge(total, false));
    throw error;
  }
  if (total > limits.keepBytes) throw new WireError(tooLarge(total, true));
  return concat(chunks, total);
}

export function tooLarge(bytes: number, drained: boolean): WireFault {
  const end = drained ? "read to its end" : "not read to its end";
  return { kind: "too_large", drained, detail: `an answer of ${bytes} bytes or more, ${end}` };
}

function concat(chunks: readonly Uint8Array[], total: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
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
