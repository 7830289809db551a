import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream } from "./bank-upstream.ts";
import { bearerFor, OPERATOR } from "./http/client.ts";
import { errorIn, type RigSettings, textIn, workerRig } from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const PAY = {
  namespace: "bank",
  name: "pay",
  description: "Pay an amount.",
  inputSchema: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
};
const RATES = {
  namespace: "bank",
  name: "rates",
  description: "Exchange rates.",
  annotations: { readOnlyHint: true },
};
const ID = fakeId(PAY);

beforeEach(async () => {
  await freshDatabase();
});

interface Options extends RigSettings {
  /** The text of a `tools/call` result. */
  readonly result?: string;
}

/** The Worker with an upstream that answers with a text as it stands. */
function worker({ result = '{"content":[]}', ...settings }: Options) {
  const { fetch, bodies } = bankUpstream(
    (id) =>
      new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, {
        headers: { "content-type": "application/json" },
      }),
  );
  const { openSession, send } = workerRig({ ...settings, tools: [PAY, RATES], fetch });
  const operator = async (path: string, method = "GET"): Promise<unknown> => {
    const response = await send(path, { method, headers: { Authorization: `Bearer ${OPERATOR}` } });
    return response.json();
  };
  const client = async (bearer: string) => {
    const { post, call } = await openSession(bearer);
    return {
      post: async (message: string): Promise<string> => (await post(message)).text(),
      call,
      execute: (args = '{"amount":1}', id = ID) =>
        call("tool_execute", `{"tool_id":${JSON.stringify(id)},"args":${args}}`),
    };
  };
  return { client, operator, bodies };
}

const codeIn = (answer: unknown): unknown => memberOf(errorIn(answer), "error");

describe("numbers that JavaScript would round or rewrite", () => {
  const amount = "12345678901234567890";

  it("reach the upstream as the caller wrote them, under a request id that comes back as it was", async () => {
    const { client, bodies } = worker({});
    const ada = await client(await bearerFor());
    const args = `{"amount":${amount},"a":1.0,"b":1e3,"c":-0,"d":0.10,"e":[1E4]}`;
    const answer = await ada.post(
      `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"tool_execute","arguments":{"tool_id":"${ID}","args":${args}}}}`,
    );
    expect(bodies[0]).toContain(`"arguments":${args}`);
    expect(answer).toContain('"id":9007199254740993');
    expect(answer).toContain('"content":[]');
  });

  it("reach the caller as the upstream wrote them, in content, structure and a kept artifact", async () => {
    const numbers = `{"id":${amount},"price":1.50,"list":[1.0,-0,2e5]}`;
    const { client } = worker({ result: `{"content":[],"structuredContent":${numbers}}` });
    const ada = await client(await bearerFor());
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_execute","arguments":{"tool_id":"${ID}","args":{"amount":1},"render":"json"}}}`;
    const text = await ada.post(call);
    expect(text).toContain(`"structured_content":${numbers}`);
    expect(textIn(memberOf(JSON.parse(text), "result"))).toContain(numbers);

    const long = `{"rows":[${Array.from({ length: 3000 }, (_, row) => `${amount}${row}.0`).join(",")}]}`;
    const kept = worker({ result: `{"content":[],"structuredContent":${long}}` });
    const bob = await kept.client(await bearerFor({ principal: "bob" }));
    const answer = JSON.stringify(await bob.execute());
    const handle = /\d{27}/.exec(answer)?.[0] ?? "";
    const view = await bob.call(
      "tool_view",
      `{"handle":"${handle}","selector":{"type":"bytes","offset":0,"length":16000}}`,
    );
    expect(long.startsWith(textIn(view))).toBe(true);
    expect(textIn(view).length).toBeGreaterThan(10_000);
  });

  it("are judged by the schema as the numbers they are", async () => {
    const { client, bodies } = worker({});
    const ada = await client(await bearerFor());
    expect(errorIn(await ada.execute('{"amount":1.5e0}'))).toMatchObject({
      error: "ARGS_INVALID",
      details: { errors: [{ path: "/amount", keyword: "type" }] },
    });
    expect(codeIn(await ada.execute('{"amount":2.0}'))).toBeUndefined();
    expect(bodies.length).toBe(1);
  });
});

describe("a message that could be read as two", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_browse","name":"tool_execute"}}'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/list"}'],
    ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","result":{}}'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}'],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
  ])("is refused: %s", async (message) => {
    const { client, bodies } = worker({});
    const ada = await client(await bearerFor());
    expect(JSON.parse(await ada.post(message))).toMatchObject({ id: null, error: { code: -32600 } });
    expect(bodies).toEqual([]);
  });
});

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("controls over real objects, %s", (_, evict) => {
  it("let a call run once after a person has granted it, and never again without one", async () => {
    const gateway = {
      policy: [
        {
          match: { meta_tool: "tool_execute", tool: "bank:pay" },
          action: "require_approval",
          reason: "money",
        },
      ],
    };
    const { client, operator, bodies } = worker({ gateway, evict });
    const ada = await client(await bearerFor());
    const asked = errorIn(await ada.execute('{"amount":12345678901234567890}'));
    expect(asked).toMatchObject({
      error: "AUTH_REQUIRED",
      details: { approval: "required", meta_tool: "tool_execute" },
    });
    const id = String(memberOf(memberOf(asked, "details"), "approval_id"));
    const again = errorIn(await ada.execute('{"amount":12345678901234567890}'));
    expect(again).toEqual(asked);
    expect(await operator("/admin/approvals")).toMatchObject({
      approvals: [{ id, principal: "ada", tool_id: ID, server: "bank", reason: "money", state: "pending" }],
    });
    expect(await operator(`/admin/approvals/${id}/grant`, "POST")).toMatchObject({ id, state: "granted" });

    expect(codeIn(await ada.execute('{"amount":2}'))).toBe("AUTH_REQUIRED");
    const eve = await client(await bearerFor({ principal: "eve" }));
    expect(codeIn(await eve.execute('{"amount":12345678901234567890}'))).toBe("AUTH_REQUIRED");
    expect(bodies.length).toBe(0);

    expect(codeIn(await ada.execute('{"amount":12345678901234567890}'))).toBeUndefined();
    expect(bodies.length).toBe(1);
    expect(codeIn(await ada.execute('{"amount":12345678901234567890}'))).toBe("AUTH_REQUIRED");
    expect(bodies.length).toBe(1);
    expect(memberOf(await operator(`/admin/approvals/${id}/grant`, "POST"), "error")).toBe("conflict");
  });

  it("deny what a person has refused", async () => {
    const gateway = { policy: [{ match: { tool: "bank:*" }, action: "require_approval" }] };
    const { client, operator, bodies } = worker({ gateway, evict });
    const ada = await client(await bearerFor());
    const asked = errorIn(await ada.execute());
    const id = String(memberOf(memberOf(asked, "details"), "approval_id"));
    expect(await operator(`/admin/approvals/${id}/refuse`, "POST")).toMatchObject({ state: "refused" });
    expect(codeIn(await ada.execute())).toBe("POLICY_DENIED");
    expect(bodies.length).toBe(0);
  });

  it.each([
    ["session", undefined],
    ["principal", "RATE_LIMITED"],
  ])("count per %s: a second session is met by %s", async (per, second) => {
    const gateway = { rate_limits: { per, tool_execute: { max_calls_per_minute: 2 } } };
    const { client, bodies } = worker({ gateway, evict });
    const bearer = await bearerFor();
    const first = await client(bearer);
    await first.execute();
    await first.execute();
    const error = errorIn(await first.execute());
    expect(error).toMatchObject({
      error: "RATE_LIMITED",
      retryable: true,
      details: { scope: "tool_execute/minute" },
    });
    const wait = Number(memberOf(memberOf(error, "details"), "retry_after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(codeIn(await (await client(bearer)).execute())).toBe(second);
    expect(bodies.length).toBe(second === undefined ? 3 : 2);
  });

  it("charge nothing for a dry run, and tell what a call would meet", async () => {
    const gateway = { rate_limits: { tools: { "bank:pay": { max_calls_per_session: 1 } } } };
    const { client } = worker({ gateway, evict });
    const ada = await client(await bearerFor());
    const dry = () => ada.call("tool_execute", `{"tool_id":"${ID}","args":{"amount":1},"dry_run":true}`);
    const limit = async () => JSON.stringify(memberOf(JSON.parse(textIn(await dry())), "checks"));
    expect(await limit()).toContain('{"name":"rate_limit","status":"pass"}');
    await dry();
    expect(codeIn(await ada.execute())).toBeUndefined();
    expect(await limit()).toContain('{"name":"rate_limit","status":"fail","code":"RATE_LIMITED"}');
    expect(errorIn(await ada.execute())).toMatchObject({
      details: { scope: `tool:${ID}/session`, retry_after: null },
    });
  });
});

describe("the cache of read-only answers", () => {
  it("spares the upstream, per principal unless the tool is shared", async () => {
    const shared = fakeId(RATES);
    for (const [settings, calls] of [
      [{ read_only: true }, 2],
      [{ read_only: true, shared: ["bank:rates"] }, 1],
    ] as const) {
      const { client, bodies } = worker({
        gateway: { cache: settings },
        server: { trust_hints: true },
        result: '{"content":[{"type":"text","text":"1.10"}]}',
      });
      const ada = await client(await bearerFor());
      const bob = await client(await bearerFor({ principal: "bob" }));
      for (const caller of [ada, bob, ada, bob]) {
        expect(textIn(await caller.execute('{"b":1,"a":2.0}', shared))).toBe("1.10");
      }
      expect(bodies.length).toBe(calls);
    }
  });
});
