import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { BEARER } from "./kit/adapter.ts";
import { json } from "./kit/records-endpoint.ts";
import { adapter, call, endpoint, result, type Serve } from "./kit/setting.ts";

describe("refusals while serving", () => {
  const problem = {
    type: "permission_error",
    code: "grant_revoked",
    message: `${BEARER} was revoked`,
    request_id: "r",
  };
  it.each<[string, Serve, object]>([
    [
      "PDPP's error",
      (_, response) => json(response, { error: problem }, 403),
      { code: "grant_revoked", http_status: 403 },
    ],
    [
      "HTML",
      (_, response) => response.writeHead(502, "Bad").end("<html>"),
      { code: "http_502", http_status: 502 },
    ],
    [
      "a redirect",
      (_, response) => response.writeHead(307, { Location: "/elsewhere" }).end(),
      { code: "redirect_refused", http_status: 307 },
    ],
    ["a cut connection", (_, response) => response.destroy(), { code: "source_unavailable" }],
    ["202 to a request", (_, response) => response.writeHead(202).end(), { code: "source_unavailable" }],
    ["an answer without end", (_, response) => flood(response), { code: "source_unavailable" }],
  ])("%s is an error of that request, without the bearer", async (_, serve, data) => {
    const { url, posts } = await endpoint(serve);
    const run = adapter(["--url", url]).send(call(1));
    expect(await run.finish()).toBe(0);
    expect(run.lines).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code: -32000, data } }]);
    expect(run.out + run.err).not.toContain(BEARER);
    expect(posts).toHaveLength(2);
  });

  function flood(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "application/json" });
    const more = (): void => {
      while (response.writable && response.write("x".repeat(65_536)));
    };
    response.on("drain", more).on("error", () => undefined);
    more();
  }
});

describe("standard output", () => {
  const hostile: Serve[] = [
    (_, response) => json(response, "no JSON\n\u001b[2J"),
    (_, response) => json(response, '"a string"'),
    (_, response) => json(response, "null"),
    (_, response) => json(response, "[".repeat(100_000)),
    (_, response) =>
      json(response, `{"jsonrpc":"2.0","id":1,"result":${'{"a":'.repeat(20_000)}1${"}".repeat(20_001)}`),
    (_, response) => json(response, result("another")),
    (_, response) => json(response, [result(1), result(1)]),
    (_, response) => json(response, { jsonrpc: "2.0", id: 1, method: "sampling/createMessage" }),
    (_, response) =>
      json(response, { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "both" } }),
    (_, response) => json(response, { jsonrpc: "2.0", id: 1, result: { echoed: `Bearer ${BEARER}` } }),
    (_, response) => json(response, JSON.stringify(result(1, { echoed: BEARER })).replaceAll("s", "\\u0073")),
    (_, response) =>
      json(response, { error: { code: `x\n${BEARER}`, message: `line\nline ${BEARER}` } }, 401),
    (_, response) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(Buffer.of(0x22, 0xff, 0x22)),
    (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: \ndata: x\n\ndata\n\nretry: 1\n\ndata: {}\n\n");
      response.write(`data: {"jsonrpc":"2.0",\ndata: "id":1,\ndata: "result":{}}\n\n`);
      response.end(`data: ${JSON.stringify(result(1, { again: true }))}\n\n`);
    },
  ];

  it.each(hostile.map((serve, index) => [index, serve] as const))(
    "has one answer a request and nothing else, whatever the server does (%i)",
    async (_, serve) => {
      const { url } = await endpoint(serve);
      const run = adapter(["--url", url]).send(call(1));
      expect(await run.finish()).toBe(0);
      expect(run.lines).toHaveLength(1);
      const [line] = run.lines;
      expect(isJsonArray(line)).toBe(false);
      expect(line).toMatchObject({ jsonrpc: "2.0", id: 1 });
      expect(
        [memberOf(line, "result"), memberOf(line, "error")].filter((each) => each !== undefined),
      ).toHaveLength(1);
      const spelt = run.out.replaceAll(/\\u([\da-f]{4})/gi, (_, hex: string) =>
        String.fromCharCode(parseInt(hex, 16)),
      );
      expect(spelt + run.err).not.toContain(BEARER);
    },
  );
});
