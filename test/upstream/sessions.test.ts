import { describe, expect, it } from "vitest";
import { endSession } from "../../src/upstream/operation.ts";
import { refusesSession, isLegalSessionId, type UpstreamSession } from "../../src/upstream/session.ts";
import type { RpcError } from "../../src/upstream/wire-fault.ts";
import {
  errorOf,
  event,
  initializeResult,
  openStream,
  resultOf,
  sendJson,
  SESSION_ID,
  textResult,
  type Behaviour,
} from "../support/hostile-upstream/server.ts";
import { callTool, io, KEPT, withUpstream, listEntries } from "./rig.ts";

const CALL = { name: "echo", args: { text: "hi" } };
const ECHOED = { ok: true, value: textResult('{"text":"hi"}') };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Refuses the first call in the given way and knows only the session opened after that. */
const refuseFirstCall =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  (seen, response, nth) => {
    if (seen.rpcMethod !== "tools/call" || nth > 1) return false;
    response.writeHead(status, headers).end(body);
    return true;
  };

describe("a session is resumed with one request and replaced once", () => {
  it("a kept session costs one POST, with its id and version in the headers", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { answer, session } = await callTool(target, KEPT, CALL, io());
      expect(answer).toEqual(ECHOED);
      expect(session).toEqual(KEPT);
      expect(upstream.seen.map((each) => each.rpcMethod)).toEqual(["tools/call"]);
      expect(upstream.seen[0]?.headers).toMatchObject({
        "mcp-session-id": SESSION_ID,
        "mcp-protocol-version": "2025-06-18",
      });
    });
  });

  it("without one it costs three, and gives the session to keep", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { answer, session } = await callTool(target, undefined, CALL, io());
      expect(answer).toEqual(ECHOED);
      expect(session).toEqual(KEPT);
      expect(upstream.seen.map((each) => each.rpcMethod)).toEqual([
        "initialize",
        "notifications/initialized",
        "tools/call",
      ]);
    });
  });

  it("an upstream without sessions is resumed with one POST too, and no session header", async () => {
    const stateless: Behaviour = ({ rpcMethod, id }, response) =>
      rpcMethod === "initialize" && sendJson(response, resultOf(id, initializeResult()));
    await withUpstream(stateless, async (upstream, target) => {
      const first = await callTool(target, undefined, CALL, io());
      const { sessionId: _, ...withoutId } = KEPT;
      expect(first.session).toEqual(withoutId);
      const second = await callTool(target, first.session ?? undefined, CALL, io());
      expect(second.answer).toEqual(ECHOED);
      expect(upstream.seen.length).toBe(4);
      expect(upstream.seen[3]?.headers).not.toHaveProperty("mcp-session-id");
      expect(upstream.seen[3]?.headers["mcp-protocol-version"]).toBe("2025-06-18");
    });
  });

  it.each([
    ["404 of the SDKs", 404, JSON.stringify(errorOf(null, -32001, "Session not found"))],
    ["404 in plain words", 404, "session not found"],
    [
      "400 of the TypeScript examples",
      400,
      JSON.stringify(errorOf(null, -32000, "Bad Request: No valid session ID provided")),
    ],
    [
      "400 not initialised",
      400,
      JSON.stringify(errorOf(null, -32000, "Bad Request: Server not initialized")),
    ],
    [
      "400 of Python",
      400,
      JSON.stringify(errorOf("server-error", -32600, "Bad Request: Missing session ID")),
    ],
    ["400 in plain words", 400, "Invalid session ID"],
    ["401 of Rust", 401, "Unauthorized: Session not found"],
  ])("%s: one new handshake, and the call again", async (_, status, body) => {
    const old = { ...KEPT, sessionId: "old" };
    await withUpstream(refuseFirstCall(status, body), async (upstream, target) => {
      const { answer, session } = await callTool(target, old, CALL, io());
      expect(answer).toEqual(ECHOED);
      expect(session).toEqual(KEPT);
      expect(upstream.count("tools/call")).toBe(2);
      expect(upstream.count("initialize")).toBe(1);
      expect(upstream.count("DELETE")).toBe(0);
      expect(upstream.seen[1]?.headers).not.toHaveProperty("mcp-session-id");
    });
  });

  it("a session refused again is not replaced again, and what was opened is ended", async () => {
    const always: Behaviour = ({ rpcMethod }, response) =>
      rpcMethod === "tools/call" && sendJson(response, errorOf(null, -32001, "Session not found"), 404);
    await withUpstream(always, async (upstream, target) => {
      const { answer, session } = await callTool(target, KEPT, CALL, io());
      expect(answer).toMatchObject({ ok: false, reason: { reason: "http_status", status: 404 } });
      expect(session).toBeNull();
      expect(upstream.count("tools/call")).toBe(2);
      expect(upstream.count("initialize")).toBe(1);
      expect(upstream.count("DELETE")).toBe(1);
    });
  });

  it("a 401 about credentials is no session matter, whatever its words", async () => {
    const behave = refuseFirstCall(401, "your session expired", { "www-authenticate": "Bearer" });
    await withUpstream(behave, async (upstream, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io());
      expect(answer).toMatchObject({ ok: false, reason: { reason: "unauthorized" } });
      expect(upstream.count("initialize")).toBe(0);
    });
  });

  it("a failed call keeps its session", async () => {
    await withUpstream(refuseFirstCall(500, "oops"), async (_, target) => {
      const { answer, session } = await callTool(target, KEPT, CALL, io());
      expect(answer.ok).toBe(false);
      expect(session).toEqual(KEPT);
    });
  });

  it("a caller that went away before keeps its session, and nothing is sent", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { answer, session } = await callTool(target, KEPT, CALL, io({ signal: AbortSignal.abort() }));
      expect(answer).toMatchObject({ ok: false, reason: { reason: "cancelled", outcome: "not_dispatched" } });
      expect(session).toEqual(KEPT);
      expect(upstream.seen).toEqual([]);
    });
  });

  it("a caller that goes away in the middle ends the call, whose outcome is unknown", async () => {
    const controller = new AbortController();
    const hang: Behaviour = ({ rpcMethod }) => {
      if (rpcMethod === "tools/call") controller.abort();
      return rpcMethod === "tools/call";
    };
    await withUpstream(hang, async (_, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io({ signal: controller.signal }));
      expect(answer).toMatchObject({ ok: false, reason: { reason: "cancelled", outcome: "unknown" } });
    });
  });
});

describe("sessions nobody keeps are ended", () => {
  it("one that this operation opened, when asked to", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { answer, session } = await callTool(target, undefined, CALL, io({ sessions: "end" }));
      expect(answer).toEqual(ECHOED);
      expect(session).toBeNull();
      expect(upstream.seen.map((each) => each.method)).toEqual(["POST", "POST", "POST", "DELETE"]);
      expect(upstream.seen[3]?.headers["mcp-session-id"]).toBe(SESSION_ID);
    });
  });

  it("not one that was kept before: another operation may be on it", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { session } = await callTool(target, KEPT, CALL, io({ sessions: "end" }));
      expect(session).toEqual(KEPT);
      expect(upstream.count("DELETE")).toBe(0);
    });
  });

  it("in the background where there is one", async () => {
    const work: Promise<void>[] = [];
    await withUpstream(undefined, async (upstream, target) => {
      await callTool(target, undefined, CALL, io({ sessions: "end", background: (task) => work.push(task) }));
      expect(work.length).toBe(1);
      await Promise.all(work);
      expect(upstream.count("DELETE")).toBe(1);
    });
  });

  it.each([405, 404, 500, 307])("whatever the upstream says to it (%i)", async (status) => {
    const refuse: Behaviour = ({ method }, response) => {
      if (method !== "DELETE") return false;
      response.writeHead(status).end("no");
      return true;
    };
    await withUpstream(refuse, async (upstream, target) => {
      await endSession(target, KEPT, io());
      expect(upstream.count("DELETE")).toBe(1);
    });
  });
});

describe("overlapping calls on one session", () => {
  /** Holds calls back until two are there, then lets `answer` see both. */
  const pairUp = (answer: (calls: Held[]) => void): Behaviour => {
    const held: Held[] = [];
    return ({ rpcMethod, id, params }, response) => {
      if (rpcMethod !== "tools/call") return false;
      held.push({ id, text: JSON.stringify(params["arguments"]), response });
      if (held.length === 2) answer(held);
      return true;
    };
  };
  type Held = { id: unknown; text: string; response: Parameters<Behaviour>[1] };
  const answerOf = ({ id, text }: Held) => resultOf(id, textResult(text));

  const both = (target: Parameters<typeof callTool>[0]) =>
    Promise.all(["a", "b"].map((text) => callTool(target, KEPT, { name: "echo", args: { text } }, io())));
  const echoes = ["a", "b"].map((text) => ({ ok: true, value: textResult(JSON.stringify({ text })) }));

  it("each get their own answer, in reverse order", async () => {
    const behave = pairUp((held) => {
      for (const each of held.toReversed()) sendJson(each.response, answerOf(each));
    });
    await withUpstream(behave, async (_, target) => {
      expect((await both(target)).map((each) => each.answer)).toEqual(echoes);
    });
  });

  it("each get their own answer from a server that finds the stream by the request's id", async () => {
    const behave = pairUp((held) => {
      const streams = new Map(held.map((each) => [each.id, each.response]));
      for (const each of held) streams.get(each.id)?.writeHead(200, { "content-type": "text/event-stream" });
      for (const each of held) streams.get(each.id)?.end(event(answerOf(each)));
    });
    await withUpstream(behave, async (_, target) => {
      expect((await both(target)).map((each) => each.answer)).toEqual(echoes);
    });
  });

  it("each get their own answer when both are put on both streams, the other's first", async () => {
    const behave = pairUp((held) => {
      const [one, two] = held;
      if (one === undefined || two === undefined) return;
      for (const { response } of held) openStream(response);
      one.response.end(event(answerOf(two)) + event(answerOf(one)));
      two.response.end(event(answerOf(one)) + event(answerOf(two)));
    });
    await withUpstream(behave, async (_, target) => {
      expect((await both(target)).map((each) => each.answer)).toEqual(echoes);
    });
  });

  it("never take the other's answer, even when they get no other", async () => {
    const behave = pairUp((held) => {
      const [one, two] = held;
      if (one === undefined || two === undefined) return;
      sendJson(one.response, answerOf(two));
      sendJson(two.response, answerOf(one));
    });
    await withUpstream(behave, async (_, target) => {
      for (const { answer } of await both(target)) {
        expect(answer).toMatchObject({ ok: false, reason: { reason: "protocol", outcome: "unknown" } });
      }
    });
  });

  it("carry ids that never repeat, across operations and within one", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      let session: UpstreamSession | undefined;
      for (let round = 0; round < 5; round += 1) {
        session = (await callTool(target, session, CALL, io())).session ?? undefined;
        await listEntries(target, session, io());
      }
      const ids = upstream.seen.map((each) => each.id).filter((id) => id !== undefined);
      expect(ids.length).toBe(11);
      expect(new Set(ids).size).toBe(11);
      for (const id of ids) expect(id).toMatch(UUID);
    });
  });
});

describe("what counts as a refused session", () => {
  const status = (code: number, rpc: RpcError | null, speaksOfSession = false) =>
    refusesSession({
      kind: "status",
      status: code,
      retryAfterSeconds: null,
      rpc,
      challenged: false,
      speaksOfSession,
      detail: "",
    });
  const rpc = (code: number, ours: boolean) => ({ code, ours, message: "" });

  it("an error that carries our request's id came from behind the transport: it may have run", () => {
    expect(status(404, rpc(-32001, true))).toBe(false);
    expect(status(400, rpc(-32000, true), true)).toBe(false);
  });

  it("of the transport's own 400s only the session codes, and words only without a code", () => {
    expect(status(400, rpc(-32000, false))).toBe(true);
    expect(status(400, rpc(-32700, false), true)).toBe(false);
    expect(status(400, null, true)).toBe(true);
    expect(status(400, null)).toBe(false);
  });

  it("never a status that does not turn a request away unread", () => {
    for (const code of [403, 409, 410, 422, 429, 500, 502, 503]) expect(status(code, null, true)).toBe(false);
  });

  it("a legal session id is visible ASCII of bounded length", () => {
    expect(isLegalSessionId("!~aZ9-._")).toBe(true);
    for (const id of ["", "a b", "a\n", "é", "\u007f", "s".repeat(1_025)])
      expect(isLegalSessionId(id)).toBe(false);
  });
});
