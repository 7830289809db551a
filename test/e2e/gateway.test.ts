import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playDemo } from "../../scripts/demo/transcript.ts";
import { callAdmin } from "../../scripts/token/admin-client.ts";
import { isRecord, memberOf } from "../../src/json.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const counter = committedCounter();

describe("the gateway over three real servers, with the official client", () => {
  let gateway: StartedGateway;
  let ada: GatewayClient;
  let folder: string;

  const connect = async (principal: string, scopes?: readonly string[]): Promise<GatewayClient> => {
    const admin = {
      url: String(gateway.devFile()["admin"]),
      operatorToken: String(gateway.devFile()["operator_token"]),
    };
    const created = await callAdmin(admin, "POST", "/tokens", {
      name: principal,
      principal,
      ...(scopes && { scopes }),
    });
    return new GatewayClient(
      String(gateway.devFile()["gateway"]),
      String(memberOf(created, "token")),
    ).connect();
  };

  beforeAll(async () => {
    gateway = await startGateway();
    folder = join(gateway.stateDir, "demo", "files");
    ada = await connect("ada");
  });

  afterAll(async () => {
    await gateway.stop();
    removeState(gateway);
  });

  it("plays the demo to its end", async () => {
    const lines: string[] = [];
    const { gateway: url, token } = gateway.devFile();
    await playDemo(String(url), String(token), (line) => lines.push(line));
    expect(lines.join("\n")).toContain("The model sees 7 tools: tool_browse, tool_execute, tool_view, ");
  });

  it("serves the static files that the Worker reads to nobody", async () => {
    const paths = [
      "/neighbours.bin",
      "//neighbours.bin",
      "/neighbours%2Ebin",
      "/cl100k.bin",
      "/cl100k%2Ebin",
    ];
    for (const path of paths) {
      const response = await fetch(`${gateway.origin}${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: "not_found" });
    }
  });

  it("shows three tools for at most 600 tokens, and two for each other kind that a server has", async () => {
    const { tools } = await ada.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["tool_browse", "tool_execute", "tool_view"]);
    expect(names.slice(3)).toEqual(["resource_browse", "resource_read", "prompt_browse", "prompt_get"]);
    expect(counter.count(JSON.stringify(tools.slice(0, 3)))).toBeLessThanOrEqual(600);
    expect(counter.count(JSON.stringify(tools))).toBeLessThanOrEqual(1_000);
    for (const { inputSchema } of tools) expect(Object.keys(inputSchema.properties ?? {})).not.toEqual([]);
    expect(ada.client.getInstructions()?.slice(0, 512)).toMatch(/tool_browse.*tool_execute.*tool_view/s);
  });

  it("lists one card a server at /, and every tool under exactly one path", async () => {
    const { lines } = await ada.browse({ path: "/" });
    expect(lines.map((line) => line.replace(/\d+ tools/, "n tools"))).toEqual([
      "/everything — n tools",
      "/filesystem — n tools",
      "/memory — n tools",
    ]);
    const memory = await ada.browse({ path: "/memory" });
    expect(memory.lines).toHaveLength(Number(/(\d+) tools/.exec(lines[2] ?? "")?.[1]));
    const leaf = await ada.browse({ path: "/memory/create_entities" });
    expect(leaf.lines).toHaveLength(1);
    expect(memory.lines).toContain(leaf.lines[0]);
  });

  it("finds a tool by what it does, the exact name first", async () => {
    const found = await ada.browse({ query: "make several new entities in the graph", top_k: 3 });
    expect(found.lines[0]).toMatch(/^memory:create_entities#[0-9a-f]{8} — /);
    const exact = await ada.browse({ query: "read_graph" });
    expect(exact.lines[0]).toMatch(/^memory:read_graph#/);
    for (const line of found.lines) expect(counter.count(line)).toBeLessThanOrEqual(80);
  });

  it("says so where nothing matches", async () => {
    const { text } = await ada.browse({ query: "zzzqqq" });
    expect(text).toBe("no match; try other words or a path: /everything /filesystem /memory");
    expect((await ada.browse({ path: "/nope" })).error).toMatchObject({
      error: "PATH_NOT_FOUND",
      path: "/nope",
    });
    expect((await ada.browse({ path: "nope/" })).error).toMatchObject({ error: "PATH_INVALID" });
    expect((await ada.browse({})).error).toMatchObject({ error: "ARGS_INVALID" });
  });

  it("passes a small result on untouched, at no token over the server's own", async () => {
    const answer = await ada.execute(await ada.idOf("echo", "everything"), { message: "hi" });
    expect(answer.content).toEqual([{ type: "text", text: "Echo: hi" }]);
    expect(answer.raw["structuredContent"]).toBeUndefined();
  });

  it("passes an image on as an image", async () => {
    const answer = await ada.execute(await ada.idOf("get-tiny-image", "everything"));
    expect(answer.content.map((part) => memberOf(part, "type"))).toContain("image");
  });

  it("keeps a server's own error a result", async () => {
    const answer = await ada.execute(await ada.idOf("read_text_file", "filesystem"), {
      path: `${folder}/none.txt`,
    });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain("ENOENT");
  });

  it("judges arguments in front of the server and never echoes them", async () => {
    const before = readFileSync(join(gateway.stateDir, "logs", "memory.log"), "utf8");
    const id = await ada.idOf("create_entities", "memory");
    const wrong = await ada.execute(id, { entities: "my secret value" });
    expect(wrong.error).toMatchObject({
      error: "ARGS_INVALID",
      path: id,
      retryable: false,
      details: { errors: [{ path: "/entities", keyword: "type" }], schema: { required: ["entities"] } },
    });
    expect(wrong.text).not.toContain("my secret value");
    const missing = await ada.execute(id, {});
    expect(missing.error).toMatchObject({
      details: { errors: [{ path: "/entities", keyword: "required" }] },
    });
    expect(readFileSync(join(gateway.stateDir, "logs", "memory.log"), "utf8")).toBe(before);
  });

  it("reports a dry run and runs nothing", async () => {
    const id = await ada.idOf("create_entities", "memory");
    const entities = [{ name: "never", entityType: "made", observations: [] }];
    const { text } = await ada.execute(id, { entities }, { dry_run: true });
    expect(JSON.parse(text)).toMatchObject({
      dry_run: true,
      tool_id: id,
      upstream_name: "create_entities",
      args_valid: true,
      replay: "never_replay",
    });
    const graph = await ada.execute(await ada.idOf("read_graph", "memory"));
    expect(graph.text).not.toContain("never");
  });

  it("keeps a large result, and every byte of it can be read", async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `${index} — ключ 🔑 ${"x".repeat(index % 90)}`);
    const whole = `${lines.join("\n")}\n`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "large.txt"), whole);
    const answer = await ada.execute(await ada.idOf("read_text_file", "filesystem"), {
      path: `${folder}/large.txt`,
    });
    expect(counter.count(answer.text)).toBeLessThan(1000);
    const handle = /"handle":"(\d{27})"/.exec(answer.text)?.[1] ?? "";
    let selector: Record<string, unknown> | undefined = { type: "head", chars: 500 };
    let read = "";
    while (selector !== undefined) {
      const piece = await ada.view(handle, selector);
      expect(Buffer.byteLength(piece.texts[0] ?? "")).toBeLessThanOrEqual(16_384);
      read += piece.texts[0] ?? "";
      const next: unknown = JSON.parse(/^next: (.*)$/.exec(piece.texts[1] ?? "")?.[1] ?? "null");
      selector = isRecord(next) ? next : undefined;
    }
    expect(read).toBe(whole);
    const stranger = await connect("eve");
    const refused = await stranger.view(handle, { type: "head" });
    const invented = await stranger.view("0".repeat(27), { type: "head" });
    expect(refused.error).toMatchObject({ error: "VIEW_FAILED" });
    expect({ ...refused.error, path: "" }).toEqual({ ...invented.error, path: "" });
    await stranger.close();
  });

  it("says what an unknown tool may have meant", async () => {
    const answer = await ada.execute("memory:create_entitys#00000000", {});
    expect(answer.error).toMatchObject({
      error: "HYDRATE_FAILED",
      details: {
        did_you_mean: expect.arrayContaining([await ada.idOf("create_entities", "memory")]) as unknown,
      },
    });
  });

  it("shows a scoped bearer nothing else", async () => {
    const scoped = await connect("scoped", ["memory:*"]);
    expect((await scoped.browse({ path: "/" })).lines).toEqual([
      expect.stringMatching(/^\/memory — \d+ tools$/),
    ]);
    const hidden = await scoped.execute(await ada.idOf("echo", "everything"), { message: "hi" });
    expect(hidden.error).toMatchObject({ error: "HYDRATE_FAILED" });
    const { tools } = await scoped.client.listTools();
    expect(JSON.stringify(tools)).toBe(JSON.stringify((await ada.client.listTools()).tools));
    await scoped.close();
  });

  it("lets no secret out, not even through a server that prints its environment", async () => {
    const answer = await ada.execute(await ada.idOf("get-env", "everything"));
    const secrets = readFileSync(join(gateway.stateDir, "secrets.json"), "utf8");
    for (const secret of secrets.match(/[\w-]{40,}/g) ?? []) expect(answer.text).not.toContain(secret);
    expect(answer.text).not.toContain("MCP_PROXY_API_KEY");
  });

  it("gives overlapping calls of one session their own answers", async () => {
    const id = await ada.idOf("echo", "everything");
    const words = Array.from({ length: 12 }, (_, index) => `word ${index}`);
    const answers = await Promise.all(words.map((message) => ada.execute(id, { message })));
    expect(answers.map(({ text }) => text)).toEqual(words.map((word) => `Echo: ${word}`));
  });

  it("refreshes on request and says what it found", async () => {
    const admin = {
      url: String(gateway.devFile()["admin"]),
      operatorToken: String(gateway.devFile()["operator_token"]),
    };
    const report = await callAdmin(admin, "POST", "/refresh");
    expect(report).toMatchObject({
      changed: false,
      servers: ["everything", "filesystem", "memory"].map((name) => ({ name, status: "ok", skipped: [] })),
    });
  });
});
