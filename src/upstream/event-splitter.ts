import type { HeldBytes, NotHeld } from "./held-bytes.ts";

const LF = 0x0a;
const CR = 0x0d;

export interface EventSplitter {
  /** Takes the next chunk, wherever it was cut. */
  pass(chunk: Uint8Array): void;
  /** The stream is over: what came of a last event is an event. */
  end(): void;
  /** Why an event was left out so far; undefined when none was. */
  overflowed(): NotHeld | undefined;
}

/**
 * Cuts a `text/event-stream` (HTML, server-sent events) into the text of its events, each with the empty line that ends
 * it. Lines end with LF, CR or CRLF. An event that cannot be held is left out. `emit` tells whether the event's room is
 * still in use after it.
 */
export function createEventSplitter(held: HeldBytes, emit: (event: string) => boolean): EventSplitter {
  let lineIsEmpty = true;
  /** A chunk ended with CR: an LF at the beginning of the next one belongs to it. */
  let afterCr = false;
  let overflowed: NotHeld | undefined;

  const finish = () => {
    const keepRoom = held.dropped() === undefined && emit(held.text());
    held.reset(keepRoom);
  };
  const take = (bytes: Uint8Array) => {
    held.append(bytes);
    overflowed ??= held.dropped();
  };

  return {
    pass: (chunk) => {
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
        take(chunk.subarray(from, at));
        finish();
        from = at;
      }
      if (at < chunk.length) lineIsEmpty = false;
      if (from < chunk.length) take(chunk.subarray(from));
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
