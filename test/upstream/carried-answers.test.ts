import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { carryAnswer } from "../../src/upstream/answer.ts";
import { createExchange } from "../../src/upstream/exchange.ts";
import { faultOf, WireError } from "../../src/upstream/wire-fault.ts";
import { initializeResult, openStream, type Behaviour } from "../support/hostile-upstream/server.ts";
import { callTool, io, KEPT, withUpstream, listEntries } from "./rig.ts";

const CALL = { name: "echo", args: { text: "hi" } };

/** Results as JSON text, so that the order of members and `__proto__` keys are the upstream's own. */
const ODD_RESULTS = {
  metaNull: '{"content":[],"_meta":null}',
  metaList: '{"content":[],"_meta":[1]}',
  metaText: '{"_meta":"text","content":[]}',
  metaNumber: '{"_meta":7}',
  progressTokenObject: '{"content":[],"_meta":{"progressToken":{}}}',
  progressTokenNull: '{"content":[],"_meta":{"progressToken":null}}',
  relatedTaskText: '{"content":[],"_meta":{"io.modelcontextprotocol/related-task":"x"}}',
  relatedTaskExtra: '{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t","more":1}}}',
  memberOrder: '{"_meta":{"z":1,"progressToken":"p","a":{"c":null,"b":2}},"isError":false,"content":[]}',
  prototypeKeys: '{"_meta":{"__proto__":{"a":1},"constructor":2},"__proto__":{"content":3},"content":[]}',
  nullMembers: '{"content":null,"structuredContent":null,"isError":null,"nextCursor":null,"task":null}',
  task: '{"task":{"taskId":"t"},"content":[]}',
  deep: `{"content":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
  lineSeparators: '{"content":[{"type":"text","text":"\u2028\u0085\\u0000\\ud800"}]}',
  empty: "{}",
};

const jsonText = (id: unknown, result: string) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

const WAYS: Record<string, (answer: string) => [type: string, body: string]> = {
  json: (answer) => ["application/json", answer],
  batch: (answer) => ["application/json", `[${answer}]`],
  stream: (answer) => ["text/event-stream", `event: message\ndata: ${answer}\n\n`],
  spreadEvent: (answer) => ["text/event-stream", `data: ${answer.replace(",", ",\ndata: ")}\n\n`],
};

const answering =
  (rpcMethod: string, render: (id: unknown) => [string, string]): Behaviour =>
  (seen, response) => {
    if (seen.rpcMethod !== rpcMethod) return false;
    const [type, body] = render(seen.id);
    if (type === "text/event-stream") openStream(response);
    else response.writeHead(200, { "content-type": type, "mcp-session-id": KEPT.sessionId });
    response.end(body);
    return true;
  };

/** Text shows the order of members and own `__proto__` keys, which deep equality passes over. */
const textOf = (value: unknown) => JSON.stringify(value);

describe("a result that the SDK's parser would refuse or rebuild", () => {
  const cases = Object.keys(WAYS).flatMap((way) =>
    Object.keys(ODD_RESULTS).map((name) => [name, way] as const),
  );
  const oddResults = new Map<string, string>(Object.entries(ODD_RESULTS));

  it.each(cases)("%s arrives as it came (%s)", async (name, way) => {
    const result = oddResults.get(name) ?? "";
    const render = WAYS[way];
    if (render === undefined) throw new Error("no such way");
    const behave = answering("tools/call", (id) => render(jsonText(id, result)));
    await withUpstream(behave, async (_, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io());
      if (!answer.ok) throw new Error(answer.reason.detail);
      expect(textOf(answer.value)).toBe(textOf(JSON.parse(result)));
    });
  });

  it("a listing of servers that write null for every absent member is read whole", async () => {
    const page = '{"tools":[{"name":"a","description":null}],"nextCursor":null,"_meta":null}';
    await withUpstream(
      answering("tools/list", (id) => ["application/json", jsonText(id, page)]),
      async (_, target) => {
        const { answer } = await listEntries(target, undefined, io());
        expect(answer).toMatchObject({ ok: true, value: [{ name: "a", description: null }] });
      },
    );
  });

  it.each(Object.keys(WAYS))("a handshake with nulls opens the session (%s)", async (way) => {
    const result = initializeResult({
      _meta: { progressToken: {} },
      instructions: null,
      capabilities: { tools: { listChanged: null }, prompts: null, experimental: null },
      serverInfo: { name: "kit", version: "1.0.0", title: null, icons: null },
    });
    const render = WAYS[way];
    if (render === undefined) throw new Error("no such way");
    const behave = answering("initialize", (id) => render(jsonText(id, JSON.stringify(result))));
    await withUpstream(behave, async (upstream, target) => {
      const { answer, session } = await callTool(target, undefined, CALL, io());
      expect(answer.ok).toBe(true);
      expect(session).toMatchObject({
        serverInfo: { name: "kit", version: "1.0.0" },
        capabilities: { tools: {} },
      });
      expect(upstream.count("tools/call")).toBe(1);
    });
  });

  it("a handshake that is no object, or nested beyond all measure, is the protocol's fault", async () => {
    for (const result of ['"text"', `{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`]) {
      await withUpstream(
        answering("initialize", (id) => ["application/json", jsonText(id, result)]),
        async (_, target) => {
          const { answer } = await callTool(target, undefined, CALL, io());
          expect(answer).toMatchObject({ reason: { reason: "protocol", outcome: "not_dispatched" } });
        },
      );
    }
  });
});

/** For exchanges to which nothing else is said. */
const DEAF = { hear: () => undefined, exactBody: undefined };

describe("taking an answer out of a message", () => {
  const exchange = () => createExchange("u", "tools/call", () => "end", DEAF);
  const isLawful = (parsed: unknown): boolean => {
    try {
      const text = carryAnswer(parsed, exchange());
      return text === undefined || memberOf(JSON.parse(text), "id") === "u";
    } catch (error) {
      const fault = faultOf(error);
      return error instanceof WireError && fault.kind === "protocol" && fault.answered;
    }
  };

  it("keeps the very result, and hands the SDK an empty one", () => {
    const current = exchange();
    const result = { content: [] };
    expect(carryAnswer({ jsonrpc: "2.0", id: "u", result }, current)).toBe(
      '{"jsonrpc":"2.0","id":"u","result":{}}',
    );
    expect(current.result()).toBe(result);
  });

  it("takes the first answer only, and no question under our own id", () => {
    const current = exchange();
    const question = { jsonrpc: "2.0", id: "u", method: "ping", result: {} };
    expect(carryAnswer(question, current)).toBeUndefined();
    carryAnswer({ jsonrpc: "2.0", id: "u", result: { nth: 1 } }, current);
    expect(carryAnswer({ jsonrpc: "2.0", id: "u", result: { nth: 2 } }, current)).toBeUndefined();
    expect(carryAnswer({ jsonrpc: "2.0", id: "u", result: "text" }, current)).toBeUndefined();
    expect(current.result()).toEqual({ nth: 1 });
  });

  it("hands an error on by code and message alone", () => {
    const error = { code: -32042, message: "m", data: { huge: "x" } };
    const text = carryAnswer({ jsonrpc: "2.0", id: "u", result: null, error }, exchange());
    expect(text).toBe('{"jsonrpc":"2.0","id":"u","error":{"code":-32042,"message":"m"}}');
  });

  it("is an answer, nothing, or a fault that says the upstream answered, for any message", () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom("u", "2.0", null, {}, { code: 1, message: "m" }));
    const message = fc.record(
      { jsonrpc: part, id: part, method: part, result: part, error: part },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), message, fc.array(message)), (parsed) => {
        expect(isLawful(parsed)).toBe(true);
      }),
    );
  });
});
