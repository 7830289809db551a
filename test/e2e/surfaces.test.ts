import { gunzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callAdmin } from "../../scripts/token/admin-client.ts";
import { isRecord, memberOf } from "../../src/json.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { type EverythingServer, startEverything } from "../support/everything-server.ts";
import {
  event,
  type HostileUpstream,
  openStream,
  resultOf,
  SESSION_ID,
  sendJson,
  startHostileUpstream,
  textResult,
} from "../support/hostile-upstream/server.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const META_TOOLS = [
  "tool_browse",
  "tool_execute",
  "tool_view",
  "resource_browse",
  "resource_read",
  "prompt_browse",
  "prompt_get",
];

/** Tools of the example server whose answers are the same twice, with arguments that they take. */
const STEADY_CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["echo", { message: "über \u{1f600}" }],
  ["get-sum", { a: 2, b: 40 }],
  ["get-tiny-image", {}],
  ["get-structured-content", { location: "New York" }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
];

/** Its tool waits for ever, or asks for a person first; what it lists is what a test says. */
function waywardUpstream(listed: () => readonly string[]): Promise<HostileUpstream> {
  return startHostileUpstream(({ rpcMethod, id, params }, response) => {
    if (rpcMethod === "tools/list") {
      const tools = listed().map((name) => ({ name, inputSchema: { type: "object" } }));
      return sendJson(response, resultOf(id, { tools }));
    }
    if (rpcMethod !== "tools/call") return false;
    openStream(response);
    if (params["name"] !== "ask") return true;
    const request = { message: "Which repository?", requestedSchema: { type: "object", properties: {} } };
    response.write(event({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: request }));
    setTimeout(() => response.end(event(resultOf(id, textResult("went on without")))), 50);
    return true;
  });
}

/** Two instances of one server, so that every URI of theirs has two owners, and one alone behind another gateway would not. */
describe("all that the official example server has, with the official client, on both surfaces", () => {
  const servers: EverythingServer[] = [];
  let wayward: HostileUpstream;
  let waywardTools: readonly string[] = ["ask", "wait"];
  let gateway: StartedGateway;
  let direct: Client;
  let client: GatewayClient;
  let proxy: Client;
  const counter = committedCounter();

  beforeAll(async () => {
    servers.push(await startEverything(), await startEverything());
    const [left, right] = servers.map(({ url }) => ({ type: "http", url }));
    wayward = await waywardUpstream(() => waywardTools);
    const third = { type: "http", url: wayward.url, timeout_ms: 8_000 };
    gateway = await startGateway({
      config: JSON.stringify({ mcpServers: { left, right, wayward: third } }),
    });
    direct = await connected(String(left?.url));
    const { gateway: url, proxy: proxyUrl, token } = gateway.devFile();
    client = await new GatewayClient(String(url), String(token)).connect();
    proxy = await connected(String(proxyUrl), String(token));
  });

  afterAll(async () => {
    await gateway.stop();
    removeState(gateway);
    for (const server of servers) server.stop();
    await wayward.close();
  });

  const listedTools = async (): Promise<Awaited<ReturnType<Client["listTools"]>>["tools"]> => {
    const all = [];
    let cursor: string | undefined;
    do {
      const page = await proxy.listTools(cursor === undefined ? {} : { cursor });
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  };
  const hydrated = async (id: string): Promise<unknown> => {
    const answer = await proxy.callTool({ name: "tool_hydrate", arguments: { tool_id: id } });
    return JSON.parse(textOf(answer));
  };

  it("advertises both verbs of each kind beside the three tools", async () => {
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(META_TOOLS);
    expect(counter.count(JSON.stringify(tools.slice(0, 3)))).toBeLessThanOrEqual(600);
  });

  it("lists every tool of every server stripped, and hydrates each whole", async () => {
    const { tools: real } = await direct.listTools();
    const listed = await listedTools();
    expect(listed.slice(0, 2).map(({ name }) => name)).toEqual(["tool_hydrate", "tool_execute"]);
    const stripped = listed.slice(2).filter(({ title }) => title?.startsWith("wayward:") === false);
    expect(stripped).toHaveLength(2 * real.length);
    for (const entry of stripped) {
      expect(Object.keys(entry).sort()).toEqual(["description", "inputSchema", "name", "title"]);
      expect(entry.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(entry.inputSchema).toEqual({ type: "object" });
    }
    const definitions = await Promise.all(stripped.map(({ name }) => hydrated(name)));
    const byTitle = await Promise.all(stripped.map(({ title }) => hydrated(String(title))));
    expect(byTitle).toEqual(definitions);
    const sorted = (tools: readonly unknown[]) =>
      [...tools].sort((a, b) => (String(memberOf(a, "name")) < String(memberOf(b, "name")) ? -1 : 1));
    expect(sorted(definitions)).toEqual(sorted([...real, ...real]));
  });

  it("gives a tool's own answer on the proxy, and says how a listed tool is run", async () => {
    const listed = await listedTools();
    for (const [name, args] of STEADY_CALLS) {
      const entry = listed.find(({ title }) => title?.startsWith(`left:${name}#`));
      const answer = await proxy.callTool({
        name: "tool_execute",
        arguments: { tool_id: entry?.name, args },
      });
      expect(answer).toEqual(await direct.callTool({ name, arguments: args }));
      const refused = await proxy.callTool({ name: String(entry?.name), arguments: args });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain("tool_execute");
    }
  });

  it("browses and reads resources, templates and blobs", async () => {
    const everything = await client.call("resource_browse", { path: "/left" });
    expect(everything.isError).toBe(false);
    const found = await client.call("resource_browse", { query: "architecture document" });
    const id = found.lines[0]?.split(" ")[0] ?? "";
    expect(id).toMatch(/^resource::(?:left|right):/);
    const read = await client.call("resource_read", { resource_id: id });
    expect(read.text).toContain("rchitecture");
    const template = everything.lines.map((line) => line.split(" ")[0] ?? "");
    const ids = await Promise.all(
      template.map(async (each) => ({
        id: each,
        read: await client.call("resource_read", { resource_id: each, args: { resourceId: "7" } }),
      })),
    );
    const texts = ids.filter(({ read: { text } }) => text.includes("Resource 7"));
    expect(texts.length).toBeGreaterThanOrEqual(1);
    const missing = await client.call("resource_read", { resource_id: "resource::left:nothing#00000000" });
    expect(missing.error["error"]).toBe("RESOURCE_NOT_FOUND");
  });

  it("finds prompts and shows their messages", async () => {
    const found = await client.call("prompt_browse", { query: "prompt with two arguments" });
    const id = found.lines
      .map((line) => line.split(" ")[0] ?? "")
      .find((each) => each.includes("args-prompt"));
    const got = await client.call("prompt_get", { prompt_id: id, args: { city: "Graz" } });
    expect(got.text).toContain("What's weather in Graz?");
    const refused = await client.call("prompt_get", { prompt_id: id, args: {} });
    expect(refused.error).toMatchObject({ error: "ARGS_INVALID" });
    const unknown = await client.call("prompt_get", { prompt_id: "prompt::left:nothing#00000000" });
    expect(unknown.error["error"]).toBe("PROMPT_NOT_FOUND");
  });

  it("fills a client's own pickers, where two servers have every URI", async () => {
    const { resources: real } = await direct.listResources();
    const { resources } = await proxy.listResources();
    expect(resources).toHaveLength(2 * real.length);
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length);
    const first = resources.find(({ uri }) => uri.includes("/left/"));
    const own = await proxy.readResource({ uri: String(first?.uri) });
    expect(own.contents[0]?.uri).toBe(first?.uri);
    const { resourceTemplates } = await proxy.listResourceTemplates();
    const texts = resourceTemplates.filter(({ uriTemplate }) => uriTemplate.includes("text"));
    expect(texts).toHaveLength(2);
    for (const { uriTemplate } of texts) {
      const uri = uriTemplate.replace("{resourceId}", "3");
      const { contents } = await proxy.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri });
    }
    const { prompts } = await proxy.listPrompts();
    const { prompts: realPrompts } = await direct.listPrompts();
    expect(prompts).toHaveLength(2 * realPrompts.length);
    const completable = prompts.find(({ name }) => name.includes("completable"));
    const { completion } = await proxy.complete({
      ref: { type: "ref/prompt", name: String(completable?.name) },
      argument: { name: "name", value: "A" },
      context: { arguments: { department: "Engineering" } },
    });
    expect(completion.values).toEqual(["Alice"]);
    const args = { department: "Engineering", name: "Alice" };
    const got = await proxy.getPrompt({ name: String(completable?.name), arguments: args });
    expect(got).toEqual(await direct.getPrompt({ name: "completable-prompt", arguments: args }));
    await expect(proxy.readResource({ uri: "nowhere://at/all" })).rejects.toMatchObject({ code: -32002 });
  });

  it("rewrites the links in a result so that they can be read", async () => {
    const listed = await listedTools();
    const entry = listed.find(({ title }) => title?.startsWith("right:get-resource-links#"));
    const answer = await proxy.callTool({
      name: "tool_execute",
      arguments: { tool_id: entry?.name, args: { count: 2 } },
    });
    const links = contentOf(answer).flatMap((part) => {
      const uri = memberOf(part, "uri");
      return typeof uri === "string" ? [uri] : [];
    });
    expect(links.length).toBeGreaterThan(0);
    for (const uri of links) {
      expect(uri).toContain("/right/");
      const { contents } = await proxy.readResource({ uri });
      expect(contents).toHaveLength(1);
    }
  });

  it("reads back a link to what only that session of that server has", async () => {
    const text = "what only this session has\n";
    const args = {
      name: "notes.txt.gz",
      data: `data:text/plain,${encodeURIComponent(text)}`,
      outputType: "resourceLink",
    };
    const id = await client.idOf("gzip-file-as-resource", "left");
    const answer = await proxy.callTool({ name: "tool_execute", arguments: { tool_id: id, args } });
    const uri = "loomgate://left/demo://resource/session/notes.txt.gz";
    expect(contentOf(answer)).toMatchObject([{ type: "resource_link", uri }]);
    const { resources } = await proxy.listResources();
    expect(resources.some((listed) => listed.uri.includes("notes.txt.gz"))).toBe(false);
    const { contents } = await proxy.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "application/gzip" }]);
    const blob = Buffer.from(String(memberOf(contents[0], "blob")), "base64");
    expect(gunzipSync(blob).toString()).toBe(text);
    // The other server has it not, and by the link as the server wrote it nobody knows which of them is meant.
    const other = uri.replace("/left/", "/right/");
    await expect(proxy.readResource({ uri: other })).rejects.toMatchObject({ code: -32002 });
    const raw = "demo://resource/session/notes.txt.gz";
    await expect(proxy.readResource({ uri: raw })).rejects.toMatchObject({ code: -32002 });
    const whose = await client.call("resource_read", { resource_id: raw });
    expect(whose.error).toMatchObject({
      error: "RESOURCE_NOT_FOUND",
      details: { did_you_mean: [uri, other] },
    });
    // A link names its session's resource, and the session is the principal's on both surfaces.
    const read = await client.call("resource_read", { resource_id: uri });
    expect(read.isError).toBe(false);
    expect(JSON.stringify(read)).toContain(blob.toString("base64"));
  });

  it("relays progress under the caller's own token, and streams only then", async () => {
    const args = { duration: 0.6, steps: 3 };
    const left = await client.idOf("trigger-long-running-operation", "left");
    for (const each of [client.client, proxy]) {
      const steps: number[] = [];
      const answer = await each.callTool(
        { name: "tool_execute", arguments: { tool_id: left, args } },
        undefined,
        { onprogress: ({ progress }) => steps.push(progress) },
      );
      expect(textOf(answer)).toContain("completed");
      expect(steps).toEqual([1, 2, 3]);
      const quiet = await each.callTool({ name: "tool_execute", arguments: { tool_id: left, args } });
      expect(textOf(quiet)).toContain("completed");
    }
  });

  it("cancels a call where it runs, under the id that its server knows it by", async () => {
    const id = await client.idOf("wait", "wayward");
    for (const each of [client.client, proxy]) {
      const [calls, cancels] = [wayward.count("tools/call"), wayward.count("notifications/cancelled")];
      const left = new AbortController();
      const call = each.callTool({ name: "tool_execute", arguments: { tool_id: id } }, undefined, {
        signal: left.signal,
      });
      await until(() => wayward.count("tools/call") > calls);
      left.abort("the person went on");
      await expect(call).rejects.toThrow("the person went on");
      await until(() => wayward.count("notifications/cancelled") > cancels);
      const sent = wayward.seen.findLast(({ rpcMethod }) => rpcMethod === "tools/call");
      const word = wayward.seen.findLast(({ rpcMethod }) => rpcMethod === "notifications/cancelled");
      expect(word?.params["requestId"]).toBe(sent?.id);
      expect(word?.headers["mcp-session-id"]).toBe(SESSION_ID);
    }
  });

  it("refuses what a server asks of a person, and tells the caller what that was", async () => {
    const id = await client.idOf("ask", "wayward");
    const answer = await client.execute(id);
    expect(answer.texts[0]).toBe("went on without");
    expect(answer.text).toContain("Which repository?");
    const whole = await proxy.callTool({ name: "tool_execute", arguments: { tool_id: id } });
    expect(textOf(whole)).toBe("went on without");
    expect(JSON.stringify(whole["_meta"])).toContain("elicitation/create");
    expect(wayward.seen.some(({ body }) => body.includes('"id":"q"') && body.includes("-32601"))).toBe(true);
  });

  it("says once in a session that the catalog has changed", async () => {
    await client.browse({ query: "echo" });
    waywardTools = ["ask", "wait", "brand_new"];
    const { admin, operator_token: operatorToken } = gateway.devFile();
    await callAdmin({ url: String(admin), operatorToken: String(operatorToken) }, "POST", "/refresh");
    const lines = async () => (await client.browse({ query: "echo" })).lines;
    expect((await lines()).at(-1)).toMatch(/^note: the catalog has changed/);
    expect((await lines()).join("\n")).not.toContain("note:");
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isTrue(); tries += 1) await new Promise((done) => setTimeout(done, 50));
  expect(isTrue()).toBe(true);
}

async function connected(url: string, token?: string): Promise<Client> {
  const client = new Client({ name: "loomgate-tests", version: "1.0.0" });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

function contentOf(answer: unknown): readonly unknown[] {
  const content = memberOf(answer, "content");
  return Array.isArray(content) ? content : [];
}

function textOf(answer: unknown): string {
  return contentOf(answer)
    .flatMap((part) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}
