import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../../src/errors.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakePromptId, fakeResourceId } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { natively, SERVERS } from "./natively.ts";

const README = { namespace: "docs", uri: "file:///readme.md", name: "readme" };
const COPY = { namespace: "files", uri: "file:///readme.md", name: "readme" };
const NOTE = { namespace: "files", uriTemplate: "note:///{id}{?q}", name: "note" };
const ANY = { namespace: "notes", uriTemplate: "note:///{+path}", name: "any" };
const PROMPT = {
  namespace: "docs",
  name: "sum up",
  arguments: [{ name: "text", required: true }, { name: "style" }],
};
const CATALOG = fakeCatalog({ resources: [README, COPY], templates: [NOTE], prompts: [PROMPT] });

const contents = (uri: string) => ({ contents: [{ uri, mimeType: "text/plain", text: "hello" }] });
const read = (uri: string) => ok({ ...contents(uri), _meta: { at: uri, more: 1 } });
/** Answers a read with what was asked for. */
const echo = ({ name }: { readonly name: string }) => read(name);

describe("resources/read", () => {
  it("reads a contested URI of the server that it names, and names it so in the answer", async () => {
    const { ask, calls, caller } = natively({ catalog: CATALOG, answer: echo });
    const uri = "loomgate://files/file:///readme.md";
    expect(await ask("resources/read", { uri })).toStrictEqual({
      ...contents(uri),
      _meta: { at: uri, more: 1 },
    });
    expect(calls.map(({ server, request }) => [server, request.method, request.params])).toEqual([
      ["files", "resources/read", { uri: "file:///readme.md" }],
    ]);
    expect(caller.asks).toHaveLength(1);
    expect(caller.told.map(({ event }) => event)).toMatchObject([
      { event: "read.completed", tool_id: fakeResourceId(COPY) },
    ]);
  });

  it("reads what is nobody else's under either name", async () => {
    const { ask, calls } = natively({ catalog: fakeCatalog({ resources: [README] }), answer: echo });
    for (const uri of [README.uri, `loomgate://docs/${README.uri}`]) {
      expect(await ask("resources/read", { uri })).toStrictEqual({
        ...contents(README.uri),
        _meta: { at: README.uri, more: 1 },
      });
    }
    expect(calls.map(({ server }) => server)).toEqual(["docs", "docs"]);
  });

  it("does not choose between two servers, and says what would work", async () => {
    const { problemOf, calls } = natively({ catalog: CATALOG });
    const problem = await problemOf("resources/read", { uri: README.uri });
    expect(problem.code).toBe(-32_002);
    expect(memberOf(problem.data, "error")).toBe("RESOURCE_NOT_FOUND");
    expect(memberOf(memberOf(problem.data, "details"), "did_you_mean")).toEqual([
      "loomgate://docs/file:///readme.md",
      "loomgate://files/file:///readme.md",
    ]);
    expect(calls).toHaveLength(0);
  });

  it("says what may have been meant by names that work here", async () => {
    const parts = { resources: [README, COPY], templates: [NOTE], prompts: [PROMPT] };
    const other = { ...README, uri: "file:///readme.txt" };
    const { problemOf, ask } = natively({
      catalog: fakeCatalog({ ...parts, resources: [README, COPY, other] }),
      answer: ({ name }) =>
        name === other.uri ? fail({ reason: "unknown_tool", outcome: "unknown", detail: "" }) : read(name),
    });
    const meant = async (method: string, params: object): Promise<readonly unknown[]> => {
      const { data } = await problemOf(method, params);
      const list = memberOf(memberOf(data, "details"), "did_you_mean");
      return isJsonArray(list) ? list : [];
    };
    const uris = await meant("resources/read", { uri: other.uri });
    expect(uris.length).toBeGreaterThan(0);
    for (const uri of uris) {
      expect(uri).toMatch(/^loomgate:\/\/(?:docs|files)\/|^note:/);
      if (!String(uri).includes("{")) await ask("resources/read", { uri });
    }
    const [name] = await meant("prompts/get", { name: "docs--sum_up---00000000" });
    expect(name).toMatch(/^docs--sum_up---[0-9a-f]{8}$/);
    const result = { messages: [] };
    const prompts = natively({ catalog: fakeCatalog(parts), answer: () => ok(result) });
    expect(await prompts.ask("prompts/get", { name, arguments: { text: "t" } })).toStrictEqual(result);
  });

  it("reads it where only one of them is visible", async () => {
    const caller = fakeCaller({ sees: (id) => id.startsWith("resource::files:") });
    const { ask, problemOf, calls } = natively({ catalog: CATALOG, answer: echo }, caller);
    expect(await ask("resources/read", { uri: README.uri })).toMatchObject(contents(README.uri));
    expect(calls.map(({ server }) => server)).toEqual(["files"]);
    const hidden = await problemOf("resources/read", { uri: "loomgate://docs/file:///readme.md" });
    expect([hidden.code, memberOf(hidden.data, "error")]).toEqual([-32_002, "RESOURCE_NOT_FOUND"]);
  });

  it("reads a template that a URI fills in, also of one of two servers", async () => {
    const { ask, calls } = natively({ catalog: CATALOG, answer: echo });
    await ask("resources/read", { uri: "note:///7?q=a%20b" });
    const both = natively({ catalog: fakeCatalog({ templates: [NOTE, ANY] }), answer: echo });
    await both.ask("resources/read", { uri: "loomgate://notes/note:///7" });
    await both.ask("resources/read", { uri: "loomgate://files/note:///7" });
    expect((await both.problemOf("resources/read", { uri: "note:///7" })).code).toBe(-32_002);
    expect([...calls, ...both.calls].map(({ server, name }) => [server, name])).toEqual([
      ["files", "note:///7?q=a%20b"],
      ["notes", "note:///7"],
      ["files", "note:///7"],
    ]);
  });

  it("takes no id for a URI", async () => {
    const trap = { namespace: "notes", uri: fakeResourceId(README), name: "trap" };
    const { ask, calls } = natively({ catalog: fakeCatalog({ resources: [README, trap] }), answer: echo });
    await ask("resources/read", { uri: trap.uri });
    expect(calls.map(({ server, name }) => [server, name])).toEqual([["notes", trap.uri]]);
    const { problemOf } = natively({ catalog: CATALOG });
    expect((await problemOf("resources/read", { uri: fakeResourceId(README) })).code).toBe(-32_002);
  });

  it.each([
    [{}, "no contents"],
    [{ contents: {} }, "no contents"],
    [{ contents: [] }, "an empty list of contents"],
    [{ ...contents("x"), isError: true }, "a result that says so itself"],
    [{ contents: [{ uri: "x" }] }, "a content without a payload"],
    [{ contents: [{ uri: "x", text: 5 }] }, "a text that is none"],
  ])("is an error for %j: %s", async (result: Record<string, unknown>, _what: string) => {
    const { problemOf, caller } = natively({ catalog: CATALOG, answer: () => ok(result) });
    const problem = await problemOf("resources/read", { uri: "note:///1" });
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "UPSTREAM_ERROR"]);
    expect(caller.told.map(({ event }) => event)).toMatchObject([{ event: "read.failed" }]);
  });

  it("hands a content without a letter on, and blobs as they are", async () => {
    const results = [
      { contents: [{ uri: "note:///1", text: "" }], isError: false },
      { contents: [{ uri: "note:///1", blob: "AAECAw==", mimeType: "image/png" }] },
    ];
    for (const result of results) {
      const { ask } = natively({ catalog: CATALOG, answer: () => ok(result) });
      expect(await ask("resources/read", { uri: "note:///1" })).toStrictEqual(result);
    }
  });

  const outcome = "unknown" as const;
  const failures: readonly (readonly [UpstreamFailure, number, string])[] = [
    [{ reason: "unknown_tool", outcome, detail: "" }, -32_002, "RESOURCE_NOT_FOUND"],
    [{ reason: "timeout", outcome, detail: "" }, -32_603, "UPSTREAM_TIMEOUT"],
    [{ reason: "rpc_error", code: -32_000, outcome, detail: "inner words" }, -32_603, "UPSTREAM_ERROR"],
    [{ reason: "too_large", outcome, detail: "" }, -32_603, "UPSTREAM_ERROR"],
  ];
  it.each(failures)("is an error of the protocol for %j", async (failure, code, error) => {
    const { problemOf } = natively({ catalog: CATALOG, answer: () => fail(failure) });
    const problem = await problemOf("resources/read", { uri: "note:///1" });
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([code, error]);
    expect(JSON.stringify(problem)).not.toContain("inner words");
  });

  it("is judged by the operator's rules and limits, as resource_read", async () => {
    const policy = [{ match: { meta_tool: "resource_read" }, action: "deny", reason: "not today" }];
    const denied = natively({ catalog: CATALOG, config: { ...SERVERS, gateway: { policy } } });
    const problem = await denied.problemOf("resources/read", { uri: "note:///1" });
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "POLICY_DENIED"]);
    expect(denied.calls).toHaveLength(0);
    const limits = { rate_limits: { resource_read: { max_calls_per_minute: 1 } } };
    const limited = natively({ catalog: CATALOG, answer: echo, config: { ...SERVERS, gateway: limits } });
    await limited.ask("resources/read", { uri: "note:///1" });
    expect(limited.caller.asks[0]?.quota?.buckets).toMatchObject([{ name: "resource_read" }]);
  });

  it("is answered from the cache where reads may be", async () => {
    const config = { ...SERVERS, gateway: { cache: { read_only: true } } };
    const { ask, calls } = natively({ catalog: CATALOG, answer: echo, config });
    const first = await ask("resources/read", { uri: "note:///1" });
    expect(await ask("resources/read", { uri: "note:///1" })).toStrictEqual(first);
    expect(calls).toHaveLength(1);
  });

  it("has no secret in its answer, and none in its errors", async () => {
    const secret = "the-secret-of-ours";
    const token = `ghp_${"a1B2".repeat(9)}`;
    const leaky = { contents: [{ uri: "note:///1", text: `${secret} ${token}` }] };
    const config = { ...SERVERS, gateway: { redact: true } };
    const { ask, problemOf } = natively({
      catalog: CATALOG,
      secrets: [secret],
      config,
      answer: () => ok(leaky),
    });
    const text = JSON.stringify(await ask("resources/read", { uri: "note:///1" }));
    expect([text.includes(secret), text.includes(token)]).toEqual([false, false]);
    expect(JSON.stringify(await problemOf("resources/read", { uri: `x://${secret}` }))).not.toContain(secret);
  });

  it("has none in a text that came in base64 either, of ours and of another's beside it", async () => {
    const secret = "the-secret-of-ours";
    const token = `ghp_${"a1B2".repeat(9)}`;
    const blob = Buffer.from(`hello ${secret} and ${token}`).toString("base64");
    const resource = { uri: "note:///1", mimeType: "text/plain", blob };
    const config = { ...SERVERS, gateway: { redact: true } };
    const options = { catalog: CATALOG, secrets: [secret], config };
    const read = natively({ ...options, answer: () => ok({ contents: [resource] }) });
    const messages = [{ role: "user", content: { type: "resource", resource } }];
    const got = natively({ ...options, answer: () => ok({ messages }) });
    const contents = memberOf(await read.ask("resources/read", { uri: "note:///1" }), "contents");
    const prompt = { name: fakePromptId(PROMPT).replace("prompt::", ""), arguments: { text: "t" } };
    const answered = memberOf(await got.ask("prompts/get", prompt), "messages");
    const first = (list: unknown) => (isJsonArray(list) ? list[0] : undefined);
    for (const clean of [first(contents), memberOf(memberOf(first(answered), "content"), "resource")]) {
      const text = Buffer.from(String(memberOf(clean, "blob")), "base64").toString();
      expect(text).toMatch(/^hello \S+ and \S+$/);
      expect([text.includes(secret), text.includes(token)]).toEqual([false, false]);
    }
  });

  it.each([[{}], [{ uri: 5 }], [null], ["x"]])("refuses parameters like %j", async (params) => {
    const { problemOf, caller } = natively({ catalog: CATALOG });
    expect((await problemOf("resources/read", params)).code).toBe(-32_602);
    expect(caller.asks).toHaveLength(1);
  });
});

describe("prompts/get", () => {
  const messages = [{ role: "user", content: { type: "resource_link", uri: README.uri, name: "readme" } }];

  it("gets a prompt by its listed name in every form, with the links that this surface knows", async () => {
    for (const names of ["canonical", "url", "safe"] as const) {
      const { ask, list, calls, caller } = natively({
        catalog: CATALOG,
        names,
        answer: () => ok({ description: "d", messages }),
      });
      const [entry] = await list("prompts/list", "prompts");
      const answer = await ask("prompts/get", { name: entry?.["name"], arguments: { text: "t" } });
      const link = { ...messages[0]?.content, uri: "loomgate://docs/file:///readme.md" };
      expect(answer).toStrictEqual({ description: "d", messages: [{ role: "user", content: link }] });
      expect(calls.map(({ request }) => [request.method, request.params])).toEqual([
        ["prompts/get", { name: "sum up", arguments: { text: "t" } }],
      ]);
      expect(caller.told.map(({ event }) => event)).toMatchObject([
        { event: "prompt.completed", tool_id: fakePromptId(PROMPT) },
      ]);
    }
  });

  it("takes the long form of a name, and the whole id", async () => {
    const long = { namespace: "docs", name: "p".repeat(90) };
    const catalog = fakeCatalog({ prompts: [long] });
    const { ask, list, calls } = natively({ catalog, answer: () => ok({ messages }) });
    const [entry] = await list("prompts/list", "prompts");
    expect(String(entry?.["name"])).toContain("--9");
    await ask("prompts/get", { name: entry?.["name"] });
    await ask("prompts/get", { name: fakePromptId(long) });
    expect(calls).toHaveLength(2);
  });

  it("says what is wrong with arguments and asks nobody", async () => {
    const { list, problemOf, calls } = natively({ catalog: CATALOG });
    const [entry] = await list("prompts/list", "prompts");
    for (const args of [{}, { text: 5 }, { text: "t", more: "x" }]) {
      const problem = await problemOf("prompts/get", { name: entry?.["name"], arguments: args });
      expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_602, "ARGS_INVALID"]);
    }
    expect((await problemOf("prompts/get", { name: entry?.["name"], arguments: [] })).code).toBe(-32_602);
    expect(calls).toHaveLength(0);
  });

  it("does not know what is not there or not visible", async () => {
    const hidden = natively({ catalog: CATALOG }, fakeCaller({ sees: () => false }));
    const name = fakePromptId(PROMPT);
    const problems = [
      await hidden.problemOf("prompts/get", { name }),
      await natively({ catalog: CATALOG }).problemOf("prompts/get", { name: "sum up" }),
      await natively({ catalog: fakeCatalog([]) }).problemOf("prompts/get", { name }),
    ];
    for (const { code, data } of problems) {
      expect([code, memberOf(data, "error")]).toEqual([-32_602, "PROMPT_NOT_FOUND"]);
    }
  });

  it("is an error where the server says that its result is one, and else may have no messages", async () => {
    const answering = (result: Record<string, unknown>) =>
      natively({ catalog: CATALOG, answer: () => ok(result) });
    const params = { name: fakePromptId(PROMPT), arguments: { text: "t" } };
    const failed = answering({ messages: [], isError: true });
    const problem = await failed.problemOf("prompts/get", params);
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "UPSTREAM_ERROR"]);
    expect(memberOf(memberOf(problem.data, "details"), "outcome")).toBe("completed");
    expect(failed.caller.told.map(({ event }) => event)).toMatchObject([{ event: "prompt.failed" }]);
    expect(await answering({ messages: [] }).ask("prompts/get", params)).toStrictEqual({ messages: [] });
  });

  it("is an error where the server answers with no messages", async () => {
    const { problemOf, list } = natively({
      catalog: CATALOG,
      answer: () => ok({ messages: [{ role: "user" }] }),
    });
    const [entry] = await list("prompts/list", "prompts");
    const problem = await problemOf("prompts/get", { name: entry?.["name"], arguments: { text: "t" } });
    expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "UPSTREAM_ERROR"]);
  });
});

describe("the native surface", () => {
  it("has no other methods, and admits its own itself", async () => {
    const { native, caller } = natively({ catalog: CATALOG });
    expect(await native.request("resources/subscribe", {}, caller.context)).toBeUndefined();
    expect(await native.request("__proto__", {}, caller.context)).toBeUndefined();
    expect([...native.admitting].toSorted()).toEqual([
      "completion/complete",
      "prompts/get",
      "prompts/list",
      "resources/list",
      "resources/read",
      "resources/templates/list",
    ]);
    expect(await native.capabilities(caller.context)).toEqual({
      resources: true,
      prompts: true,
      completions: true,
    });
  });

  it("says that it is not ready where there is no catalog", async () => {
    const { problemOf } = natively({});
    for (const method of ["resources/list", "prompts/list"]) {
      const problem = await problemOf(method);
      expect([problem.code, memberOf(problem.data, "error")]).toEqual([-32_603, "UPSTREAM_UNAVAILABLE"]);
    }
    expect((await problemOf("resources/read", { uri: "x" })).code).toBe(-32_603);
  });

  it("gives the links of a tool's result the names that it lists, and the result itself where none changes", async () => {
    const { native, caller } = natively({ catalog: CATALOG });
    const tools = CATALOG.of("resource")?.page(undefined, 9, () => true).tools ?? [];
    const docs = tools.find(({ server }) => server === "docs");
    if (docs === undefined) throw new Error("no resource of docs");
    const linked = {
      content: [{ type: "resource_link", uri: README.uri, name: "r" }],
      structuredContent: { uri: README.uri },
    };
    expect(await native.relinked(linked, docs, caller.context)).toStrictEqual({
      content: [{ type: "resource_link", uri: `loomgate://docs/${README.uri}`, name: "r" }],
      structuredContent: { uri: README.uri },
    });
    const other = { content: [{ type: "resource_link", uri: "https://y/1", name: "r" }] };
    expect(await native.relinked(other, docs, caller.context)).toBe(other);
    const none = natively({ catalog: fakeCatalog([]) });
    expect(await none.native.relinked(linked, docs, none.caller.context)).toBe(linked);
  });
});
