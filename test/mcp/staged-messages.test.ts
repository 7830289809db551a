import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { stageMessages } from "../../src/mcp/staged-messages.ts";

const read = (text: string): unknown => {
  const parsed = parseExactJson(text, { duplicates: "refuse" });
  if (!parsed.ok) throw new Error(parsed.reason.reason);
  return parsed.value;
};

/** What the SDK does with staged requests: an answer each, in any order, in JSON that rounds. */
const sdkAnswers = (staged: unknown, of: (message: unknown) => object): object[] =>
  (isJsonArray(staged) ? staged : [staged])
    .filter((message) => memberOf(message, "id") !== undefined)
    .map((message) => Object.assign(of(message), { jsonrpc: "2.0", id: memberOf(message, "id") }))
    .toReversed();

describe("staged messages", () => {
  it("show the SDK numbers as JavaScript has them, and keep the request's own for the tool", () => {
    const body = read('{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"a":12345678901234567890}}');
    const { staged, requestOf, answer, finish } = stageMessages(body);
    const params = memberOf(requestOf(0), "params");
    expect(staged).toEqual({
      jsonrpc: "2.0",
      id: 0,
      method: "tools/call",
      params: { a: 12345678901234567000 },
    });
    expect(exactJsonText(params)).toBe('{"a":12345678901234567890}');
    answer(0, { b: params });
    expect(finish('{"jsonrpc":"2.0","id":0,"result":{}}')).toBe(
      '{"jsonrpc":"2.0","id":1.0,"result":{"b":{"a":12345678901234567890}}}',
    );
  });

  it.each(["0", "7", "1.0", "12345678901234567890"])(
    "show the SDK a number as progress token that it takes, whatever it was: %s",
    (token) => {
      const params = `{"a":1,"_meta":{"b":2,"progressToken":${token}}}`;
      const { staged, requestOf } = stageMessages(
        read(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`),
      );
      expect(memberOf(staged, "params")).toEqual({ a: 1, _meta: { b: 2, progressToken: 0 } });
      expect(exactJsonText(memberOf(requestOf(0), "params"))).toBe(params);
    },
  );

  it("put an error of ours in the SDK's place, data as exact as results", () => {
    const { refuse, finish } = stageMessages(read('{"jsonrpc":"2.0","id":"x","method":"m"}'));
    refuse(0, { code: -32603, message: "no", data: read('{"n":1.0}') });
    expect(finish('{"jsonrpc":"2.0","id":0,"result":{}}')).toBe(
      '{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"no","data":{"n":1.0}}}',
    );
  });

  it("give each answer of a batch its own id, whatever the ids and the order", () => {
    const id = fc.oneof(
      fc.string().map((text) => JSON.stringify(text)),
      fc.integer().map(String),
      fc.constantFrom("1.0", "-0", "1e2", "12345678901234567890"),
    );
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1 }), (legal) => {
        const batch = read(
          `[${legal.map((each) => `{"jsonrpc":"2.0","id":${each},"method":"m"}`).join(",")}]`,
        );
        const { staged, answer, finish } = stageMessages(batch);
        const text = JSON.stringify(
          sdkAnswers(staged, (message) => {
            answer(memberOf(message, "id"), { of: memberOf(message, "id") });
            return { result: {} };
          }),
        );
        const finished = read(finish(text));
        const order = (isJsonArray(finished) ? finished : []).map((message) => [
          exactJsonText(memberOf(message, "id")),
          memberOf(memberOf(message, "result"), "of"),
        ]);
        expect(order).toEqual(legal.map((each, index) => [exactJsonText(read(each)), index]).toReversed());
      }),
    );
  });

  it("answer a batch with an array, also where the SDK answers with one object", () => {
    const { finish } = stageMessages([{ jsonrpc: "2.0", id: "a", method: "m" }]);
    expect(finish('{"jsonrpc":"2.0","id":0,"result":{}}')).toBe('[{"jsonrpc":"2.0","id":"a","result":{}}]');
  });

  it("leave notifications and answers as they are", () => {
    const body = { jsonrpc: "2.0", method: "notifications/x", params: { a: 1 } };
    expect(stageMessages(body).staged).toBe(body);
    const response = { jsonrpc: "2.0", id: 7, result: {} };
    expect(stageMessages(response).staged).toBe(response);
  });

  it.each([
    ["initialize", -32602, "Invalid params"],
    ["tools/list", -32603, "Internal error"],
  ])("tell of a fault inside the SDK at %s nothing but its kind", (method, code, message) => {
    const { finish } = stageMessages({ jsonrpc: "2.0", id: "x", method });
    const inside = {
      jsonrpc: "2.0",
      id: 0,
      error: { code: -32603, message: "ZodError at …", data: { stack: 1 } },
    };
    expect(JSON.parse(finish(JSON.stringify(inside)))).toEqual({
      jsonrpc: "2.0",
      id: "x",
      error: { code, message },
    });
  });

  it("pass on errors that are meant for the caller", () => {
    const { finish } = stageMessages({ jsonrpc: "2.0", id: 1, method: "m" });
    const error = { code: -32601, message: "Method not found" };
    expect(JSON.parse(finish(JSON.stringify({ jsonrpc: "2.0", id: 0, error })))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error,
    });
  });
});
