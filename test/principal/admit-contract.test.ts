import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admitRequestSchema,
  revocationSchema,
  settleReportSchema,
} from "../../src/principal/admit-contract.ts";

const schemas = [admitRequestSchema, settleReportSchema, revocationSchema];

describe("what a Worker says to a principal's object", () => {
  it("may be the least there is", () => {
    expect(admitRequestSchema.parse({ version: 1, tokenId: "t" })).toEqual({ version: 1, tokenId: "t" });
    expect(settleReportSchema.parse({ version: 1 })).toEqual({ version: 1 });
  });

  it("may have fields of a later version, which are dropped", () => {
    const request = {
      version: 1,
      tokenId: "t",
      quota: { calls: 1 },
      session: { key: "k", expiresAtMs: 5, intent: "use", resumed: true },
    };
    expect(admitRequestSchema.parse(request)).toEqual({
      version: 1,
      tokenId: "t",
      session: { key: "k", expiresAtMs: 5, intent: "use" },
    });
  });

  it("is refused, not thrown over, when it is anything else", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const schema of schemas) expect(schema.safeParse(value).success).toBe(false);
      }),
    );
  });

  it.each([
    { version: 2, tokenId: "t" },
    { version: 1, tokenId: "" },
    { version: 1, tokenId: "t".repeat(257) },
    { version: 1, tokenId: "t", session: { key: "k", expiresAtMs: 5, intent: "revive" } },
    { version: 1, tokenId: "t", session: { key: "k", expiresAtMs: Number.NaN, intent: "use" } },
    { version: 1, tokenId: "t", browse: { cards: [{ id: "a" }] } },
    { version: 1, tokenId: "t", upstreams: Array.from({ length: 257 }, () => "u") },
  ])("is refused out of bounds: %#", (request) => {
    expect(admitRequestSchema.safeParse(request).success).toBe(false);
  });
});
