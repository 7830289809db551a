import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { LargePayload } from "../../../src/large-result.ts";
import { RESULT_MAX_DEPTH } from "../../../src/limits.ts";
import { LARGE_BOUNDS } from "../../../src/upstream/large/reading.ts";
import { base64, long, messageWith, readLarge, resultOf, shown, TIGHT } from "./reading.ts";

const KILO = 1_024;

describe("a message around a large result", () => {
  const large = `{"content":[{"type":"text","text":"${long()}"}]}`;

  it("may have its members in any order, and others that nobody reads", async () => {
    const { read } = await readLarge(
      `{"x":[[["${long()}"]]],"result":${large},"id":"u","jsonrpc":"2.0","method":null}`,
      { bounds: TIGHT },
    );
    expect(read).toMatchObject({
      ok: true,
      value: { id: "u", jsonrpc: "2.0", method: null, result: { content: [{ type: "text" }] } },
    });
  });

  it("may be one of a batch: the first answer counts, and nothing stays of the others", async () => {
    const other = `{"jsonrpc":"2.0","id":"v","result":${large}}`;
    const own = (text: string) =>
      `{"id":"u","jsonrpc":"2.0","result":{"content":[{"type":"text","text":"${text}"}]}}`;
    const { read, sinks } = await readLarge(
      `[1,${other},{"method":"m","id":"u","result":${large}},${own(long(1))},${own(long(2))},[${large}]]`,
      { bounds: TIGHT },
    );
    expect(shown(read.ok ? memberOf(read.value, "result") : undefined, sinks)).toMatchObject({
      content: [{ text: { text: long(1) } }],
    });
    expect(sinks.kept().length).toBe(1);
    expect((await readLarge(`[${other}]`, { bounds: TIGHT })).read).toEqual({ ok: true, value: undefined });
  });

  it("may be an error, whose words are cut and whose data is not read", async () => {
    const message = `{"jsonrpc":"2.0","id":"u","error":{"data":${large},"code":-32000,"message":"${"m".repeat(50_000)}"}}`;
    const { read, sinks } = await readLarge(message, { bounds: TIGHT });
    const error = read.ok ? memberOf(read.value, "error") : undefined;
    expect(memberOf(error, "code")).toBe(-32_000);
    expect(String(memberOf(error, "message")).length).toBe(17 * KILO);
    expect(sinks.opened).toEqual([]);
  });

  it.each([
    [
      '{"result":1,"id":2,"jsonrpc":null,"error":[1],"method":{"a":1}}',
      { result: 1, id: 2, jsonrpc: null, error: [], method: {} },
    ],
    ['{"result":null,"error":null}', { result: null, error: null }],
    ['{"result":[1,{"a":1}],"result":"x"}', { result: "x" }],
    ['{"result":{"content":{"a":1}}}', { result: { content: {} } }],
    ['{"result":{"content":null,"isError":[1]}}', { result: { content: null, isError: [] } }],
    ['"u"', undefined],
    ["[]", undefined],
  ])("%s is judged by the kinds of its members", async (text, message) => {
    expect((await readLarge(text)).read).toEqual({ ok: true, value: message });
  });

  it("gives back all its room and all its payloads when it is given up", async () => {
    const { large: answer, sinks, budget } = await resultOf(large, { bounds: TIGHT });
    expect([sinks.kept().length, budget.held()]).toEqual([1, 16 * KILO]);
    await answer.abandon();
    await answer.abandon();
    expect([sinks.kept(), budget.held()]).toEqual([[], 0]);
  });

  it("is no JSON, of no use or too deep, and stops then", async () => {
    const answer = messageWith(large);
    for (const broken of [
      answer.slice(0, -1),
      `${answer}x`,
      answer.replace("text", "\n"),
      `data: ${answer}\n\n`,
    ]) {
      expect((await readLarge(broken, { bounds: TIGHT })).read).toEqual({
        ok: false,
        reason: { reason: "syntax" },
      });
    }
    expect(
      (await readLarge(`event: other\ndata: ${answer}\n\n`, { bounds: TIGHT, framing: "event" })).read,
    ).toEqual({ ok: false, reason: { reason: "other_event" } });
    const nested = (depth: number) => messageWith(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    expect((await readLarge(nested(RESULT_MAX_DEPTH))).read.ok).toBe(true);
    expect((await readLarge(nested(RESULT_MAX_DEPTH + 9))).read).toMatchObject({
      ok: false,
      reason: { reason: "too_deep", message: { id: "u" } },
    });
    expect((await readLarge("[".repeat(5_000_000))).read).toMatchObject({
      ok: false,
      reason: { reason: "too_deep", message: undefined },
    });
  });

  it("is anything at all, and the reader survives it with every payload accounted for", async () => {
    const word = fc.constantFrom(
      "content",
      "text",
      "data",
      "type",
      "resource",
      "blob",
      "image",
      "structuredContent",
      "_meta",
      "result",
      "id",
      "u",
      "isError",
      "resource.text",
      "",
      long(),
      base64(100),
    );
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 7 },
        word,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.array(fc.tuple(word, tie("node")), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(tree, { maxLength: 4 }),
        fc.array(fc.nat(3_000), { maxLength: 9 }),
        async (result, content, cuts) => {
          const text = `{"jsonrpc":"2.0","id":"u","result":${JSON.stringify(result)},"result":{"content":${JSON.stringify(content)},"x":${JSON.stringify(result)}}}`;
          const { read, sinks } = await readLarge(text, {
            cuts,
            bounds: { ...TIGHT, restBytes: 300, parts: 2, members: 1 },
          });
          if (!read.ok) throw new Error("not read");
          const found: LargePayload[] = [];
          const look = (value: unknown): void => {
            if (value instanceof LargePayload) found.push(value);
            else if (typeof value === "object" && value !== null)
              for (const each of Object.values(value)) look(each);
          };
          look(read.value);
          expect(new Set(found).size).toBe(found.length);
          expect(sinks.kept().every(({ state }) => state === "closed")).toBe(true);
          expect(sinks.kept().length).toBe(found.length);
          for (const payload of found) if (payload.form === "json") JSON.parse(sinks.textOf(payload));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

it("bounds of the room's own are what a call is read with", () => {
  expect(LARGE_BOUNDS).toMatchObject({ payloadBytes: 64 * KILO, restBytes: 4 * KILO * KILO });
});
