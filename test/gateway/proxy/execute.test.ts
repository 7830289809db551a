import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../../src/errors.ts";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { readToolResult } from "../../../src/firewall/result/tool-result.ts";
import { LISTED_FORMS, listedAs } from "../../../src/identity/listed-form.ts";
import { isJsonArray, isRecord, parsedJson } from "../../../src/json.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool } from "../../support/fake-catalog.ts";
import { fakeCaller, jsonOf, listOf, recordOf, textOf } from "../../support/fake-gateway.ts";
import { RESULT_CASES } from "../../support/result-corpus.ts";
import { sameJson } from "../../support/same-json.ts";
import { proxied } from "./proxied.ts";

const CREATE: FakeTool = {
  namespace: "github",
  name: "create_issue",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string" }, count: { type: "integer" } },
    required: ["title"],
    additionalProperties: false,
  },
};
const READ: FakeTool = { namespace: "files", name: "read.file", inputSchema: { type: "object" } };
const CATALOG = fakeCatalog([CREATE, READ]);
const ID = fakeId(CREATE);
const READ_ID = fakeId(READ);
const LARGE = { content: [{ type: "text", text: "line\n".repeat(100_000) }], isError: false };

const json = fc.jsonValue({ maxDepth: 4 });
const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }), annotations: json }),
  fc.record({ type: fc.constantFrom("image", "audio", "resource_link", "of tomorrow"), more: json }),
  fc.record({ type: fc.constant("resource"), resource: json }),
);
const known = fc.record(
  {
    content: fc.array(part, { maxLength: 4 }),
    structuredContent: json,
    isError: fc.boolean(),
    _meta: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "loomgate/envelope")), json),
  },
  { requiredKeys: ["content"] },
);
const foreign = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toolResult", "nextCursor")),
  json,
);
/** Legal results with members of all kinds, as from the wire. */
const results = fc
  .tuple(foreign, known)
  .map(([more, members]) => parsedJson(JSON.stringify({ ...more, ...members })))
  .filter(isRecord);

describe("the proxy's tool_execute", () => {
  it("runs a tool by every form of its name, with one admission and one call upstream", async () => {
    for (const form of LISTED_FORMS) {
      const { execute, calls, caller } = proxied({ catalog: CATALOG });
      const answer = await execute({ tool_id: listedAs(form, ID), args: { title: "t" } });
      expect(answer).toEqual({ content: [{ type: "text", text: "fine" }] });
      expect(calls.map(({ server, name, args }) => [server, name, args])).toEqual([
        ["github", "create_issue", { title: "t" }],
      ]);
      expect(caller.asks.length).toBe(1);
    }
  });

  it("answers with the result itself, deep-equal, whatever members it has", async () => {
    await fc.assert(
      fc.asyncProperty(results, async (result) => {
        const { execute } = proxied({ catalog: CATALOG, answer: () => ok({ ...result }) });
        const answer = await execute({ tool_id: READ_ID });
        expect(sameJson(answer, result)).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });

  it.each(RESULT_CASES)("answers with $name as it came, and keeps nothing of it", async ({ result }) => {
    const { execute, artifacts, caller } = proxied({ catalog: CATALOG, answer: () => ok(result()) });
    const answer = await execute({ tool_id: READ_ID });
    expect(sameJson(answer, { content: [], ...result() })).toBe(readToolResult(result()).ok);
    expect([artifacts.calls, caller.reports.flatMap(({ artifacts: kept }) => kept ?? [])]).toEqual([[], []]);
  });

  it("keeps numbers as they were written", async () => {
    const exact = new ExactNumber("12345678901234567890.10");
    const { execute } = proxied({
      catalog: CATALOG,
      answer: () => ok({ content: [], structuredContent: { exact } }),
    });
    expect(recordOf((await execute({ tool_id: READ_ID }))?.structuredContent)["exact"]).toBe(exact);
  });

  it("is an answer or a typed error for anything a server may send, and nothing throws", async () => {
    const anything = fc.record(
      {
        content: fc.anything(),
        structuredContent: fc.anything(),
        isError: fc.anything(),
        _meta: fc.anything(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const sent = recordOf(JSON.parse(JSON.stringify(value)));
        const { execute, log } = proxied({ catalog: CATALOG, answer: () => ok(sent) });
        const answer = await execute({ tool_id: READ_ID });
        expect(isJsonArray(answer?.content)).toBe(true);
        expect(["boolean", "undefined"]).toContain(typeof answer?.isError);
        expect(log.join("\n")).not.toContain("TypeError");
      }),
      { numRuns: 500 },
    );
  });

  it("gives a result without content an empty one, and drops what clients would refuse the answer for", async () => {
    const answers = [{ structuredContent: { a: 1 }, isError: "yes", _meta: 7 }, { toolResult: { a: 1 } }];
    const shown = await Promise.all(
      answers.map((result) =>
        proxied({ catalog: CATALOG, answer: () => ok(result) }).execute({ tool_id: READ_ID }),
      ),
    );
    expect(shown).toEqual([
      { content: [], structuredContent: { a: 1 } },
      { content: [], toolResult: { a: 1 } },
    ]);
  });

  it.each([
    ["content that is no array", { content: "text" }],
    ["a part without a type", { content: [{ text: "a" }] }],
    ["a text part without a text", { content: [{ type: "text" }] }],
    ["endless nesting", { content: [], structuredContent: deep(5_000) }],
  ])("says UPSTREAM_ERROR for %s", async (_, result) => {
    const { execute } = proxied({ catalog: CATALOG, answer: () => ok(result) });
    expect(jsonOf(await execute({ tool_id: READ_ID }))).toMatchObject({
      error: "UPSTREAM_ERROR",
      details: { outcome: "completed" },
    });
  });

  it("asks for no answer that is too large to hold: there is nowhere to put it", async () => {
    const tooLarge: UpstreamFailure = { reason: "too_large", outcome: "completed", detail: "" };
    const { execute, calls } = proxied({ catalog: CATALOG, answer: () => fail(tooLarge) });
    expect(jsonOf(await execute({ tool_id: READ_ID }))["error"]).toBe("UPSTREAM_ERROR");
    expect(calls.map(({ request }) => request.sinks)).toEqual([undefined]);
  });

  it("tells what the server wanted of the caller, and nothing where it wanted nothing", async () => {
    const wanted = [{ method: "elicitation/create", message: "Which city?" }];
    const result = { content: [], _meta: { own: 1 } };
    const { execute } = proxied({ catalog: CATALOG, answer: () => ok(result), wanted });
    expect(await execute({ tool_id: READ_ID })).toEqual({
      content: [],
      _meta: { own: 1, "loomgate/wanted": wanted },
    });
  });

  it("validates before anything is sent, and shows the schema", async () => {
    const { execute, calls, caller } = proxied({ catalog: CATALOG });
    const error = jsonOf(await execute({ tool_id: listedAs("url", ID), args: { count: "x" } }));
    expect(error).toMatchObject({ error: "ARGS_INVALID", path: ID });
    expect(listOf(error["details"], "errors")).toEqual([
      { path: "/title", keyword: "required" },
      { path: "/count", keyword: "type" },
    ]);
    expect([calls.length, caller.asks.length]).toEqual([0, 1]);
  });

  it.each([
    ["render", { tool_id: ID, render: "json" }],
    ["no id", {}],
    ["arguments that are no object", { tool_id: ID, args: [] }],
    ["the text of an object", { tool_id: ID, args: '{"title":"t"}' }],
  ])("is ARGS_INVALID for %s", async (_, args) => {
    const { execute, calls, caller } = proxied({ catalog: CATALOG });
    const error = jsonOf(await execute(args));
    expect(error["error"]).toBe("ARGS_INVALID");
    expect(JSON.stringify(error["details"])).not.toContain("porcelain");
    expect([calls.length, caller.asks.length, caller.told.length]).toEqual([0, 1, 1]);
  });

  it("repairs arguments where that is on, and adds nothing to the answer for it", async () => {
    const config = { gateway: { tolerant_args: true } };
    const { execute, calls } = proxied({ catalog: CATALOG, config });
    const answer = await execute({ tool_id: ID, args: '{"title":"t","count":"2"}' });
    expect(calls[0]?.args).toEqual({ title: "t", count: 2 });
    expect(Object.keys(answer ?? {})).toEqual(["content"]);
  });

  it("reports a dry run and sends nothing", async () => {
    const { execute, calls, caller } = proxied({ catalog: CATALOG });
    const answer = await execute({ tool_id: ID, args: { title: "t" }, dry_run: true });
    expect(jsonOf(answer)).toMatchObject({ dry_run: true, tool_id: ID, args_valid: true });
    expect(answer?.structuredContent).toBeUndefined();
    expect([calls.length, caller.asks.length]).toEqual([0, 1]);
    expect(caller.told.map(({ event }) => event.event)).toEqual(["execute.dry_run"]);
  });

  it("knows no tool that the scopes hide, in any form", async () => {
    const hidden = proxied({ catalog: CATALOG }, fakeCaller({ sees: (id) => id !== ID }));
    const absent = proxied({ catalog: fakeCatalog([READ]) });
    for (const form of LISTED_FORMS) {
      const args = { tool_id: listedAs(form, ID), args: { title: "t" } };
      const error = textOf(await hidden.execute(args));
      expect(error).toBe(textOf(await absent.execute(args)));
      expect(JSON.parse(error)).toMatchObject({ error: "HYDRATE_FAILED" });
      expect(error).not.toContain(`["${ID}`);
    }
    expect(hidden.calls).toEqual([]);
  });

  it("is told like any execute, with the size of what was handed on", async () => {
    const { execute, caller } = proxied({ catalog: CATALOG });
    await execute({ tool_id: READ_ID });
    expect(caller.told.map(({ event }) => event)).toMatchObject([
      {
        event: "execute.completed",
        success: true,
        tool_id: READ_ID,
        attributes: { status: "ok", attempts: 1, artifact_count: 0, firewall_triggered: false },
      },
    ]);
    const { raw_bytes: raw, shown_bytes: shown } = recordOf(caller.told[0]?.event.attributes);
    expect(raw).toBe(shown);
  });

  it("tells a tool's own error as one", async () => {
    const result = { content: [{ type: "text", text: "no" }], isError: true };
    const { execute, caller } = proxied({ catalog: CATALOG, answer: () => ok(result) });
    expect(await execute({ tool_id: READ_ID })).toEqual(result);
    expect(caller.told[0]?.event).toMatchObject({ success: false, attributes: { status: "error" } });
  });

  it("resumes the upstream's session", async () => {
    const { execute, calls } = proxied({ catalog: CATALOG });
    await execute({ tool_id: READ_ID });
    await execute({ tool_id: READ_ID });
    expect(calls.map(({ session }) => session?.sessionId)).toEqual([undefined, "s-1"]);
  });

  it("meets no older catalog than the caller has", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([READ, CREATE], 1)), ok(fakeCatalog([READ], 2)));
    const { execute, calls } = proxied({ catalogs }, fakeCaller({ newestGeneration: 2 }));
    const error = jsonOf(await execute({ tool_id: ID, args: { title: "t" } }));
    expect(error["error"]).toBe("HYDRATE_FAILED");
    expect(calls).toEqual([]);
  });
});

describe("the proxy's tool_execute under the operator's controls", () => {
  const readOnly: FakeTool = { ...READ, annotations: { readOnlyHint: true } };

  it("denies what a rule denies, and hides the schema", async () => {
    const policy = [{ match: { tool: "github:*" }, action: "deny", reason: "no" }];
    const { execute, calls } = proxied({ catalog: CATALOG, config: { gateway: { policy } } });
    const answer = await execute({ tool_id: listedAs("url", ID), args: {} });
    expect(jsonOf(answer)).toMatchObject({ error: "POLICY_DENIED", path: ID });
    expect(textOf(answer)).not.toContain("title");
    expect(calls).toEqual([]);
  });

  it("counts against the quotas of tool_execute and of the tool", async () => {
    const limits = { max_calls_per_minute: 2 };
    const rate_limits = { tool_execute: limits, tools: { "files:*": limits } };
    const { execute, caller } = proxied({ catalog: CATALOG, config: { gateway: { rate_limits } } });
    await execute({ tool_id: listedAs("url", READ_ID) });
    expect(caller.asks[0]?.quota?.buckets.map(({ name }) => name)).toEqual([
      "tool_execute",
      `tool:${READ_ID}`,
    ]);
  });

  it("uses answers again where that is on, whole, on either surface", async () => {
    const config = {
      mcpServers: { files: { type: "http", url: "https://files.example/mcp", trust_hints: true } },
      gateway: { cache: { read_only: true } },
    };
    const { execute, calls, gateway, caller } = proxied({
      catalog: fakeCatalog([readOnly]),
      config,
      answer: () => ok({ ...LARGE }),
    });
    const first = await execute({ tool_id: READ_ID });
    expect(sameJson(first, LARGE)).toBe(true);
    expect(sameJson(await execute({ tool_id: READ_ID }), LARGE)).toBe(true);
    await gateway.call("tool_execute", { tool_id: READ_ID }, caller.context);
    expect(calls.length).toBe(1);
    expect(caller.told.map(({ event }) => event.event)).toEqual([
      "execute.completed",
      "execute.cache_hit",
      "execute.cache_hit",
    ]);
  });

  it("tries again what may run again", async () => {
    const config = {
      mcpServers: {
        files: { type: "http", url: "https://files.example/mcp", replay: { "*": "convergent" } },
      },
      gateway: { retry: { max_attempts: 2 } },
    };
    let tries = 0;
    const { execute, calls } = proxied({
      catalog: CATALOG,
      config,
      answer: () => {
        tries += 1;
        const failure: UpstreamFailure = { reason: "unreachable", outcome: "not_dispatched", detail: "" };
        return tries === 1 ? fail(failure) : ok({ content: [] });
      },
    });
    expect(await execute({ tool_id: READ_ID })).toEqual({ content: [] });
    expect(calls.length).toBe(2);
  });

  it("takes configured secrets out of results", async () => {
    const result = {
      content: [{ type: "text", text: "key hunter22" }],
      structuredContent: { key: "hunter22" },
      _meta: { hunter22: 1 },
      other: ["hunter22"],
    };
    const { execute } = proxied({ catalog: CATALOG, answer: () => ok(result), secrets: ["hunter22"] });
    expect(JSON.stringify(await execute({ tool_id: READ_ID }))).not.toContain("hunter22");
  });

  it("takes out what looks like a secret where that is on, and nothing where it is off", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const result = { content: [{ type: "text", text: `token ${token}` }], structuredContent: { token } };
    for (const redact of [true, false]) {
      const { execute } = proxied({
        catalog: CATALOG,
        answer: () => ok(result),
        config: { gateway: { redact } },
      });
      const text = JSON.stringify(await execute({ tool_id: READ_ID }));
      expect(text.includes(token)).toBe(!redact);
    }
  });
});

function deep(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
