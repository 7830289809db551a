import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { callUpstream } from "../../src/upstream/connection.ts";
import { listServer } from "../../src/upstream/listing.ts";
import type { UpstreamIo, UpstreamTarget } from "../../src/upstream/upstream-io.ts";

/** An upstream in the same isolate: the room's own streams, timers and signals run in workerd, no network takes part. */
type Seen = { method: string; rpcMethod: string; id: string; text: string };
type Respond = (seen: Seen) => Response | undefined;

const target: UpstreamTarget = {
  name: "kit",
  url: "https://up.example.com/mcp",
  headers: { "X-Key": "k" },
  timeoutMs: 5_000,
};
const CALL = { method: "tools/call", params: { name: "echo", arguments: {} } } as const;
const json = (body: unknown) => Response.json(body, { headers: { "mcp-session-id": "s-1" } });
const result = (id: string, value: unknown) => ({ jsonrpc: "2.0", id, result: value });
const FINE = { content: [{ type: "text", text: "fine ✓" }] };
const KEPT = { sessionId: "s-1", protocolVersion: "2025-06-18", serverInfo: {}, capabilities: {} };

const sse = (chunks: Iterable<Uint8Array>, ends = true) => {
  const source = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = source.next();
      if (next.done !== true) controller.enqueue(next.value);
      else if (ends) controller.close();
      else return new Promise(() => undefined);
      return undefined;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};
const bytes = (text: string) => new TextEncoder().encode(text);

function ioWith(respond: Respond, seen: Seen[] = []): UpstreamIo {
  return {
    allowLoopback: false,
    newId: () => crypto.randomUUID(),
    fetch: async (_, init) => {
      const text = typeof init?.body === "string" ? init.body : "";
      const message: unknown = text === "" ? {} : JSON.parse(text);
      const current = {
        method: init?.method ?? "",
        rpcMethod: JSON.stringify(memberOf(message, "method") ?? "").slice(1, -1),
        id: JSON.stringify(memberOf(message, "id") ?? "").slice(1, -1),
        text,
      };
      seen.push(current);
      const own = respond(current);
      if (own !== undefined) return own;
      const info = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        serverInfo: { name: "kit", version: "1" },
      };
      if (current.rpcMethod === "initialize") return json(result(current.id, info));
      if (current.rpcMethod === "tools/call") return json(result(current.id, FINE));
      return new Response(null, { status: 202 });
    },
  };
}

describe("the upstream client in workerd", () => {
  it("opens a session with three POSTs and resumes it with one", async () => {
    const seen: Seen[] = [];
    const io = ioWith(() => undefined, seen);
    const first = await callUpstream(target, undefined, CALL, io);
    expect(first).toMatchObject({ answer: { ok: true, value: FINE }, session: { sessionId: "s-1" } });
    expect(seen.length).toBe(3);
    const second = await callUpstream(target, first.session ?? undefined, CALL, io);
    expect(second.answer).toEqual({ ok: true, value: FINE });
    expect(seen.length).toBe(4);
    expect(seen.every(({ method }) => method === "POST")).toBe(true);
  });

  it("reads an answer from a stream that is cut inside a character", async () => {
    const io = ioWith(({ rpcMethod, id }) => {
      if (rpcMethod !== "tools/call") return undefined;
      const whole = bytes(`: ping\n\ndata: ${JSON.stringify(result(id, FINE))}\n\n`);
      const cut = whole.indexOf(0xe2) + 1;
      return sse([whole.slice(0, cut), whole.slice(cut)], false);
    });
    expect((await callUpstream(target, KEPT, CALL, io)).answer).toEqual({ ok: true, value: FINE });
  });

  it("knows a stream that ends without an answer, and one that is too large", async () => {
    const empty = ioWith(({ rpcMethod }) =>
      rpcMethod === "tools/call" ? sse([bytes(": hi\n\n")]) : undefined,
    );
    expect((await callUpstream(target, KEPT, CALL, empty)).answer).toMatchObject({
      reason: { reason: "protocol", outcome: "unknown" },
    });
    const piece = bytes("x".repeat(65_536));
    const large = ioWith(({ rpcMethod }) =>
      rpcMethod === "tools/call"
        ? sse([bytes("data: "), ...Array.from({ length: 100 }, () => piece)])
        : undefined,
    );
    expect((await callUpstream(target, KEPT, CALL, large)).answer).toMatchObject({
      reason: { reason: "too_large", outcome: "completed" },
    });
  });

  it("holds its deadline over an upstream that never answers", async () => {
    const io = ioWith(({ rpcMethod }) =>
      rpcMethod === "tools/call" ? sse([bytes(": hi\n\n")], false) : undefined,
    );
    const { answer } = await callUpstream({ ...target, timeoutMs: 50 }, KEPT, CALL, io);
    expect(answer).toMatchObject({ reason: { reason: "timeout", outcome: "unknown" } });
  });

  it("lists tools with output schemas without compiling one", async () => {
    const tools = [
      { name: "a", inputSchema: {}, outputSchema: { type: "object", properties: { x: { type: "string" } } } },
    ];
    const io = ioWith(({ rpcMethod, id }) =>
      rpcMethod === "tools/list" ? json(result(id, { tools })) : undefined,
    );
    const { answer } = await listServer(target, undefined, io, (entry) => entry);
    expect(answer).toMatchObject({ ok: true, value: { tools: { ok: true, value: tools } } });
  });

  it("takes a real network failure for one after sending", async () => {
    const io = { ...ioWith(() => undefined), fetch, allowLoopback: true };
    const dead = { ...target, url: "http://127.0.0.1:9/mcp" };
    expect((await callUpstream(dead, KEPT, CALL, io)).answer).toMatchObject({
      reason: { reason: "unreachable", outcome: "unknown" },
    });
  });
});
