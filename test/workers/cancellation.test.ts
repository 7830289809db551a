import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeId, fakePromptId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { sql } from "./principal-client.ts";
import { errorIn, freshPrincipal, type RigSettings, textIn, workerRig } from "./worker-rig.ts";
import { eventually, until } from "./patience.ts";
import { freshDatabase } from "./fresh-storage.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };
const PAYMENT = { tool_id: fakeId(PAY), args: {} };
const NOTE = { namespace: "bank", uri: "note:///1", name: "note" };
const PROMPT = { namespace: "bank", name: "sum", arguments: [{ name: "style" }] };
const SESSION = "session-of-bank";

beforeEach(async () => {
  await freshDatabase();
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
  const rig = workerRig({
    ...settings,
    tools: [PAY],
    primitives: { resources: [NOTE], prompts: [PROMPT] },
    fetch,
  });
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
  /** Once it is known in which session the one call is: whoever takes it back before has his words told by nobody. */
  const noted = async () =>
    until(
      async () => (await sql(principal, "SELECT 1 FROM flights WHERE session_id IS NOT NULL")).length > 0,
    );
  return { rig, client, bodies, cancelled, idOf, noted };
}

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
    await until(() => bodies.length === 1);
    await ada.cancel("early");
    expect(cancelled()).toEqual([]);
    handshake.open();
    await until(() => cancelled().length === 1);
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

/** Clients of one token that keep no session, whose requests begin and end as the test has it. */
async function sessionless(rig: ReturnType<typeof worker>["rig"]) {
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
  return {
    /** Ends with the reply, once nothing is left running. */
    begin: async (id: unknown, request: object) => {
      const { response, settled } = await rig.begin("/mcp/proxy", post({ id, ...request }));
      return async (): Promise<string> => {
        const reply = await (await response).text();
        await settled();
        return reply;
      };
    },
    send: async (id: unknown, request: object) =>
      (await rig.send("/mcp/proxy", post({ id, ...request }))).text(),
    cancel: async (requestId: unknown) => {
      const message = { method: "notifications/cancelled", params: { requestId } };
      expect((await rig.send("/mcp/proxy", post(message))).status).toBe(202);
    },
  };
}

const CALL = { method: "tools/call", params: { name: "tool_execute", arguments: PAYMENT } };
const READ = { method: "resources/read", params: { uri: NOTE.uri } };
const argument = { name: "style", value: "sh" };
const FETCHES = [
  READ,
  { method: "prompts/get", params: { name: fakePromptId(PROMPT) } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: fakePromptId(PROMPT) }, argument },
  },
];
const FETCHED = {
  contents: [{ uri: NOTE.uri, text: "noted" }],
  messages: [{ role: "user", content: { type: "text", text: "noted" } }],
  completion: { values: ["noted"] },
};

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
