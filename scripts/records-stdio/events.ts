/** An answer that is longer than is kept. */
export class OverCap extends Error {}

/**
 * The data of each event of a stream (WHATWG HTML, "Server-sent events"); empty ones, names and ids are left out. Throws
 * an `OverCap` where one event grows past `maxBytes`.
 */
export async function* eventsOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // An unfinished line is kept in pieces: joined at every chunk, a long one would be read over and over.
  let [pieces, data, kept]: [string[], string[], number] = [[], [], 0];
  for await (const chunk of chunks) {
    kept += chunk.length;
    pieces.push(decoder.decode(chunk, { stream: true }));
    if (/[\r\n]/.test(pieces.slice(-2).join(""))) {
      // A CR at the end may be half of a CRLF: it waits for what follows.
      const lines = pieces.join("").split(/\r\n|\n|\r(?!$)/);
      pieces = [lines.pop() ?? ""];
      for (const line of lines) {
        if (line !== "") {
          const field = /^data(?:: ?(.*))?$/s.exec(line);
          if (field !== null) data.push(field[1] ?? "");
          continue;
        }
        const text = data.join("\n");
        [data, kept] = [[], 0];
        if (text !== "") yield text;
      }
    }
    if (kept > maxBytes) throw new OverCap();
  }
}

/** A whole body, as UTF-8. Throws an `OverCap` where it is longer, and a `TypeError` where it is no UTF-8. */
export async function textOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OverCap();
    pieces.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
}
