import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/result.ts";
import { face, gate, jsonList, request, workCall } from "./face-rig.ts";

const INITIALIZE = request(
  "initialize",
  '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}',
);

describe("the handshake", () => {
  it("declares what the surface serves, and tools alone where it says nothing", async () => {
    const of = async (capabilities?: { resources: boolean; prompts: boolean; completions: boolean }) => {
      const { post } = face(capabilities === undefined ? {} : { capabilities: async () => capabilities });
      return (await post(INITIALIZE)).text();
    };
    const none = { resources: false, prompts: false, completions: false };
    const plain = await of();
    expect(plain).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"rig","version":"1.0.0"},"instructions":"Works."}}',
    );
    expect(await of(none)).toBe(plain);
    expect(await of({ resources: true, prompts: true, completions: true })).toContain(
      '"capabilities":{"tools":{},"resources":{},"prompts":{},"completions":{}}',
    );
    expect(await of({ ...none, prompts: true })).toContain('"capabilities":{"tools":{},"prompts":{}}');
  });

  it("is all that asks for them", async () => {
    let asked = 0;
    const { post } = face({
      capabilities: async () => {
        asked += 1;
        return { resources: true, prompts: true, completions: true };
      },
    });
    for (const method of ["tools/list", "ping", "resources/list"]) await post(request(method));
    await post(workCall("1"));
    expect(asked).toBe(0);
  });
});

describe("tools/list", () => {
  it("hands on the cursor, and gives the page and the next", async () => {
    const cursors: (string | undefined)[] = [];
    const { post } = face({
      tools: async (_context, cursor) => {
        cursors.push(cursor);
        return ok({ tools: [], ...(cursor === undefined ? { nextCursor: "more" } : {}) });
      },
    });
    expect(await (await post(request("tools/list"))).text()).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"tools":[],"nextCursor":"more"}}',
    );
    expect(await (await post(request("tools/list", '{"cursor":"more"}'))).text()).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}',
    );
    await post(request("tools/list", '{"cursor":""}'));
    await post('{"jsonrpc":"2.0","id":7,"method":"tools/list"}');
    expect(cursors).toEqual([undefined, "more", "", undefined]);
  });

  it.each(["1", "null", "{}", "[]"])("takes no cursor that is no text: %s", async (cursor) => {
    const { post } = face();
    expect(await (await post(request("tools/list", `{"cursor":${cursor}}`))).json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: "params.cursor must be a string" },
    });
  });

  it("tells of a cursor that was never given as the surface has it, data included", async () => {
    const problem = { code: -32602, message: "no such cursor", data: { cursor: "x" } };
    const { post } = face({ tools: async () => fail(problem) });
    expect(await (await post(request("tools/list", '{"cursor":"x"}'))).json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: "no such cursor", data: { cursor: "x" } },
    });
  });
});

describe("other methods", () => {
  const METHODS = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "resources/subscribe",
    "tasks/list",
    "__proto__",
    "notifications/cancelled",
  ];

  it("go to the surface with their parameters as they came, and back as it answers", async () => {
    const seen: [string, unknown][] = [];
    const { post } = face({
      request: async (method, params) => {
        seen.push([method, params]);
        return ok({ method, params });
      },
    });
    const params = '{"uri":"a://b","n":12345678901234567890,"__proto__":{"x":1.0}}';
    for (const method of METHODS) {
      expect(await (await post(request(method, params))).text()).toBe(
        `{"jsonrpc":"2.0","id":7,"result":{"method":"${method}","params":${params}}}`,
      );
    }
    expect(seen.map(([method]) => method)).toEqual(METHODS);
  });

  it("are known by their ids, each type for itself, and by no name of their callers", async () => {
    const origins: unknown[] = [];
    const { post } = face({
      request: async (_method, _params, _context, origin) => {
        origins.push(origin);
        return ok({});
      },
    });
    const named = '{"_meta":{"loomgate/idempotency-key":"once"}}';
    for (const id of ["3", '"3"']) await post(request("resources/read", named, id));
    expect(origins).toEqual([
      { requestKey: "number:3", idempotencyKey: null },
      { requestKey: "string:3", idempotencyKey: null },
    ]);
  });

  it("fail with code, message and data as the surface has them", async () => {
    const data = { error: "RATE_LIMITED", details: { retry_after: 3 } };
    for (const code of [-32002, -32602, -32603, -32000]) {
      const { post } = face({ request: async () => fail({ code, message: "no", data }) });
      expect(await (await post(request("resources/read"))).json()).toEqual({
        jsonrpc: "2.0",
        id: 7,
        error: { code, message: "no", data },
      });
    }
    const { post } = face({ request: async () => fail({ code: -32603, message: "no" }) });
    expect(await (await post(request("prompts/get"))).text()).toBe(
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}',
    );
  });

  it("are none where the surface has none", async () => {
    const notFound = { jsonrpc: "2.0", id: 7, error: { code: -32601, message: "Method not found" } };
    for (const { post } of [face(), face({ request: async () => undefined })]) {
      for (const method of METHODS) expect(await (await post(request(method))).json()).toEqual(notFound);
    }
  });

  it("tell nothing of what the surface throws", async () => {
    const { post } = face({ request: () => Promise.reject(new Error("secret")) });
    expect(await (await post(request("prompts/get"))).json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32603, message: "Internal error" },
    });
  });

  it("leave ping to the protocol", async () => {
    const { post } = face({ request: () => Promise.reject(new Error("asked")) });
    expect(await (await post(request("ping"))).text()).toBe('{"jsonrpc":"2.0","id":7,"result":{}}');
  });

  it("answer each of a batch on its own", async () => {
    const { post } = face({
      request: async (method) =>
        method === "prompts/list" ? ok({ prompts: [] }) : fail({ code: 1, message: "m" }),
    });
    const batch = `[${request("prompts/list", "{}", "1.0")},${request("prompts/get", "{}", '"b"')}]`;
    const answers = jsonList(await (await post(batch, { "mcp-protocol-version": "2025-03-26" })).text());
    expect(answers).toHaveLength(2);
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: 1, result: { prompts: [] } });
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: "b", error: { code: 1, message: "m" } });
  });
});

describe("a cancellation", () => {
  const cancelled = (params: string) =>
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`;
  const cancelling = () => {
    const cancels: [string, string | undefined][] = [];
    const { promise, open } = gate<void>();
    const rig = face({
      cancel: async (requestKey, reason) => {
        cancels.push([requestKey, reason]);
        await promise;
      },
    });
    return { ...rig, cancels, open };
  };

  it("is taken at once, and carried out behind the answer", async () => {
    const { post, background, cancels, open } = cancelling();
    const response = await post(cancelled('{"requestId":1.0,"reason":"enough"}'));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
    expect(cancels).toEqual([["number:1.0", "enough"]]);
    expect(background).toHaveLength(1);
    open();
    await Promise.all(background);
  });

  it.each(["{}", '{"requestId":null}', '{"requestId":{}}', '{"requestId":true,"reason":5}'])(
    "that names no request is taken, and means nothing: %s",
    async (params) => {
      const { post, cancels } = cancelling();
      expect((await post(cancelled(params))).status).toBe(202);
      expect(cancels).toEqual([]);
    },
  );

  it("means nothing where it is refused, in a batch, or to a surface that cancels nothing", async () => {
    const { post, cancels, background } = cancelling();
    expect((await post(cancelled('{"requestId":1}'), { "mcp-protocol-version": "1999-01-01" })).status).toBe(
      400,
    );
    expect((await post(cancelled('{"requestId":1}'), { accept: "application/json" })).status).toBe(406);
    await post(`[${cancelled('{"requestId":1}')}]`, { "mcp-protocol-version": "2025-03-26" });
    expect(cancels).toEqual([]);
    expect(background).toEqual([]);
    expect((await face().post(cancelled('{"requestId":1}'))).status).toBe(202);
  });
});
