import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { type Deed, hangs, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { recordLog } from "./recorded-log.ts";
import { PAY_ID, RATES_ID, tellingWorker } from "./telling-worker.ts";
import { errorIn, textIn } from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const log = recordLog();

beforeEach(async () => {
  await freshDatabase();
});

const status = (code: number, headers: Record<string, string> = {}): Deed => {
  return () => new Response("the backend's own words", { status: code, headers });
};
const rpcError =
  (code: number, message: string): Deed =>
  (id) =>
    Response.json({ jsonrpc: "2.0", id, error: { code, message } });
/** Nothing listens there. */
const refused: Deed = () => fetch("http://127.0.0.1:9/mcp");
const late: Deed = async (id) => {
  await new Promise((resolve) => setTimeout(resolve, 700));
  return result(id, text("too late"));
};

/** Every row of the taxonomy that an upstream can bring about: what it does, what the caller is told, what is counted. */
const FAILURES: readonly (readonly [string, Deed, object, string])[] = [
  ["hangs", hangs, { error: "UPSTREAM_TIMEOUT", outcome: "unknown" }, "error deadline"],
  ["answers late", late, { error: "UPSTREAM_TIMEOUT", outcome: "unknown" }, "error deadline"],
  ["is not there", refused, { error: "UPSTREAM_UNAVAILABLE", outcome: "unknown" }, "error unreachable"],
  ["wants other credentials", status(401), { error: "AUTH_FAILED" }, "error unauthorized"],
  ["forbids", status(403), { error: "PERMISSION_DENIED" }, "response_error forbidden"],
  ["breaks", status(500), { error: "UPSTREAM_ERROR", outcome: "unknown" }, "error http_status_500"],
  [
    "is a broken gateway",
    status(502),
    { error: "UPSTREAM_UNAVAILABLE", outcome: "unknown" },
    "error unreachable",
  ],
  ["is overloaded", status(503), { error: "UPSTREAM_UNAVAILABLE" }, "error unreachable"],
  [
    "answers a page",
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    { error: "UPSTREAM_ERROR", outcome: "unknown" },
    "error illegal_answer",
  ],
  [
    "answers garbage",
    () => new Response('{"jsonrpc":', { headers: { "content-type": "application/json" } }),
    { error: "UPSTREAM_ERROR", outcome: "unknown" },
    "error illegal_answer",
  ],
  [
    "answers an error",
    rpcError(-32_603, "the backend's own words"),
    { error: "UPSTREAM_ERROR", outcome: "completed" },
    "response_error rpc_error_minus_32603",
  ],
  [
    "does not know the tool",
    rpcError(-32_602, "Unknown tool: pay"),
    { error: "HYDRATE_FAILED" },
    "response_error unknown_tool",
  ],
  [
    "answers more than is read",
    () => endless(),
    { error: "UPSTREAM_ERROR", outcome: "unknown" },
    "error too_large",
  ],
  [
    "answers no result",
    (id) => result(id, { content: "no list" }),
    { error: "UPSTREAM_ERROR", outcome: "completed" },
    "error illegal_result",
  ],
];

/** JSON that has not begun to say anything after all that is read of one answer. */
function endless(): Response {
  const spaces = new Uint8Array(1_048_576).fill(0x20);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(spaces);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("an upstream that fails, %s", (_, evict) => {
  it.each(FAILURES)("and %s is told once, as its caller is told", async (__, deed, expected, ending) => {
    const { client, told, admits } = tellingWorker({ deed, evict });
    const ada = await client();
    const before = admits();
    const wire = errorIn(await ada.pay());
    const [entry, ...others] = told();
    expect(others).toEqual([]);
    const attributes: Record<string, unknown> = { ...entry?.event.attributes };
    expect(attributes).toMatchObject({ attempts: 1, arg_count: 1, replay: "never_replay" });
    expect({ error: attributes["error_code"], outcome: attributes["outcome"] }).toMatchObject(expected);
    expect([attributes["error_code"], attributes["retryable"]]).toEqual([
      memberOf(wire, "error"),
      memberOf(wire, "retryable"),
    ]);
    expect(entry?.event).toMatchObject({ event: "execute.failed", success: false, tool_id: PAY_ID });
    const operations = entry?.upstreams.flatMap((record) => record.operations) ?? [];
    const last = operations.at(-1);
    expect(last && "error" in last ? `${last.record} ${last.error}` : last).toBe(ending);
    expect(operations.some(({ record }) => record === "recovery_fault")).toBe(last?.record === "error");
    expect(JSON.stringify(entry)).not.toContain("backend");
    expect(admits() - before).toBe(1);
  });

  it("at the handshake already is told as not sent", async () => {
    const { client, told } = tellingWorker({ deed: refused, deedToHandshake: true, evict });
    await (await client()).pay();
    expect(told()).toMatchObject([
      { event: { event: "execute.failed", attributes: { outcome: "not_dispatched" } } },
    ]);
  });

  it("by its own limit is told as limited by it", async () => {
    const { client, told } = tellingWorker({ deed: status(429, { "Retry-After": "7" }), evict });
    await (await client()).pay();
    expect(told()).toMatchObject([
      {
        event: {
          event: "execute.rate_limited",
          attributes: { scope: "upstream", retry_after_ms: 7000, attempts: 1 },
        },
        upstreams: [{ server: "bank", generation: 1, operations: [{}, { record: "response_error" }] }],
      },
    ]);
  });
});

describe("an upstream that answers", () => {
  it("is told with the answer's status: fine, an error of the tool's, in part", async () => {
    const large = text("a line of a log\n".repeat(3000));
    for (const [deed, noStore, success, word] of [
      [undefined, false, true, "ok"],
      [(id: unknown) => result(id, { ...text("no money"), isError: true }), false, false, "error"],
      [(id: unknown) => result(id, large), true, true, "partial"],
    ] as const) {
      const { client, told, reports } = tellingWorker({ noStore, ...(deed === undefined ? {} : { deed }) });
      await (await client()).pay();
      expect(reports.length).toBe(1);
      expect(told()).toMatchObject([
        {
          event: { event: "execute.completed", success, attributes: { status: word, attempts: 1 } },
          upstreams: [{ operations: [{ record: "request" }, { record: "success" }] }],
        },
      ]);
    }
  });

  it("after tries that failed counts every one, and those of a call that failed at last", async () => {
    const gateway = { retry: { max_attempts: 3, base_delay_ms: 1 } };
    const server = { replay: { "*": "convergent" }, timeout_ms: 5000 };
    const third: Deed = (id, call) =>
      call < 3 ? new Response("", { status: 503 }) : result(id, text("done"));
    for (const [deed, event, last] of [
      [third, "execute.completed", "success"],
      [status(503), "execute.failed", "error"],
    ] as const) {
      const { client, told, calls } = tellingWorker({ deed, gateway, server });
      await (await client()).pay();
      const [entry, ...others] = told();
      expect([calls(), others]).toEqual([3, []]);
      expect(entry?.event).toMatchObject({ event, attributes: { attempts: 3, replay: "convergent" } });
      const records = entry?.upstreams[0]?.operations.map(({ record }) => record) ?? [];
      expect(records.filter((record) => record === "replay").length).toBe(2);
      expect(records.at(-1)).toBe(last);
    }
  });

  it("once is asked once, and its answer out of the cache is told as that", async () => {
    const gateway = { cache: { read_only: true } };
    const { client, told, calls } = tellingWorker({ gateway, server: { trust_hints: true } });
    const ada = await client();
    for (const day of ["1", "1"]) await ada.call("tool_execute", { tool_id: RATES_ID, args: { day } });
    expect(calls()).toBe(1);
    expect(told()).toMatchObject([
      { event: { event: "execute.completed" }, upstreams: [{ server: "bank" }] },
      { event: { event: "execute.cache_hit", tool_id: RATES_ID }, upstreams: [] },
    ]);
  });
});

describe("a call that is made again", () => {
  it("is told as answered without a try", async () => {
    const { client, told, calls } = tellingWorker();
    const ada = await client();
    expect(textIn(await ada.pay({ key: "k" }))).toBe("done 1");
    expect(textIn(await ada.pay({ key: "k" }))).toBe("done 1");
    expect(textIn(await ada.pay({ id: 7 }))).toBe("done 2");
    expect(textIn(await ada.pay({ id: 7 }))).toBe("done 2");
    expect(calls()).toBe(2);
    const entries = told();
    expect(
      entries.map(({ event, upstreams }) => [
        event.event,
        memberOf(event.attributes, "attempts"),
        upstreams.length,
      ]),
    ).toEqual([
      ["execute.completed", 1, 1],
      ["execute.completed", 0, 0],
      ["execute.completed", 1, 1],
      ["execute.completed", 0, 0],
    ]);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(4);
  });

  it("while it runs, after it was lost, or as another one is told each by its name", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const deed: Deed = async (id) => {
      await gate;
      return result(id, text("done"));
    };
    const { client, told, calls } = tellingWorker({ deed, server: { timeout_ms: 20_000 } });
    const [ada, bob] = [await client(), await client()];
    const running = ada.pay({ key: "k" });
    while (calls() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await bob.pay({ key: "k" });
    expect(told()).toMatchObject([
      { event: { event: "execute.rate_limited", attributes: { scope: "in_flight", attempts: 0 } } },
    ]);
    release();
    await running;
    expect(told()).toMatchObject([{ event: { event: "execute.completed" } }]);
    await bob.call("tool_execute", { tool_id: PAY_ID, args: { amount: 2 } }, { key: "k" });
    expect(told()).toMatchObject([{ event: { attributes: { error_code: "ARGS_INVALID", attempts: 0 } } }]);
    const lost = tellingWorker({ deed: hangs });
    const eve = await lost.client();
    await eve.pay({ key: "k" });
    await eve.pay({ key: "k" });
    expect(lost.told()).toMatchObject([
      { event: { event: "execute.failed", attributes: { error_code: "UPSTREAM_TIMEOUT", attempts: 1 } } },
      { event: { attributes: { error_code: "UPSTREAM_ERROR", outcome: "unknown", attempts: 0 } } },
    ]);
  });
});

describe("a call that a control stops", () => {
  it.each([
    [{ tool_execute: { max_calls_per_minute: 1 } }, "meta_tool_minute"],
    [{ tool_execute: { max_calls_per_session: 1 } }, "meta_tool_session"],
    [{ tools: { "*": { max_calls_per_minute: 1 } } }, "tool_minute"],
    [{ tools: { "*": { max_calls_per_session: 1 } } }, "tool_session"],
  ])("by the limits %j is told by their name", async (limits, scope) => {
    const { client, told, calls } = tellingWorker({ gateway: { rate_limits: limits } });
    const ada = await client();
    await ada.pay();
    await ada.pay();
    const [, limited, ...others] = told();
    expect([calls(), others]).toEqual([1, []]);
    expect(limited).toMatchObject({
      event: { event: "execute.rate_limited", tool_id: PAY_ID, attributes: { scope, per: "session" } },
      upstreams: [],
    });
    expect(memberOf(limited?.event.attributes, "retry_after_ms") === undefined).toBe(
      scope.endsWith("session"),
    );
  });

  it("by a rule is denied, as is its dry run", async () => {
    const policy = [{ match: { tool: "bank:pay*" }, action: "deny", reason: "no" }];
    const { client, told } = tellingWorker({ gateway: { policy } });
    const ada = await client();
    await ada.pay();
    await ada.pay({ dry_run: true });
    expect(told()).toMatchObject([
      { event: { event: "execute.denied", attributes: { action: "deny", rule_index: 0 } } },
      { event: { event: "execute.denied", attributes: { action: "deny", dry_run: true } } },
    ]);
  });

  it("for a person's consent is denied until it is given", async () => {
    const policy = [{ match: {}, action: "require_approval" }];
    const { client, told } = tellingWorker({ gateway: { policy } });
    await (await client()).pay();
    expect(told()).toMatchObject([
      {
        event: {
          event: "execute.denied",
          attributes: { action: "require_approval", error_code: "AUTH_REQUIRED", rule_index: 0 },
        },
      },
    ]);
  });

  it("in a dry run is foretold", async () => {
    const gateway = { rate_limits: { tool_execute: { max_calls_per_minute: 1 } } };
    const { client, told, calls } = tellingWorker({ gateway });
    const ada = await client();
    await ada.pay({ dry_run: true });
    await ada.pay();
    await ada.pay({ dry_run: true });
    await ada.call("tool_execute", { tool_id: RATES_ID, args: { day: 1 }, dry_run: true });
    expect(calls()).toBe(1);
    expect(
      told().map(({ event }) => [event.event, event.success, memberOf(event.attributes, "error_code")]),
    ).toEqual([
      ["execute.dry_run", true, undefined],
      ["execute.completed", true, undefined],
      ["execute.dry_run", true, "RATE_LIMITED"],
      ["execute.dry_run", false, "ARGS_INVALID"],
    ]);
  });
});

describe("a caller", () => {
  it("that sends several calls at once has each of them told, in one session", async () => {
    const { client, told } = tellingWorker();
    const { post, message } = await client();
    const batch = [
      message("tool_execute", { tool_id: PAY_ID, args: {} }),
      message("tool_execute", { tool_id: "made up", args: {} }),
      message("tool_browse", { query: "pay" }),
      message("tool_view", { handle: "made up", selector: { type: "head" } }),
      message("no_such_tool", {}),
    ];
    await post(`[${batch.join(",")}]`);
    const entries = told();
    expect(new Set(entries.map(({ event }) => event.event))).toEqual(
      new Set(["execute.completed", "execute.failed", "browse.completed", "view.failed"]),
    );
    expect(entries.length).toBe(4);
    expect(new Set(entries.map(({ event }) => event.session_id)).size).toBe(1);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(4);
  });

  it("that has gone away is told of all the same, once, whether its call was sent by then or not", async () => {
    const { client, told, calls, admits } = tellingWorker();
    const ada = await client();
    const before = admits();
    const until = async (came: () => boolean) => {
      while (!came()) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const pay = () => ada.message("tool_execute", { tool_id: PAY_ID, args: {} });
    await ada.leave(pay(), () => until(() => admits() > before));
    expect(told()).toMatchObject([{ event: { event: "execute.completed" } }]);
    await ada.leave(pay(), () => until(() => calls() > 1));
    expect(told()).toMatchObject([{ event: { event: "execute.completed" } }]);
    await ada.leave(ada.message("tool_browse", { query: "pay" }), () => until(() => admits() > before + 2));
    expect(told()).toMatchObject([{ event: { event: "browse.completed" } }]);
  });

  it("that is turned away is not told of, whatever it asks", async () => {
    const { client, told, send, principal } = tellingWorker();
    const bearer = await bearerFor({ principal });
    const ada = await client(bearer);
    await ada.pay();
    const headers = { Authorization: `Bearer ${bearer}` };
    const response = await send("/api/route", { method: "POST", headers, body: '{"query":"pay"}' });
    expect(response.status).toBe(200);
    expect(told().map(({ event }) => [event.event, event.session_id === null])).toEqual([
      ["execute.completed", false],
      ["browse.completed", true],
    ]);
    const refused = await send("/mcp", {
      method: "POST",
      headers: { ...headers, "Mcp-Session-Id": "made up" },
      body: ada.message("tool_browse", { query: "pay" }),
    });
    expect([refused.status, told()]).toEqual([404, []]);
  });
});

describe("a report that finds the principal's object away", () => {
  it("is sent again", async () => {
    const { client, told } = tellingWorker({ lostSettles: 1 });
    await (await client()).call("tool_browse", { query: "pay" });
    expect(told()).toMatchObject([{ event: { event: "browse.completed" } }]);
    expect(log.lines.filter((line) => line.includes("not told"))).toEqual([]);
  });

  it("for good leaves its event in the log", async () => {
    const { client, told } = tellingWorker({ lostSettles: 10 });
    await (await client()).call("tool_browse", { query: "pay" });
    expect(told()).toEqual([]);
    expect(log.lines.filter((line) => line.includes('"event":"browse.completed"')).length).toBe(1);
  });
});
