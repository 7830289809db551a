import { nextChunk, release, tooLarge, type BodyReader } from "./body.ts";
import { faultOf, type WireFault } from "./wire-fault.ts";

const LF = 0x0a;
const CR = 0x0d;

export interface EventStreamLimits {
  /** The longest event that is let through; a longer one is left out and the next one comes again. */
  readonly eventBytes: number;
  /** Bytes of the whole stream, left-out ones counted; past it the connection is dropped. */
  readonly streamBytes: number;
  readonly count: (bytes: number) => WireFault | undefined;
}

export interface EventStreamEnd {
  /** Told when an event was left out, and at the end; the last fault told is the one that stands. */
  note(fault: WireFault): void;
  /** The event put at the end of every stream, however it ends. */
  readonly marker: string;
}

/**
 * Passes a `text/event-stream` body on under bounds. The MCP SDK tells nobody when a stream ends without an answer, and
 * would wait on; so every stream is closed with a marker event, behind all that the upstream sent. The order is then the
 * stream's own, and no timer decides whether an answer was still on its way through the parser.
 */
export function guardEventStream(
  reader: BodyReader,
  signal: AbortSignal,
  limits: EventStreamLimits,
  end: EventStreamEnd,
): ReadableStream<Uint8Array> {
  const sieve = createEventSieve(limits.eventBytes);
  let total = 0;

  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, fault: WireFault) => {
    end.note(fault);
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${end.marker}\n\n`));
    controller.close();
  };

  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        // A pull that enqueues nothing is not repeated, so it goes on until a piece has passed.
        for (let passed: Uint8Array[] = []; passed.length === 0;) {
          const chunk = await nextChunk(reader, signal);
          if (chunk === undefined) {
            finish(controller, sieve.overflowed() ? tooLarge(total, true) : endedEarly(total));
            return;
          }
          total += chunk.length;
          const excess = limits.count(chunk.length);
          if (excess !== undefined || total > limits.streamBytes) {
            release(reader);
            finish(controller, excess ?? tooLarge(total, false));
            return;
          }
          const before = sieve.overflowed();
          passed = sieve.pass(chunk);
          if (!before && sieve.overflowed()) end.note(tooLarge(total, false));
          for (const piece of passed) controller.enqueue(piece);
        }
      } catch (error) {
        release(reader);
        finish(controller, sieve.overflowed() ? tooLarge(total, false) : faultOf(error));
      }
    },
    cancel: () => {
      release(reader);
    },
  });
}

function endedEarly(total: number): WireFault {
  return {
    kind: "protocol",
    answered: false,
    detail: `the event stream ended after ${total} bytes without an answer`,
  };
}

export interface EventSieve {
  /** The parts of the chunk that belong to events within the bound. */
  pass(chunk: Uint8Array): Uint8Array[];
  /** Whether an event was left out so far. */
  overflowed(): boolean;
}

/**
 * Cuts events longer than `maxBytes` out of a stream of chunks. Events end at an empty line (LF or CRLF; a stream with CR
 * alone counts as one event). What was passed of a long event before it grew too long is closed with an empty line, so
 * that its rest is lost and the next event is whole.
 */
export function createEventSieve(maxBytes: number): EventSieve {
  let eventBytes = 0;
  let lineBytes = 0;
  let lineIsCr = false;
  let skipping = false;
  let overflowed = false;

  const endsEvent = (chunk: Uint8Array, start: number, at: number): boolean => {
    const inChunk = at - start;
    const length = lineBytes + inChunk;
    const blank = length === 0 || (length === 1 && (inChunk === 1 ? chunk[start] === CR : lineIsCr));
    lineBytes = 0;
    return blank;
  };

  const pass = (chunk: Uint8Array): Uint8Array[] => {
    const pieces: Uint8Array[] = [];
    const keep = (from: number, to: number) => {
      if (to > from) pieces.push(chunk.subarray(from, to));
    };
    let lineStart = 0;
    let eventStart = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, lineStart)) {
      const blank = endsEvent(chunk, lineStart, at);
      lineStart = at + 1;
      if (!blank) continue;
      eventBytes += lineStart - eventStart;
      if (skipping) pieces.push(EVENT_END);
      else if (eventBytes <= maxBytes) keep(eventStart, lineStart);
      else {
        overflowed = true;
        pieces.push(EVENT_END);
      }
      skipping = false;
      eventBytes = 0;
      eventStart = lineStart;
    }
    const rest = chunk.length - lineStart;
    if (rest > 0) lineIsCr = lineBytes === 0 && rest === 1 && chunk[lineStart] === CR;
    lineBytes += rest;
    eventBytes += chunk.length - eventStart;
    if (eventBytes > maxBytes) {
      skipping = true;
      overflowed = true;
    }
    if (!skipping) keep(eventStart, chunk.length);
    return pieces;
  };

  return { pass, overflowed: () => overflowed };
}

const EVENT_END = new Uint8Array([LF, LF]);
