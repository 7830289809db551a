import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64url, encodeBase64url } from "../src/base64url.ts";

describe("base64url", () => {
  it("agrees with the platform's encoder and gives the bytes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const text = encodeBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64url"));
        const back = decodeBase64url(text);
        expect(back.ok && [...back.value]).toEqual([...bytes]);
      }),
    );
  });

  it("has one text for each run of bytes: whatever decodes is what would be encoded", () => {
    const texts = fc.string({
      unit: fc.constantFrom("A", "B", "Q", "g", "_", "-", "9", "=", "+", "é"),
      maxLength: 8,
    });
    fc.assert(
      fc.property(texts, (text) => {
        const decoded = decodeBase64url(text);
        expect(decoded.ok ? encodeBase64url(decoded.value) : text).toBe(text);
      }),
    );
  });

  it.each(["A", "AB", "AAB", "AA==", "AA AA", "+/AA", "AAAA\u0000", "AAA\ud800"])("refuses %j", (text) => {
    expect(decodeBase64url(text)).toEqual({ ok: false, reason: "not_base64url" });
  });
});
