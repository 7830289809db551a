import { describe, expect, it } from "vitest";
import { nativePart } from "../../../src/gateway/native/native-surface.ts";
import { identifyResource } from "../../../src/identity/primitive-identity.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { fail, ok } from "../../../src/result.ts";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { fakeCatalog, fakeCatalogs, type FakeResource } from "../../support/fake-catalog.ts";
import { artifactsOf, codeOf, envelopeOf, fakeCaller, jsonOf, LARGE, run, type RunOptions } from "./kit.ts";

/** What a tool of `fs` linked to, and nobody lists. */
const LINK = "demo://session/notes.md";
const LINK_ID = idOf(LINK);
const README: FakeResource = { namespace: "fs", uri: "file:///secret/data.bin", name: "secret" };
const ITEM: FakeResource = { namespace: "fs", uriTemplate: "demo://item/{id}", name: "item" };
const LOGO: FakeResource = { namespace: "web", uri: "https://web.example/logo.png", name: "logo" };
const ALONE = fakeCatalog({ resources: [README], templates: [ITEM] });
const TWO = fakeCatalog({ resources: [README, LOGO], templates: [ITEM] });

const BLOCKS = { fs: { url: "https://fs.example/mcp" }, web: { url: "https://web.example/mcp" } };
const config = (gateway: object = {}, blocks: object = {}) => ({
  mcpServers: { ...BLOCKS, ...blocks },
  gateway,
});
const deny = (match: object, action = "deny") => config({ policy: [{ match, action, reason: "not this" }] });

function idOf(uri: string, server = "fs"): string {
  const identity = identifyResource(
    { source: "server", server, namespace: server },
    { uri, name: undefined },
  );
  if (!identity.ok) throw new Error(identity.reason);
  return identity.value.id;
}

/** Both surfaces over servers that answer any read with its URI. */
function surfaces(options: RunOptions = {}) {
  const made = run({
    catalog: ALONE,
    config: config(),
    answer: ({ name: uri }) => ok({ contents: [{ uri, mimeType: "text/plain", text: "hello" }] }),
    ...options,
  });
  const native = nativePart(made.ports, "safe");
  const gateway = async (uri: string) => {
    const answer = await made.call("resource_read", { resource_id: uri });
    return answer?.isError === true ? codeOf(answer) : "read";
  };
  const proxy = async (uri: string) => {
    const answer = await native.request("resources/read", { uri }, made.caller.context);
    if (answer?.ok === true) return "read";
    return memberOf(answer?.reason.data, "error");
  };
  const both = async (uri: string) => [await gateway(uri), await proxy(uri)];
  const reached = () => made.requests().map(({ server, params }) => [server, params["uri"]]);
  return { ...made, native, both, reached };
}

const READ = ["read", "read"];
const NOT_FOUND = ["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"];
const DENIED = ["POLICY_DENIED", "POLICY_DENIED"];
const scoped = (...scopes: string[]) => {
  const caller = fakeCaller();
  return { caller: { ...caller, context: { ...caller.context, sees: visibilityOf(scopes) } } };
};

describe("a link to what no list has", () => {
  it("is read of the only server that has any resource, and of the one that it names", async () => {
    const { both, reached } = surfaces();
    expect(await both(LINK)).toEqual(READ);
    expect(await both(`loomgate://fs/${LINK}`)).toEqual(READ);
    expect(reached()).toEqual(Array.from({ length: 4 }, () => ["fs", LINK]));
  });

  it("is read of the one of two servers that it names, and of none where it names none", async () => {
    const { both, reached, call, native, caller } = surfaces({ catalog: TWO });
    expect(await both(`loomgate://web/${LINK}`)).toEqual(READ);
    expect(await both(LINK)).toEqual(NOT_FOUND);
    expect(reached()).toEqual([
      ["web", LINK],
      ["web", LINK],
    ]);
    const names = [`loomgate://fs/${LINK}`, `loomgate://web/${LINK}`];
    const wanted = {
      error: "RESOURCE_NOT_FOUND",
      path: LINK,
      retryable: false,
      details: { did_you_mean: names },
    };
    const error = jsonOf(await call("resource_read", { resource_id: LINK }));
    expect(error).toMatchObject(wanted);
    expect(error["message"]).toMatch(/^no server lists this URI.*did_you_mean/);
    const answer = await native.request("resources/read", { uri: LINK }, caller.context);
    expect(answer).toMatchObject({ ok: false, reason: { code: -32_002, data: wanted } });
  });

  it("counts only servers of which the caller sees a resource", async () => {
    const { both, reached } = surfaces({ catalog: TWO, ...scoped("fs:*") });
    expect(await both(LINK)).toEqual(READ);
    expect(await both(`loomgate://web/${LINK}`)).toEqual(NOT_FOUND);
    expect(reached()).toEqual([
      ["fs", LINK],
      ["fs", LINK],
    ]);
  });

  it("is nobody's where no server has resources, or the named one has none", async () => {
    const tools = [{ namespace: "web", name: "fetch" }];
    const { both, reached } = surfaces({ catalog: fakeCatalog({ tools, resources: [README] }) });
    expect(await both(`loomgate://web/${LINK}`)).toEqual(NOT_FOUND);
    expect(await both(`loomgate://nobody/${LINK}`)).toEqual(NOT_FOUND);
    expect(reached()).toEqual([]);
  });

  it("names its server in a result where several could be meant, and is read back by that name", async () => {
    const { native, caller, both, reached } = surfaces({ catalog: TWO });
    const linksOf = async (catalogOf: ReturnType<typeof surfaces>, server: string, uri: string) => {
      const tool = TWO.of("resource")
        ?.page(undefined, 9, () => true)
        .tools.find((each) => each.server === server);
      if (tool === undefined) throw new Error("no such server");
      const result = { content: [{ type: "resource_link", uri, name: "x" }] };
      const linked = await catalogOf.native.relinked(result, tool, caller.context);
      const content = memberOf(linked, "content");
      return memberOf(isJsonArray(content) ? content[0] : undefined, "uri");
    };
    const two = { ...surfaces({ catalog: TWO }), native };
    expect(await linksOf(two, "fs", LINK)).toBe(`loomgate://fs/${LINK}`);
    expect(await linksOf(two, "web", LINK)).toBe(`loomgate://web/${LINK}`);
    // What its server lists, what a template of it gives, what clients fetch themselves, and what nobody could ask for.
    for (const uri of [String(README.uri), "demo://item/7", "https://example.com/x", "not a uri"])
      expect(await linksOf(two, "fs", uri)).toBe(uri);
    expect(await linksOf(two, "web", String(README.uri))).toBe(`loomgate://web/${README.uri}`);
    expect(await linksOf(surfaces(), "fs", LINK)).toBe(LINK);
    expect(await linksOf(surfaces(), "web", LINK)).toBe(LINK);
    expect(await both(`loomgate://web/${README.uri}`)).toEqual(READ);
    expect(reached()).toEqual([
      ["web", README.uri],
      ["web", README.uri],
    ]);
  });

  it("goes by that name in what is read, too", async () => {
    const { native, caller } = surfaces({ catalog: TWO });
    const uri = `loomgate://fs/${LINK}`;
    const answer = await native.request("resources/read", { uri }, caller.context);
    expect(answer).toMatchObject({ ok: true, value: { contents: [{ uri, text: "hello" }] } });
  });

  it("is told, counted and answered as any read, under the id that its URI has", async () => {
    const { read, caller } = surfaces({
      config: config({ rate_limits: { resource_read: { max_calls_per_minute: 9 } } }),
      secrets: ["hello-secret"],
      answer: () => ok({ contents: [{ uri: LINK, text: "a hello-secret" }] }),
    });
    const answer = await read(LINK);
    expect(memberOf(envelopeOf(answer)["provenance"], "tool_id")).toBe(LINK_ID);
    expect(JSON.stringify(answer)).not.toContain("hello-secret");
    expect(caller.told.map(({ event }) => event)).toMatchObject([
      { event: "read.completed", tool_id: LINK_ID },
    ]);
    expect(JSON.stringify(caller.asks)).toContain("resource_read");
  });

  it("is in no session's browse for it", async () => {
    const { read, caller } = surfaces({ cacheStable: true });
    await read(LINK);
    expect(caller.reports.some((report) => "seen" in report)).toBe(false);
  });

  it("takes no arguments besides", async () => {
    const { read, reached } = surfaces();
    expect(codeOf(await read(LINK, { args: { uri: "file:///other" } }))).toBe("ARGS_INVALID");
    expect(reached()).toEqual([]);
  });

  it("that its server does not know is not there, and no refresh is asked for", async () => {
    const catalogs = fakeCatalogs(ok(ALONE));
    const { both } = surfaces({
      catalogs,
      answer: () => fail({ reason: "unknown_tool", outcome: "completed", detail: "" }),
    });
    expect(await both(LINK)).toEqual(NOT_FOUND);
    expect(catalogs.asked.filter((question) => question.startsWith("refreshSoon"))).toEqual([]);
  });

  it("is looked for in the newest catalog before a server is asked unseen", async () => {
    const newer = fakeCatalog({ resources: [README, { namespace: "fs", uri: LINK, name: "notes" }] }, 2);
    const { read, caller } = surfaces({ catalogs: fakeCatalogs(ok(ALONE), ok(newer)) });
    await read(LINK);
    expect(String(memberOf(caller.told[0]?.event, "tool_id"))).toMatch(/^resource::fs:notes#/);
  });
});

describe("what is kept of it", () => {
  const large = () => ok({ contents: [{ uri: LINK, mimeType: "text/plain", text: LARGE }] });

  it("belongs to its id, by which views are judged and seen", async () => {
    const { read, view, caller, ports } = surfaces({ answer: large });
    const [kept] = artifactsOf(await read(LINK));
    expect([...caller.rows.values()].map(({ toolId }) => toolId)).toEqual([LINK_ID]);
    const head = { type: "head", chars: 20 };
    expect((await view(kept?.handle, head))?.isError).not.toBe(true);
    for (const match of [
      { server: "fs" },
      { tool: "resource::fs:*" },
      { tool: LINK_ID },
      { tool: "fs:notes.md" },
    ]) {
      const { gateway } = surfaces({ config: deny(match) }).ports.controls;
      Object.assign(ports.controls, { gateway });
      expect(codeOf(await view(kept?.handle, head))).toBe("POLICY_DENIED");
    }
  });

  it("is no answer to use again, unless the operator's list names it, and then its principal's alone", async () => {
    const twice = async (cache: object, first = LINK, second = LINK) => {
      const { read, reached } = surfaces({ config: config({ cache: { read_only: true, ...cache } }) });
      await read(first);
      await read(second);
      return reached().length;
    };
    expect(await twice({})).toBe(2);
    expect(await twice({ allow: ["web:*"] })).toBe(2);
    expect(await twice({ allow: ["resource::fs:*"] })).toBe(1);
    expect(await twice({ allow: ["resource::fs:*"] }, LINK, "demo://session/other.md")).toBe(2);
    const shared = surfaces({
      config: config({ cache: { read_only: true, allow: ["*"], shared: ["*"] } }),
    });
    await shared.read(LINK);
    const other = fakeCaller({ principal: "bob" });
    await shared.surface.call("resource_read", { resource_id: LINK }, other.context);
    expect(shared.reached()).toHaveLength(2);
  });
});

describe("nobody reads by a link", () => {
  it.each([
    ["of one resource", "fs:secret*"],
    ["of the link's own id", LINK_ID],
    ["of the link's own name", "fs:notes*"],
    ["of the name that visibility is tried with", "fs:unlisted*"],
    ["of names that begin like it", "fs:u*"],
    ["of tools alone", "web:*"],
  ])("what scopes %s do not show", async (_, scope) => {
    const all = surfaces({ ...scoped(scope, "fs:secret*") });
    expect([await all.both(LINK), await all.both(`loomgate://fs/${LINK}`)]).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await all.both("demo://session/u")).toEqual(NOT_FOUND);
    expect(all.reached()).toEqual([]);
  });

  it.each([["fs:*"], ["resource::fs:*"], ["*"]])(
    "but by scopes that show a whole server: %s",
    async (scope) => {
      expect(await surfaces({ ...scoped(scope) }).both(LINK)).toEqual(READ);
    },
  );

  it.each([
    ["include", { include: ["file:*"] }],
    ["include, whatever it lets in", { include: ["*", "x"] }],
    ["exclude", { exclude: ["demo:*"] }],
  ])("of a server whose block has an %s of its own", async (_, globs) => {
    const { both, reached } = surfaces({ config: config({}, { fs: { ...BLOCKS.fs, ...globs } }) });
    expect([await both(LINK), await both(`loomgate://fs/${LINK}`)]).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(reached()).toEqual([]);
  });

  it.each([
    ["the server", { server: "fs" }],
    ["all its resources", { tool: "resource::fs:*" }],
    ["the id", { tool: LINK_ID }],
    ["the URI", { tool: "demo://session/*" }],
    ["reading", { meta_tool: "resource_read" }],
  ])("what a rule denies by %s", async (_, match) => {
    const { both, reached } = surfaces({ config: deny(match) });
    expect([await both(LINK), await both(`loomgate://fs/${LINK}`)]).toEqual([DENIED, DENIED]);
    expect(reached()).toEqual([]);
  });

  it("what waits for a person, who is shown its URI", async () => {
    const refused = {
      version: 1,
      admitted: false,
      reason: "approval_required",
      approvalId: "a-1",
      expiresAtMs: 0,
      created: true,
      rowsWritten: 0,
    } as const;
    const caller = fakeCaller({ answer: (ask) => (ask.approval ? refused : undefined) });
    const { both, waiting, reached } = surfaces({
      caller,
      config: deny({ server: "fs" }, "require_approval"),
    });
    expect(await both(LINK)).toEqual(["AUTH_REQUIRED", "AUTH_REQUIRED"]);
    expect(waiting.map(({ toolId, argumentsJson }) => [toolId, argumentsJson])).toEqual([
      [LINK_ID, JSON.stringify({ uri: LINK })],
      [LINK_ID, JSON.stringify({ uri: LINK })],
    ]);
    expect(reached()).toEqual([]);
  });

  it.each([
    ["itself, by its id's rule", "file:///secret/data.bin", DENIED],
    ["an escape", "file:///secret%2Fdata.bin", NOT_FOUND],
    ["an escaped letter", "file:///secret/dat%61.bin", NOT_FOUND],
    ["capitals", "file:///Secret/data.BIN", NOT_FOUND],
    ["a fragment", "file:///secret/data.bin#x", NOT_FOUND],
    ["slashes", "file:///secret//data.bin/", NOT_FOUND],
    ["no authority", "file:/secret/data.bin", NOT_FOUND],
    ["this host", "file://localhost/secret/data.bin", NOT_FOUND],
    ["a way around", "file:///a/../secret/data.bin", NOT_FOUND],
  ])("what is listed and denied, by another spelling: %s", async (_, uri, told) => {
    const { both, reached } = surfaces({ config: deny({ tool: "resource::fs:secret*" }) });
    expect(await both(uri)).toEqual(told);
    expect(await both(`loomgate://fs/${uri}`)).toEqual(told);
    expect(reached()).toEqual([]);
  });

  it.each(["file:/hidden/x", "file://localhost/hidden/x", "file:///hidden%2Fx", "file:///%68idden/x"])(
    "what a rule denies by its URI, by another spelling: %s",
    async (uri) => {
      const { both, reached } = surfaces({ config: deny({ tool: "file:///hidden/*" }) });
      expect(await both(uri)).toEqual(NOT_FOUND);
      expect(await both("file:///hidden/x")).toEqual(DENIED);
      expect(reached()).toEqual([]);
    },
  );

  it("what has the id of something else that is listed", async () => {
    const resources = ALONE.of("resource");
    if (resources === undefined) throw new Error("there are resources");
    const [other] = resources.page(undefined, 1, () => true).tools;
    const find = (id: string) => (id === LINK_ID && other ? { ...other, id } : resources.find(id));
    const { both, reached } = surfaces({ catalog: { ...ALONE, of: () => ({ ...resources, find }) } });
    expect(await both(LINK)).toEqual(NOT_FOUND);
    expect(reached()).toEqual([]);
  });

  it("what is listed and hidden, by scopes however odd", async () => {
    const uri = "file:///shelf/u";
    const resources = [README, { namespace: "fs", uri, name: "hidden" }];
    const hidden = fakeCatalog({ resources, templates: [ITEM] });
    const { both, reached } = surfaces({ catalog: hidden, ...scoped("fs:u*", "fs:_*", "fs:secret*") });
    expect([await both(uri), await both(`loomgate://fs/${uri}`)]).toEqual([NOT_FOUND, NOT_FOUND]);
    expect([await both("demo://item/u"), await both(LINK)]).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await both("file:///shelf/u2")).toEqual(READ);
    expect(reached()).toHaveLength(2);
  });

  it("what a template of the server gives, where the template is denied", async () => {
    const { both, reached } = surfaces({ config: deny({ tool: "resource::fs:item*" }) });
    for (const uri of ["demo://item/7", "loomgate://fs/demo://item/7"])
      expect(await both(uri)).toEqual(DENIED);
    expect(reached()).toEqual([]);
  });

  it.each([
    ["a lone surrogate", "demo://session/\ud800"],
    ["8,193 characters", `demo:${"x".repeat(8_188)}`],
    ["no scheme", "session/notes.md"],
    ["our prefix once more", `loomgate://fs/${LINK}`],
    ["our scheme in capitals", `LOOMGATE://fs/${LINK}`],
  ])("what is no URI to ask for: %s", async (_, uri) => {
    const { both, reached } = surfaces();
    expect(await both(`loomgate://fs/${uri}`)).toEqual(NOT_FOUND);
    // By itself one with our prefix is a link that says its server.
    expect(await both(/^loomgate:/i.test(uri) ? `loomgate://nobody/${LINK}` : uri)).toEqual(NOT_FOUND);
    expect(reached()).toEqual([]);
  });

  it.each([
    "resource::fs:readme#00000000",
    "resource::no id",
    "fs:readme",
    "fs:readme#00000000",
    "prompt::fs:x",
  ])("what reads like an id on /mcp: %s", async (id) => {
    const { read, reached } = surfaces();
    expect(codeOf(await read(id))).toBe("RESOURCE_NOT_FOUND");
    expect(reached()).toEqual([]);
  });
});

describe("a URI that says its server", () => {
  it("is read of it on both surfaces, where it is listed or a template gives it", async () => {
    const { both, caller } = surfaces({ catalog: TWO });
    expect(await both(`loomgate://fs/${README.uri}`)).toEqual(READ);
    expect(await both("loomgate://fs/demo://item/7")).toEqual(READ);
    const ids = caller.told.map(({ event }) => memberOf(event, "tool_id"));
    expect(ids.map((id) => String(id).split("#")[0])).toEqual([
      "resource::fs:secret",
      "resource::fs:secret",
      "resource::fs:item",
      "resource::fs:item",
    ]);
  });
});
