import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeResourceId, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { bothSurfaces } from "./both-surfaces.ts";
import { SERVERS } from "./natively.ts";

const PRIVATE: FakeResource = { namespace: "docs", uri: "vault://priv", name: "priv" };
const PUBLIC: FakeResource = { namespace: "docs", uri: "vault://pub", name: "pub" };
const DEEP: FakeResource = { namespace: "docs", uri: "vault://deep/key", name: "deep key" };
const BY_ID: FakeResource = { namespace: "docs", uriTemplate: "vault://{id}", name: "by id" };
const ANY: FakeResource = { namespace: "docs", uriTemplate: "vault://{+path}", name: "any path" };
const RESOURCES = [PRIVATE, PUBLIC, DEEP];
const PRIVATE_ID = fakeResourceId(PRIVATE);
const BY_ID_ID = fakeResourceId(BY_ID);

type Rules = readonly object[];
interface Setting {
  readonly policy?: Rules;
  readonly scopes?: readonly string[];
  readonly block?: object;
  readonly gateway?: object;
  readonly resources?: readonly FakeResource[];
  readonly templates?: readonly FakeResource[];
  readonly caller?: ReturnType<typeof fakeCaller>;
}

function made({
  policy = [],
  scopes,
  block = {},
  gateway = {},
  resources = RESOURCES,
  templates = [BY_ID],
  caller = fakeCaller(),
}: Setting) {
  const docs = { ...SERVERS.mcpServers["docs"], ...block };
  return bothSurfaces(
    {
      catalog: fakeCatalog({ resources, templates }),
      config: { mcpServers: { ...SERVERS.mcpServers, docs }, gateway: { policy, ...gateway } },
      answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }),
    },
    { ...caller, context: { ...caller.context, sees: visibilityOf(scopes ?? null) } },
  );
}

/** All ways to one URI through the template by id, and what they end as. */
async function waysTo(setting: Setting, id: string) {
  const surfaces = made(setting);
  const uri = `vault://${id}`;
  const ends = [
    await surfaces.gateway(BY_ID_ID, { id: decodeURIComponent(id) }),
    ...(await surfaces.read(uri)),
    ...(await surfaces.read(`loomgate://docs/${uri}`)),
  ];
  return { ...surfaces, ends: [...new Set(ends)] };
}

const deny = (tool: string) => ({ match: { tool }, action: "deny" });

describe("a template that gives what its server lists", () => {
  it.each(["priv", "%70riv", "PRIV", "Priv"])("is denied by that resource's rule: %s", async (id) => {
    for (const rule of ["resource::docs:priv*", PRIVATE_ID, "vault://priv", "docs:priv"]) {
      const { ends, calls } = await waysTo({ policy: [deny(rule)] }, id);
      expect([ends, calls]).toEqual([["POLICY_DENIED"], []]);
    }
  });

  it.each(["priv", "%70riv", "PRIV"])("is not there where that is hidden: %s", async (id) => {
    const { ends, calls } = await waysTo({ scopes: ["docs:by_id", "docs:pub"] }, id);
    expect([ends, calls]).toEqual([["RESOURCE_NOT_FOUND"], []]);
  });

  it("is a read of that resource by its own URI, in what is told, counted, kept and cached", async () => {
    const gateway = {
      rate_limits: { tools: { "docs:priv": { max_calls_per_minute: 9 } } },
      cache: { read_only: true },
    };
    const { reached, caller, ends } = await waysTo({ gateway }, "%70riv");
    expect(ends).toEqual(["read"]);
    expect(reached()).toEqual([["docs", PRIVATE.uri]]);
    expect(caller.asks.map(({ quota }) => quota?.buckets.map(({ name }) => name))).toEqual(
      Array.from({ length: 5 }, () => [`tool:${PRIVATE_ID}`]),
    );
    expect(caller.told.map(({ event }) => memberOf(event, "tool_id"))).toEqual(
      Array.from({ length: 5 }, () => PRIVATE_ID),
    );
  });

  it("waits for the consent that a read of it waits for", async () => {
    const caller = fakeCaller();
    const { ends } = await waysTo(
      { policy: [{ ...deny("vault://priv"), action: "require_approval" }], caller },
      "%70riv",
    );
    expect(ends).toEqual(["read"]);
    const bound = caller.asks.map(({ approval }) => [approval?.toolId, approval?.argumentsHash]);
    expect(new Set(bound.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(bound[0]?.[0]).toBe(PRIVATE_ID);
  });

  it("is what it says where another is listed under nearly the same, and not where that is denied or hidden", async () => {
    const near = { ...PRIVATE, uri: "vault://x/priv%2Fkey" };
    const setting = { resources: [near, PUBLIC], templates: [ANY] };
    const read = async (more: Setting) => {
      const surfaces = made({ ...setting, ...more });
      return [await surfaces.gateway(fakeResourceId(ANY), { path: "x/priv/key" }), surfaces.reached()];
    };
    expect(await read({})).toEqual(["read", [["docs", "vault://x/priv/key"]]]);
    expect(await read({ policy: [deny("docs:priv")] })).toEqual(["POLICY_DENIED", []]);
    expect(await read({ scopes: ["docs:any_path"] })).toEqual(["RESOURCE_NOT_FOUND", []]);
  });
});

describe("a template that gives what its server does not list", () => {
  it.each(["vault://secret", "vault://sec*", "resource::docs:secret*", "docs:secret"])(
    "is denied by a rule that names what it gives: %s",
    async (rule) => {
      for (const id of ["secret", "%73ecret"]) {
        const { ends, calls } = await waysTo({ policy: [deny(rule)] }, id);
        expect([ends, calls]).toEqual([["POLICY_DENIED"], []]);
      }
      expect((await waysTo({ policy: [deny(rule)] }, "other")).ends).toEqual(["read"]);
    },
  );

  it("goes on where a rule allows the template before another denies all else", async () => {
    const policy = [
      { match: { tool: "docs:by_id" }, action: "allow" },
      deny("vault://secret"),
      { match: { server: "docs" }, action: "deny" },
    ];
    expect((await waysTo({ policy }, "other")).ends).toEqual(["read"]);
    expect((await waysTo({ policy }, "secret")).ends).toEqual(["POLICY_DENIED"]);
    // A resource of that server is denied by itself.
    expect((await waysTo({ policy }, "pub")).ends).toEqual(["POLICY_DENIED"]);
  });

  it("waits for a consent that either of them wants, and is denied where one of them is", async () => {
    const approve = (tool: string) => ({ match: { tool }, action: "require_approval" });
    for (const rule of ["docs:by_id", "vault://secret"]) {
      const { caller } = await waysTo({ policy: [approve(rule)] }, "secret");
      expect(caller.asks.every(({ approval }) => approval?.toolId === BY_ID_ID)).toBe(true);
    }
    const { ends } = await waysTo({ policy: [approve("docs:by_id"), deny("vault://secret")] }, "secret");
    expect(ends).toEqual(["POLICY_DENIED"]);
  });

  it("is not there where the server's block leaves it out", async () => {
    const resources = [PUBLIC];
    for (const id of ["priv", "%70riv", "PRIV"]) {
      const { ends, calls } = await waysTo({ resources, block: { exclude: ["vault://priv"] } }, id);
      expect([ends, calls]).toEqual([["RESOURCE_NOT_FOUND"], []]);
    }
    expect((await waysTo({ resources, block: { exclude: ["vault://priv"] } }, "x")).ends).toEqual(["read"]);
    const some = { include: ["vault://*d*", "pub"] };
    expect((await waysTo({ resources, block: some }, "abd")).ends).toEqual(["read"]);
    expect((await waysTo({ resources, block: some }, "abc")).ends).toEqual(["RESOURCE_NOT_FOUND"]);
    for (const include of [["by id"], ["vault://{id}"]])
      expect((await waysTo({ resources, block: { include } }, "abc")).ends).toEqual(["read"]);
  });

  it("has no way around by segments that say nothing", async () => {
    const resources = [PUBLIC];
    const block = { exclude: ["vault://deep/*"] };
    for (const path of [
      "x/../deep/key",
      "./deep/key",
      "deep//key",
      "deep%2Fkey",
      "deep/%6Bey",
      "deep/x/../key",
    ]) {
      const setting = { resources: [DEEP, PUBLIC], templates: [ANY] };
      const denied = made({ ...setting, policy: [deny("docs:deep_key")] });
      expect(await denied.gateway(fakeResourceId(ANY), { path })).toBe("POLICY_DENIED");
      const hidden = made({ ...setting, scopes: ["docs:any_path"] });
      expect(await hidden.gateway(fakeResourceId(ANY), { path })).toBe("RESOURCE_NOT_FOUND");
      expect([...denied.calls, ...hidden.calls]).toEqual([]);
    }
    const { gateway, calls } = made({ resources, templates: [ANY], block });
    for (const path of ["deep/key", "deep%2Fkey", "deep/a/../key", "x/../deep/key", "./deep/x"])
      expect(await gateway(fakeResourceId(ANY), { path })).toBe("RESOURCE_NOT_FOUND");
    expect(calls).toEqual([]);
  });
});

describe("no read through a template", () => {
  const tool = fc.constantFrom(
    "vault://priv",
    "vault://p*",
    "docs:priv",
    "resource::docs:*",
    "docs:by_id",
    "docs:any_path",
    PRIVATE_ID,
    "*",
  );
  const rule = fc.record({
    match: fc.oneof(fc.record({ tool }), fc.constant({ server: "docs" })),
    action: fc.constantFrom("allow", "deny", "require_approval"),
  });
  const scope = fc.constantFrom("docs:*", "docs:priv", "docs:by_id", "docs:any_path", "docs:p*", "*");
  const glob = fc.constantFrom("vault://priv", "vault://p*", "x://*");
  const path = fc.constantFrom("priv", "%70riv", "PRIV", "pri%76", "priv/", "priv#x", "./priv", "priv%2F");

  it("gives what a read of the listed resource would not", async () => {
    const ends = new Map<unknown, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { maxLength: 4 }),
        fc.option(fc.array(scope, { minLength: 1, maxLength: 3 }), { nil: undefined }),
        fc.array(glob, { maxLength: 1 }),
        path,
        async (policy, scopes, exclude, text) => {
          const isOut = exclude.some((each) => each !== "x://*");
          const setting = {
            policy,
            block: { exclude },
            resources: isOut ? [PUBLIC] : RESOURCES,
            templates: [BY_ID, ANY],
            ...(scopes === undefined ? {} : { scopes }),
          };
          const direct = made(setting);
          // As the list has it: what is left out is not there.
          const allowed = isOut ? "RESOURCE_NOT_FOUND" : await direct.gateway(PRIVATE_ID);
          const consent = direct.caller.asks.some(({ approval }) => approval !== undefined);
          const ways = made(setting);
          const told = [
            await ways.gateway(BY_ID_ID, { id: decodeURIComponent(text) }),
            await ways.gateway(fakeResourceId(ANY), { path: text }),
            ...(await ways.read(`vault://${text}`)),
            ...(await ways.read(`loomgate://docs/vault://${text}`)),
          ];
          const same = ways
            .reached()
            .map(([, uri]) => String(uri))
            .filter((uri) => /^vault:\/\/(?:\.\/)?priv\/?(?:#x)?$/i.test(decodeURIComponent(uri)));
          expect(allowed === "read" ? [] : same).toEqual([]);
          const sent = ways.caller.asks.filter(({ upstreams }) => (upstreams ?? []).length > 0);
          expect(consent && sent.some(({ approval }) => approval === undefined)).toBe(false);
          for (const end of told) ends.set(end, (ends.get(end) ?? 0) + 1);
        },
      ),
      { numRuns: 300 },
    );
    for (const end of ["read", "POLICY_DENIED", "RESOURCE_NOT_FOUND"])
      expect(ends.get(end) ?? 0).toBeGreaterThan(50);
  });
});

describe("no decorated spelling of a listed URI", () => {
  const CATCH_ALL: FakeResource = { namespace: "docs", uriTemplate: "{+uri}", name: "anything" };
  /** Ways to write a URI that a forgiving server takes for it. */
  const DECORATIONS: readonly ((uri: string) => string)[] = [
    (uri) => `${uri}?`,
    (uri) => `${uri}?x=1&y`,
    (uri) => `${uri}#x`,
    (uri) => `${uri};`,
    (uri) => `${uri};v=1`,
    (uri) => uri.replace(/\/([^/]+)$/, "/x;y/..;z/$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "/x%5C..%5C$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "/x\\..\\$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "%5C$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "//$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "%2F$1"),
    (uri) => uri.replace(/\/([^/]+)$/, "/./$1"),
    (uri) => uri.replace("://", ":///"),
    (uri) => uri.replace("://", "://///"),
    (uri) => uri.replace("://", ":/"),
    (uri) => `${uri}/`,
    (uri) => `${uri}%00`,
    (uri) => `${uri}%00.txt`,
    (uri) => `${uri}%20`,
    (uri) => `${uri}%0D%0A`,
    (uri) => `${uri}%09`,
    (uri) => uri.normalize("NFD"),
    (uri) => uri.normalize("NFC"),
    (uri) => encodeURI(uri.normalize("NFD")).replaceAll("%25", "%"),
    (uri) => uri.slice(0, 4) + uri.slice(4).toUpperCase(),
    (uri) => uri.replace(/[a-z]$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
    (uri) => uri.replace(/[a-z]$/, (last) => String.fromCharCode(last.charCodeAt(0) + 0xfee0)),
  ];
  const segment = fc.constantFrom("secret", "caf\u00e9", "cafe\u0301", "a1", "key.md", "\ufb01le", "x_y");
  const listed = fc
    .tuple(fc.constantFrom("abc", "z1"), fc.array(segment, { minLength: 1, maxLength: 3 }))
    .map(([scheme, path]) => `${scheme}://${path.join("/")}`);
  const decorated = fc.array(fc.constantFrom(...DECORATIONS), { minLength: 1, maxLength: 2 });
  type Closed = "denied" | "denied by its URI" | "hidden" | "excluded" | "open";
  const closed = fc.constantFrom<Closed>("denied", "denied by its URI", "hidden", "excluded", "open");

  it("is read through a catch-all where the plain one is denied, hidden or excluded", async () => {
    let open = 0;
    await fc.assert(
      fc.asyncProperty(listed, decorated, closed, async (uri, decorations, how) => {
        const resource = { namespace: "docs", uri, name: "the listed one" };
        const surfaces = made({
          resources: how === "excluded" ? [PUBLIC] : [resource, PUBLIC],
          templates: [CATCH_ALL],
          policy:
            how === "denied"
              ? [deny(fakeResourceId(resource))]
              : how === "denied by its URI"
                ? [deny(uri)]
                : [],
          scopes: how === "hidden" ? ["docs:anything", "docs:pub"] : ["*"],
          block: how === "excluded" ? { exclude: [uri] } : {},
        });
        const text = decorations.reduce((given, decorate) => decorate(given), uri);
        const ends = [
          await surfaces.gateway(fakeResourceId(CATCH_ALL), { uri: text }),
          ...(await surfaces.read(text)),
          ...(await surfaces.read(`loomgate://docs/${text}`)),
        ];
        const isOpen = how === "open";
        if (isOpen && ends.includes("read")) open += 1;
        expect([text, isOpen ? [] : ends.filter((end) => end === "read")]).toEqual([text, []]);
        expect(isOpen ? [] : surfaces.reached()).toEqual([]);
      }),
      { numRuns: 600 },
    );
    expect(open).toBeGreaterThan(50);
  });

  it.each(["vault://priv?", "vault://priv?x", "vault://priv;", "vault://priv%00", "vault://priv%20"])(
    "is anything but the template's own read where that is open: %s",
    async (uri) => {
      const { gateway, reached } = made({ templates: [CATCH_ALL] });
      expect(await gateway(fakeResourceId(CATCH_ALL), { uri })).toBe("read");
      expect(reached()).toEqual([["docs", uri]]);
    },
  );

  it("is let in where the block's exclude begins with other slashes", async () => {
    const block = { exclude: ["x://hid*"] };
    const { gateway, calls } = made({ resources: [PUBLIC], templates: [CATCH_ALL], block });
    for (const uri of ["x:///hid/1", "x:/hid/1", "x:hid/1", "x:////HID/1", "x:///a/..;/hid"])
      expect(await gateway(fakeResourceId(CATCH_ALL), { uri })).toBe("RESOURCE_NOT_FOUND");
    expect(calls).toEqual([]);
    expect(await gateway(fakeResourceId(CATCH_ALL), { uri: "x:///open/1" })).toBe("read");
  });

  it("is let in by a block's include that does not let in where it leads", async () => {
    const block = { include: ["vault://pub*", "by id"] };
    const include = { templates: [{ ...CATCH_ALL, name: "catch" }], resources: [PUBLIC], block };
    const { gateway } = made(include);
    const id = fakeResourceId({ ...CATCH_ALL, name: "catch" });
    expect(await gateway(id, { uri: "vault://pub/x" })).toBe("read");
    for (const uri of ["vault://pub/../hid", "vault://pub%5C..%5Chid", "vault://pub/..;/hid"])
      expect(await gateway(id, { uri })).toBe("RESOURCE_NOT_FOUND");
  });
});

describe("a template whose URIs another of the server gives as well", () => {
  const LOGS: FakeResource = { namespace: "docs", uriTemplate: "vault://logs/{name}", name: "logs" };
  const templates = [ANY, LOGS];
  const [anyId, logsId] = [ANY, LOGS].map(fakeResourceId);
  const throughAny = (policy: Rules, path: string) => {
    const surfaces = made({ policy, templates, resources: [] });
    return Promise.all([surfaces.gateway(String(anyId), { path }), surfaces.proxy(`vault://${path}`)]);
  };

  it.each(["logs/a", "logs/%61", "x/../logs/a", "logs//a", "LOGS/../logs/a"])(
    "gives nothing that a rule denies of the narrower one: %s",
    async (path) => {
      expect(await throughAny([deny(String(logsId))], path)).toEqual(["POLICY_DENIED", "POLICY_DENIED"]);
    },
  );

  it("gives all else, and all where it is allowed before all else is denied", async () => {
    expect(await throughAny([deny(String(logsId))], "other/a")).toEqual(["read", "read"]);
    const rules = [{ match: { tool: anyId }, action: "allow" }, deny("*")];
    expect((await throughAny(rules, "logs/a"))[0]).toBe("read");
  });

  it.each([
    ["vault://{area}/secret", { area: "users" }, "vault://users/{+rest}"],
    ["vault://{+path}", { path: "plain" }, "vault://{name}"],
    ["vault://items/{id}{?long_name_of_a_filter}", { id: "7" }, "vault://items/{id}"],
  ])("%s gives nothing that a rule denies of another that is no broader", async (called, args, denied) => {
    const [one, other] = [called, denied].map((uriTemplate) => ({
      namespace: "docs",
      uriTemplate,
      name: uriTemplate === called ? "one" : "other",
    }));
    if (one === undefined || other === undefined) throw new Error("no templates");
    const surfaces = (policy: Rules) => made({ policy, templates: [one, other], resources: [] });
    const id = fakeResourceId(one);
    expect(await surfaces([deny(fakeResourceId(other))]).gateway(id, args)).toBe("POLICY_DENIED");
    expect(await surfaces([]).gateway(id, args)).toBe("read");
  });

  it("leaves the narrower one what a rule denies of the broader", async () => {
    expect(await throughAny([deny(String(anyId))], "logs/a")).toEqual(["POLICY_DENIED", "read"]);
  });
});
