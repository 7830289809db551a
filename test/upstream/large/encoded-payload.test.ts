import { describe, expect, it } from "vitest";
import { memorySinks, type MemorySinks } from "./memory-sinks.ts";
import { base64, long, resultOf, showResult, TIGHT } from "./reading.ts";

const SHORT = Array.from({ length: 80 }, (_, at) => 29 * at);

describe("binary payloads that are too large to hold", () => {
  it.each([
    ["before its type", `{"data":"${base64(300)}","mimeType":"image/png","type":"image"}`, undefined],
    ["behind its type", `{"type":"image","mimeType":"image/png","data":"${base64(300)}"}`, "image/png"],
    [
      "escaped",
      `{"type":"image","mimeType":"image/png","data":"${base64(300).replaceAll("/", "\\/").replace("A", "\\u0041")}\\n"}`,
      "image/png",
    ],
    [
      "in the other alphabet",
      `{"type":"image","mimeType":"image/png","data":"${base64(300).replaceAll("/", "_").replaceAll("+", "-").replaceAll("=", "")}"}`,
      "image/png",
    ],
  ])("are decoded (%s)", async (_, part, mediaType) => {
    const { tree, sinks } = await showResult(`{"content":[${part}]}`);
    expect(tree).toEqual({
      content: [{ type: "image", mimeType: "image/png", data: { bytes: base64(300) } }],
    });
    expect(sinks.opened).toMatchObject([{ form: "bytes", mediaType, state: "closed" }]);
  });

  it("of resources stand in the resource, text as text", async () => {
    const content = [
      { type: "resource", resource: { uri: "a:b", mimeType: "x/y", blob: base64(200) }, annotations: {} },
      { resource: { text: long(), uri: "c:d" }, type: "resource" },
    ];
    const { tree, sinks } = await showResult({ content });
    expect(tree).toEqual({
      content: [
        {
          type: "resource",
          resource: { uri: "a:b", mimeType: "x/y", blob: { bytes: base64(200) } },
          annotations: {},
        },
        { type: "resource", resource: { uri: "c:d", text: { text: long() } } },
      ],
    });
    expect(sinks.opened).toMatchObject([{ mediaType: "x/y" }, { form: "text", mediaType: undefined }]);
  });

  it("that are no base64 from the beginning are the characters that they are", async () => {
    const data = `no base64! ${base64(200)}`;
    expect((await showResult({ content: [{ type: "audio", data }] })).tree).toEqual({
      content: [{ type: "audio", data: { text: data } }],
    });
  });

  it("that cease to be base64 keep their bytes, and the rest of the characters is a part of its own", async () => {
    const good = base64(300);
    const show = (data: string, cuts: number[]) =>
      showResult({ content: [{ type: "image", data }] }, { bounds: TIGHT, cuts });
    expect((await show(`${good}AB!rest of it`, [300, 320])).tree).toEqual({
      content: [
        { type: "image", data: { bytes: good } },
        { type: "image part", payload: { text: "AB!rest of it" } },
      ],
    });
    const { tree } = await show(`${good}A`, [300]);
    expect(tree).toMatchObject({ content: [{ data: { bytes: good } }, { payload: { text: "A" } }] });
  });

  it("are counted with what is left of broken base64, which past their number is one of the further parts", async () => {
    const content = Array.from({ length: 4 }, (_, nth) => ({
      type: "image",
      data: `${base64(300)}!"${nth}"`,
      mimeType: "image/png",
    }));
    const { tree, sinks } = await showResult({ content }, { bounds: { ...TIGHT, parts: 5 }, cuts: SHORT });
    const image = { type: "image", mimeType: "image/png", data: { bytes: base64(300) } };
    const rests = content.slice(1, 3).map((_, at) => ({ type: "image part", payload: `!"${at + 1}"` }));
    expect(tree).toEqual({
      content: [
        image,
        { type: "image part", payload: { text: '!"0"' } },
        image,
        { type: "image part", payload: { text: '!"1"' } },
        image,
        { type: "more parts", payload: { json: JSON.stringify([...rests.slice(1), content[3]]) } },
      ],
    });
    expect(sinks.kept().length).toBe(6);
  });
});

describe("base64 that a filter passes before it is decoded", () => {
  const SECRET = Buffer.from("the secret of a server").toString("base64").replace(/=+$/, "");
  const FILLER = "A".repeat(SECRET.length);
  /** Holds everything back until the end, as a filter may. */
  const hiding = () => {
    let held = "";
    return {
      push: (text: string) => {
        held += text;
        return "";
      },
      end: () => held.replace(SECRET, FILLER),
    };
  };
  const through = (filterText: () => ReturnType<typeof hiding>, data: string) =>
    showResult(
      {
        content: [
          { type: "image", data },
          { type: "resource", resource: { uri: "a:b", blob: data } },
        ],
      },
      {
        bounds: TIGHT,
        cuts: SHORT,
        sinks: { ...memorySinks(), filterText },
      },
    );

  it.each([
    ["in the bytes", `${base64(99)}${SECRET}${base64(99)}`],
    ["at the end", `${base64(99)}${SECRET}`],
  ])("has no secret in its bytes (%s)", async (_, data) => {
    const bytes = Buffer.from(data.replace(SECRET, FILLER), "base64").toString("base64");
    const { tree, sinks } = await through(hiding, data);
    expect(tree).toMatchObject({ content: [{ data: { bytes } }, { resource: { blob: { bytes } } }] });
    expect(sinks.misuses).toEqual([]);
  });

  it("is no secret either where it proves to be no base64", async () => {
    const data = `no base64! ${SECRET}${base64(99)}`;
    const text = data.replace(SECRET, FILLER);
    expect((await through(hiding, data)).tree).toMatchObject({
      content: [{ data: { text } }, { resource: { blob: { text } } }],
    });
  });

  it("is lost where the filter fails, whatever of it came before", async () => {
    let pushes = 0;
    const failing = () => ({
      push: (text: string) => {
        pushes += 1;
        if (pushes % 3 === 0) throw new Error("no filter");
        return text;
      },
      end: () => "",
    });
    const sinks: MemorySinks = { ...memorySinks(), filterText: failing };
    const content = [{ type: "image", data: base64(600) }];
    const { parts } = await resultOf(JSON.stringify({ content }), { bounds: TIGHT, cuts: SHORT, sinks });
    expect(parts).toMatchObject([{ data: { form: "bytes", stored: { ok: false } } }]);
    expect(pushes).toBe(3);
    expect([sinks.kept(), sinks.misuses]).toEqual([[], []]);
  });
});
