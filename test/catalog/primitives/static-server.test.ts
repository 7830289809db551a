import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { staticListing } from "../../../src/catalog/primitives/static-listing.ts";
import { answerStatic } from "../../../src/catalog/primitives/static-server.ts";
import type { ListedEntries } from "../../../src/catalog/refresh/refresh-ports.ts";
import { parsedJson } from "../../../src/json.ts";
import { parseConfig, type StaticServerConfig } from "../../../src/config.ts";

function blockOf(block: object): StaticServerConfig {
  const config = parseConfig(JSON.stringify({ mcpServers: { docs: { type: "static", ...block } } }));
  if (!config.ok) throw new Error(JSON.stringify(config.reason));
  const own = config.value.mcpServers["docs"];
  if (own?.type !== "static") throw new Error("not static");
  return own;
}

const BLOCK = blockOf({
  resources: [
    { uri: "docs://guide/start", description: "Begin here.", mimeType: "text/plain", text: "Start." },
    { uri: "docs://logo", name: "logo.png", blob: "iVBORw==" },
  ],
  prompts: [
    {
      name: "review",
      description: "Reviews.",
      arguments: [{ name: "code", required: true }, { name: "tone" }],
      messages: [
        { role: "user", content: "Review {{code}} in a {{ tone }} tone: {{code}}. {{other}} {{}}" },
        { role: "assistant", content: "Yes." },
      ],
    },
  ],
});

const textsOf = (entries: ListedEntries | undefined) =>
  entries?.ok === true
    ? entries.value.map((entry) => parsedJson(typeof entry === "string" ? entry : ""))
    : [];

describe("a static block", () => {
  it("lists its entries as MCP does, with a name each and without what reading them gives", () => {
    const { tools, resources, prompts, templates } = staticListing(BLOCK, (entry) => JSON.stringify(entry));
    expect(tools).toEqual({ ok: true, value: [] });
    expect(templates).toBeUndefined();
    expect(textsOf(resources)).toEqual([
      { uri: "docs://guide/start", name: "start", description: "Begin here.", mimeType: "text/plain" },
      { uri: "docs://logo", name: "logo.png" },
    ]);
    expect(textsOf(prompts)).toEqual([
      {
        name: "review",
        description: "Reviews.",
        arguments: [
          { name: "code", required: true },
          { name: "tone", required: false },
        ],
      },
    ]);
  });

  it("reads its resources, text and bytes", () => {
    const read = (uri: unknown) => answerStatic(BLOCK, { method: "resources/read", params: { uri } });
    expect(read("docs://guide/start")).toEqual({
      ok: true,
      value: { contents: [{ uri: "docs://guide/start", mimeType: "text/plain", text: "Start." }] },
    });
    expect(read("docs://logo")).toEqual({
      ok: true,
      value: { contents: [{ uri: "docs://logo", blob: "iVBORw==" }] },
    });
    for (const uri of ["docs://none", undefined, 7]) {
      expect(read(uri)).toMatchObject({ ok: false, reason: { reason: "unknown_tool" } });
    }
  });

  it("puts arguments into a prompt in one pass, and leaves what is no argument's", () => {
    const get = (given: unknown, name = "review") =>
      answerStatic(BLOCK, { method: "prompts/get", params: { name, arguments: given } });
    const text = (content: string) => ({ type: "text", text: content });
    expect(get({ code: "{{tone}}$&", tone: "kind" })).toEqual({
      ok: true,
      value: {
        description: "Reviews.",
        messages: [
          { role: "user", content: text("Review {{tone}}$& in a kind tone: {{tone}}$&. {{other}} {{}}") },
          { role: "assistant", content: text("Yes.") },
        ],
      },
    });
    expect(get({ code: "x" })).toMatchObject({ ok: true });
    for (const given of [{}, undefined, { code: 7 }, { code: "x", tone: 7 }]) {
      expect(get(given)).toMatchObject({ ok: false, reason: { reason: "rpc_error", code: -32_602 } });
    }
    expect(get({}, "none")).toMatchObject({ ok: false, reason: { reason: "unknown_tool" } });
  });

  it("completes nothing, has no other methods, and never throws", () => {
    expect(answerStatic(BLOCK, { method: "completion/complete", params: {} })).toEqual({
      ok: true,
      value: { completion: { values: [] } },
    });
    expect(answerStatic(BLOCK, { method: "tools/call", params: {} })).toMatchObject({
      ok: false,
      reason: { code: -32_601 },
    });
    const methods = fc.constantFrom("resources/read", "prompts/get", "x");
    fc.assert(
      fc.property(methods, fc.dictionary(fc.string(), fc.jsonValue()), (method, params) => {
        expect(typeof answerStatic(BLOCK, { method, params }).ok).toBe("boolean");
      }),
    );
  });
});

describe("a static block that is wrong", () => {
  const problems = (block: object) => {
    const config = parseConfig(JSON.stringify({ mcpServers: { docs: block } }));
    return config.ok ? [] : config.reason.map(({ key, message }) => `${key}: ${message}`);
  };

  it("is told so by key, with the keys of its own kind", () => {
    expect(problems({ type: "static", url: "https://x.example.com" })).toEqual([
      "mcpServers.docs.url: unknown key: write one of type, resources, prompts, namespace, include, exclude, required, disabled, redact, or remove it",
    ]);
    expect(problems({ url: "https://x.example.com", resources: [] })[0]).toMatch(
      /^mcpServers\.docs\.resources: unknown key: write one of type, url, headers,/,
    );
    expect(problems({ type: "static", resources: [{ uri: "a://b" }] })).toEqual([
      "mcpServers.docs.resources[0]: has text or blob: write one",
    ]);
    expect(problems({ type: "static", resources: [{ uri: "a://b", text: "x", size: 1 }] })).toEqual([
      "mcpServers.docs.resources[0].size: unknown key: write one of uri, name, title, description, mimeType, text, blob, or remove it",
    ]);
    expect(problems({ type: "static", prompts: [{ name: "p", messages: [] }] })).toHaveLength(1);
    expect(problems({ type: "stat" })).toEqual(['mcpServers.docs.type: write one of "http", "static"']);
    expect(problems({ type: "sse", url: "https://x.example.com" })[0]).toMatch(/HTTP\+SSE is deprecated/);
    expect(problems({})).toEqual(["mcpServers.docs.url: is missing: write a string"]);
  });
});
