import type { HttpSourceTarget } from "../../../src/records/source/http-target.ts";
import type { BookIo } from "../../../src/records/source/connection-book.ts";
import { createHttpSource } from "../../../src/records/source/http-source.ts";
import type { ReadSource } from "../../../src/records/source/read-source.ts";
import { createSourceMemory, type SourceMemory } from "../../../src/records/source/source-memory.ts";
import { ok } from "../../../src/result.ts";
import { type BufferBudget, createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import type { Fetch } from "../../../src/upstream/guarded-fetch.ts";
import type { RecordsServer } from "../records-server/server.ts";

export interface HttpRig {
  /** A source as one request has it; what the isolate remembers is shared. */
  source(bearer?: string): ReadSource;
  readonly memory: SourceMemory;
  readonly buffers: BufferBudget;
  readonly logged: string[];
  /** The isolate's clock, in milliseconds. */
  nowMs: number;
}

export interface HttpRigOptions {
  readonly timeoutMs?: number;
  readonly fetch?: Fetch;
  readonly bufferBytes?: number;
  readonly book?: Pick<BookIo, "grantId" | "learned" | "keep">;
}

/** An http source over a stand-in server, with an isolate of its own around it. */
export function httpRig(server: Pick<RecordsServer, "url">, options: HttpRigOptions = {}): HttpRig {
  const rig: HttpRig = {
    memory: createSourceMemory(),
    buffers: createBufferBudget(options.bufferBytes ?? 64 * 1024 * 1024, () => rig.nowMs),
    logged: [],
    nowMs: 1_000_000,
    source: (bearer = "mail") => {
      const target: HttpSourceTarget = {
        name: "personal",
        base: server.url,
        bearer,
        timeoutMs: options.timeoutMs ?? 20_000,
      };
      return createHttpSource(ok(target), {
        fetch: options.fetch ?? ((url, init) => fetch(url, init)),
        buffers: rig.buffers,
        allowLoopback: true,
        now: () => rig.nowMs,
        log: (line) => rig.logged.push(line),
        memory: rig.memory,
        ...options.book,
      });
    },
  };
  return rig;
}
