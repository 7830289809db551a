import { describe, expect, it } from "vitest";
import { UPSTREAM_CANCEL_REASON_MAX_CHARS } from "../../src/limits.ts";
import { callUpstream, cancelRequest } from "../../src/upstream/connection.ts";
import type { UpstreamSession } from "../../src/upstream/session.ts";
import { event, openStream, resultOf, type Behaviour } from "../support/hostile-upstream/server.ts";
import { FINE } from "../support/hostile-upstream/talk.ts";
import { io, KEPT, targetOf, withUpstream } from "./rig.ts";

const CALL = { method: "tools/call", params: { name: "slow", arguments: {} }, requestId: "attempt" } as const;

describe("taking a request back", () => {
  it("is one notice on the request's own session, with no handshake and no other request", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      await cancelRequest(target, KEPT, "attempt:2", "the user went on", io());
      expect(upstream.seen.map(({ method, body }): unknown[] => [method, JSON.parse(body)])).toEqual([
        [
          "POST",
          {
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId: "attempt:2", reason: "the user went on" },
          },
        ],
      ]);
      expect(upstream.seen[0]?.headers).toMatchObject({
        "mcp-session-id": KEPT.sessionId,
        "mcp-protocol-version": KEPT.protocolVersion,
      });
    });
  });

  it("names no session where the upstream keeps none, and no reason where there is none", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const { sessionId: _, ...sessionless } = KEPT;
      await cancelRequest(target, sessionless, "a", undefined, io());
      expect(upstream.seen[0]?.params).toEqual({ requestId: "a" });
      expect(upstream.seen[0]?.headers).not.toHaveProperty("mcp-session-id");
    });
  });

  it("cuts a reason of a megabyte", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      await cancelRequest(target, KEPT, "a", "😀".repeat(500_000), io());
      expect(upstream.seen[0]?.params["reason"]).toBe("😀".repeat(UPSTREAM_CANCEL_REASON_MAX_CHARS / 2));
    });
  });

  const deaf: [string, Behaviour][] = [
    ["refuses it", (_, response) => response.writeHead(404).end()],
    ["breaks", (_, response) => response.writeHead(500).end("x".repeat(100_000))],
    ["cuts the line", (_, response) => response.destroy()],
    [
      "sends elsewhere",
      (_, response) => response.writeHead(307, { location: "https://evil.example/" }).end(),
    ],
    ["asks who we are", (_, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end()],
  ];

  it.each(deaf)("fails for nobody where the upstream %s, and opens nothing", async (_, answer) => {
    await withUpstream(
      (seen, response, nth) => {
        answer(seen, response, nth);
        return true;
      },
      async (upstream, target) => {
        await expect(cancelRequest(target, KEPT, "a", "enough", io())).resolves.toBeUndefined();
        expect(upstream.seen).toHaveLength(1);
      },
    );
  });

  it("ends by its own clock at an upstream that hangs", async () => {
    await withUpstream(
      () => true,
      async (upstream, target) => {
        await expect(cancelRequest(target, KEPT, "a", undefined, io())).resolves.toBeUndefined();
        expect(upstream.seen).toHaveLength(1);
      },
    );
  });

  it("reaches nobody at an address that is not allowed", async () => {
    let asked = 0;
    const fetch = () => {
      asked += 1;
      return Promise.reject(new Error("never"));
    };
    await cancelRequest(targetOf("http://10.0.0.1/mcp"), KEPT, "a", undefined, io({ fetch }));
    expect(asked).toBe(0);
  });

  it("ends the request that it names while that runs, by the id that the call was given", async () => {
    const waiting = new Map<unknown, () => void>();
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await withUpstream(
      (seen, response) => {
        if (seen.rpcMethod === "tools/call") {
          openStream(response);
          waiting.set(seen.id, () => response.end(event(resultOf(seen.id, { ...FINE, isError: true }))));
          arrived?.();
          return true;
        }
        if (seen.rpcMethod !== "notifications/cancelled") return false;
        waiting.get(seen.params["requestId"])?.();
        response.writeHead(202).end();
        return true;
      },
      async (upstream, target) => {
        let session: UpstreamSession | undefined;
        const order: string[] = [];
        const onSession = (opened: UpstreamSession) => {
          session = opened;
          order.push(`session, ${upstream.count("tools/call")} calls`);
        };
        const call = callUpstream(target, undefined, { ...CALL, onSession }, io());
        await arrival;
        if (session === undefined) throw new Error("the session was not told of");
        await cancelRequest(target, session, "attempt", undefined, io());
        expect(await call).toMatchObject({ answer: { ok: true, value: { isError: true } } });
        expect(order).toEqual(["session, 0 calls"]);
      },
    );
  });
});

describe("a call that was not answered in time", () => {
  const hangs: Behaviour = ({ rpcMethod }) => rpcMethod === "tools/call";
  const late = async (call: Partial<Parameters<typeof callUpstream>[2]>, behave: Behaviour, kept = true) => {
    const words: unknown[] = [];
    await withUpstream(behave, async (upstream, { url }) => {
      const behind: Promise<void>[] = [];
      const background = (work: Promise<void>) => behind.push(work);
      const target = targetOf(url, { timeoutMs: 200 });
      await callUpstream(target, kept ? KEPT : undefined, { ...CALL, ...call }, io({ background }));
      await Promise.all(behind);
      for (const { rpcMethod, params } of upstream.seen)
        if (rpcMethod === "notifications/cancelled") words.push(params);
    });
    return words;
  };

  it("is taken back behind its answer, under its id", async () => {
    const word = { requestId: "attempt", reason: "timed out" };
    expect(await late({}, hangs)).toEqual([word]);
    expect(await late({}, hangs, false)).toEqual([word]);
  });

  it("is not where it was answered, refused, or never sent", async () => {
    expect(await late({}, () => false)).toEqual([]);
    const refuses: Behaviour = ({ rpcMethod }, response) =>
      rpcMethod === "tools/call" && response.writeHead(403).end() === response;
    expect(await late({}, refuses)).toEqual([]);
    expect(await late({}, ({ rpcMethod }) => rpcMethod === "initialize", false)).toEqual([]);
  });
});

describe("the session of a call", () => {
  it("is told of once it was opened, and not where a kept one did", async () => {
    await withUpstream(undefined, async (_, target) => {
      const told: UpstreamSession[] = [];
      const onSession = (session: UpstreamSession) => told.push(session);
      await callUpstream(target, KEPT, { ...CALL, onSession }, io());
      expect(told).toEqual([]);
      await callUpstream(target, undefined, { ...CALL, onSession }, io());
      expect(told).toEqual([KEPT]);
    });
  });

  it("is told of where a kept one was refused, and the request goes out under its id again", async () => {
    await withUpstream(
      (seen, response, nth) => {
        if (seen.rpcMethod !== "tools/call" || nth > 1) return false;
        response.writeHead(404).end();
        return true;
      },
      async (upstream, target) => {
        const told: UpstreamSession[] = [];
        const onSession = (session: UpstreamSession) => told.push(session);
        const { answer } = await callUpstream(target, KEPT, { ...CALL, onSession }, io());
        expect([answer.ok, told.length]).toEqual([true, 1]);
        const calls = upstream.seen.filter(({ rpcMethod }) => rpcMethod === "tools/call");
        expect(calls.map(({ id }) => id)).toEqual(["attempt", "attempt"]);
      },
    );
  });

  it("is not told of where the handshake failed", async () => {
    await withUpstream(
      (seen, response) => {
        if (seen.rpcMethod !== "initialize") return false;
        response.writeHead(503).end();
        return true;
      },
      async (_, target) => {
        const onSession = () => expect.fail("there is no session");
        const { answer } = await callUpstream(target, undefined, { ...CALL, onSession }, io());
        expect(answer).toMatchObject({ reason: { outcome: "not_dispatched" } });
      },
    );
  });
});
