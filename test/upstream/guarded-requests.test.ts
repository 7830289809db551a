import { describe, expect, it } from "vitest";
import {
  event,
  openStream,
  resultOf,
  sendJson,
  textResult,
  type Behaviour,
} from "../support/hostile-upstream/server.ts";
import { callTool, io, KEPT, targetOf, withUpstream } from "./rig.ts";

const CALL = { name: "echo", args: { text: "hi" } };

const onCall =
  (answer: (id: unknown, response: Parameters<Behaviour>[1]) => unknown): Behaviour =>
  ({ rpcMethod, id }, response) => {
    if (rpcMethod !== "tools/call") return false;
    answer(id, response);
    return true;
  };

describe("what leaves for an upstream", () => {
  it("is the transport's headers and the configured ones, and nothing else of ours", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const headers = {
        "X-Key": "k",
        Accept: "image/png",
        Host: "evil",
        "Mcp-Session-Id": "forged",
        "Content-Length": "1",
      };
      await callTool({ ...target, headers }, undefined, CALL, io());
      const own = new Set("accept content-type mcp-protocol-version mcp-session-id x-key".split(" "));
      const framing = new Set(
        "accept-encoding accept-language connection content-length host sec-fetch-mode user-agent".split(" "),
      );
      expect(upstream.seen.length).toBe(3);
      for (const seen of upstream.seen) {
        expect(Object.keys(seen.headers).filter((name) => !own.has(name) && !framing.has(name))).toEqual([]);
        expect(seen.headers).toMatchObject({ "x-key": "k", host: `127.0.0.1:${upstream.port}` });
        expect(seen.headers.accept).toBe("application/json, text/event-stream");
        expect(seen.headers).not.toHaveProperty("authorization");
        expect(seen.headers["mcp-session-id"]).not.toBe("forged");
      }
    });
  });

  it("carries an Authorization only where one is configured", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      await callTool({ ...target, headers: { Authorization: "Bearer up" } }, KEPT, CALL, io());
      expect(upstream.seen[0]?.headers.authorization).toBe("Bearer up");
    });
  });

  it("is nothing when a configured header is illegal, and the value is not told", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { answer } = await callTool({ ...target, headers: { "X-Key": "sec\nret" } }, KEPT, CALL, io());
      expect(answer).toMatchObject({ ok: false, reason: { reason: "protocol", outcome: "not_dispatched" } });
      expect(JSON.stringify(answer)).not.toContain("sec");
      expect(upstream.seen).toEqual([]);
    });
  });

  it("has the arguments and the meta as given, hostile names included", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const args = Object.fromEntries([
        ["__proto__", { a: 1 }],
        ["constructor", null],
        ["n", [1e300, "\ud800"]],
      ]);
      await callTool(target, KEPT, { name: "__proto__", args, meta: { "a/b": { c: 1 } } }, io());
      const params = JSON.stringify({ name: "__proto__", arguments: args, _meta: { "a/b": { c: 1 } } });
      expect(upstream.seen[0]?.body.endsWith(`,"params":${params}}`)).toBe(true);
    });
  });

  it("follows a redirect within the origin with method, body and headers, and no other", async () => {
    const behave: Behaviour = ({ url, rpcMethod }, response) => {
      if (rpcMethod !== "tools/call" || url === "/3") return false;
      const next = url === "/mcp" ? "/1" : `/${Number(url.slice(1)) + 1}`;
      response.writeHead(url === "/1" ? 308 : 307, { location: next }).end("moved");
      return true;
    };
    await withUpstream(behave, async (upstream, target) => {
      const { answer } = await callTool({ ...target, headers: { "X-Key": "k" } }, KEPT, CALL, io());
      expect(answer.ok).toBe(true);
      expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
        ["/mcp", "/1", "/2", "/3"].map((url) => `POST ${url}`),
      );
      expect(new Set(upstream.seen.map((seen) => seen.body)).size).toBe(1);
      for (const seen of upstream.seen) expect(seen.headers["x-key"]).toBe("k");
    });
  });

  it("never reaches another origin, with credentials or without", async () => {
    const reached: string[] = [];
    const fetch = (url: string | URL) => {
      reached.push(String(url));
      return Promise.resolve(
        new Response(null, { status: 307, headers: { location: "https://other.example/mcp" } }),
      );
    };
    const target = targetOf("https://one.example/mcp", { headers: { Authorization: "Bearer up" } });
    const { answer } = await callTool(target, KEPT, CALL, io({ fetch, allowLoopback: false }));
    expect(answer).toMatchObject({
      ok: false,
      reason: { reason: "refused_redirect", outcome: "not_dispatched" },
    });
    expect(reached).toEqual(["https://one.example/mcp"]);
  });
});

describe("what an upstream asks in the middle of a call", () => {
  const ask = (id: unknown, method: string, params = {}) => event({ jsonrpc: "2.0", id, method, params });

  /** Asks on the call's stream, waits for `replies` POSTs, then answers the call. */
  const interview = (questions: string, replies: number, status = 202): Behaviour => {
    let finish = () => undefined as unknown;
    let seenReplies = 0;
    return ({ rpcMethod, method, id }, response) => {
      if (rpcMethod === "tools/call") {
        openStream(response);
        response.write(questions);
        finish = () => response.end(event(resultOf(id, textResult("done"))));
        if (replies === 0) finish();
        return true;
      }
      if (method !== "POST" || rpcMethod !== "") return false;
      response.writeHead(status).end();
      seenReplies += 1;
      if (seenReplies === replies) finish();
      return true;
    };
  };

  it("a ping is answered; sampling, elicitation and roots are refused; notifications are passed over", async () => {
    const questions =
      event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 0, progress: 1 } }) +
      ask("p", "ping") +
      ask(1, "sampling/createMessage", { messages: [], maxTokens: 1 }) +
      ask("e", "elicitation/create", { message: "?", requestedSchema: { type: "object", properties: {} } }) +
      ask("r", "roots/list");
    await withUpstream(interview(questions, 4), async (upstream, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io());
      expect(answer).toEqual({ ok: true, value: textResult("done") });
      const replies = upstream.seen.slice(1).map((seen): unknown => JSON.parse(seen.body));
      expect(replies).toContainEqual({ jsonrpc: "2.0", id: "p", result: {} });
      for (const id of [1, "e", "r"]) {
        expect(replies).toContainEqual({
          jsonrpc: "2.0",
          id,
          error: { code: -32601, message: "Method not found" },
        });
      }
      for (const seen of upstream.seen) expect(seen.headers["mcp-session-id"]).toBe(KEPT.sessionId);
    });
  });

  it("a flood of pings does not become a flood of ours", async () => {
    const flood = Array.from({ length: 2_000 }, (_, at) => ask(at, "ping")).join("");
    await withUpstream(interview(flood, 32), async (upstream, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io());
      expect(answer).toEqual({ ok: true, value: textResult("done") });
      expect(upstream.count("POST")).toBe(1 + 32);
    });
  });

  it("a refused answer to a ping does not end the call", async () => {
    await withUpstream(interview(ask("p", "ping"), 1, 401), async (_, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io());
      expect(answer.ok).toBe(true);
    });
  });

  it("a question under our own request's id is not taken for the answer", async () => {
    const behave = onCall((id, response) => {
      openStream(response);
      response.end(ask(id, "sampling/createMessage") + event(resultOf(id, textResult("mine"))));
    });
    await withUpstream(behave, async (_, target) => {
      expect((await callTool(target, KEPT, CALL, io())).answer).toEqual({
        ok: true,
        value: textResult("mine"),
      });
    });
  });
});

describe("what comes back", () => {
  it("is the result as it came: unknown content types, extra members, isError, _meta", async () => {
    const result = {
      content: [
        { type: "hologram", data: { "\u0000": [null, 1.5, "é"] } },
        { type: "text", text: "t", extra: true },
      ],
      structuredContent: { constructor: 1, deep: [[[{}]]] },
      isError: true,
      novelty: { a: 1 },
      _meta: { "x/y": 1, z: null },
    };
    await withUpstream(
      onCall((id, response) => sendJson(response, resultOf(id, result))),
      async (_, target) => {
        const { answer } = await callTool(target, KEPT, CALL, io());
        expect(answer).toEqual({ ok: true, value: result });
      },
    );
  });

  it("a GET never arrives, whatever the stream promises", async () => {
    const behave = onCall((id, response) => {
      openStream(response);
      response.end(`id: 7\nretry: 1\ndata:\n\n${event(resultOf(id, textResult("x")))}`);
    });
    await withUpstream(behave, async (upstream, target) => {
      await callTool(target, undefined, CALL, io());
      expect(upstream.count("GET")).toBe(0);
    });
  });

  it("too much is known as too much when the call is given up while the rest is drained", async () => {
    const controller = new AbortController();
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (stream) => {
          pulls += 1;
          if (pulls <= 5) stream.enqueue(new Uint8Array(1024 * 1024));
          else controller.abort();
        },
      },
      { highWaterMark: 0 },
    );
    const fetch = () =>
      Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
    const target = targetOf("https://one.example/mcp");
    const { answer } = await callTool(target, KEPT, CALL, io({ fetch, signal: controller.signal }));
    expect(answer).toMatchObject({ ok: false, reason: { reason: "too_large", outcome: "unknown" } });
  });

  it("a fetch that throws, hangs or ignores its signal still ends in a typed outcome", async () => {
    const target = targetOf("https://one.example/mcp", { timeoutMs: 30 });
    const thrown = await callTool(target, KEPT, CALL, io({ fetch: () => Promise.reject(new Error("lost")) }));
    expect(thrown.answer).toMatchObject({ ok: false, reason: { reason: "unreachable", outcome: "unknown" } });
    const stuck = await callTool(
      target,
      KEPT,
      CALL,
      io({ fetch: () => new Promise<Response>(() => undefined) }),
    );
    expect(stuck.answer).toMatchObject({ ok: false, reason: { reason: "timeout", outcome: "unknown" } });
  });

  it("a response that comes after the deadline is let go", async () => {
    let cancelled = false;
    let arrive: (response: Response) => void = () => undefined;
    const late = new Promise<Response>((resolve) => {
      arrive = resolve;
    });
    const target = targetOf("https://one.example/mcp", { timeoutMs: 10 });
    await callTool(target, KEPT, CALL, io({ fetch: () => late }));
    arrive(new Response(new ReadableStream({ cancel: () => void (cancelled = true) })));
    await late;
    await Promise.resolve();
    expect(cancelled).toBe(true);
  });
});
