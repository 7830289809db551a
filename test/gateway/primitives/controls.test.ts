import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeResourceId } from "../../support/fake-catalog.ts";
import { approvalRequired } from "../../support/fake-gateway.ts";
import {
  artifactsOf,
  both,
  codeOf,
  config,
  envelopeOf,
  fakeCaller,
  ITEM_ID,
  jsonOf,
  LARGE,
  LOGO,
  PARTS,
  README,
  README_ID,
  readmeOf,
  run,
  SUMMARY_ID,
  text,
  textOf,
} from "./kit.ts";

const rule = (match: object, action = "deny") => config({ policy: [{ match, action, reason: "not this" }] });

describe("policy", () => {
  it.each([
    ["the verb", { meta_tool: "resource_read" }, { meta_tool: "prompt_get" }],
    ["the id", { tool: "resource::fs:readme#*" }, { tool: "prompt::fs:summarize_pr*" }],
    ["the id without its kind and hash", { tool: "fs:readme" }, { tool: "fs:summarize_pr" }],
    ["the upstream's own name", { tool: "file:///*" }, { tool: "summarize_*" }],
    ["the server", { server: "fs" }, { server: "fs" }],
    ["reading", { read_only: true }, { read_only: true }],
    ["the principal", { principal: "ad*" }, { principal: "ad*" }],
  ])("denies by %s, before arguments are judged, and nothing is asked", async (_, ofRead, ofPrompt) => {
    const read = run({ ...both("hello"), ...rule(ofRead) });
    expect(jsonOf(await read.read(README_ID, { args: { nonsense: 1 } }))).toEqual({
      error: "POLICY_DENIED",
      message: "the gateway's policy denies this call",
      path: README_ID,
      retryable: false,
      details: { reason: "not this" },
    });
    const prompt = run({ ...both("hello"), ...rule(ofPrompt) });
    const error = jsonOf(await prompt.get({}));
    expect(error).toMatchObject({ error: "POLICY_DENIED", path: SUMMARY_ID });
    expect(JSON.stringify(error)).not.toContain("repo");
    expect([...read.calls, ...prompt.calls]).toEqual([]);
    expect(read.caller.told[0]?.event).toMatchObject({
      event: "read.failed",
      attributes: { error_code: "POLICY_DENIED", outcome: "not_dispatched" },
    });
  });

  it("is not promised of a browse, which it does not judge: a rule of one is refused by its configuration", () => {
    for (const name of ["resource_browse", "prompt_browse", "tool_browse"]) {
      expect(() => run(rule({ meta_tool: name }))).toThrow("meta_tool");
    }
  });

  it("does not take a read for a tool's call, nor for something that writes", async () => {
    for (const match of [
      { meta_tool: "tool_execute" },
      { read_only: false },
      { tags: ["destructive"] },
      { tool: "prompt::*" },
    ]) {
      const { read } = run({ ...both("hello"), ...rule(match) });
      expect(textOf(await read())).toBe("hello");
    }
  });

  it("denies what a denied resource or prompt has brought, also once the catalog has lost it", async () => {
    const { read, get, caller, artifacts } = run({ ...both(LARGE) });
    await read();
    await get();
    const handles = [...caller.rows.keys()];
    expect(handles.length).toBe(2);
    for (const catalog of [fakeCatalog(PARTS), fakeCatalog([])]) {
      for (const match of [
        { meta_tool: "resource_read" },
        { tool: "fs:readme" },
        { meta_tool: "prompt_get" },
        { tool: "fs:summarize_pr" },
        { meta_tool: "tool_execute" },
      ]) {
        const ruled = run({ catalog, caller, ...rule(match) });
        const codes = [];
        for (const handle of handles) {
          for (const [key, value] of artifacts.objects) ruled.artifacts.objects.set(key, value);
          const answer = await ruled.view(handle, { type: "head", chars: 6 });
          codes.push(answer?.isError === true ? codeOf(answer) : "shown");
        }
        const isRead = JSON.stringify(match).match(/readme|resource/) !== null;
        const isPrompt = JSON.stringify(match).match(/summarize|prompt/) !== null;
        expect(codes).toEqual([isRead ? "POLICY_DENIED" : "shown", isPrompt ? "POLICY_DENIED" : "shown"]);
      }
    }
  });
});

describe("an approval", () => {
  it("is asked for under the verb's own name, and bound to the arguments", async () => {
    const rules = rule({ server: "fs" }, "require_approval");
    const bound = async (args: object) => {
      const caller = fakeCaller({ answer: approvalRequired });
      const made = run({ ...both("x"), caller, ...rules });
      const answer = await made.read(ITEM_ID, { args });
      expect(jsonOf(answer)).toMatchObject({
        error: "AUTH_REQUIRED",
        path: ITEM_ID,
        details: { meta_tool: "resource_read", approval_id: "a-1" },
      });
      expect(made.calls).toEqual([]);
      expect(made.waiting).toMatchObject([{ metaTool: "resource_read", toolId: ITEM_ID, server: "fs" }]);
      return caller.asks.at(-1)?.approval;
    };
    const first = await bound({ id: "7" });
    expect(first).toMatchObject({ metaTool: "resource_read", toolId: ITEM_ID });
    expect((await bound({ id: "7" }))?.argumentsHash).toBe(first?.argumentsHash);
    expect((await bound({ id: "8" }))?.argumentsHash).not.toBe(first?.argumentsHash);
    const granted = run({ ...both("hello"), ...rules });
    expect(textOf(await granted.get())).toBe("hello");
  });
});

describe("a quota", () => {
  it("counts reads and prompts under their own names and ids, and browses under theirs", async () => {
    const limit = { max_calls_per_minute: 5 };
    const limits = {
      resource_browse: limit,
      resource_read: limit,
      prompt_browse: limit,
      prompt_get: limit,
      tools: { "fs:*": limit },
    };
    const { call, read, get, caller } = run({ ...both("hello"), ...config({ rate_limits: limits }) });
    await call("resource_browse", { path: "/" });
    await read();
    await call("prompt_browse", { path: "/" });
    await get();
    expect(caller.asks.map(({ quota }) => quota?.buckets.map(({ name }) => name))).toEqual([
      ["resource_browse"],
      ["resource_read", `tool:${README_ID}`],
      ["prompt_browse"],
      ["prompt_get", `tool:${SUMMARY_ID}`],
    ]);
  });

  it("that is used up is RATE_LIMITED by its own name, and nothing is asked", async () => {
    const scope = "resource_read/minute";
    const caller = fakeCaller({
      answer: () => ({
        version: 1,
        admitted: false,
        reason: "rate_limited",
        scope,
        retryAfterMs: 1_500,
        rowsWritten: 0,
      }),
    });
    const { read, calls } = run({ ...both("hello"), caller });
    expect(jsonOf(await read())).toMatchObject({
      error: "RATE_LIMITED",
      path: README_ID,
      retryable: true,
      details: { scope, retry_after: 1.5 },
    });
    expect(calls).toEqual([]);
    expect(caller.told[0]?.event).toMatchObject({
      event: "read.failed",
      attributes: { error_code: "RATE_LIMITED" },
    });
  });
});

describe("the cache", () => {
  it("answers a repeated read without its server, though no server's hints are trusted", async () => {
    const { read, get, calls, caller } = run({ ...both("hello"), ...config({ cache: { read_only: true } }) });
    for (const call of [read, get]) {
      const before = calls.length;
      await call();
      const second = await call();
      expect(textOf(second)).toBe("hello");
      expect(memberOf(envelopeOf(second)["provenance"], "cache_hit")).toBe(true);
      expect(calls.length).toBe(before + 1);
    }
    expect(caller.told.map(({ event }) => event.event)).toEqual([
      "read.completed",
      "read.completed",
      "prompt.completed",
      "prompt.completed",
    ]);
    expect(caller.told[1]?.event.attributes).toMatchObject({ attempts: 0 });
  });

  it("is asked by what is read: another variable, another prompt's argument, is another question", async () => {
    const { read, get, calls } = run({ ...both("hello"), ...config({ cache: { read_only: true } }) });
    await read(ITEM_ID, { args: { id: "1" } });
    await read(ITEM_ID, { args: { id: "2" } });
    await read("demo://item/1");
    await get({ repo: "a" });
    await get({ repo: "b" });
    expect(calls.length).toBe(4);
  });

  it("holds what the operator allows alone, and nothing while it is off", async () => {
    const allow = config({ cache: { read_only: true, allow: ["fs:readme"] } });
    for (const [options, expected] of [
      [allow, 3],
      [{}, 4],
    ] as const) {
      const { read, get, calls } = run({ ...both("hello"), ...options });
      await read();
      await read();
      await get();
      await get();
      expect(calls.length).toBe(expected);
    }
  });
});

describe("an idempotency key", () => {
  it("alone puts a read into the journal, which has a request's id for nothing that may run again", async () => {
    const made = run({ ...both("hello") });
    const ask = { resource_id: README_ID };
    const { context, asks } = made.caller;
    await made.surface.call("resource_read", ask, context, { requestKey: "n:1", idempotencyKey: null });
    await made.surface.call("resource_read", ask, context, { requestKey: "n:2", idempotencyKey: "k" });
    expect(asks.map(({ journal }) => journal?.idempotencyKey)).toEqual([undefined, "k"]);
    expect(asks[1]?.journal).toMatchObject({ contract: "convergent", toolId: README_ID });
  });

  it("gives the first answer again, and asks nothing", async () => {
    const answered = { content: [text("first")] };
    const caller = fakeCaller({
      answer: (ask) => ({
        version: 1,
        admitted: true,
        newestGeneration: 1,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        rowsWritten: 0,
        ...(ask.journal
          ? { journal: { disposition: "answered" as const, answer: { text: JSON.stringify(answered) } } }
          : {}),
      }),
    });
    const made = run({ ...both("hello"), caller });
    const origin = { requestKey: null, idempotencyKey: "k" };
    const answer = await made.surface.call(
      "resource_read",
      { resource_id: README_ID },
      caller.context,
      origin,
    );
    expect(answer).toEqual(answered);
    expect(made.calls).toEqual([]);
    expect(caller.told[0]?.event).toMatchObject({ event: "read.completed", success: true });
  });
});

describe("how much is shown", () => {
  it("is set for a resource by the globs that set it for tools", async () => {
    const value = "a word or two ".repeat(600);
    const made = run({
      ...both(value),
      ...config({ artifacts: { inline: { "fs:readme": 4_000 }, keep: { "fs:*": ["$.a"] } } }),
    });
    expect(textOf(await made.read())).toBe(value);
    expect(artifactsOf(await made.get()).length).toBe(1);
    const json = JSON.stringify({ a: [1, 2], b: "x".repeat(20_000) });
    const kept = run({ ...both(json), ...config({ artifacts: { keep: { "fs:*": ["$.a"] } } }) });
    expect(textOf(await kept.read())).toBe('{"a":[1,2]}');
    expect(fakeResourceId(README)).toBe(README_ID);
  });
});

describe("a read on its way", () => {
  it("is tried again where its server may be asked again, which every server may for a read", async () => {
    let tries = 0;
    const made = run({
      answer: () => {
        tries += 1;
        return tries === 1
          ? fail({ reason: "unreachable", outcome: "unknown", detail: "reset" })
          : ok(readmeOf("hello"));
      },
      ...config({ retry: { max_attempts: 2 } }),
    });
    const answer = await made.read();
    expect(textOf(answer)).toBe("hello");
    expect(memberOf(envelopeOf(answer)["provenance"], "attempts")).toBe(2);
    expect(made.caller.told[0]?.event.attributes).toMatchObject({ attempts: 2 });
  });

  it("is of the newest catalog that its principal has met, of its own kind", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog({ resources: [LOGO] })), ok(fakeCatalog(PARTS, 2)));
    const made = run({ catalogs, caller: fakeCaller({ newestGeneration: 2 }), ...both("hello") });
    expect(textOf(await made.read(README_ID))).toBe("hello");
    expect(textOf(await made.call("resource_browse", { path: "/" }))).toBe(
      "/fs — 3 resources\n/web — 1 resource",
    );
    expect(catalogs.asked).toContain("atLeast 2");
  });

  it("says what its server wanted of a person meanwhile", async () => {
    const wanted = [{ method: "elicitation/create", message: "Which branch?" }];
    const answer = await run({ wanted, ...both("hello") }).read();
    expect(answer?.["_meta"]).toMatchObject({ "loomgate/wanted": wanted });
    expect(textOf(answer, 1)).toContain("Which branch?");
  });

  it("goes nowhere, and says so, where its server cannot be addressed", async () => {
    const made = run({ noServer: true });
    expect(jsonOf(await made.read())).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      details: { outcome: "not_dispatched", replay: "convergent" },
    });
    expect(made.caller.told[0]?.event).toMatchObject({ event: "read.failed", attributes: { attempts: 0 } });
  });
});
