import { describe, expect, it } from "vitest";
import { flightKey } from "../../../src/dispatch/flight.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakePromptId } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { natively } from "./natively.ts";

const README = { namespace: "docs", uri: "file:///readme.md", name: "readme" };
const PROMPT = { namespace: "docs", name: "sum", arguments: [{ name: "style" }] };
const CATALOG = fakeCatalog({ resources: [README], prompts: [PROMPT] });
const RESULT = {
  contents: [{ uri: README.uri, text: "hello" }],
  messages: [],
  completion: { values: ["short"] },
};
const argument = { name: "style", value: "sh" };

describe.each([
  ["resources/read", { uri: README.uri }],
  ["prompts/get", { name: fakePromptId(PROMPT) }],
  ["completion/complete", { ref: { type: "ref/prompt", name: fakePromptId(PROMPT) }, argument }],
])("%s, as a request that may be taken back", (method, params) => {
  const origin = { requestKey: "number:3", idempotencyKey: null };

  it("is noted by its id while it runs, under the id that its server sees, and then no more", async () => {
    const { native, calls, caller } = natively({ catalog: CATALOG, answer: () => ok(RESULT) });
    expect(await native.request(method, params, caller.context, origin)).toMatchObject({ ok: true });
    const [ask] = caller.asks;
    expect(caller.asks.length).toBe(1);
    expect(ask?.flight).toMatchObject({
      requestKey: flightKey("number:3"),
      server: "docs",
      requestId: ask?.attempt,
    });
    expect(calls.map(({ request }) => request.requestId)).toEqual([ask?.attempt]);
    expect(caller.settled).toEqual([ask?.attempt]);
  });

  it("is noted no longer where its server fails", async () => {
    const failure = { reason: "rpc_error", code: -32_800, outcome: "completed", detail: "" } as const;
    const { native, caller } = natively({ catalog: CATALOG, answer: () => fail(failure) });
    expect(await native.request(method, params, caller.context, origin)).toMatchObject({ ok: false });
    expect(caller.settled).toEqual([caller.asks[0]?.attempt]);
  });

  it("is asked again whenever it comes again, whatever it is called", async () => {
    const { native, calls, caller } = natively({ catalog: CATALOG, answer: () => ok(RESULT) });
    const named = { ...origin, idempotencyKey: "once" };
    for (let repeat = 0; repeat < 2; repeat += 1) await native.request(method, params, caller.context, named);
    expect(calls.length).toBe(2);
    expect(caller.asks.map((ask) => ask.journal)).toEqual([undefined, undefined]);
    expect(caller.reports.filter((report) => report.journal)).toEqual([]);
  });

  it("is not noted where its caller cannot name it, or it is not sent", async () => {
    const { native, caller } = natively({ catalog: CATALOG, answer: () => ok(RESULT) });
    await native.request(method, params, caller.context);
    expect(caller.asks[0]?.flight).toBeUndefined();
    const blind = fakeCaller({ sees: () => false });
    await native.request(method, params, blind.context, origin);
    expect(blind.asks.filter((ask) => ask.flight)).toEqual([]);
  });
});
