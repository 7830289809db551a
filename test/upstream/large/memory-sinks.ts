import { createHash } from "node:crypto";
import { LargePayload, type LargeForm, type LargeSinks } from "../../../src/large-result.ts";
import { fail, ok } from "../../../src/result.ts";

/** One payload as the store has it. */
export interface MemoryPayload {
  readonly form: LargeForm;
  readonly mediaType: string | undefined;
  readonly name: string | undefined;
  chunks: Uint8Array[];
  bytes: number;
  writes: number;
  state: "open" | "closed" | "aborted";
}

export interface MemorySinks extends LargeSinks {
  readonly opened: readonly MemoryPayload[];
  /** What no sink should be asked for. */
  readonly misuses: readonly string[];
  /** Those that nobody gave up. */
  kept(): MemoryPayload[];
  bytesOf(payload: unknown): Uint8Array;
  textOf(payload: unknown): string;
}

/** Sinks that keep everything; `slow` is waited for at the end of each write, and `closing` of each close. */
export function memorySinks(
  slow: () => Promise<void> = () => Promise.resolve(),
  closing: () => Promise<void> = () => Promise.resolve(),
): MemorySinks {
  const opened: MemoryPayload[] = [];
  const misuses: string[] = [];
  const refuse = (misuse: string): never => {
    misuses.push(misuse);
    throw new Error(misuse);
  };
  const byName = new Map<string, MemoryPayload>();
  const bytesOf = (payload: unknown) => {
    if (!(payload instanceof LargePayload) || !payload.stored.ok) throw new Error("no payload");
    const found = byName.get(payload.stored.value.storedAs);
    if (found === undefined || found.state !== "closed") throw new Error("not in the store");
    return Buffer.concat(found.chunks);
  };
  return {
    opened,
    misuses,
    kept: () => opened.filter(({ state }) => state !== "aborted"),
    bytesOf,
    textOf: (payload) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(payload)),
    open: (form, mediaType, name) => {
      const entry: MemoryPayload = { form, mediaType, name, chunks: [], bytes: 0, writes: 0, state: "open" };
      opened.push(entry);
      return {
        write: async (bytes) => {
          if (entry.state !== "open") refuse(`written when ${entry.state}`);
          if (bytes.length === 0) refuse("an empty write");
          entry.chunks.push(bytes.slice());
          entry.bytes += bytes.length;
          entry.writes += 1;
          await slow();
        },
        close: async () => {
          if (entry.state === "closed") refuse("closed twice");
          if (entry.state === "aborted") {
            const stored = fail("store_failed" as const);
            return new LargePayload({ form, sizeBytes: 0, head: "", stored, summary: undefined });
          }
          entry.state = "closed";
          const whole = Buffer.concat(entry.chunks);
          const storedAs = `x${opened.indexOf(entry)}`;
          byName.set(storedAs, entry);
          const sha256 = createHash("sha256").update(whole).digest("hex");
          await closing();
          return new LargePayload({
            form,
            sizeBytes: whole.length,
            head: "",
            stored: ok({ storedAs, sha256, lines: null, lineIndex: "" }),
            summary: undefined,
          });
        },
        abort: () => {
          entry.state = "aborted";
          entry.chunks = [];
          return Promise.resolve();
        },
      };
    },
  };
}
