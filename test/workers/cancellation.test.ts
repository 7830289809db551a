import { beforeEach, describe, expect, it } from "vitest";
import { result, text } from "./bank-upstream.ts";
import { CALL, FETCHED, FETCHES, gate, PAYMENT, READ, SESSION, sessionless, worker } from "./cancel-rig.ts";
import { errorIn, freshPrincipal, textIn } from "./worker-rig.ts";
import { eventually, until } from "./patience.ts";
import { freshDatabase } from "./fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
});

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("a call that its caller takes back, %s", (_, evict) => {
  it("is cancelled at its upstream by the id and in the session that it has there", async () => {
    const { opened, open } = gate();
    const { client, bodies, cancelled, idOf, noted } = worker({
      evict,
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const ada = await client();
    const call = await ada.begin("call-1");
    await until(() => bodies.length === 1);
    await noted();
    expect(await ada.cancel("call-1", "changed\nmy mind")).toBe(202);
    await until(() => cancelled().length === 1);
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
    await until(() => bodies.length === 2);
    await ada.cancel(7);
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(1) }, session: SESSION }]);
    open();
    await call.result();
  });

  it("is not sent at all, where it is taken back before its session is open", async () => {
    const handshake = gate();
    const { client, bodies, cancelled } = worker({
      evict,
      held: true,
      deed: async (id, call) => {
        if (call > 1) return result(id, text("paid"));
        await handshake.opened;
        const serverInfo = { name: "bank", version: "1" };
        const answer = result(id, { protocolVersion: "2025-06-18", capabilities: {}, serverInfo });
        answer.headers.set("mcp-session-id", SESSION);
        return answer;
      },
    });
    const ada = await client();
    const call = await ada.begin("early");
    await until(() => bodies.length === 1);
    await ada.cancel("early");
    handshake.open();
    expect(errorIn(await call.result())).toMatchObject({ details: { outcome: "not_dispatched" } });
    expect([bodies.length, cancelled()]).toEqual([1, []]);
    expect(textIn(await ada.call("tool_execute", PAYMENT, { id: "early" }))).toBe("paid");
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
    await until(() => bodies.length === 1);
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
    await until(() => bodies.length === 1);
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

describe("a call that is taken back and answered with an error", () => {
  it("is unknown to whoever repeats it, and no fault of its server", async () => {
    const { opened, open } = gate();
    const { client, bodies, cancelled } = worker({
      deed: async (id) =>
        opened.then(() =>
          Response.json({ jsonrpc: "2.0", id, error: { code: -32_800, message: "Request cancelled" } }),
        ),
    });
    const ada = await client();
    const call = await ada.begin(7);
    await until(() => bodies.length === 1);
    await ada.cancel(7);
    await until(() => cancelled().length === 1);
    open();
    expect(errorIn(await call.result())).toMatchObject({ error: "UPSTREAM_ERROR" });
    expect(errorIn(await ada.call("tool_execute", PAYMENT, { id: 7 }))).toMatchObject({
      details: { outcome: "unknown" },
    });
    expect(bodies.length).toBe(1);
  });
});

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("what is taken back where there are no sessions, %s", (_, evict) => {
  it("is cancelled where its token has one call of that id, and none of two", async () => {
    const { opened, open } = gate();
    const { rig, bodies, cancelled, idOf } = worker({
      evict,
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const { begin, cancel } = await sessionless(rig);
    const ends = [await begin(1, CALL)];
    await until(() => bodies.length === 1);
    // The note of the session that was opened is under way behind it.
    await eventually(async () => {
      await cancel(1);
      expect(cancelled().length).toBeGreaterThan(0);
    });
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(0) } }]);
    ends.push(await begin(1, CALL));
    await until(() => bodies.length === 2);
    await cancel(1);
    expect(cancelled().length).toBe(1);
    open();
    for (const end of ends) await end();
    expect(cancelled().length).toBe(1);
  });

  it.each(FETCHES)(
    "is nobody's while another client's $method has the id too, and the call's again when that has ended",
    async (fetched) => {
      const [paying, reading] = [gate(), gate()];
      const { rig, bodies, cancelled, idOf } = worker({
        evict,
        deed: async (id, call) => {
          await (call === 1 ? paying : reading).opened;
          return result(id, call === 1 ? text("paid") : FETCHED);
        },
      });
      const { begin, cancel } = await sessionless(rig);
      const payment = await begin(3, CALL);
      await until(() => bodies.length === 1);
      const read = await begin(3, fetched);
      await until(() => bodies.length === 2);
      await cancel(3);
      reading.open();
      expect(await read()).toContain("noted");
      expect(cancelled()).toEqual([]);
      await eventually(async () => {
        await cancel(3);
        expect(cancelled().length).toBeGreaterThan(0);
      });
      expect(cancelled()).toMatchObject([{ params: { requestId: idOf(0) }, session: SESSION }]);
      paying.open();
      expect(await payment()).toContain("paid");
      expect(cancelled().length).toBe(1);
    },
  );

  it.each(FETCHES)(
    "is a $method too, at its server and under its id there, and is asked again",
    async (fetched) => {
      const { opened, open } = gate();
      const { rig, bodies, cancelled, idOf } = worker({
        evict,
        deed: async (id) => opened.then(() => result(id, FETCHED)),
      });
      const { begin, send, cancel } = await sessionless(rig);
      const read = await begin("r", fetched);
      await until(() => bodies.length === 1);
      await cancel("r");
      await until(() => cancelled().length === 1);
      expect(cancelled()).toMatchObject([{ params: { requestId: idOf(0) }, session: SESSION }]);
      expect(idOf(0)).not.toBe("r");
      open();
      expect(await read()).toContain("noted");
      await cancel("r");
      expect(await send("r", fetched)).toContain("noted");
      expect([bodies.length, cancelled().length]).toEqual([2, 1]);
    },
  );

  it("is the own call of a client that came back and counts its ids anew", async () => {
    const { opened, open } = gate();
    const { rig, bodies, cancelled, idOf } = worker({
      evict,
      deed: async (id, call) => {
        if (call > 2) await opened;
        return result(id, call === 2 ? FETCHED : text("paid"));
      },
    });
    const { begin, send, cancel } = await sessionless(rig);
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const connect = async () => {
      await send(0, { method: "initialize", params });
      await send(1, { method: "tools/list" });
    };
    await connect();
    await send(2, CALL);
    await send(3, READ);
    await connect();
    await send(2, { method: "resources/list" });
    const payment = await begin(3, CALL);
    await until(() => bodies.length === 3);
    await eventually(async () => {
      await cancel(3);
      expect(cancelled().length).toBeGreaterThan(0);
    });
    for (const over of [0, 1, 2]) await cancel(over);
    expect(cancelled()).toMatchObject([{ params: { requestId: idOf(2) } }]);
    open();
    expect(await payment()).toContain("paid");
  });
});
