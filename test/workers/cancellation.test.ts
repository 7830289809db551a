import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { errorIn, freshPrincipal, type RigSettings, textIn, workerRig } from "./worker-rig.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };
const PAYMENT = { tool_id: fakeId(PAY), args: {} };
const SESSION = "session-of-bank";

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

/** A promise that is kept from outside. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}

const paid: Deed = (id) => result(id, text("paid"));

/** The whole Worker, an upstream that notes what it is told, and clients of one principal. */
function worker({
  deed = paid,
  held = false,
  ...settings
}: RigSettings & { deed?: Deed; held?: boolean } = {}) {
  const { fetch, bodies, notices } = bankUpstream(deed, { session: SESSION, deedToHandshake: held });
  const rig = workerRig({ ...settings, tools: [PAY], fetch });
  const principal = freshPrincipal("payer");
  const client = async (name = principal) => {
    const session = await rig.openSession(await bearerFor({ principal: name }));
    return {
      call: session.call,
      /** Begins a payment under this id; `result` is what it answers, once nothing is left running. */
      begin: async (id: unknown) => {
        const message = session.message("tool_execute", PAYMENT, { id });
        const { response, settled } = await session.begin(message, new AbortController().signal);
        return {
          result: async () => {
            const reply: unknown = await (await response).json();
            await settled();
            return memberOf(reply, "result");
          },
        };
      },
      /** Takes the payment back, in a request of its own; gives the status. */
      cancel: async (requestId: unknown, reason?: string): Promise<number> => {
        const params = { requestId, ...(reason === undefined ? {} : { reason }) };
        const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
        return (await session.post(JSON.stringify(message))).status;
      },
    };
  };
  /** What was cancelled, each thing once: a note that is repeated may cancel once more, which does no harm. */
  const cancelled = () => [
    ...new Map(
      notices
        .filter(({ method }) => method === "notifications/cancelled")
        .map((notice) => [memberOf(notice.params, "requestId"), notice]),
    ).values(),
  ];
  const idOf = (index: number) => memberOf(JSON.parse(bodies[index] ?? "{}"), "id");
  return { rig, client, bodies, cancelled, idOf };
}

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("a call that its caller takes back, %s", (_, evict) => {
  it("is cancelled at its upstream by the id and in the session that it has there", async () => {
    const { opened, open } = gate();
    const { client, bodies, cancelled, idOf } = worker({
      evict,
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const ada = await client();
    const call = await ada.begin("call-1");
    await vi.waitUntil(() => bodies.length === 1);
    expect(await ada.cancel("call-1", "changed\nmy mind")).toBe(202);
    await vi.waitUntil(() => cancelled().length === 1);
    expect(cancelled()[0]).toMatchObject({
      params: { requestId: idOf(0), reason: "changed my mind" },
      session: SESSION,
    });
    expect(idOf(0)).not.toBe("call-1");
    open();
    // What the upstream says all the same is the caller's still, if it listens.
    expect(textIn(await call.result())).toBe("paid");
    expect(await ada.cancel("call-1")).toBe(202);
    expect(cancelled().length).toBe(1);
  });

  it("is cancelled in a session that was kept from an earlier call", async () => {
    const { opened, open } = gate();
    const { client, bodies, cancelled, idOf } = worker({
      evict,
      deed: async (id, call) => {
        if (call > 1) await opened;
        return result(id, text("paid"));
      },
    });
    const ada = await client();
    await ada.call("tool_execute", PAYMENT);
    const call = await ada.begin(7);
    await vi.waitUntil(() => bodies.length === 2);
    await ada.cancel(7);
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(1) }, session: SESSION }]);
    open();
    await call.result();
  });

  it("is cancelled by whoever opens its session, where that is not known yet", async () => {
    const handshake = gate();
    const work = gate();
    const { client, bodies, cancelled, idOf } = worker({
      evict,
      held: true,
      deed: async (id, call) => {
        if (call > 1) return work.opened.then(() => result(id, text("paid")));
        await handshake.opened;
        const serverInfo = { name: "bank", version: "1" };
        const answer = result(id, { protocolVersion: "2025-06-18", capabilities: {}, serverInfo });
        answer.headers.set("mcp-session-id", SESSION);
        return answer;
      },
    });
    const ada = await client();
    const call = await ada.begin("early");
    await vi.waitUntil(() => bodies.length === 1);
    await ada.cancel("early");
    expect(cancelled()).toEqual([]);
    handshake.open();
    await vi.waitUntil(() => cancelled().length === 1);
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(1) }, session: SESSION }]);
    work.open();
    await call.result();
  });

  it("is not sent again, where it is taken back while it waits for its next try", async () => {
    const { client, bodies, cancelled, idOf } = worker({
      evict,
      deed: () => new Response(null, { status: 429 }),
      gateway: {
        retry: { max_attempts: 5, base_delay_ms: 1000, retryable_codes: ["RATE_LIMITED"] },
      },
    });
    const ada = await client();
    const call = await ada.begin("again");
    await vi.waitUntil(() => bodies.length === 1);
    await ada.cancel("again");
    expect(errorIn(await call.result())).toMatchObject({ error: "RATE_LIMITED" });
    expect(bodies.length).toBe(1);
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(0) } }]);
  });

  it("is nobody else's to take back: not another session's, and not another principal's", async () => {
    const { opened, open } = gate();
    const { client, bodies, cancelled } = worker({
      evict,
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const ada = await client();
    const call = await ada.begin("mine");
    await vi.waitUntil(() => bodies.length === 1);
    for (const other of [await client(), await client(freshPrincipal("eve"))]) {
      expect(await other.cancel("mine")).toBe(202);
    }
    // A number and a text are two ids.
    await ada.cancel(1);
    expect(cancelled()).toEqual([]);
    open();
    await call.result();
  });

  it("is over when it is taken back, or was never made: nothing happens", async () => {
    const { client, cancelled } = worker({ evict });
    const ada = await client();
    await ada.call("tool_execute", PAYMENT, { id: "done" });
    expect(await ada.cancel("done")).toBe(202);
    expect(await ada.cancel("never")).toBe(202);
    expect(cancelled()).toEqual([]);
  });
});

describe("a call that is taken back where there are no sessions", () => {
  it("is cancelled where its token has one call of that id, and none of two", async () => {
    const { opened, open } = gate();
    const { rig, bodies, cancelled, idOf } = worker({
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const bearer = await bearerFor({ principal: freshPrincipal("payer") });
    const post = (message: object): RequestInit => ({
      method: "POST",
      headers: {
        Authorization: `Bearer ${bearer}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    const call = { method: "tools/call", params: { name: "tool_execute", arguments: PAYMENT } };
    const cancel = { method: "notifications/cancelled", params: { requestId: 1 } };
    const calls = [await rig.begin("/mcp/proxy", post({ id: 1, ...call }))];
    await vi.waitUntil(() => bodies.length === 1);
    // The note of the session that was opened is under way behind it.
    await vi.waitFor(async () => {
      await rig.send("/mcp/proxy", post(cancel));
      expect(cancelled().length).toBeGreaterThan(0);
    });
    expect(new Set(cancelled().map(({ params }) => memberOf(params, "requestId")))).toEqual(
      new Set([idOf(0)]),
    );
    const before = cancelled().length;
    calls.push(await rig.begin("/mcp/proxy", post({ id: 1, ...call })));
    await vi.waitUntil(() => bodies.length === 2);
    expect((await rig.send("/mcp/proxy", post(cancel))).status).toBe(202);
    expect(cancelled().length).toBe(before);
    open();
    for (const { response, settled } of calls) {
      await (await response).text();
      await settled();
    }
  });
});
