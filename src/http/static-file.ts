import { fail, ok, type Result } from "../result.ts";

/** What the binding of the Worker's static files does. */
export type StaticFiles = Pick<Fetcher, "fetch">;

/** The file's name is all that counts: the binding answers for any host. */
export function staticFileAddress(name: string): string {
  return `https://assets.local/${name}`;
}

/** Reads one of the Worker's static files whole; the failure says in a few words why it is not there. Never throws. */
export async function readStaticFile(
  files: StaticFiles,
  name: string,
  maxBytes: number,
): Promise<Result<Uint8Array, string>> {
  try {
    const response = await files.fetch(staticFileAddress(name));
    if (response.status !== 200) {
      await response.body?.cancel();
      return fail(`status ${response.status}`);
    }
    const bytes = await readBounded(response, maxBytes);
    return bytes === undefined ? fail(`more than ${maxBytes} bytes`) : ok(bytes);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** The body, or nothing where it is larger than it may be; the rest of such a body is left unread. */
async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
