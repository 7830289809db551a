import { Told } from "../command-line.ts";

/** What one request carries. The Worker takes 4 MiB and 1,000 lines; a little room is for what is between. */
const BATCH_BYTES = 3 * 1024 * 1024;
const BATCH_LINES = 1_000;
const LINE_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface Batch {
  /** NDJSON without blank lines. */
  readonly body: Buffer;
  /** The file's line, from 1, of each line of the body. */
  readonly lines: readonly number[];
}

/** Cuts NDJSON into batches, holding no more than one of them. Lines end with LF or CRLF alone. */
export async function* batchesOf(
  input: AsyncIterable<Uint8Array>,
  bounds = { bytes: BATCH_BYTES, lines: BATCH_LINES, lineBytes: LINE_BYTES },
): AsyncGenerator<Batch> {
  let parts: Buffer[] = [];
  let lines: number[] = [];
  let bytes = 0;
  const take = (): Batch => {
    const batch = { body: Buffer.concat(parts), lines };
    [parts, lines, bytes] = [[], [], 0];
    return batch;
  };
  for await (const { line, number } of linesOf(input, bounds.lineBytes)) {
    if (isBlank(line)) continue;
    if (lines.length > 0 && (lines.length === bounds.lines || bytes + line.length + 1 > bounds.bytes))
      yield take();
    parts.push(line, Buffer.from([NEWLINE]));
    lines.push(number);
    bytes += line.length + 1;
  }
  if (lines.length > 0) yield take();
}

async function* linesOf(input: AsyncIterable<Uint8Array>, maxBytes: number) {
  let number = 0;
  let open: Buffer[] = [];
  let length = 0;
  const take = (): { readonly line: Buffer; readonly number: number } => {
    number += 1;
    const line = Buffer.concat(open);
    [open, length] = [[], 0];
    return { line, number };
  };
  for await (const chunk of input) {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(NEWLINE, start);
      const part = Buffer.from(chunk.subarray(start, end < 0 ? undefined : end));
      length += part.length;
      if (length > maxBytes) throw new Told(`line ${number + 1} has more than ${maxBytes} bytes`);
      open.push(part);
      start = end < 0 ? chunk.length : end + 1;
      if (end >= 0) yield take();
    }
  }
  if (length > 0) yield take();
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
