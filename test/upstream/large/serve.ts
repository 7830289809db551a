import { isRecord, memberOf } from "../../../src/json.ts";
import { UPSTREAM_BUFFERS_MAX_BYTES } from "../../../src/limits.ts";
import { createBufferBudget, type BufferBudget } from "../../../src/upstream/buffer-budget.ts";
import type { UpstreamIo } from "../../../src/upstream/upstream-io.ts";
import type { Fetch } from "../../../src/upstream/guarded-fetch.ts";
import { callTool, io, KEPT, targetOf } from "../rig.ts";
import { memorySinks, type MemorySinks } from "./memory-sinks.ts";

export const MEGABYTE = 1_024 * 1_024;
export const CHUNK_BYTES = 64 * 1_024;
const target = targetOf("https://one.example/mcp");
const encoder = new TextEncoder();

export type Framing = "json" | "event" | "lines";
export const FRAMINGS: Framing[] = ["json", "event", "lines"];

export interface Served {
  readonly fetch: Fetch;
  /** Bytes that were taken off the upstream's hands. */
  sent(): number;
  /** Whether the connection was given up. */
  cancelled(): boolean;
}

type Piece = string | Error | (() => Promise<void>);

/** An upstream that answers a call with those pieces, in chunks, each only when it is asked for. */
export function serve(framing: Framing, piecesFor: (id: string) => Iterable<Piece>): Served {
  let sent = 0;
  let cancelled = false;
  const fetch: Fetch = (_, init) => {
    const message: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "null");
    if (memberOf(message, "method") !== "tools/call")
      return Promise.resolve(new Response(null, { status: 202 }));
    const chunks = chunksOf(piecesFor(String(memberOf(message, "id"))));
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = chunks.next();
          if (done === true) controller.close();
          else if (value instanceof Error) controller.error(value);
          else if (typeof value === "function") {
            await value();
            controller.enqueue(new Uint8Array(0));
          } else {
            sent += value.length;
            controller.enqueue(value);
          }
        },
        cancel: () => {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const type = framing === "json" ? "application/json" : "text/event-stream";
    return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  };
  return { fetch, sent: () => sent, cancelled: () => cancelled };
}

function* chunksOf(pieces: Iterable<Piece>): Generator<Uint8Array | Error | (() => Promise<void>), void> {
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      yield piece;
      continue;
    }
    const bytes = encoder.encode(piece);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.slice(at, at + CHUNK_BYTES);
  }
}

/** The message in its framing; `lines` spreads it over many data lines, between members. */
export function* framed(framing: Framing, message: Iterable<string>): Generator<string> {
  if (framing !== "json") yield ": hello\r\n\r\nid: 1\r\nevent: message\r\ndata: ";
  for (const piece of message) yield framing === "lines" ? piece.replaceAll(',"', ',\r\ndata: "') : piece;
  if (framing !== "json") yield "\r\n\r\n";
}

export const TEXT = 'A line of the text, with \u00e9 and \ud83d\ude00 in it, and "quotes"\n';
export const ESCAPED = JSON.stringify(TEXT).slice(1, -1);
export const TEXT_BYTES = encoder.encode(TEXT).length;

/** So many repetitions that the message is about as long as that. */
export const repeatsFor = (bytes: number) => Math.floor(bytes / encoder.encode(ESCAPED).length);

export function* textAnswer(id: string, repeats: number, tail = '"}]}}'): Generator<string> {
  yield `{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"`;
  const block = ESCAPED.repeat(1_000);
  for (let left = repeats; left > 0; left -= 1_000) yield left >= 1_000 ? block : ESCAPED.repeat(left);
  yield tail;
}

/** Counts the most that was ever held. */
export function watched(maxBytes = UPSTREAM_BUFFERS_MAX_BYTES) {
  const budget = createBufferBudget(maxBytes, () => 0);
  let most = 0;
  const buffers: BufferBudget = {
    held: () => budget.held(),
    open: (lifetimeMs) => {
      const account = budget.open(lifetimeMs);
      return {
        ...account,
        hold: (bytes) => {
          const held = account.hold(bytes);
          most = Math.max(most, budget.held());
          return held;
        },
      };
    },
  };
  return { buffers, most: () => most };
}

export async function call(
  served: Served,
  own: Partial<UpstreamIo> = {},
  sinks: MemorySinks = memorySinks(),
  timeoutMs = 20_000,
) {
  const { buffers, most } = watched();
  const used = own.buffers ?? buffers;
  const { answer } = await callTool(
    { ...target, timeoutMs },
    KEPT,
    { name: "big", args: {}, sinks },
    io({ fetch: served.fetch, buffers: used, ...own }),
  );
  if (used.held() !== 0) throw new Error("the budget is not whole again");
  return { answer, sinks, most, parts: answer.ok ? partsOf(answer.value) : [] };
}

function partsOf(result: Record<string, unknown>): readonly Record<string, unknown>[] {
  const { content } = result;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

export const told = (answer: Awaited<ReturnType<typeof call>>["answer"]) =>
  answer.ok ? "an answer" : `${answer.reason.reason}, ${answer.reason.outcome}`;
