import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { stubOf } from "./principal-client.ts";
import {
  type CallOrigin,
  errorIn,
  freshPrincipal,
  type RigSettings,
  textIn,
  workerRig,
} from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const PAY = { namespace: "bank", name: "pay", description: "Pay.", inputSchema: { type: "object" } };

const answer: Deed = (id, execution) => result(id, text(`paid ${execution}`));
/** What the upstream does once it has carried the call out. */
const ENDINGS: Readonly<Record<string, Deed>> = {
  hangs: () => new Promise<Response>(() => undefined),
  drops: () => Promise.reject(new TypeError("connection lost")),
  "answers garbage": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  "answers with a server error": () => new Response("", { status: 500 }),
  "answers for another request": () => result("somebody else's", text("paid 0")),
};

beforeEach(async () => {
  await freshDatabase();
});

/** The Worker and an upstream that counts what it carries out. */
function worker({ ending: first = answer, server, ...settings }: RigSettings & { ending?: Deed } = {}) {
  let ending = first;
  const { fetch, bodies: executed } = bankUpstream((...given) => ending(...given));
  const rig = workerRig({ ...settings, server: { timeout_ms: 300, ...server }, tools: [PAY], fetch });
  const principal = freshPrincipal("payer");
  const client = async () => {
    const { call } = await rig.openSession(await bearerFor({ principal }));
    return {
      pay: ({ args = { amount: 1 }, dry, ...origin }: CallOrigin & { args?: object; dry?: true } = {}) =>
        call("tool_execute", { tool_id: fakeId(PAY), args, ...(dry ? { dry_run: true } : {}) }, origin),
    };
  };
  const endWith = (other: Deed) => {
    ending = other;
  };
  return { client, executed, endWith, principal };
}

const argumentsIn = (body: string): unknown => memberOf(memberOf(JSON.parse(body), "params"), "arguments");

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("a call that may not run again, %s", (_, evict) => {
  it.each(Object.entries(ENDINGS))(
    "ran once where the upstream commits and then %s, and says so",
    async (__, ending) => {
      const { client, executed, endWith } = worker({
        ending,
        evict,
        gateway: { retry: { max_attempts: 5, base_delay_ms: 1 } },
      });
      const ada = await client();
      const error = errorIn(await ada.pay({ key: "k" }));
      expect(error).toMatchObject({ retryable: false, details: { outcome: "unknown" } });
      endWith(answer);
      expect(errorIn(await ada.pay({ key: "k" }))).toMatchObject({
        error: "UPSTREAM_ERROR",
        retryable: false,
        details: { outcome: "unknown" },
      });
      expect(executed.length).toBe(1);
    },
  );

  it("runs once under its idempotency key and gets the first answer, also in another session", async () => {
    const { client, executed } = worker({ evict });
    const first = await (await client()).pay({ key: "k" });
    const again = await (await client()).pay({ key: "k" });
    expect([textIn(first), textIn(again)]).toEqual(["paid 1", "paid 1"]);
    expect(again).toEqual(first);
    expect(executed.length).toBe(1);
  });

  it("runs once under its JSON-RPC id in one session, and again in another", async () => {
    const { client, executed } = worker({ evict });
    const [ada, bob] = [await client(), await client()];
    const texts = [
      await ada.pay({ id: 7 }),
      await ada.pay({ id: 7 }),
      await bob.pay({ id: 7 }),
      await ada.pay({ id: "7" }),
    ];
    expect(texts.map(textIn)).toEqual(["paid 1", "paid 1", "paid 2", "paid 3"]);
    expect(executed.length).toBe(3);
  });

  it("runs as often as it is made: equal arguments are no repetition, and an id with others is a call of its own", async () => {
    const { client, executed } = worker({ evict });
    const ada = await client();
    await ada.pay({ id: 1, args: { amount: 5 } });
    await ada.pay({ id: 2, args: { amount: 5 } });
    await ada.pay({ id: 1, args: { amount: 6 } });
    expect(executed.map(argumentsIn)).toEqual([{ amount: 5 }, { amount: 5 }, { amount: 6 }]);
  });

  it("refuses another call under a key that is used", async () => {
    const { client, executed } = worker({ evict });
    const ada = await client();
    await ada.pay({ key: "k" });
    expect(errorIn(await ada.pay({ key: "k", args: { amount: 2 } }))).toMatchObject({
      error: "ARGS_INVALID",
      details: { errors: [{ path: "/_meta/loomgate~1idempotency-key", keyword: "unique" }] },
    });
    expect(executed.length).toBe(1);
  });

  it("is told by a dry run under its key what it would meet", async () => {
    const { client, executed, endWith } = worker({ evict });
    const ada = await client();
    const dry = async (origin: CallOrigin & { args?: object }) => {
      const report = memberOf(JSON.parse(textIn(await ada.pay({ ...origin, dry: true }))), "checks");
      return Array.isArray(report) ? report.slice(3) : report;
    };
    expect(await dry({ key: "k" })).toEqual([{ name: "journal", status: "pass" }]);
    await ada.pay({ key: "k", id: 1 });
    expect(await dry({ key: "k" })).toEqual([{ name: "journal", status: "pass", answered: true }]);
    expect(await dry({ key: "k", args: { amount: 2 } })).toEqual([
      { name: "journal", status: "fail", code: "ARGS_INVALID" },
    ]);
    endWith(() => new Response("", { status: 500 }));
    await ada.pay({ key: "lost" });
    expect(await dry({ key: "lost" })).toEqual([{ name: "journal", status: "fail", code: "UPSTREAM_ERROR" }]);
    // Its own id names nobody's call, and without a name there is nothing to say.
    expect(await dry({ id: 1 })).toEqual([]);
    expect(executed.length).toBe(2);
  });

  it("runs under its key once it is known not to have run", async () => {
    const { client, executed, endWith } = worker({ evict, ending: () => new Response("", { status: 429 }) });
    const ada = await client();
    expect(errorIn(await ada.pay({ key: "k" }))).toMatchObject({ error: "RATE_LIMITED" });
    endWith(answer);
    expect(textIn(await ada.pay({ key: "k" }))).toBe("paid 2");
    expect(executed.length).toBe(2);
  });

  it("gives back an error that the tool itself reported, and a large answer by its handle", async () => {
    const failed: Deed = (id) => result(id, { ...text("no money"), isError: true });
    const image = { type: "image", mimeType: "image/png", data: "iVBO".repeat(20_000) };
    const large: Deed = (id) => result(id, { content: [image] });
    const { client, executed, endWith } = worker({ evict, ending: failed });
    const ada = await client();
    const first = await ada.pay({ key: "a" });
    expect(await ada.pay({ key: "a" })).toEqual(first);
    endWith(large);
    await ada.pay({ key: "b" });
    expect(textIn(await ada.pay({ key: "b" }))).toMatch(
      /^the same call ran before; its answer is kept: tool_view \{"handle":"\d{27}"/,
    );
    expect(executed.length).toBe(2);
  });
});

describe("the journal", () => {
  it("refuses a call that is still running, and says when to ask again", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { client, executed } = worker({
      ending: async (id, execution) => {
        await gate;
        return result(id, text(`paid ${execution}`));
      },
      server: { timeout_ms: 20_000 },
    });
    const [ada, bob] = [await client(), await client()];
    const running = ada.pay({ key: "k" });
    while (executed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(errorIn(await bob.pay({ key: "k" }))).toMatchObject({
      error: "RATE_LIMITED",
      retryable: true,
      details: { scope: "tool_execute/in_flight" },
    });
    release();
    expect(textIn(await running)).toBe("paid 1");
    expect(textIn(await bob.pay({ key: "k" }))).toBe("paid 1");
    expect(executed.length).toBe(1);
  });

  it("takes a call whose isolate died for one whose outcome nobody knows", async () => {
    const { client, executed, principal } = worker();
    const ada = await client();
    await ada.pay({ key: "k" });
    // As if the report had never come and the lease had run out.
    await runInDurableObject(stubOf(principal), (__, { storage }) => {
      storage.sql.exec("UPDATE journal SET knowledge = 'in_flight', answer = NULL, lease_ends_at_ms = 1");
    });
    expect(errorIn(await ada.pay({ key: "k" }))).toMatchObject({
      retryable: false,
      details: { outcome: "unknown" },
    });
    expect(executed.length).toBe(1);
  });

  it.each([5, "", "x".repeat(201), {}, ["k"], null])(
    "refuses %j as an idempotency key, and nothing runs",
    async (key) => {
      const { client, executed } = worker();
      expect(await (await client()).pay({ key })).toMatchObject({ code: -32602 });
      expect(executed.length).toBe(0);
    },
  );

  it("lets a convergent call succeed after a lost answer, also under a key", async () => {
    const { client, executed } = worker({
      ending: (...given) => (given[1] === 1 ? Promise.reject(new TypeError("lost")) : answer(...given)),
      server: { replay: { "*": "convergent" }, timeout_ms: 5000 },
      gateway: { retry: { max_attempts: 3, base_delay_ms: 1 } },
    });
    const ada = await client();
    const first = await ada.pay({ key: "k" });
    expect(textIn(first)).toBe("paid 2");
    expect(
      memberOf(memberOf(memberOf(memberOf(first, "_meta"), "loomgate/envelope"), "provenance"), "attempts"),
    ).toBe(2);
    expect(textIn(await ada.pay({ key: "k" }))).toBe("paid 2");
    expect(executed.length).toBe(2);
  });

  it("lets a convergent call succeed where the upstream commits and then hangs", async () => {
    const { client, executed } = worker({
      ending: (...given) => (given[1] === 1 ? new Promise<Response>(() => undefined) : answer(...given)),
      server: { replay: { "*": "convergent" }, timeout_ms: 600 },
      gateway: { retry: { max_attempts: 2, base_delay_ms: 1 } },
    });
    expect(textIn(await (await client()).pay())).toBe("paid 2");
    expect(executed.length).toBe(2);
  });

  it("does not charge a repetition", async () => {
    const { client, executed } = worker({
      gateway: { rate_limits: { tool_execute: { max_calls_per_minute: 1 } } },
    });
    const ada = await client();
    await ada.pay({ key: "k" });
    expect(textIn(await ada.pay({ key: "k" }))).toBe("paid 1");
    expect(errorIn(await ada.pay({ key: "other" }))).toMatchObject({ error: "RATE_LIMITED" });
    expect(executed.length).toBe(1);
  });
});
