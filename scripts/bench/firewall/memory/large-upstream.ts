import { memberOf } from "../../../../src/json.ts";
import type { Fetch } from "../../../../src/upstream/guarded-fetch.ts";

/** The answer is the body, or one event of a stream. */
export type Framing = "json" | "event";

export const FRAMINGS: readonly Framing[] = ["json", "event"];

const CHUNK_BYTES = 65_536;
/** Of one line in the JSON, its end included; a chunk has whole ones. */
const LINE_BYTES = 128;
const LINES = CHUNK_BYTES / LINE_BYTES;
const MEDIA_TYPES = { json: "application/json", event: "text/event-stream" } as const;

/**
 * A server behind `fetch` whose one tool answers a log, in bodies of exactly so many bytes. They are made as they are read;
 * `onChunk` is told before each chunk, which is memory of its own as a network's is.
 */
export function largeUpstream(framing: Framing, bodyBytes: number, onChunk: () => void): Fetch {
  return async (_url, init = {}) => {
    const request: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const [id, method] = [memberOf(request, "id"), memberOf(request, "method")];
    if (method === "initialize") {
      const serverInfo = { name: "bench", version: "1" };
      const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
      return Response.json({ jsonrpc: "2.0", id, result });
    }
    if (method !== "tools/call") return new Response(null, { status: init.method === "POST" ? 202 : 405 });
    return new Response(answer(framing, id, bodyBytes, onChunk), {
      headers: { "content-type": MEDIA_TYPES[framing] },
    });
  };
}

function answer(framing: Framing, id: unknown, bodyBytes: number, onChunk: () => void): ReadableStream {
  const encoder = new TextEncoder();
  const json = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "" }] } });
  const end = json.lastIndexOf('"');
  const head = encoder.encode(`${framing === "event" ? "data: " : ""}${json.slice(0, end)}`);
  const tail = encoder.encode(`${json.slice(end)}${framing === "event" ? "\n\n" : ""}`);
  const lines = encoder.encode(logLines());
  const textBytes = bodyBytes - head.length - tail.length;
  const lineBytes = textBytes - (textBytes % LINE_BYTES);
  let sent = 0;
  return new ReadableStream(
    {
      start: (controller) => {
        controller.enqueue(head);
      },
      pull: (controller) => {
        onChunk();
        if (sent < lineBytes) {
          const chunk = lines.slice(0, lineBytes - sent);
          controller.enqueue(chunk);
          sent += chunk.length;
          return;
        }
        controller.enqueue(encoder.encode("x".repeat(textBytes - lineBytes)));
        controller.enqueue(tail);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** As many lines as a chunk has, as they stand in a JSON string. */
function logLines(): string {
  return Array.from({ length: LINES }, (_, line) => {
    const level = line % 100 === 99 ? "ERROR" : "INFO";
    const text = `2026-03-03T04:05:${String(line % 60).padStart(2, "0")}Z ${level} shard-7 batch=${line} `;
    return `${text.padEnd(LINE_BYTES - 2, "the batch was taken over; ")}\\n`;
  }).join("");
}
