import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ok } from "../../../src/result.ts";
import {
  DETAIL_ALIASES,
  DETAILS,
  PATH_STYLE_ALIASES,
  PATH_STYLES,
  readDetail,
  readPathStyle,
  readPresentation,
  readRenderMode,
  RENDER_MODE_ALIASES,
  RENDER_MODES,
} from "../../../src/spine/render/mode.ts";

describe("the words of a presentation", () => {
  it.each([
    ["porcelain", "porcelain"],
    ["text", "porcelain"],
    ["plain", "porcelain"],
    ["plain_text", "porcelain"],
    ["json", "json"],
    ["structured", "json"],
    [undefined, "porcelain"],
  ])("render %s is %s", (word, mode) => {
    expect(readRenderMode(word)).toEqual(ok(mode));
  });

  it.each([
    ["concise", "concise"],
    ["summary", "concise"],
    ["compact", "concise"],
    ["full", "full"],
    ["verbose", "full"],
    ["detailed", "full"],
    [undefined, "concise"],
  ])("detail %s is %s", (word, detail) => {
    expect(readDetail(word)).toEqual(ok(detail));
  });

  it("shows paths relative in porcelain and absolute in JSON, unless asked", () => {
    expect(readPathStyle(undefined, "porcelain")).toEqual(ok("relative"));
    expect(readPathStyle(undefined, "json")).toEqual(ok("absolute"));
    expect(readPathStyle("rel", "json")).toEqual(ok("relative"));
    expect(readPathStyle("absolute", "porcelain")).toEqual(ok("absolute"));
  });

  it("are read together, with the paths' style after the mode", () => {
    expect(readPresentation({})).toEqual(
      ok({ render: "porcelain", detail: "concise", path_style: "relative" }),
    );
    expect(readPresentation({ render: "structured", detail: "verbose" })).toEqual(
      ok({ render: "json", detail: "full", path_style: "absolute" }),
    );
    expect(readPresentation({ render: "json", detail: "most", path_style: 7 })).toMatchObject({
      reason: { reason: "unknown_word", field: "detail" },
    });
    expect(readPresentation({ path_style: 7 })).toMatchObject({
      reason: { reason: "not_a_word", field: "path_style" },
    });
  });

  it.each(["JSON", " json", "Text", "", "markdown", "constructor", "__proto__", "toString"])(
    "are not guessed from %j",
    (word) => {
      expect(readRenderMode(word)).toEqual({
        ok: false,
        reason: {
          reason: "unknown_word",
          field: "render",
          accepted: ["porcelain", "json", "text", "plain", "plain_text", "structured"],
        },
      });
    },
  );

  it.each([null, 7, true, ["json"], { toString: () => "json" }])("are no %s", (value) => {
    expect(readRenderMode(value)).toMatchObject({ reason: { reason: "not_a_word", field: "render" } });
  });

  it("are nothing but the words and their aliases, whatever else comes", () => {
    const known = new Set<unknown>([
      undefined,
      ...RENDER_MODES,
      ...DETAILS,
      ...PATH_STYLES,
      ...Object.keys({ ...RENDER_MODE_ALIASES, ...DETAIL_ALIASES, ...PATH_STYLE_ALIASES }),
    ]);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (value) => {
        const read = [readRenderMode(value), readDetail(value), readPathStyle(value, "json")];
        expect(known.has(value) || read.every(({ ok }) => !ok)).toBe(true);
      }),
    );
  });
});
