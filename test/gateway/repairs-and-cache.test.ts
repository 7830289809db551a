import { describe, expect, it } from "vitest";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { memberOf } from "../../src/json.ts";
import { fail, ok } from "../../src/result.ts";
import { fakeCatalog, fakeId, type FakeTool } from "../support/fake-catalog.ts";
import { envelopeOf, jsonOf } from "../support/fake-gateway.ts";
import { GET, getCall, run } from "./controlled.ts";

describe("tolerant arguments", () => {
  it("repair what is beyond doubt, send it exactly and say so", async () => {
    const { call, calls } = run({ tolerant_args: true });
    const answer = await call({
      tool_id: fakeId(GET),
      args: '{"count":"12345678901234567890","sure":"true"}',
    });
    expect(exactJsonText(calls[0]?.args)).toBe('{"count":12345678901234567890,"sure":true}');
    expect(memberOf(envelopeOf(answer)["provenance"], "arg_repairs")).toEqual([
      { path: "$", rule: "parse_stringified_object" },
      { path: "$.count", rule: "str_to_integer" },
      { path: "$.sure", rule: "str_to_boolean" },
    ]);
  });

  it("tell of a bounded number of repairs, and how many more there were", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${"n".repeat(500)}${index}`, { type: "integer" }]),
    );
    const wide: FakeTool = { namespace: "github", name: "wide", inputSchema: { type: "object", properties } };
    const args = Object.fromEntries(Object.keys(properties).map((name) => [name, "1"]));
    const { call } = run({ tolerant_args: true }, {}, { catalog: fakeCatalog([wide]) });
    const provenance = envelopeOf(await call({ tool_id: fakeId(wide), args }))["provenance"];
    expect(provenance).toMatchObject({ arg_repairs_untold: 68 });
    expect(JSON.stringify(provenance).length).toBeLessThan(8000);
  });

  it.each([
    [{ count: "x" }, [{ path: "/count", keyword: "type" }]],
    ["[1]", [{ path: "/args", keyword: "type" }]],
  ])("leave %j to be refused", async (args, errors) => {
    const { call, calls } = run({ tolerant_args: true });
    const error = jsonOf(await call({ tool_id: fakeId(GET), args }));
    expect(error).toMatchObject({ error: "ARGS_INVALID", details: { errors } });
    expect(calls.length).toBe(0);
  });

  it("are bounded like all arguments, also for a tool without a schema", async () => {
    const any: FakeTool = { namespace: "github", name: "any" };
    const { call, calls } = run({ tolerant_args: true }, {}, { catalog: fakeCatalog([any]) });
    for (const args of [`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`, '{"a":1e400}']) {
      expect(jsonOf(await call({ tool_id: fakeId(any), args }))).toMatchObject({ error: "ARGS_INVALID" });
    }
    expect(calls.length).toBe(0);
  });

  it("are off by default", async () => {
    const { call } = run({});
    for (const args of [{ count: "1" }, "{}"]) {
      expect(jsonOf(await call({ tool_id: fakeId(GET), args }))).toMatchObject({ error: "ARGS_INVALID" });
    }
  });

  it("leave an answer to unrepaired arguments as it is without them", async () => {
    expect(await run({ tolerant_args: true }).call(getCall)).toEqual(await run({}).call(getCall));
  });
});

describe("the cache of read-only answers", () => {
  const cache = { cache: { read_only: true } };
  const trusted = { trust_hints: true };

  it("asks the upstream once for equal calls and marks the second answer", async () => {
    const { call, calls } = run(cache, trusted);
    const first = await call({ tool_id: fakeId(GET), args: { count: 1, sure: true } });
    const second = await call({ tool_id: fakeId(GET), args: { sure: true, count: 1 } });
    expect(calls.length).toBe(1);
    expect(second?.content).toEqual(first?.content);
    expect(memberOf(envelopeOf(first)["provenance"], "cache_hit")).toBeUndefined();
    expect(memberOf(envelopeOf(second)["provenance"], "cache_hit")).toBe(true);
  });

  it("is asked behind admission, so that a hit uses up quota like any call", async () => {
    const { call, caller } = run(
      { ...cache, rate_limits: { tool_execute: { max_calls_per_minute: 9 } } },
      trusted,
    );
    await call(getCall);
    await call(getCall);
    expect(caller.asks.map(({ quota }) => quota?.buckets.length)).toEqual([1, 1]);
    expect(new Set(caller.asks.map(({ attempt }) => attempt)).size).toBe(2);
  });

  it("keeps nothing of failures, of untrusted servers, or when it is off", async () => {
    const failing = run(cache, trusted, { answer: () => ok({ content: [], isError: true }) });
    const broken = run(cache, trusted, {
      answer: () => fail({ reason: "timeout", outcome: "unknown", detail: "" }),
    });
    for (const { call, calls } of [run(cache), run({}, trusted), failing, broken]) {
      await call(getCall);
      await call(getCall);
      expect(calls.length).toBe(2);
    }
  });

  it("ends with its time", async () => {
    const { call, calls, clock } = run({ cache: { read_only: true, ttl_s: 5 } }, trusted);
    await call(getCall);
    clock.nowMs += 4999;
    await call(getCall);
    clock.nowMs += 1;
    await call(getCall);
    expect(calls.length).toBe(2);
  });

  it("keeps the upstream's session through a hit", async () => {
    const { call, caller } = run(cache, trusted);
    await call(getCall);
    await call(getCall);
    expect([...caller.sessions.values()].map(({ sessionId }) => sessionId)).toEqual(["s-1"]);
  });
});
