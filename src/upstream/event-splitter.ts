import type { HeldBytes, NotHeld } from "./held-bytes.ts";

const LF = 0x0a;
const CR = 0x0d;

export interface EventSplitter {
  /** Takes the next chunk, wherever it was cut. */
  pass(chunk: Uint8Array): Promise<void>;
  /** The stream is over: what came of a last event is an event. */
  end(): Promise<void>;
  /** Why an event was left out so far; undefined when none was. */
  overflowed(): NotHeld | undefined;
}

/** Takes events one after another. */
export interface EventTaker {
  /** An event that was held, with its lines; whether its room is still in use afterwards. */
  held(event: string): boolean;
  /** Who reads an event that cannot be held; undefined where nobody can. */
  large?(): LargeEvent | undefined;
}

/** Takes one event in pieces. */
export interface LargeEvent {
  push(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/**
 * Cuts a `text/event-stream` (HTML, server-sent events) into the text of its events, each with the empty line that ends
 * it. Lines end with LF, CR or CRLF. An event that can neither be held nor be read in pieces is left out.
 */
export function createEventSplitter(held: HeldBytes, taker: EventTaker): EventSplitter {
  let lineIsEmpty = true;
  /** A chunk ended with CR: an LF at the beginning of the next one belongs to it. */
  let afterCr = false;
  let overflowed: NotHeld | undefined;
  let large: LargeEvent | undefined;

  const finish = async () => {
    const event = large;
    large = undefined;
    if (event !== undefined) await event.end();
    const keepRoom = event === undefined && held.dropped() === undefined && taker.held(held.text());
    held.reset(keepRoom);
  };
  const take = async (bytes: Uint8Array) => {
    if (large === undefined) {
      if (held.dropped() !== undefined) return;
      const why = held.offer(bytes);
      if (why === undefined) return;
      large = taker.large?.();
      if (large === undefined) {
        held.drop(why);
        overflowed ??= why;
        return;
      }
      await large.push(held.bytes());
      held.reset();
    }
    await large.push(bytes);
  };

  return {
    pass: async (chunk) => {
      let at = afterCr && chunk[0] === LF ? 1 : 0;
      if (chunk.length > 0) afterCr = false;
      let from = at;
      const lf = searchFor(LF, chunk);
      const cr = searchFor(CR, chunk);
      for (let end = Math.min(lf(at), cr(at)); end < chunk.length; end = Math.min(lf(at), cr(at))) {
        const blank = lineIsEmpty && end === at;
        lineIsEmpty = true;
        const crlf = chunk[end] === CR && chunk[end + 1] === LF;
        at = end + (crlf ? 2 : 1);
        if (!blank) continue;
        await take(chunk.subarray(from, at));
        await finish();
        from = at;
      }
      if (at < chunk.length) lineIsEmpty = false;
      if (from < chunk.length) await take(chunk.subarray(from));
      if (chunk.at(-1) === CR) afterCr = true;
    },
    end: finish,
    overflowed: () => overflowed,
  };
}

/** Finds a byte from ever later places on, and looks at no byte twice; the chunk's length where there is none. */
function searchFor(byte: number, chunk: Uint8Array): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const index = chunk.indexOf(byte, from);
      found = index === -1 ? chunk.length : index;
    }
    return found;
  };
}

/** The JSON in an event of the default type, as `parse` reads it; undefined where there is none. */
export function messageOf(event: string, parse: (data: string) => unknown): unknown {
  let type = "";
  const data: string[] = [];
  for (const line of event.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") continue;
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else type = value;
  }
  if (type !== "" && type !== "message") return undefined;
  try {
    return parse(data.join("\n"));
  } catch {
    return undefined;
  }
}
