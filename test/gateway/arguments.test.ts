import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeCatalog } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway, jsonOf, listOf, recordOf, textOf } from "../support/fake-gateway.ts";

const gateway = () => fakeGateway({ catalog: fakeCatalog([{ namespace: "github", name: "create_issue" }]) });
const HANDLE = "1".repeat(27);
const DEEP: unknown = JSON.parse(`{"a":${"[".repeat(500)}${"]".repeat(500)}}`);

/** What a call is refused with: the first thing wrong, and that nothing but `admit` was asked. */
async function refusalOf(tool: string, args: unknown): Promise<object> {
  const { surface, calls } = gateway();
  const caller = fakeCaller();
  const answer = await surface.call(tool, args, caller.context);
  const { details, ...error } = jsonOf(answer);
  const [first] = listOf(details, "errors");
  return {
    isError: answer?.isError,
    keys: Object.keys(jsonOf(answer)),
    code: [error["error"], error["path"], error["retryable"]],
    first,
    schema: recordOf(memberOf(details, "schema"))["type"],
    asked: [calls.length, caller.asks.length],
  };
}

/** What the refusal of a selector shows of its schema. */
async function selectorSchemaOf(selector: object): Promise<unknown> {
  const { surface } = gateway();
  const answer = await surface.call("tool_view", { handle: HANDLE, selector }, fakeCaller().context);
  const schema = memberOf(jsonOf(answer)["details"], "schema");
  return memberOf(memberOf(schema, "properties"), "selector");
}

const refusalAt = (path: string, keyword: string) => ({
  isError: true,
  keys: ["error", "message", "path", "retryable", "details"],
  code: ["ARGS_INVALID", "", false],
  first: { path, keyword },
  schema: "object",
  asked: [0, 1],
});

describe("the arguments of the meta-tools", () => {
  it.each([
    ["tool_browse", {}, "", "oneOf"],
    ["tool_browse", { query: "a", path: "/" }, "", "oneOf"],
    ["tool_browse", { query: 1 }, "/query", "type"],
    ["tool_browse", { query: null }, "/query", "type"],
    ["tool_browse", { path: ["/"] }, "/path", "type"],
    ["tool_browse", { query: "a", top_k: 0 }, "/top_k", "minimum"],
    ["tool_browse", { query: "a", top_k: 51 }, "/top_k", "maximum"],
    ["tool_browse", { query: "a", top_k: 1.5 }, "/top_k", "type"],
    ["tool_browse", { query: "a", top_k: "5" }, "/top_k", "type"],
    ["tool_browse", { query: "a", render: "html" }, "/render", "enum"],
    ["tool_browse", { query: "a", limit: 5 }, "/limit", "additionalProperties"],
    ["tool_browse", JSON.parse('{"query":"a","__proto__":1}'), "/__proto__", "additionalProperties"],
    ["tool_browse", [], "", "type"],
    ["tool_browse", "query", "", "type"],
    ["tool_browse", 7, "", "type"],
    ["tool_execute", {}, "/tool_id", "required"],
    ["tool_execute", { tool_id: 1 }, "/tool_id", "type"],
    ["tool_execute", { tool_id: "a", args: null }, "/args", "type"],
    ["tool_execute", { tool_id: "a", args: [] }, "/args", "type"],
    ["tool_execute", { tool_id: "a", args: "{}" }, "/args", "type"],
    ["tool_execute", { tool_id: "a", dry_run: "yes" }, "/dry_run", "type"],
    ["tool_execute", { tool_id: "a", arguments: {} }, "/arguments", "additionalProperties"],
    ["tool_view", { handle: HANDLE }, "/selector", "required"],
    ["tool_view", { selector: { type: "head" } }, "/handle", "required"],
    ["tool_view", { handle: 1, selector: { type: "head" } }, "/handle", "type"],
    ["tool_view", { handle: HANDLE, selector: "head" }, "/selector", "type"],
    ["tool_view", { handle: HANDLE, selector: {} }, "/selector/type", "required"],
    ["tool_view", { handle: HANDLE, selector: { type: "tail" } }, "/selector/type", "enum"],
    ["tool_view", { handle: HANDLE, selector: { type: "head", chars: "5" } }, "/selector/chars", "type"],
    ["tool_view", { handle: HANDLE, selector: { type: "head", chars: 0 } }, "/selector/chars", "minimum"],
    ["tool_view", { handle: HANDLE, selector: { type: "head", chars: 1.5 } }, "/selector/chars", "type"],
    ["tool_view", { handle: HANDLE, selector: { type: "bytes", offset: -1 } }, "/selector/offset", "minimum"],
    ["tool_view", { handle: HANDLE, selector: { type: "bytes", length: 0 } }, "/selector/length", "minimum"],
    [
      "tool_view",
      { handle: HANDLE, selector: { type: "lines", "a/b": 1 } },
      "/selector/a~1b",
      "additionalProperties",
    ],
  ])("%s refuses %j at %s for %s", async (tool, args: unknown, path, keyword) => {
    expect(await refusalOf(tool, args)).toEqual(refusalAt(path, keyword));
  });

  it.each([
    [{ type: "json_keys" }, "/keys", "required"],
    [{ type: "json_path" }, "/path", "required"],
    [{ type: "grep" }, "/pattern", "required"],
    [{ type: "json_keys", keys: [] }, "/keys", "minItems"],
    [{ type: "json_keys", keys: [1] }, "/keys/0", "type"],
    [{ type: "json_keys", keys: "a" }, "/keys", "type"],
    [{ type: "json_keys", keys: Array.from({ length: 65 }, String) }, "/keys", "maxItems"],
    [{ type: "json_keys", keys: ["k".repeat(2048)] }, "/keys", "maxLength"],
    [{ type: "rows", columns: [] }, "/columns", "minItems"],
    [{ type: "rows", columns: { 0: "a" } }, "/columns", "type"],
    [{ type: "rows", start: "0" }, "/start", "type"],
    [{ type: "rows", offset: -1 }, "/offset", "minimum"],
    [{ type: "rows", resume: 7 }, "/resume", "type"],
    [{ type: "rows", resume: "" }, "/resume", "minLength"],
    [{ type: "json_path", path: "" }, "/path", "minLength"],
    [{ type: "json_path", path: "$".repeat(1025) }, "/path", "maxLength"],
    [{ type: "grep", pattern: "" }, "/pattern", "minLength"],
    [{ type: "grep", pattern: "a".repeat(513) }, "/pattern", "maxLength"],
    [{ type: "grep", pattern: "a", context: 21 }, "/context", "maximum"],
    [{ type: "grep", pattern: "a", context: -1 }, "/context", "minimum"],
    [{ type: "grep", pattern: "a", ignore_case: "yes" }, "/ignore_case", "type"],
    [{ type: "content", JSON: 1 }, "/JSON", "additionalProperties"],
  ])("tool_view refuses the selector %j at %s for %s", async (selector: object, path, keyword) => {
    const refusal = await refusalOf("tool_view", { handle: HANDLE, selector });
    expect(refusal).toEqual(refusalAt(`/selector${path}`, keyword));
  });

  it.each([
    [{ type: "head", chars: 0 }, "chars", { type: "integer", minimum: 1 }],
    [{ type: "grep", pattern: "a", context: 21 }, "context", { type: "integer", maximum: 20 }],
    [{ type: "grep", pattern: "" }, "pattern", { type: "string", minLength: 1 }],
    [{ type: "json_keys", keys: [] }, "keys", { type: "array", items: { type: "string" }, minItems: 1 }],
  ])("of %j are refused with the bound that was broken", async (selector: object, field, shown) => {
    const fields = memberOf(await selectorSchemaOf(selector), "properties");
    expect(memberOf(fields, field)).toEqual(shown);
  });

  it("without a field that a selector needs are refused with what is required", async () => {
    expect(memberOf(await selectorSchemaOf({ type: "json_keys" }), "required")).toEqual(["type", "keys"]);
  });

  it("echo no value", async () => {
    const { surface } = gateway();
    for (const args of [
      { query: ["SECRET-VALUE"] },
      { query: "SECRET-VALUE", path: "SECRET-VALUE" },
      { query: "SECRET-VALUE", render: "SECRET-VALUE" },
    ]) {
      const answer = await surface.call("tool_browse", args, fakeCaller().context);
      expect(textOf(answer)).not.toContain("SECRET-VALUE");
    }
  });

  it("never throw, whatever they are, and every call is put to admit once", async () => {
    const { surface } = gateway();
    const anything = fc.oneof(
      fc.anything(),
      fc.record(
        {
          query: fc.anything(),
          path: fc.anything(),
          tool_id: fc.anything(),
          args: fc.anything(),
          handle: fc.anything(),
          selector: fc.anything(),
          top_k: fc.anything(),
        },
        { requiredKeys: [] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("tool_browse", "tool_execute", "tool_view"),
        anything,
        async (tool, args) => {
          const caller = fakeCaller();
          const answer = await surface.call(tool, args, caller.context);
          expect(answer?.content.length).toBeGreaterThan(0);
          expect(textOf(answer)).not.toContain("\n\n");
          expect(caller.asks.length).toBe(1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("deeper than any validator goes are refused, unjudged", async () => {
    const { surface, calls } = gateway();
    const answer = await surface.call("tool_execute", { tool_id: "x", args: DEEP }, fakeCaller().context);
    expect(jsonOf(answer)).toMatchObject({
      error: "ARGS_INVALID",
      details: { errors: [{ keyword: "arguments_too_deep" }] },
    });
    expect(calls).toEqual([]);
  });
});

describe("a call that is not let in", () => {
  it.each(["token_revoked", "session_ended", "unreachable"] as const)(
    "learns nothing, whatever it asked: %s",
    async (refuse) => {
      const { surface, calls, artifacts } = gateway();
      for (const [tool, args] of [
        ["tool_browse", {}],
        ["tool_browse", { query: "issue" }],
        ["tool_browse", { path: "/nowhere" }],
        ["tool_execute", { tool_id: "github:nothing" }],
        ["tool_execute", { tool_id: "github:create_issue#1a9fa1a9" }],
        ["tool_view", { handle: HANDLE, selector: { type: "head" } }],
        ["tool_view", { handle: "no handle", selector: { type: "head" } }],
      ] as const) {
        const caller = fakeCaller({
          answer: () => ({ version: 1, admitted: false, reason: refuse, rowsWritten: 0 }),
        });
        const error = jsonOf(await surface.call(tool, args, caller.context));
        expect(error).toMatchObject({
          error: "UPSTREAM_UNAVAILABLE",
          retryable: true,
          details: { outcome: "not_dispatched" },
        });
        expect(caller.asks.length).toBe(1);
      }
      expect([calls, artifacts.calls]).toEqual([[], []]);
    },
  );

  it("of an unknown tool is no answer of ours, and is admitted all the same", async () => {
    const { surface } = gateway();
    const caller = fakeCaller();
    expect(await surface.call("constructor", {}, caller.context)).toBeUndefined();
    expect(caller.asks.length).toBe(1);
  });
});
