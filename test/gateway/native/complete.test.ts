import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import {
  COMPLETION_TIMEOUT_MS,
  COMPLETION_VALUE_MAX_CHARS,
  COMPLETION_VALUES_MAX_COUNT,
} from "../../../src/limits.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakePromptId } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { natively, SERVERS } from "./natively.ts";

const NOTE = { namespace: "files", uriTemplate: "note:///{id}", name: "note" };
const PROMPT = { namespace: "docs", name: "sum up", arguments: [{ name: "style" }] };
const CATALOG = fakeCatalog({ templates: [NOTE, { ...NOTE, namespace: "notes" }], prompts: [PROMPT] });
const REF = { type: "ref/prompt", name: fakePromptId(PROMPT).replace("prompt::", "") };
const argument = { name: "style", value: "sh" };
const fine = () => ok({ completion: { values: ["short"], total: 1, hasMore: false } });

describe("completion/complete", () => {
  it("asks the prompt's server by the prompt's own name", async () => {
    const { ask, calls, caller } = natively({ catalog: CATALOG, answer: fine });
    const params = { ref: REF, argument, context: { arguments: { text: "t", odd: 5 } } };
    expect(await ask("completion/complete", params)).toStrictEqual({
      completion: { values: ["short"], total: 1, hasMore: false },
    });
    expect(
      calls.map(({ server, request }) => [server, request.method, request.params, request.timeoutMs]),
    ).toEqual([
      [
        "docs",
        "completion/complete",
        { ref: { type: "ref/prompt", name: "sum up" }, argument, context: { arguments: { text: "t" } } },
        COMPLETION_TIMEOUT_MS,
      ],
    ]);
    expect(caller.asks).toHaveLength(1);
  });

  it("asks a template's server by the template's own text, on the session that is kept", async () => {
    const { ask, calls, problemOf } = natively({ catalog: CATALOG, answer: fine });
    const ref = { type: "ref/resource", uri: "loomgate://notes/note:///{id}" };
    await ask("completion/complete", { ref, argument });
    await ask("completion/complete", { ref, argument });
    expect(calls.map(({ server, request }) => [server, memberOf(request.params["ref"], "uri")])).toEqual([
      ["notes", "note:///{id}"],
      ["notes", "note:///{id}"],
    ]);
    expect(calls.map(({ session }) => session?.sessionId)).toEqual([undefined, "s-1"]);
    const both = { type: "ref/resource", uri: "note:///{id}" };
    const problem = await problemOf("completion/complete", { ref: both, argument });
    expect(problem.code).toBe(-32_002);
    expect(memberOf(memberOf(problem.data, "details"), "did_you_mean")).toEqual([
      "loomgate://files/note:///{id}",
      "loomgate://notes/note:///{id}",
    ]);
  });

  it("has nothing to propose where the server completes nothing", async () => {
    const failure = { reason: "rpc_error", code: -32_601, outcome: "completed", detail: "" } as const;
    const { ask } = natively({ catalog: CATALOG, answer: () => fail(failure) });
    expect(await ask("completion/complete", { ref: REF, argument })).toStrictEqual({
      completion: { values: [] },
    });
  });

  it("is an error of the protocol where the server fails", async () => {
    const failure = { reason: "timeout", outcome: "unknown", detail: "" } as const;
    const { problemOf } = natively({ catalog: CATALOG, answer: () => fail(failure) });
    const problem = await problemOf("completion/complete", { ref: REF, argument });
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "UPSTREAM_TIMEOUT"]);
  });

  it("proposes a bounded number of texts, without secrets", async () => {
    const values = [5, null, "the-secret-of-ours", ...Array.from({ length: 300 }, (_, at) => `v${at}`)];
    const { ask } = natively({
      catalog: CATALOG,
      secrets: ["the-secret-of-ours"],
      answer: () => ok({ completion: { values, total: -1, hasMore: "no" } }),
    });
    const completion = memberOf(await ask("completion/complete", { ref: REF, argument }), "completion");
    expect(memberOf(completion, "values")).toHaveLength(COMPLETION_VALUES_MAX_COUNT);
    expect(memberOf(completion, "hasMore")).toBe(true);
    expect(memberOf(completion, "total")).toBeUndefined();
    expect(JSON.stringify(completion)).not.toContain("the-secret-of-ours");
  });

  it("leaves out what would have to be cut, which is no value and may end within a secret", async () => {
    const long = "x".repeat(COMPLETION_VALUE_MAX_CHARS);
    const values = [`${long}y`, long, "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"];
    const config = { ...SERVERS, gateway: { redact: true } };
    const { ask } = natively({
      catalog: CATALOG,
      config,
      answer: () => ok({ completion: { values } }),
    });
    const completion = memberOf(await ask("completion/complete", { ref: REF, argument }), "completion");
    const [first, second, ...others] = listIn(completion);
    expect([first, others]).toEqual([long, []]);
    expect(String(second)).not.toContain("ghp_a1");
    expect(memberOf(completion, "hasMore")).toBe(true);
  });

  it.each([{}, { completion: 5 }, { completion: { values: "x" } }])(
    "proposes nothing of %j",
    async (result) => {
      const { ask } = natively({ catalog: CATALOG, answer: () => ok(result) });
      expect(await ask("completion/complete", { ref: REF, argument })).toStrictEqual({
        completion: { values: [] },
      });
    },
  );

  it("knows no prompt that is hidden or denied, and counts as browsing", async () => {
    const hidden = natively({ catalog: CATALOG }, fakeCaller({ sees: () => false }));
    expect((await hidden.problemOf("completion/complete", { ref: REF, argument })).code).toBe(-32_602);
    const gateway = {
      policy: [{ match: { meta_tool: "prompt_get" }, action: "deny" }],
      rate_limits: { resource_browse: { max_calls_per_minute: 5 } },
    };
    const { problemOf, ask, calls, caller } = natively({
      catalog: CATALOG,
      answer: fine,
      config: { ...SERVERS, gateway },
    });
    const problem = await problemOf("completion/complete", { ref: REF, argument });
    expect(memberOf(problem.data, "error")).toBe("POLICY_DENIED");
    expect(calls).toHaveLength(0);
    await ask("completion/complete", {
      ref: { type: "ref/resource", uri: "loomgate://files/note:///{id}" },
      argument,
    });
    expect(caller.asks.at(-1)?.quota?.buckets).toMatchObject([{ name: "resource_browse" }]);
  });

  it.each([
    {},
    { ref: REF },
    { ref: { type: "ref/tool", name: "x" }, argument },
    { ref: { type: "ref/prompt" }, argument },
    { ref: REF, argument: { name: "x" } },
    { ref: REF, argument: { name: 5, value: "x" } },
    null,
  ])("refuses parameters like %j", async (params) => {
    const { problemOf } = natively({ catalog: CATALOG });
    expect((await problemOf("completion/complete", params)).code).toBe(-32_602);
  });
});

function listIn(completion: unknown): readonly unknown[] {
  const values = memberOf(completion, "values");
  return isJsonArray(values) ? values : [];
}
