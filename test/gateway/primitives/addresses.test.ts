import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { fakeCatalog, fakeResourceId, type FakeResource } from "../../support/fake-catalog.ts";
import {
  fakeCaller,
  ITEM,
  ITEM_ID,
  jsonOf,
  LOGO,
  PATH_ID,
  README,
  README_ID,
  readmeOf,
  run,
  SUMMARY_ID,
  textOf,
} from "./kit.ts";

const result = readmeOf("hello");
const envelopeId = (answer: Parameters<typeof textOf>[0]): unknown =>
  memberOf(memberOf(memberOf(answer?.["_meta"], "loomgate/envelope"), "provenance"), "tool_id");

/** What one read asked for, and under which id. */
async function asked(id: string, args?: object) {
  const { read, requests } = run({ result });
  const answer = await read(id, args === undefined ? {} : { args });
  const [request] = requests();
  return { answer, id: envelopeId(answer), uri: request?.params["uri"], server: request?.server };
}

describe("a template", () => {
  it("is filled in by its variables, escaped as RFC 6570 has it, and what may be left out is", async () => {
    expect(await asked(ITEM_ID, { id: "7" })).toMatchObject({ uri: "demo://item/7", server: "fs" });
    expect((await asked(ITEM_ID, { id: "a/b c?", q: "x&y" })).uri).toBe("demo://item/a%2Fb%20c%3F?q=x%26y");
    expect((await asked(PATH_ID, { path: "a/b?c=%20ü" })).uri).toBe("dir:///a/b?c=%20%C3%BC");
  });

  it("whose variables are missing, unknown or no strings is not read, and shows its schema", async () => {
    for (const args of [{}, { q: "x" }, { id: "7", more: "x" }, { id: 7 }, { id: null }, { id: ["7"] }]) {
      const { answer, uri } = await asked(ITEM_ID, args);
      expect(uri).toBeUndefined();
      const error = jsonOf(answer);
      expect(error).toMatchObject({ error: "ARGS_INVALID", path: ITEM_ID });
      expect(error["message"]).toBe("the arguments do not satisfy the resource's schema");
      expect(memberOf(memberOf(error["details"], "schema"), "required")).toEqual(["id"]);
    }
  });

  it("whose values no URI can hold is not read, though the schema takes them", async () => {
    const lone = jsonOf((await asked(ITEM_ID, { id: "\ud800" })).answer);
    expect(lone).toMatchObject({
      error: "ARGS_INVALID",
      details: { errors: [{ path: "/id", keyword: "format" }] },
    });
    const long = jsonOf((await asked(ITEM_ID, { id: "x".repeat(1_000_000) })).answer);
    expect(long).toMatchObject({ error: "ARGS_INVALID" });
    expect(JSON.stringify(long).length).toBeLessThan(2_000);
  });

  it("may have variables of any name that is legal", async () => {
    const odd: FakeResource = { namespace: "fs", uriTemplate: "x:/{__proto__}/{constructor}", name: "odd" };
    const { read, requests } = run({ catalog: fakeCatalog({ resources: [odd] }), result });
    const args: unknown = JSON.parse('{"__proto__":"a","constructor":"b"}');
    await read(fakeResourceId(odd), { args });
    expect(requests()[0]?.params["uri"]).toBe("x:/a/b");
  });
});

describe("a resource that is no template", () => {
  it("takes no arguments", async () => {
    const { answer, uri } = await asked(README_ID, { id: "7" });
    expect(uri).toBeUndefined();
    expect(jsonOf(answer)).toMatchObject({
      error: "ARGS_INVALID",
      details: { errors: [{ path: "/id", keyword: "additionalProperties" }] },
    });
  });

  it("is asked for under the very text of its URI, whatever that is", async () => {
    const odd: FakeResource = { namespace: "fs", uri: "a b:{not}#\u{1f600}%zz", name: "odd" };
    const { read, requests } = run({ catalog: fakeCatalog({ resources: [odd] }), result });
    await read(fakeResourceId(odd));
    await read(odd.uri);
    expect(requests().map(({ params }) => params["uri"])).toEqual([odd.uri, odd.uri]);
  });
});

describe("a URI", () => {
  it("that one resource has is that resource", async () => {
    expect(await asked("file:///readme.md")).toMatchObject({ id: README_ID, uri: README.uri, server: "fs" });
    expect(await asked("https://web.example/logo.png")).toMatchObject({ uri: LOGO.uri, server: "web" });
  });

  it("that fills in one template is read through it, with the variables that it says", async () => {
    expect(await asked("demo://item/a%2Fb?q=1")).toMatchObject({ id: ITEM_ID, uri: "demo://item/a%2Fb?q=1" });
    expect(await asked("dir:///a/b/c.txt")).toMatchObject({ id: PATH_ID, uri: "dir:///a/b/c.txt" });
  });

  it("is what its template gives again, for all variables", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
        fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), { nil: undefined }),
        async (id, q) => {
          const byId = await asked(ITEM_ID, q === undefined ? { id } : { id, q });
          expect(byId.uri).toMatch(/^demo:\/\/item\/\S+$/);
          const byUri = await asked(String(byId.uri));
          expect([byUri.id, byUri.uri]).toEqual([ITEM_ID, byId.uri]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("takes no arguments besides", async () => {
    const { answer, uri } = await asked("demo://item/7", { q: "1" });
    expect(uri).toBeUndefined();
    expect(jsonOf(answer)).toMatchObject({ error: "ARGS_INVALID", path: ITEM_ID });
  });

  it("that nobody has is RESOURCE_NOT_FOUND, whatever it looks like", async () => {
    for (const uri of [
      "file:///other.md",
      "demo://item/",
      "demo://item/a/b",
      "",
      "\ud800",
      "x".repeat(100_000),
    ]) {
      const { answer } = await asked(uri);
      expect(jsonOf(answer)).toMatchObject({ error: "RESOURCE_NOT_FOUND", retryable: false });
      expect(textOf(answer).length).toBeLessThan(2_000);
    }
  });

  it("that two have is nobody's: both are named, and nothing is asked", async () => {
    const note: FakeResource = { namespace: "web", uriTemplate: "demo://{+rest}", name: "notes" };
    const rivals: readonly (readonly [string, FakeResource, FakeResource])[] = [
      ["file:///readme.md", README, { ...README, namespace: "web" }],
      ["demo://item/7", ITEM, note],
    ];
    for (const [uri, own, other] of rivals) {
      const entries = [own, other];
      const parts =
        own.uri === undefined ? { resources: [LOGO], templates: entries } : { resources: entries };
      const { read, requests } = run({ catalog: fakeCatalog(parts), result });
      const error = jsonOf(await read(uri));
      expect(error).toEqual({
        error: "RESOURCE_NOT_FOUND",
        message: "several resources have this URI: read one by its id",
        path: uri,
        retryable: false,
        details: { did_you_mean: [fakeResourceId(own), fakeResourceId(other)] },
      });
      expect(requests()).toEqual([]);
      // Each is there by its own id, at its own server.
      await read(fakeResourceId(own), own.uri === undefined ? { args: { id: "7" } } : {});
      expect(requests()[0]).toMatchObject({ server: "fs", params: { uri } });
    }
  });

  it("that one server lists is no other's by a template", async () => {
    const catchAll: FakeResource = { namespace: "web", uriTemplate: "{+uri}", name: "any" };
    const { read } = run({ catalog: fakeCatalog({ resources: [README], templates: [catchAll] }), result });
    expect(envelopeId(await read(README.uri))).toBe(README_ID);
    expect(envelopeId(await read("file:///other.md"))).toBe(fakeResourceId(catchAll));
  });

  it("is found whatever another server's templates cost, and that one has none", async () => {
    const monstrous = Array.from({ length: 300 }, (_, at): FakeResource => ({
      namespace: "web",
      uriTemplate: `{+b${at}}${"{+a}".repeat(30)}`,
      name: `m${String(at).padStart(3, "0")}`,
    }));
    const templates = [ITEM, ...monstrous, { namespace: "web", uriTemplate: "demo://{+rest}", name: "z" }];
    const { read } = run({ catalog: fakeCatalog({ resources: [README], templates }), result });
    const uri = `demo://item/${"x".repeat(2_000)}0`;
    expect(envelopeId(await read(uri))).toBe(ITEM_ID);
    expect(textOf(await read(`dem${uri}`))).toContain("RESOURCE_NOT_FOUND");
  });

  it("that a server lists is not its own template's", async () => {
    const template: FakeResource = { namespace: "fs", uriTemplate: "file:///{name}", name: "files" };
    const { read } = run({ catalog: fakeCatalog({ resources: [README], templates: [template] }), result });
    expect(envelopeId(await read(README.uri))).toBe(README_ID);
    expect(envelopeId(await read("file:///other.md"))).toBe(fakeResourceId(template));
  });

  it("is contested by what the caller sees alone", async () => {
    const other = { ...README, namespace: "web" };
    const caller = fakeCaller({ sees: (id) => !id.startsWith("resource::web:") });
    const { read } = run({ catalog: fakeCatalog({ resources: [README, other] }), result, caller });
    expect(envelopeId(await read(README.uri))).toBe(README_ID);
    expect(JSON.stringify(jsonOf(await read(fakeResourceId(other))))).toContain("RESOURCE_NOT_FOUND");
  });
});

describe("an id", () => {
  it("may be the listed name", async () => {
    const tool = run().ports.catalogs;
    const loaded = await tool.current();
    const listed = loaded.ok ? loaded.value.of("resource")?.find(README_ID)?.listedName : undefined;
    expect((await asked(String(listed))).id).toBe(README_ID);
  });

  it("of one kind is nothing under another's verb", async () => {
    const { call, requests } = run({ result });
    const codes: unknown[] = [];
    for (const [name, args] of [
      ["tool_execute", { tool_id: README_ID }],
      ["tool_execute", { tool_id: SUMMARY_ID }],
      ["tool_execute", { tool_id: README.uri }],
      ["resource_read", { resource_id: SUMMARY_ID }],
      ["resource_read", { resource_id: "fs:read_file" }],
      ["prompt_get", { prompt_id: README_ID }],
      ["prompt_get", { prompt_id: README.uri }],
      ["prompt_get", { prompt_id: ITEM["uriTemplate"] }],
    ] as const) {
      const error = jsonOf(await call(name, args));
      codes.push(error["error"]);
      const meant = memberOf(error["details"], "did_you_mean");
      const kind = { tool_execute: "fs:", resource_read: "resource::", prompt_get: "prompt::" }[name];
      for (const id of Array.isArray(meant) ? meant : [7]) expect(String(id).startsWith(kind)).toBe(true);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 3 }, () => "HYDRATE_FAILED"),
      ...Array.from({ length: 2 }, () => "RESOURCE_NOT_FOUND"),
      ...Array.from({ length: 3 }, () => "PROMPT_NOT_FOUND"),
    ]);
    expect(requests()).toEqual([]);
  });
});
