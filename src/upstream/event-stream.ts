import { isJsonArray } from "../json.ts";
import { nextChunk, release, tooLarge, type BodyReader } from "./body.ts";
import { createEventSplitter, messageOf, type LargeEvent } from "./event-splitter.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { LargeAnswer } from "./large/large-answer.ts";
import { faultOf, type WireFault } from "./wire-fault.ts";

export interface EventStreamLimits {
  /** Where an event is held; one that it drops is left out, and the next one comes again. */
  readonly held: HeldBytes;
  /** Bytes of the whole stream, left-out ones counted; past it the connection is dropped. */
  readonly streamBytes: number;
  readonly count: (bytes: number) => WireFault | undefined;
}

export interface EventStreamEnd {
  /** Told when an event was left out, and at the end; the last fault told is the one that stands. */
  note(fault: WireFault): void;
  /** Reads an event's data; throws for what is no JSON. */
  parse(data: string): unknown;
  /** The text to pass on for the answer to our request, undefined for any other message; throws for a malformed answer. */
  carry(message: unknown): string | undefined;
  /** Takes a message that is no answer; the text to pass on where it has to be answered. */
  hear(message: unknown): string | undefined;
  /** Who reads an event that cannot be held; undefined where nobody can. */
  large(): LargeAnswer | undefined;
  /** The same as `carry` for what it read, and as `hear` where it was no answer. */
  carryLarge(large: LargeAnswer): Promise<string | undefined>;
  /** The event put at the end of every stream, however it ends. */
  readonly marker: string;
}

/**
 * Passes the messages of a `text/event-stream` body on under bounds: the answer to our request and what the upstream asks,
 * nothing else; what it only says is heard here. The MCP SDK tells nobody when a stream ends without an answer, and would wait on; so every stream is
 * closed with a marker event, behind all that the upstream sent. The order is then the stream's own, and no timer decides
 * whether an answer was still on its way through the parser.
 */
export function guardEventStream(
  reader: BodyReader,
  signal: AbortSignal,
  limits: EventStreamLimits,
  end: EventStreamEnd,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let passed: string[] = [];
  let total = 0;

  /** The event that is being read in pieces. */
  let large: LargeAnswer | undefined;

  const splitter = createEventSplitter(limits.held, {
    held: (event) => {
      const message = messageOf(event, (data) => end.parse(data));
      const answer = end.carry(message);
      if (answer !== undefined) {
        passed.push(`data: ${answer}\n\n`);
        return true;
      }
      for (const each of isJsonArray(message) ? message : [message]) {
        const question = end.hear(each);
        if (question !== undefined) passed.push(`data: ${question}\n\n`);
      }
      return false;
    },
    large: () => {
      large = end.large();
      return large === undefined ? undefined : largeEvent(large);
    },
  });

  const largeEvent = (current: LargeAnswer): LargeEvent => ({
    push: async (bytes) => {
      await current.push(bytes);
    },
    end: async () => {
      large = undefined;
      const answer = await end.carryLarge(current);
      if (answer !== undefined) passed.push(`data: ${answer}\n\n`);
    },
  });
  const giveUp = async () => {
    release(reader);
    await large?.abandon();
  };

  /** The next chunk, or why there is none. */
  const next = async (): Promise<Uint8Array | WireFault> => {
    try {
      return (await nextChunk(reader, signal)) ?? endedEarly(total);
    } catch (error) {
      release(reader);
      return faultOf(error);
    }
  };

  /** Reads on; a fault ends the stream. */
  const step = async (): Promise<WireFault | undefined> => {
    const chunk = await next();
    const before = splitter.overflowed();
    if (!(chunk instanceof Uint8Array)) {
      await splitter.end();
      const overflowed = splitter.overflowed();
      // Only the stream's own end is the protocol's fault; every other one is the network's or the deadline's.
      return overflowed === undefined ? chunk : tooLarge(total, chunk.kind === "protocol", overflowed);
    }
    total += chunk.length;
    const excess = limits.count(chunk.length);
    if (excess !== undefined || total > limits.streamBytes) {
      await giveUp();
      return excess ?? tooLarge(total, false, before);
    }
    await splitter.pass(chunk);
    const overflowed = splitter.overflowed();
    if (before === undefined && overflowed !== undefined) end.note(tooLarge(total, false, overflowed));
    return undefined;
  };

  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      let fault: WireFault | undefined;
      try {
        // A pull that enqueues nothing is not repeated, so it goes on until a message has passed.
        while (fault === undefined && passed.length === 0) fault = await step();
      } catch (error) {
        await giveUp();
        fault = faultOf(error);
      }
      if (fault !== undefined) {
        end.note(fault);
        passed.push(`\n\ndata: ${end.marker}\n\n`);
      }
      for (const event of passed) controller.enqueue(encoder.encode(event));
      passed = [];
      if (fault !== undefined) controller.close();
    },
    cancel: giveUp,
  });
}

function endedEarly(total: number): WireFault {
  return {
    kind: "protocol",
    answered: false,
    detail: `the event stream ended after ${total} bytes without an answer`,
  };
}
