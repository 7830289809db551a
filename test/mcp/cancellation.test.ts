import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { CANCEL_REASON_MAX_CHARS } from "../../src/limits.ts";
import { readCancellation } from "../../src/mcp/cancellation.ts";

const read = (json: string) => {
  const parsed = parseExactJson(json, { duplicates: "refuse" });
  if (!parsed.ok) throw new Error(parsed.reason.reason);
  return readCancellation(parsed.value);
};
const cancelled = (params: string) =>
  read(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`);

describe("a cancellation", () => {
  it("names its request by type and source text", () => {
    const keys = ["1", '"1"', "1.0", "12345678901234567890", '""', "0"].map(
      (id) => cancelled(`{"requestId":${id}}`)?.requestKey,
    );
    expect(keys).toEqual([
      "number:1",
      "string:1",
      "number:1.0",
      "number:12345678901234567890",
      "string:",
      "number:0",
    ]);
  });

  it("keeps its reason where that is a text, cut at a code point", () => {
    expect(cancelled('{"requestId":1,"reason":"enough"}')?.reason).toBe("enough");
    for (const reason of ["5", "null", "{}", "[]"]) {
      expect(cancelled(`{"requestId":1,"reason":${reason}}`)).toEqual({
        requestKey: "number:1",
        reason: undefined,
      });
    }
    const long = cancelled(
      JSON.stringify({ requestId: 1, reason: "😀".repeat(CANCEL_REASON_MAX_CHARS + 1) }),
    );
    expect(long?.reason).toBe("😀".repeat(CANCEL_REASON_MAX_CHARS));
  });

  it.each([
    "{}",
    "[]",
    "null",
    '{"requestId":null}',
    '{"requestId":{}}',
    '{"requestId":[1]}',
    '{"requestId":true}',
  ])("is none without a request's id: %s", (params) => {
    expect(cancelled(params)).toBeUndefined();
  });

  it("is none as a request, in a batch, or under another name", () => {
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect(readCancellation(message)).toBeDefined();
    expect(readCancellation({ ...message, id: 1 })).toBeUndefined();
    expect(readCancellation([message])).toBeUndefined();
    expect(readCancellation({ ...message, method: "notifications/canceled" })).toBeUndefined();
    expect(readCancellation({ jsonrpc: "2.0", method: "notifications/cancelled" })).toBeUndefined();
  });

  it("is read from anything without a throw", () => {
    const method = "notifications/cancelled";
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(() => [
          readCancellation(value),
          readCancellation({ method, params: value }),
          readCancellation({ method, params: { requestId: 1, reason: value } }),
          readCancellation({ method, params: { requestId: value } }),
        ]).not.toThrow();
      }),
    );
  });
});
