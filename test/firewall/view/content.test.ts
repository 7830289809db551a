import { describe, expect, it } from "vitest";
import { VIEW_CONTENT_MAX_BYTES } from "../../../src/limits.ts";
import { binaryArtifact, look, refused, textArtifact } from "./look.ts";

const CONTENT = { type: "content" } as const;

describe("content", () => {
  it("is binary content whole", () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
    expect(look(binaryArtifact(bytes), CONTENT)).toEqual({
      blob: Buffer.from(bytes).toString("base64"),
      media_type: "image/png",
      selector: CONTENT,
      total: { bytes: 300_000 },
    });
  });

  it("has a bound, behind which there are bytes", () => {
    const largest = binaryArtifact(new Uint8Array(VIEW_CONTENT_MAX_BYTES));
    expect(look(largest, CONTENT).blob?.length).toBe(4 * 1_048_576);
    const larger = binaryArtifact(new Uint8Array(VIEW_CONTENT_MAX_BYTES + 1));
    expect(refused(larger, CONTENT).try).toEqual(["bytes"]);
  });

  it("is not for text", () => {
    expect(refused(textArtifact("a"), CONTENT).try).toEqual(["lines", "grep", "head"]);
  });
});
