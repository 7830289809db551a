import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMessages } from "../../src/mcp/messages.ts";

const call = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x" } });
const read = (body: unknown, version: string | null = null) => readMessages(JSON.stringify(body), version);

describe("readMessages", () => {
  it("tells a handshake and tool calls from everything else", () => {
    expect(read({ jsonrpc: "2.0", id: 1, method: "initialize" })).toMatchObject({
      value: { initialize: true, method: "initialize" },
    });
    expect(read(call(1))).toMatchObject({ value: { initialize: false, method: "tools/call", count: 1 } });
    expect(read({ jsonrpc: "2.0", id: 1, method: "ping" })).toMatchObject({
      value: { initialize: false, method: "ping" },
    });
  });

  it.each([null, "2025-03-26"])("takes a batch at 2025-03-26 (header %s)", (version) => {
    expect(read([call(1), call(2)], version)).toMatchObject({
      ok: true,
      value: { count: 2, method: null },
    });
  });

  it.each(["2024-11-05", "2025-06-18", "2025-11-25"])("refuses a batch at %s", (version) => {
    expect(read([call(1)], version)).toMatchObject({ ok: false, reason: { code: -32600 } });
  });

  it("refuses an empty batch, an eleventh message, a batched handshake and equal ids", () => {
    const ids = Array.from({ length: 11 }, (_, id) => call(id));
    for (const batch of [
      [],
      ids,
      [call(1), { jsonrpc: "2.0", method: "initialize", id: 2 }],
      [call("a"), call("a")],
    ]) {
      expect(read(batch)).toMatchObject({ ok: false, reason: { code: -32600 } });
    }
    expect(read(ids.slice(0, 10)).ok).toBe(true);
  });

  it("takes ids that only the writing tells apart for one, as clients would that read them as numbers", () => {
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":1.0,"method":"a"}]';
    expect(readMessages(batch, null)).toMatchObject({ ok: false, reason: { code: -32600 } });
    expect(read([call(1), call("1")]).ok).toBe(true);
  });

  it("drops a cancellation from a batch, since the answer it cancels would never come", () => {
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect(read([call(1), cancel])).toMatchObject({ value: { body: [call(1)], count: 2 } });
  });

  it.each([{ a: 1 }, null, 7, "x", { jsonrpc: "1.0", id: 1, method: "ping" }, [null], [[]]])(
    "refuses %j",
    (body) => {
      expect(read(body)).toMatchObject({ ok: false, reason: { code: -32600 } });
    },
  );

  it.each([
    ["nested too deep", `${"[".repeat(300)}${"]".repeat(300)}`],
    ["of too many values", `[${"0,".repeat(140_000)}0]`],
    ["of too many members", `{${Array.from({ length: 140_000 }, (_, at) => `"${at}":{}`).join()}}`],
  ])("refuses a message %s before it is read, and none for what its strings say", (_, params) => {
    const posted = (text: string) =>
      readMessages(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${text}}`, null);
    expect(posted(params)).toMatchObject({ ok: false, reason: { code: -32600 } });
    expect(posted(`{"a":${JSON.stringify(params)}}`).ok).toBe(true);
  });

  it("takes a handshake without an id for the notification it is", () => {
    expect(read({ jsonrpc: "2.0", method: "initialize" })).toMatchObject({ value: { initialize: false } });
  });

  it("never throws, and refuses what is no JSON", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => readMessages(text, null)).not.toThrow();
      }),
    );
    expect(readMessages("{", null)).toEqual({ ok: false, reason: { code: -32700, message: "Parse error" } });
  });
});
