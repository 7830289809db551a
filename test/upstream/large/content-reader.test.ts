import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { base64, long, readLarge, messageWith, resultOf, shown, showResult, TIGHT } from "./reading.ts";

const KILO = 1_024;

const parsedArray = (text: string): readonly unknown[] => {
  const parsed: unknown = JSON.parse(text);
  return isJsonArray(parsed) ? parsed : [];
};

describe("texts that are too large to hold", () => {
  it("are one payload, joined, in the first text part; the others keep what else they say", async () => {
    const content = [
      { type: "text", text: "short", annotations: { priority: 1 } },
      { type: "resource_link", uri: "a:b", name: "n" },
      { text: long(1), type: "text" },
      { type: "text", text: "" },
      { type: "text", text: long(2), _meta: { a: 1 } },
    ];
    const { tree, sinks } = await showResult({ content });
    expect(tree).toEqual({
      content: [
        {
          type: "text",
          text: { text: ["short", long(1), "", long(2)].join("\n") },
          annotations: { priority: 1 },
        },
        content[1],
        { type: "text", text: "" },
        { type: "text", text: "" },
        { type: "text", text: "", _meta: { a: 1 } },
      ],
    });
    expect(sinks.opened.map(({ form }) => form)).toEqual(["text"]);
  });

  it("go together where each is small, and stay where all together are", async () => {
    const texts = Array.from({ length: 10 }, (_, nth) => `line ${nth}`);
    const content = texts.map((text) => ({ type: "text", text }));
    expect((await showResult({ content })).tree).toMatchObject({
      content: [{ text: { text: texts.join("\n") } }, ...texts.slice(1).map(() => ({ text: "" }))],
    });
    const few = content.slice(0, 5);
    expect((await showResult({ content: few })).tree).toEqual({ content: few });
  });

  it("are the characters that the escapes mean, wherever these are cut", async () => {
    const text = '\ud83d\ude00é"\\/\b\f\n\r\t\u0000\u2028 '.repeat(50);
    const escaped = JSON.stringify(text)
      .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .replaceAll("/", "\\/");
    for (const source of [JSON.stringify(text), escaped]) {
      const cuts = Array.from({ length: source.length + 80 }, (_, at) => at);
      for (const every of [1, 3, 7]) {
        const { tree } = await showResult(`{"content":[{"text":${source},"type":"text"}]}`, {
          bounds: TIGHT,
          cuts: cuts.filter((at) => at % every === 0),
        });
        expect(tree).toEqual({ content: [{ type: "text", text: { text } }] });
      }
    }
  });

  it("are written as UTF-8 whatever came: a lone surrogate and broken bytes are U+FFFD", async () => {
    const head = new TextEncoder().encode(
      messageWith(`{"content":[{"type":"text","text":"${"x".repeat(100)}\\ud83d`).slice(0, -1),
    );
    const bytes = Uint8Array.from([...head, 0xff, 0xf0, 0x9f, ...new TextEncoder().encode('"}]}}')]);
    const { read, sinks } = await readLarge(bytes, { bounds: TIGHT, cuts: [head.length + 2] });
    expect(read.ok).toBe(true);
    expect(Buffer.concat(sinks.opened[0]?.chunks ?? []).toString()).toBe(
      `${"x".repeat(100)}\ufffd\ufffd\ufffd`,
    );
  });

  it("have a text part made for them where their own part proves to be of another type", async () => {
    const content = [
      { text: long(), type: "weird", more: 1 },
      { type: "text", text: "a" },
    ];
    expect((await showResult({ content })).tree).toEqual({
      content: [
        { text: "", type: "weird", more: 1 },
        { type: "text", text: { text: `${long()}\na` } },
      ],
    });
    expect((await showResult({ content: content.slice(0, 1) })).tree).toEqual({
      content: [
        { text: "", type: "weird", more: 1 },
        { type: "text", text: { text: long() } },
      ],
    });
  });
});

it("that are the JSON of an object or array say so, where nothing is beside it", async () => {
  const json = JSON.stringify({ a: [long()] });
  const text = (text: string) => ({ type: "text", text });
  expect((await showResult({ content: [text(json)] })).tree).toEqual({
    content: [{ type: "text", text: { json } }],
  });
  for (const content of [
    [text(json), text("a")],
    [text("a"), text(json)],
    [text(JSON.stringify(long()))],
    [text(`${json}x`)],
  ]) {
    expect((await showResult({ content })).tree).toMatchObject({
      content: [
        { text: { text: content.map(({ text }) => text).join("\n") } },
        ...content.slice(1).map(() => ({})),
      ],
    });
  }
});

describe("other parts and members that are too large to hold", () => {
  it("go to the store as the JSON that came, white space aside", async () => {
    const part =
      '{ "type" : "resource_link", "uri":"a\\u003ab", "n": 1.50e2, "description" : "' +
      long() +
      '" , "x":[1, 2] }';
    const { tree } = await showResult(
      `{"content":[${part}], "_meta": {"a": "${long(1)}"}, "other" : [ "${long(2)}" ], "toolResult": "${long(3)}"}`,
    );
    expect(tree).toEqual({
      content: [
        {
          type: "resource_link",
          payload: {
            json: `{"type":"resource_link","uri":"a\\u003ab","n":1.50e2,"description":"${long()}","x":[1,2]}`,
          },
        },
      ],
      _meta: { json: `{"a":"${long(1)}"}` },
      other: { json: `["${long(2)}"]` },
      toolResult: { json: `"${long(3)}"` },
    });
  });

  it("have a type that promises no shape, and unknown where there is none", async () => {
    const extras = { a: long(), b: long() };
    const kinds = ["text", "image", "audio", "resource", "odd", 7, undefined].map((type) => ({
      type,
      extras,
    }));
    const { tree } = await showResult({ content: kinds });
    expect(tree).toMatchObject({
      content: ["text part", "image part", "audio part", "resource part", "odd", "unknown", "unknown"].map(
        (type) => ({ type, payload: {} }),
      ),
    });
  });

  it("do not swallow the payload beside them", async () => {
    const extras = long().repeat(2);
    const image = { type: "image", mimeType: "image/png", data: base64(300), extras };
    const text = { text: long(1), type: "text", extras };
    const blob = { type: "resource", resource: { blob: base64(99), uri: "a:b", extras } };
    expect((await showResult({ content: [image, text, blob] })).tree).toEqual({
      content: [
        { type: "image", mimeType: "image/png", data: { bytes: image.data } },
        { type: "image part", payload: { json: JSON.stringify({ ...image, data: "" }) } },
        { type: "text part", payload: { json: JSON.stringify({ ...text, text: "" }) } },
        { type: "resource", resource: { uri: "a:b", blob: { bytes: base64(99) } } },
        {
          type: "resource part",
          payload: { json: JSON.stringify({ ...blob, resource: { ...blob.resource, blob: "" } }) },
        },
        { type: "text", text: { text: long(1) } },
      ],
    });
  });

  it("leave the text of a text part with the other texts", async () => {
    const extras = { a: long(), b: long() };
    const said = 'what "it" says';
    const first = { type: "text", text: said, extras };
    const last = { extras, text: "x", type: "text" };
    const odd = { type: "odd", text: "no text", extras };
    const json = (part: object) => ({ payload: { json: JSON.stringify(part) } });
    expect((await showResult({ content: [first, odd, last] })).tree).toEqual({
      content: [
        { type: "text", text: said },
        { type: "text part", ...json(first) },
        { type: "odd", ...json(odd) },
        { type: "text", text: "x" },
        { type: "text part", ...json(last) },
      ],
    });
    const twice = `{"text":"x","extras":${JSON.stringify(extras)},"text":7,"type":"text"}`;
    expect((await showResult(`{"content":[${twice}]}`)).tree).toEqual({
      content: [{ type: "text part", payload: { json: twice } }],
    });
  });

  it("share one payload past their number", async () => {
    const content = Array.from({ length: 6 }, (_, nth) => ({ type: "image", data: base64(200 + nth) }));
    const small = { type: "resource_link", uri: "a:b" };
    const members = Object.fromEntries(Array.from({ length: 5 }, (_, nth) => [`m${nth}`, long(nth)]));
    const { tree, sinks } = await showResult(
      { content: [...content, small], ...members, "more members": 1 },
      { bounds: { ...TIGHT, parts: 4, members: 2 } },
    );
    expect(tree).toEqual({
      content: [
        ...content.slice(0, 4).map(({ type, data }) => ({ type, data: { bytes: data } })),
        small,
        { type: "more parts", payload: { json: JSON.stringify(content.slice(4)) } },
      ],
      m0: { json: JSON.stringify(long(0)) },
      m1: { json: JSON.stringify(long(1)) },
      "more members": 1,
      "more members+": { json: JSON.stringify({ m2: long(2), m3: long(3), m4: long(4) }) },
    });
    expect(sinks.opened.length).toBe(8);
  });
});

it("a member named like the path of a payload is none", async () => {
  const part = { type: "resource", resource: { uri: "a:b" }, "resource.text": long(), "resource.blob": "x" };
  const { tree } = await showResult({ content: [part] });
  expect(tree).toEqual({ content: [{ type: "resource part", payload: { json: JSON.stringify(part) } }] });
});

it("payloads whose parts have no room left keep enough of them to be what they are", async () => {
  const image = { type: "image", mimeType: "image/png", data: base64(99), annotations: { a: 1 } };
  const embedded = { type: "resource", resource: { uri: "a:b", text: long(), x: 1 } };
  const odd = { type: "odd", data: base64(98) };
  const { tree } = await showResult(
    { content: [image, embedded, odd] },
    { bounds: { ...TIGHT, restBytes: 0 } },
  );
  expect(tree).toEqual({
    content: [
      { type: "image", mimeType: "image/png", data: { bytes: image.data } },
      { type: "resource", resource: { uri: "a:b", text: { text: long() } } },
      { type: "odd", payload: { json: JSON.stringify(odd) } },
      {
        type: "more parts",
        payload: {
          json: JSON.stringify([
            { ...image, data: "" },
            { ...embedded, resource: { ...embedded.resource, text: "" } },
          ]),
        },
      },
    ],
  });
});

it("members whose names are longer than any name share a payload, and none replaces another", async () => {
  const name = "n".repeat(2_000);
  const { tree, sinks } = await resultOf(JSON.stringify({ [`${name}1`]: 1, [`${name}2`]: long(), a: 1 }), {
    bounds: TIGHT,
  });
  expect(Object.keys(tree)).toEqual(["a", "more members"]);
  const cut = "n".repeat(1_024);
  expect(sinks.textOf(tree["more members"])).toBe(`{"${cut}":1,"${cut}":"${long()}"}`);
});

describe("what stays of a large answer", () => {
  it("is bounded: further parts and members share a payload each, texts beyond it are in the text", async () => {
    const parts = Array.from({ length: 40 }, (_, nth) => ({
      type: "resource_link",
      uri: `a:${nth}`,
      name: "n".repeat(20),
    }));
    const texts = Array.from({ length: 60 }, (_, nth) => ({ type: "text", text: `t${nth}` }));
    const told = { type: "text", text: "told", annotations: { priority: 1 } };
    const members = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`m${nth}`, nth]));
    const bounds = { ...TIGHT, restBytes: 1_000 };
    const {
      tree,
      parts: kept,
      sinks,
    } = await resultOf(JSON.stringify({ content: [...parts, ...texts, told], ...members }), { bounds });
    expect(JSON.stringify(shown(kept.slice(0, -2), sinks)).length).toBeLessThan(1_200);
    const here = kept.filter((each) => memberOf(each, "type") === "resource_link");
    expect(here.length).toBeGreaterThan(10);
    const [text, more] = kept.slice(-2);
    expect(shown(text, sinks)).toMatchObject({
      type: "text",
      text: { text: [...texts, told].map(({ text }) => text).join("\n") },
    });
    expect(shown(more, sinks)).toEqual({
      type: "more parts",
      payload: { json: JSON.stringify([...parts.slice(here.length), { ...told, text: "" }]) },
    });
    const more2 = sinks.textOf(tree["more members"]);
    expect({ ...tree, ...JSON.parse(more2) }).toMatchObject(members);
  });

  it("finds no room where the isolate has none, and then goes to the store", async () => {
    const content = Array.from({ length: 400 }, (_, nth) => ({
      type: "resource_link",
      uri: `a:${nth}`,
      name: "n".repeat(200),
    }));
    const room = 512 * KILO + 32 * KILO;
    const { parts, sinks, most, budget } = await resultOf(JSON.stringify({ content }), { room });
    expect(most()).toBeLessThanOrEqual(room);
    expect(parts.length).toBeLessThan(200);
    expect([...parts.slice(0, -1), ...parsedArray(sinks.textOf(memberOf(parts.at(-1), "payload")))]).toEqual(
      content,
    );
    expect(budget.held()).toBe(32 * KILO);
  });
});
