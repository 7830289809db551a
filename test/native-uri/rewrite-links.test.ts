import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/json.ts";
import { LINK_META_DEPTH_MAX_COUNT, LINK_META_VALUES_MAX_COUNT } from "../../src/limits.ts";
import { rewriteLinks } from "../../src/native-uri/rewrite-links.ts";

const names = { link: (uri: string) => `n:${uri}`, meta: (text: string) => (text === "x" ? "n:x" : text) };
const keep = { link: (uri: string) => uri, meta: (text: string) => text };

describe("rewriting links", () => {
  it("finds the links of a tool's result, and leaves all else", () => {
    const result = {
      content: [
        { type: "text", text: "x", uri: "x" },
        {
          type: "resource_link",
          uri: "x",
          name: "x",
          _meta: { at: "x", more: ["x", { deep: "x" }, 5, "y"] },
        },
        { type: "resource", resource: { uri: "x", text: "x", _meta: { x: "x" } }, _meta: { a: "x" } },
        { type: "image", data: "x", mimeType: "x" },
        "x",
        null,
      ],
      structuredContent: { uri: "x", _meta: { a: "x" } },
      isError: false,
      _meta: { related: "x", x: "y" },
      uri: "x",
    };
    expect(rewriteLinks(result, names)).toStrictEqual({
      content: [
        { type: "text", text: "x", uri: "x" },
        {
          type: "resource_link",
          uri: "n:x",
          name: "x",
          _meta: { at: "n:x", more: ["n:x", { deep: "n:x" }, 5, "y"] },
        },
        { type: "resource", resource: { uri: "n:x", text: "x", _meta: { x: "n:x" } }, _meta: { a: "n:x" } },
        { type: "image", data: "x", mimeType: "x" },
        "x",
        null,
      ],
      structuredContent: { uri: "x", _meta: { a: "x" } },
      isError: false,
      _meta: { related: "n:x", x: "y" },
      uri: "x",
    });
    expect(rewriteLinks(result, names)["structuredContent"]).toBe(result.structuredContent);
  });

  it("finds those of a read and of a prompt", () => {
    expect(
      rewriteLinks(
        {
          contents: [
            { uri: "x", text: "x" },
            { uri: "y", blob: "x" },
          ],
        },
        names,
      ),
    ).toStrictEqual({
      contents: [
        { uri: "n:x", text: "x" },
        { uri: "n:y", blob: "x" },
      ],
    });
    const link = { type: "resource_link", uri: "x", name: "x" };
    const messages = [
      { role: "user", content: link },
      { role: "user", content: [link, { type: "text", text: "x" }] },
      { role: "user", content: "x" },
      5,
    ];
    expect(rewriteLinks({ description: "x", messages }, names)).toStrictEqual({
      description: "x",
      messages: [
        { role: "user", content: { ...link, uri: "n:x" } },
        {
          role: "user",
          content: [
            { ...link, uri: "n:x" },
            { type: "text", text: "x" },
          ],
        },
        { role: "user", content: "x" },
        5,
      ],
    });
  });

  it("gives the object itself where nothing changes", () => {
    const json = fc.dictionary(
      fc.constantFrom("content", "contents", "messages", "_meta", "type", "uri", "resource", "__proto__"),
      fc.oneof(fc.jsonValue(), fc.constant([{ type: "resource_link", uri: "x", _meta: { a: ["x"] } }])),
    );
    fc.assert(
      fc.property(json, (result) => {
        expect(rewriteLinks(result, keep)).toBe(result);
      }),
    );
  });

  it("never throws and changes nothing that it was given", () => {
    const odd = fc.oneof(
      fc.anything(),
      fc.constantFrom({ type: "resource_link", uri: "x" }, { type: "resource", resource: 5 }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("content", "contents", "messages", "_meta"),
          fc.oneof(odd, fc.array(odd)),
        ),
        (result) => {
          const before = Object.entries(result);
          rewriteLinks(result, { link: () => "n", meta: () => "n" });
          expect(Object.entries(result)).toStrictEqual(before);
        },
      ),
    );
  });

  it("keeps a member called __proto__ a member", () => {
    const result: unknown = JSON.parse('{"_meta":{"__proto__":"x","constructor":"x"}}');
    const rewritten = rewriteLinks(isRecord(result) ? result : {}, names);
    expect(JSON.stringify(rewritten)).toBe('{"_meta":{"__proto__":"n:x","constructor":"n:x"}}');
  });

  it("takes a member of a `_meta` for a link where its name says so, at any depth", () => {
    const meta = {
      uri: "y",
      resourceUri: "y",
      "ui/resourceURI": "y",
      deep: [{ more: { URI: "y", uris: "y", uriTemplate: "y", other: "y" } }],
      Uri: ["y", "x"],
      at: { uri: 5 },
    };
    expect(rewriteLinks({ _meta: meta }, names)).toStrictEqual({
      _meta: {
        uri: "n:y",
        resourceUri: "n:y",
        "ui/resourceURI": "n:y",
        deep: [{ more: { URI: "n:y", uris: "y", uriTemplate: "y", other: "y" } }],
        Uri: ["y", "n:x"],
        at: { uri: 5 },
      },
    });
    const many = Array.from({ length: LINK_META_VALUES_MAX_COUNT }, () => ({ uri: "y" }));
    const linked = JSON.stringify(rewriteLinks({ _meta: { many } }, names)).split("n:y").length - 1;
    expect(linked).toBeLessThanOrEqual(LINK_META_VALUES_MAX_COUNT / 2);
    expect(linked).toBeGreaterThan(0);
  });

  it("looks only so deep and at only so many values of a `_meta`", () => {
    let deep: unknown = "x";
    for (let at = 0; at < 100_000; at += 1) deep = { a: deep };
    const result = { _meta: { deep } };
    expect(rewriteLinks(result, names)).toBe(result);
    let atBound: unknown = "x";
    for (let at = 0; at < LINK_META_DEPTH_MAX_COUNT; at += 1) atBound = [atBound];
    expect(JSON.stringify(rewriteLinks({ _meta: { a: atBound } }, names))).not.toContain("n:x");
    const calls: string[] = [];
    const many = { _meta: { list: Array.from({ length: LINK_META_VALUES_MAX_COUNT * 2 }, () => "y") } };
    rewriteLinks(many, { ...names, meta: (text) => (calls.push(text), text) });
    expect(calls.length).toBeLessThanOrEqual(LINK_META_VALUES_MAX_COUNT);
  });
});
