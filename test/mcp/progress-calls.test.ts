import { describe, expect, it } from "vitest";
import { ok } from "../../src/result.ts";
import type { Progress } from "../../src/surface.ts";
import { DONE, eventsOf, face, gate, jsonList, piecesOf, request, workCall } from "./face-rig.ts";

const RESULT = '"result":{"content":[{"type":"text","text":"done"}]}';
const answer = (id = "7") => `{"jsonrpc":"2.0","id":${id},${RESULT}}`;
const notification = (progress: number, token = '"t"') =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${progress}}}`;

describe("a call that asks for its progress", () => {
  it.each(["0", '""', "1.0", "12345678901234567890", '"\\ud83d"', '"\\ud83d\\ude00"', '"__proto__"'])(
    "is told of it under the token as it was written, and then answered: %s",
    async (token) => {
      const { post } = face({
        work: async ({ onProgress }) => {
          onProgress?.({ progress: 1 });
          onProgress?.({ progress: 2 });
          return DONE;
        },
      });
      const response = await post(workCall(token, "12345678901234567890"));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      const written = token === '"\\ud83d\\ude00"' ? '"😀"' : token;
      expect(eventsOf(await response.text())).toEqual([
        notification(1, written),
        notification(2, written),
        answer("12345678901234567890"),
      ]);
    },
  );

  it("gets the same answer as one that does not, to the byte, in one JSON body there", async () => {
    const result = {
      content: [],
      structuredContent: { a: 1 },
      _meta: { x: [1.5, "\ud83d"] },
    };
    const { post } = face({ work: async () => result });
    const plain = await post(workCall());
    expect(plain.headers.get("content-type")).toBe("application/json");
    const streamed = await post(workCall("1"));
    expect(eventsOf(await streamed.text())).toEqual([await plain.text()]);
  });

  it.each(["1.5", "null", "true", "{}", "[1]"])(
    "opens no stream for a token that is none: %s",
    async (token) => {
      const { post, background } = face();
      const response = await post(workCall(token));
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(background).toEqual([]);
    },
  );

  it("opens no stream for a token too long to repeat, and is answered", async () => {
    const { post } = face();
    const response = await post(workCall(JSON.stringify("x".repeat(5_000))));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(answer());
  });

  it("opens no stream inside a batch, where progress goes nowhere", async () => {
    const lines: boolean[] = [];
    const { post } = face({
      work: async ({ onProgress }) => {
        lines.push(onProgress !== undefined);
        return DONE;
      },
    });
    for (const batch of [`[${workCall("1")}]`, `[${workCall("1")},${workCall("2", "8")}]`]) {
      const response = await post(batch, { "mcp-protocol-version": "2025-03-26" });
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(jsonList(await response.text()).length).toBeGreaterThan(0);
    }
    expect(lines).toEqual([false, false, false]);
  });

  it.each(["tools/list", "ping", "resources/list"])("opens no stream for %s", async (method) => {
    const { post } = face({ request: async () => ok({ resources: [] }) });
    const response = await post(request(method, '{"_meta":{"progressToken":1.0}}'));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toContain('"result":');
  });

  it("opens no stream for a notification", async () => {
    const { post } = face();
    const body =
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"work","_meta":{"progressToken":1}}}';
    expect((await post(body)).status).toBe(202);
  });

  it("is answered with progress while it still runs", async () => {
    const { promise, open } = gate<typeof DONE>();
    const { post } = face({
      work: ({ onProgress }) => {
        onProgress?.({ progress: 1 });
        return promise;
      },
    });
    const next = piecesOf(await post(workCall('"t"')));
    expect(eventsOf((await next()) ?? "")).toEqual([notification(1)]);
    open(DONE);
    expect(eventsOf((await next()) ?? "")).toEqual([answer()]);
    expect(await next()).toBeUndefined();
  });

  it("ends with an error where the surface throws, before progress and after", async () => {
    for (const told of [0, 1]) {
      const { post, background } = face({
        work: async ({ onProgress }) => {
          for (let progress = 1; progress <= told; progress += 1) onProgress?.({ progress });
          throw new Error("secret inside");
        },
      });
      const events = eventsOf(await (await post(workCall('"t"'))).text());
      expect(events).toHaveLength(told + 1);
      expect(events.at(-1)).toBe(
        '{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal error"}}',
      );
      await Promise.all(background);
    }
  });

  it("goes on without its client, of which nobody hears, and is kept alive for it", async () => {
    const { promise, open } = gate<typeof DONE>();
    const line: { tell?: (progress: Progress) => void } = {};
    let isDone = false;
    const { post, background } = face({
      work: async ({ onProgress }) => {
        if (onProgress !== undefined) line.tell = onProgress;
        onProgress?.({ progress: 1 });
        const done = await promise;
        isDone = true;
        return done;
      },
    });
    const response = await post(workCall('"t"'));
    await response.body?.cancel();
    line.tell?.({ progress: 2 });
    expect(background).toHaveLength(1);
    expect(isDone).toBe(false);
    open(DONE);
    await Promise.all(background);
    expect(isDone).toBe(true);
  });

  it("ends whether its client reads or not, and loses no answer over 10,000 updates", async () => {
    const { post, background } = face({
      work: async ({ onProgress }) => {
        for (let progress = 1; progress <= 10_000; progress += 1) onProgress?.({ progress });
        return DONE;
      },
    });
    const response = await post(workCall('"t"'));
    await Promise.all(background);
    const events = eventsOf(await response.text());
    expect(events.length).toBeLessThan(100);
    expect(events.slice(-2)).toEqual([notification(10_000), answer()]);
  });

  it.each(["application/json", "*/*", ""])(
    "needs a client that takes a stream, as every call: Accept %j",
    async (accept) => {
      let called = 0;
      const { post, background } = face({
        work: async () => {
          called += 1;
          return DONE;
        },
      });
      const [streamed, plain] = [await post(workCall("1"), { accept }), await post(workCall(), { accept })];
      expect(streamed.status).toBe(406);
      expect(await streamed.text()).toBe(await plain.text());
      await Promise.all(background);
      expect(called).toBe(0);
    },
  );

  it("is refused in the stream where the caller is turned away after it began", async () => {
    const problem = { code: -32001, message: "Session not found" };
    const { post } = face({}, () => problem);
    expect(eventsOf(await (await post(workCall('"t"'))).text())).toEqual([
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Session not found"}}',
    ]);
  });

  it("is told of an unknown tool as ever", async () => {
    const { post } = face({ call: async () => undefined });
    const plain = await (await post(workCall())).text();
    expect(plain).toContain('"code":-32602');
    expect(eventsOf(await (await post(workCall("1"))).text())).toEqual([plain]);
  });
});
