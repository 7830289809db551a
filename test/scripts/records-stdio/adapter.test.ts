import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { BEARER, ENTRY } from "./kit/adapter.ts";
import { json } from "./kit/records-endpoint.ts";
import { adapter, call, endpoint, endWith, idOf, result } from "./kit/setting.ts";

const byId = (lines: readonly unknown[], id: unknown) => lines.find((line) => idOf(line) === id);

describe("serving", () => {
  it("carries each message with the bearer to the endpoint, and its answer back, several at once", async () => {
    const waiting: (() => void)[] = [];
    const { url, posts } = await endpoint((message, response) => {
      // All three are under way before one is answered, and the last comes first.
      waiting.push(() => json(response, result(idOf(message), { of: idOf(message) })));
      if (waiting.length === 3) for (const answer of waiting.toReversed()) answer();
    });
    const run = adapter(["--url", url]).send(call(1), call("1"), call(2));
    expect(await run.finish()).toBe(0);
    expect(run.lines).toHaveLength(3);
    for (const id of [1, "1", 2]) expect(byId(run.lines, id)).toEqual(result(id, { of: id }));
    expect(posts).toHaveLength(4);
    for (const { path, headers } of posts) {
      expect(path).toBe("/mcp/records");
      expect(headers.authorization).toBe(`Bearer ${BEARER}`);
      expect(headers.accept).toBe("application/json, text/event-stream");
    }
    expect(run.err).toBe("");
  });

  it("rounds no number and writes one line, whatever way the answer is laid out", async () => {
    const written =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"n":12345678901234567890,"m":1.10}}';
    const { url, posts } = await endpoint((_, response) => {
      json(
        response,
        '{\n  "jsonrpc": "2.0",\r\n  "id": 7,\n  "result": {"n": 12345678901234567890, "m": 1.10}\n}\n',
      );
    });
    const run = adapter(["--url", url]).send(written);
    expect(await run.finish()).toBe(0);
    expect(posts.at(-1)?.text).toBe(written);
    expect(run.out).toBe(
      '{   "jsonrpc": "2.0",   "id": 7,   "result": {"n": 12345678901234567890, "m": 1.10} }\n',
    );
  });

  it("passes progress on before the answer, and answers nothing to notifications", async () => {
    const progress = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1 },
    };
    const { url } = await endpoint((message, response) => {
      if (idOf(message) === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(`: hello\n\nevent: message\ndata: ${JSON.stringify(progress)}\n\n`);
      setTimeout(() => response.end(`data: ${JSON.stringify(result(5))}\n\n`), 20);
    });
    const run = adapter(["--url", url]).send(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      call(5),
    );
    expect(await run.finish()).toBe(0);
    expect(run.lines).toEqual([progress, result(5)]);
  });

  it("gives up a request that the client cancels, and answers it no more", async () => {
    const seen: unknown[] = [];
    const { url } = await endpoint((message, response) => {
      seen.push(memberOf(message, "method"));
      if (idOf(message) === 1) response.on("close", () => seen.push("closed"));
      else if (idOf(message) === undefined) response.writeHead(202).end();
      else json(response, result(idOf(message)));
    });
    const run = adapter(["--url", url]).send(call(1), call(2));
    await run.until(({ out }) => out.includes('"id":2'));
    run.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await run.finish()).toBe(0);
    expect(run.lines).toEqual([result(2)]);
    expect(new Set(seen)).toEqual(new Set(["closed", "notifications/cancelled", "tools/call"]));
  });

  it("says the protocol version that was settled on", async () => {
    const { url, posts } = await endpoint((message, response) => {
      const version = memberOf(memberOf(message, "params"), "protocolVersion");
      json(response, result(idOf(message), version === undefined ? {} : { protocolVersion: version }));
    });
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const run = adapter(["--url", `${url}/mcp/records`]).send({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params,
    });
    await run.until(({ out }) => out.includes("\n"));
    run.send(call(1));
    expect(await run.finish()).toBe(0);
    const versions = posts.map(({ headers }) => headers["mcp-protocol-version"]);
    expect(versions).toEqual([undefined, undefined, "2025-06-18"]);
  });

  it("answers what is no message, and goes on", async () => {
    const { url, posts } = await endpoint((message, response) => json(response, result(idOf(message))));
    const run = adapter(["--url", url]).send(
      "no JSON",
      "[]",
      '{"jsonrpc":"2.0","id":3}',
      '{"jsonrpc":"1.0","id":4,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      "",
      `"${"x".repeat(4 * 1_024 * 1_024)}"`,
      call(9),
    );
    expect(await run.finish()).toBe(0);
    const codes = run.lines.map((line) => [idOf(line), memberOf(memberOf(line, "error"), "code")]);
    expect(codes).toEqual([
      [null, -32700],
      [null, -32600],
      [3, -32600],
      [4, -32600],
      [null, -32600],
      [null, -32600],
      [9, undefined],
    ]);
    expect(posts).toHaveLength(2);
  });

  it("is what the official client connects to", async () => {
    const tool = { name: "search", inputSchema: { type: "object" } };
    let isHeard = (): void => undefined;
    const { url } = await endpoint((message, response) => {
      const id = idOf(message);
      const method = memberOf(message, "method");
      if (id === undefined) response.writeHead(202).end();
      else if (method === "initialize") {
        const protocolVersion = memberOf(memberOf(message, "params"), "protocolVersion");
        json(
          response,
          result(id, {
            protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "r", version: "1" },
          }),
        );
      } else if (method === "tools/list") json(response, result(id, { tools: [tool] }));
      else {
        const token = memberOf(memberOf(memberOf(message, "params"), "_meta"), "progressToken");
        const progress = {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: token, progress: 0.5 },
        };
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(`data: ${JSON.stringify(progress)}\n\n`);
        // That client forgets who waits for progress with the answer, which may overtake it in one chunk of its input.
        isHeard = () => {
          response.end(
            `data: ${JSON.stringify(result(id, { content: [{ type: "text", text: "found" }] }))}\n\n`,
          );
        };
      }
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...ENTRY, "--url", url],
      env: { LOOMGATE_RECORDS_TOKEN: BEARER },
      stderr: "pipe",
    });
    const client = new Client({ name: "tests", version: "1" });
    endWith(() => client.close());
    await client.connect(transport);
    expect((await client.listTools()).tools).toEqual([tool]);
    const heard: number[] = [];
    const called = await client.callTool({ name: "search", arguments: {} }, undefined, {
      onprogress: ({ progress }) => {
        heard.push(progress);
        isHeard();
      },
    });
    expect(called.content).toEqual([{ type: "text", text: "found" }]);
    expect(heard).toEqual([0.5]);
  });
});
