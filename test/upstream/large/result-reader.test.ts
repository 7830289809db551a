import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import type { MemorySinks } from "./memory-sinks.ts";
import { base64, long, messageWith, readLarge, resultOf, showResult, TIGHT } from "./reading.ts";

describe("a result whose values are all small", () => {
  const strange = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("__proto__", "\ud83d\ude00", "\ud83d", "text", "data"),
  );
  const part = fc.oneof(
    fc.record(
      {
        type: fc.constantFrom("text", "image", "weird"),
        text: strange,
        data: fc.base64String(),
        annotations: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constantFrom("resource", "text"),
        resource: fc.oneof(
          fc.dictionary(
            fc.constantFrom("text", "blob", "uri", "mimeType"),
            fc.oneof(strange, fc.jsonValue()),
          ),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(strange, fc.jsonValue()),
  );
  const result = fc.record(
    {
      content: fc.array(part, { maxLength: 5 }),
      structuredContent: fc.jsonValue(),
      isError: fc.oneof(fc.boolean(), fc.constant(null)),
      _meta: fc.dictionary(strange, fc.jsonValue()),
      toolResult: fc.jsonValue(),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const anyCuts = fc.array(fc.nat(2_000), { maxLength: 20 });

  it("is the very tree that the whole reader gives, in the same order, and nothing is stored", async () => {
    await fc.assert(
      fc.asyncProperty(
        result,
        fc.constantFrom(0, 2),
        anyCuts,
        fc.boolean(),
        async (item, space, cuts, event) => {
          const text = messageWith(JSON.stringify(item, undefined, space));
          const whole = parseExactJson(text, { duplicates: "last" });
          if (!whole.ok) throw new Error("not JSON");
          const lines = `event: message\r\n${text
            .split("\n")
            .map((line) => `data: ${line}\r\n`)
            .join("")}\r\n`;
          const { read, sinks } = await readLarge(event ? lines : text, {
            cuts,
            framing: event ? "event" : "json",
          });
          if (!read.ok) throw new Error(read.reason.reason);
          expect(read.value).toEqual(whole.value);
          expect(exactJsonText(read.value)).toBe(exactJsonText(whole.value));
          expect(sinks.opened).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps numbers as they were written, prototype keys as members, and the last of equal members", async () => {
    const text =
      '{"__proto__":{"a":1},"n":12345678901234567890,"structuredContent":{"x":1.50,"x":-0},"content":[{"type":"text","type":"image","__proto__":1.0}],"content":[{"type":"text","text":"a","text":"b"}],"1":1,"n":1e3}';
    const whole = parseExactJson(text, { duplicates: "last" });
    const { tree } = await resultOf(text);
    expect(exactJsonText(tree)).toBe(exactJsonText(whole.ok ? whole.value : undefined));
  });
});

describe("structured content that is what the text says", () => {
  const value = {
    rows: Array.from({ length: 40 }, (_, nth) => ({ nth, name: `näme "${nth}"`, price: 1.5 })),
  };
  const json = JSON.stringify(value);
  const pretty = JSON.stringify(value, undefined, 2);
  const escaped = json.replaceAll("ä", "\\u00e4");
  const text = (text: string) => ({ type: "text", text });
  const orders: [string, (content: string, structured: string) => string][] = [
    ["behind the text", (content, structured) => `{"content":${content},"structuredContent":${structured}}`],
    [
      "before the text",
      (content, structured) => `{"structuredContent":${structured},"isError":false,"content":${content}}`,
    ],
  ];

  it.each(orders)("is left out, and nothing of it stays (%s)", async (_, order) => {
    for (const [said, structured] of [
      [json, json],
      [pretty, json],
      [escaped, pretty],
      [json, escaped],
    ] as const) {
      const { tree, sinks } = await showResult(order(JSON.stringify([text(said)]), structured));
      expect(tree).not.toHaveProperty("structuredContent");
      expect(tree).toMatchObject({ content: [{ type: "text", text: { json: said } }] });
      expect(sinks.kept().map(({ form }) => form)).toEqual(["text"]);
    }
  });

  it.each(orders)("stays where a later text of the same part replaces that text (%s)", async (_, order) => {
    const part = `{"type":"text","text":${JSON.stringify(json)},"text":"short"}`;
    const { tree } = await showResult(order(`[${part}]`, json));
    expect(tree).toMatchObject({
      content: [{ type: "text", text: "short" }],
      structuredContent: { json },
    });
  });

  it.each(orders)(
    "is left out beside a sentence too, and where one of both is small (%s)",
    async (_, order) => {
      const beside = await showResult(order(JSON.stringify([text("Found 40 rows."), text(pretty)]), json));
      expect(beside.sinks.kept().map(({ form }) => form)).toEqual(["text"]);
      const small = JSON.stringify({ a: [1, 2, 3], b: "four" });
      const padded = small.replaceAll(",", `,${" ".repeat(60)}`);
      const smallStructured = await showResult(order(JSON.stringify([text(padded)]), small));
      expect(smallStructured.tree).not.toHaveProperty("structuredContent");
      const spelt = small.replace(
        "four",
        Array.from("four", (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
          .join("")
          .padEnd(70),
      );
      const smallText = await showResult(
        order(JSON.stringify([text(JSON.stringify(JSON.parse(spelt)))]), spelt.padEnd(spelt.length + 9)),
        { bounds: { ...TIGHT, payloadBytes: spelt.length - 4 } },
      );
      expect(smallText.tree).not.toHaveProperty("structuredContent");
      expect(smallText.sinks.kept()).toEqual([]);
    },
  );

  it.each(orders)("stays where it says anything else (%s)", async (_, order) => {
    const others = [
      json.replace('"nth":7', '"nth":8'),
      json.replace("1.5", "1.50"),
      `[${json}]`,
      json.replace("rows", "row"),
      JSON.stringify(long()),
    ];
    for (const other of others) {
      const { tree, sinks } = await showResult(order(JSON.stringify([text(json)]), other));
      expect(tree).toMatchObject({ structuredContent: { json: other }, content: [{ text: { json } }] });
      expect(sinks.kept().length).toBe(2);
    }
  });

  it("stays where both are small, for whoever sees both to judge", async () => {
    const both = { content: [text('{"a":1}')], structuredContent: { a: 1 } };
    expect((await showResult(both)).tree).toEqual(both);
  });

  it("stays where there is no text", async () => {
    expect((await showResult(`{"structuredContent":${pretty}}`)).tree).toEqual({
      structuredContent: { json },
    });
  });
});

describe("members that come twice", () => {
  const states = (sinks: MemorySinks) => sinks.opened.map(({ state }) => state);

  it("count the last time; what the first gave is given up", async () => {
    const image = (nth: number) => `{"type":"image","data":"${base64(100 + nth)}"}`;
    const content = (nth: number) =>
      `"content":[{"type":"text","text":"${long(nth)}"},${image(nth)},{"type":"odd","x":"${long(nth)}"}]`;
    const structured = (nth: number) => `"structuredContent":{"x":"${long(nth)}"}`;
    const meta = (nth: number) => `"_meta":{"x":"${long(nth)}"}`;
    const twice = await showResult(
      `{${[content(1), structured(1), meta(1), content(2), structured(2), meta(2)].join(",")}}`,
    );
    const once = await showResult(`{${[content(2), structured(2), meta(2)].join(",")}}`);
    expect(twice.tree).toEqual(once.tree);
    expect(twice.sinks.kept().length).toBe(5);
    const small = await showResult(
      `{${content(1)},${structured(1)},${meta(1)},"content":[],"structuredContent":1,"_meta":{}}`,
    );
    expect(small.tree).toEqual({ content: [], structuredContent: 1, _meta: {} });
    expect(new Set(states(small.sinks))).toEqual(new Set(["aborted"]));
  });

  it("count the last time inside a part", async () => {
    const [one, two] = [base64(100), base64(200)];
    const twice = await showResult(
      `{"content":[{"type":"image","data":"${one}","data":"${two}"},{"resource":{"blob":"${one}"},"resource":{"text":"t","text":"s"},"type":"resource"},{"type":"image","data":"${one}","data":7}]}`,
    );
    expect(twice.tree).toEqual({
      content: [
        { type: "image", data: { bytes: two } },
        { type: "resource", resource: { text: "s" } },
        { type: "image", data: 7 },
      ],
    });
    expect(states(twice.sinks)).toEqual(["aborted", "closed", "aborted", "aborted"]);
  });

  it("count the last time for a text that opened the joined text", async () => {
    const parts = (text: string) =>
      `{"content":[{"type":"text","text":"first"},{"type":"text","text":"${long(1)}","text":${text}},{"type":"text","text":"last"}]}`;
    expect((await showResult(parts('"small"'))).tree).toEqual({
      content: ["first", "small", "last"].map((text) => ({ type: "text", text })),
    });
    expect((await showResult(parts(`"${long(2)}"`))).tree).toMatchObject({
      content: [{ text: { text: `first\n${long(2)}\nlast` } }, { text: "" }, { text: "" }],
    });
  });

  it("keep both texts, in their order, where the first is behind others in the store already", async () => {
    const { tree } = await showResult(
      `{"content":[{"type":"text","text":"${long(0)}"},{"type":"text","text":"${long(1)}","text":"${long(2)}"}]}`,
    );
    expect(tree).toMatchObject({
      content: [{ text: { text: [long(0), long(1), long(2)].join("\n") } }, { text: "" }],
    });
  });
});

it("a member's payload comes with the member's name, which is not in it", async () => {
  const { sinks } = await showResult({ content: [], credentials: long(), _meta: { a: long(1) } });
  expect(sinks.opened).toMatchObject([{ name: "credentials" }, { name: "_meta" }]);
});
