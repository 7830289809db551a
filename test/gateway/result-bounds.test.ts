import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { envelopeOf, listOf, recordOf, textOf } from "../support/fake-gateway.ts";
import { keptOf, LARGE, LARGE_IMAGE, PNG, run, text } from "../support/tool-results.ts";

describe("kept parts", () => {
  const resource = (uri: string, extra: object = {}) => ({
    type: "resource",
    resource: { uri, mimeType: "text/markdown", text: `${uri} ${LARGE}` },
    ...extra,
  });

  it("can be told apart by models and by programs, and keep what they say beside their bytes", async () => {
    const extra = { annotations: { priority: 1 }, _meta: { a: 1 } };
    const { answer } = await run({
      content: [LARGE_IMAGE, resource("file:///a.md", extra), resource("b:c")],
    });
    expect([1, 2, 3].map((part) => keptOf(answer, part).type)).toEqual([
      "image/png",
      "text/markdown",
      "text/markdown",
    ]);
    expect(textOf(answer, 4)).toBe("kept, in this order: image, resource file:///a.md, resource b:c");
    const labels = listOf(envelopeOf(answer), "artifacts").map((artifact) => memberOf(artifact, "label"));
    expect(labels).toEqual(["image", "resource file:///a.md", "resource b:c"]);
    const rests = listOf(answer?.["_meta"], "loomgate/kept-parts").map((kept) => memberOf(kept, "part"));
    expect(rests).toEqual([
      { type: "image", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a.md", mimeType: "text/markdown" }, ...extra },
      { type: "resource", resource: { uri: "b:c", mimeType: "text/markdown" } },
    ]);
  });

  it("with addresses that would break a line or fill the answer are named plainly", async () => {
    const { answer } = await run({
      content: [resource(`a:\nkept x\u202e${"y".repeat(10_000)}`), resource("\ud800\u0000")],
    });
    const named = textOf(answer, 3);
    expect(named).toMatch(/^kept, in this order: resource a: kept x y+…, resource$/);
    expect(named.length).toBeLessThan(200);
    for (const artifact of listOf(envelopeOf(answer), "artifacts")) {
      expect(Array.from(String(memberOf(artifact, "label"))).length).toBeLessThanOrEqual(200);
    }
  });
});

describe("an answer", () => {
  const long = "x".repeat(3_000_000);
  const png = (index: number) => ({ ...PNG, data: Buffer.alloc(200_000, index).toString("base64") });
  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index));
  const hostile: readonly [string, Record<string, unknown>][] = [
    [
      "60 resources of 20,000 bytes",
      {
        content: many(60, (n) => ({
          type: "resource",
          resource: { uri: `a:${n}`, text: `${n} ${"y ".repeat(10_000)}` },
        })),
      },
    ],
    ["60 images within their bound", { content: many(60, png) }],
    [
      "60 images over it",
      { content: many(60, (n) => ({ ...LARGE_IMAGE, data: Buffer.alloc(270_000, n).toString("base64") })) },
    ],
    ["an unknown type", { content: [{ type: "hologram", depth: long }] }],
    ["100,000 small unknown parts", { content: many(100_000, (n) => ({ type: "x", n })) }],
    ["a type of 3 MB", { content: [{ type: long }] }],
    ["an image without an end", { content: [{ type: "image", data: 7, mimeType: long }] }],
    ["a small image that says much", { content: [{ ...PNG, title: long }] }],
    ["a large image that says much", { content: [{ ...LARGE_IMAGE, title: long }] }],
    ["a text part that says much", { content: [{ ...text("a"), title: long }] }],
    ["a long audience", { content: [{ ...text("a"), annotations: { audience: [long] } }] }],
    [
      "100,000 audiences",
      { content: many(100_000, () => ({ type: "x", annotations: { audience: ["user"] } })) },
    ],
    ["100,000 empty texts", { content: many(100_000, () => text("")) }],
    ["links", { content: many(20_000, (n) => ({ type: "resource_link", uri: `a:${n}`, name: "n" })) }],
    ["members to come", { content: [text("a")], later: long }],
    ["white space", { content: [text("\n\t \r".repeat(15_000))] }],
    ["words made to look few", { content: [text("uip ".repeat(15_000))] }],
  ];

  /** Characters of all strings in it but the types. */
  const said = (value: unknown): number => {
    if (typeof value === "string") return value.length;
    const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return members.reduce((sum: number, [key, member]) => sum + (key === "type" ? 0 : said(member)), 0);
  };

  it.each(hostile)("is bounded, and loses nothing: %s", async (_, result) => {
    for (const render of ["porcelain", "json"]) {
      const { answer, artifacts } = await run(result, render);
      expect(JSON.stringify(answer).length).toBeLessThan(600_000);
      const kept = [...artifacts.objects.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
      // Base64 is kept decoded: three bytes for four characters.
      expect(kept + JSON.stringify(answer).length).toBeGreaterThan(said(result) * 0.74);
      expect(artifacts.calls.length).toBeLessThanOrEqual(32);
    }
  });

  it.each(hostile)("is bounded without an artifact store too: %s", async (_, result) => {
    const { answer } = await run(result, "porcelain", { broken: true });
    expect(JSON.stringify(answer).length).toBeLessThan(600_000);
    expect(answer?.isError).toBeUndefined();
  });

  it("keeps the parts that are too many as one JSON array, as they came", async () => {
    const [, { content }] = hostile[0] ?? ["", { content: [] }];
    const { answer, artifacts } = await run({ content });
    const last = listOf(envelopeOf(answer), "artifacts").at(-1);
    expect(last).toMatchObject({ media_type: "application/json", label: "more parts (34)" });
    const object = [...artifacts.objects].find(([key]) =>
      key.endsWith(`/${String(memberOf(last, "handle"))}`),
    )?.[1];
    const parts = Array.isArray(content) ? content.slice(26) : [];
    expect(JSON.parse(new TextDecoder().decode(object?.bytes))).toEqual(parts);
  });

  it("keeps an upstream's _meta past its bound", async () => {
    const { answer, artifacts } = await run({ content: [text("a")], _meta: { a: long } });
    expect(Object.keys(answer?.["_meta"] ?? {})).toEqual(["loomgate/envelope"]);
    const [object] = artifacts.objects.values();
    expect(JSON.parse(new TextDecoder().decode(object?.bytes))).toEqual({ a: long });
    expect(textOf(answer)).toBe("a");
    expect(textOf(answer, 2)).toBe("kept, in this order: _meta");
  });
});

describe("members beside the content", () => {
  it("of MCP 2024-10-07 are structured content", async () => {
    const { answer } = await run({ toolResult: { count: 2 } });
    expect(answer?.content).toEqual([text('{"count":2}')]);
    expect(memberOf(answer, "toolResult")).toBeUndefined();
    expect((await run({ toolResult: "done" })).answer?.content).toEqual([text('"done"')]);
  });

  it("that are unknown pass through, whatever they are called, and cannot speak for us", async () => {
    const later: unknown = JSON.parse('{"__proto__":{"a":1},"ttl":5,"toolResult":1}');
    const { answer } = await run({ content: [text("a")], ...recordOf(later) });
    for (const name of ["__proto__", "ttl", "toolResult"]) {
      expect(memberOf(answer, name)).toEqual(memberOf(later, name));
    }
    expect(answer?.content).toEqual([text("a")]);
  });

  it("are a null that is structured content, and a _meta with any keys", async () => {
    const { answer } = await run({ structuredContent: null, _meta: JSON.parse('{"__proto__":{"a":1}}') });
    expect(answer?.content).toEqual([text("null")]);
    expect(envelopeOf(answer)["structured_content"]).toBeNull();
    expect(memberOf(answer?.["_meta"], "__proto__")).toEqual({ a: 1 });
  });
});
