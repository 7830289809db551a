import { isUtf8 } from "node:buffer";
import { fail, ok, type Result } from "../../src/result.ts";

export type LineFault = "too_long" | "no_utf8";

const NEWLINE = 0x0a;

/** The lines of a stream of bytes, without their ends; a last one without its newline counts. Blank ones are left out. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Result<string, LineFault>, void, undefined> {
  let [pieces, bytes]: [Uint8Array[], number] = [[], 0];
  const keep = (piece: Uint8Array): void => {
    bytes += piece.length;
    if (bytes <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): Result<string, LineFault> => {
    const [line, length] = [Buffer.concat(pieces), bytes];
    [pieces, bytes] = [[], 0];
    if (length > maxBytes) return fail("too_long");
    return isUtf8(line) ? ok(line.toString("utf8").trim()) : fail("no_utf8");
  };
  const isBlank = (line: Result<string, LineFault>): boolean => line.ok && line.value === "";
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      const line = take();
      if (!isBlank(line)) yield line;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (!isBlank(last)) yield last;
}
