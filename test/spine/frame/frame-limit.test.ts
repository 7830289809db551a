import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME_DEFAULT_LIMIT_BYTES, FRAME_LIMIT_MAX_BYTES } from "../../../src/limits/spine.ts";
import { DEFAULT_FRAME_LIMIT, exceedsLimit, frameLimit } from "../../../src/spine/frame/frame-limit.ts";
import { limitOf } from "./limit-of.ts";

describe("a frame limit", () => {
  it("is 8 MiB where nobody says otherwise", () => {
    expect(DEFAULT_FRAME_LIMIT).toBe(8 * 1024 * 1024);
    expect(frameLimit(FRAME_DEFAULT_LIMIT_BYTES)).toEqual({ ok: true, value: DEFAULT_FRAME_LIMIT });
  });

  it("is a whole number of bytes from one to its ceiling", () => {
    for (const bytes of [1, 4_096, FRAME_LIMIT_MAX_BYTES])
      expect(frameLimit(bytes)).toEqual({ ok: true, value: bytes });
    for (const bytes of [
      0,
      -1,
      1.5,
      FRAME_LIMIT_MAX_BYTES + 1,
      Number.NaN,
      Infinity,
      "8",
      null,
      undefined,
      {},
    ])
      expect(frameLimit(bytes)).toEqual({ ok: false, reason: "invalid_frame_limit" });
  });

  it("counts the bytes that an encoder makes of the text", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é", "€", "😀", "\ud83d", "\ude00", "\u0000"),
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, (text) => {
        const bytes = new TextEncoder().encode(text).length;
        expect(exceedsLimit(text, limitOf(bytes))).toBe(false);
        expect(exceedsLimit(`${text}a`, limitOf(bytes))).toBe(true);
      }),
    );
  });
});
