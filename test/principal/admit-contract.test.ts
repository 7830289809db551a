import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admitRequestSchema,
  approvalDecisionSchema,
  flightNoteSchema,
  revocationSchema,
  settleReportSchema,
} from "../../src/principal/admit-contract.ts";

const schemas = [
  admitRequestSchema,
  settleReportSchema,
  revocationSchema,
  approvalDecisionSchema,
  flightNoteSchema,
];
const bucket = { name: "tool_execute", perMinute: 1 };
const reserve = { bytes: 1, count: 1, maxBytes: 1, maxCount: 1, onFull: "evict", leaseMs: 1 };
const approval = { toolId: "a:b", schemaHash: "s", argumentsHash: "h", rule: "r", metaTool: "tool_execute" };

describe("what a Worker says to a principal's object", () => {
  it("may be the least there is", () => {
    expect(admitRequestSchema.parse({ version: 1, tokenId: "t" })).toEqual({ version: 1, tokenId: "t" });
    expect(settleReportSchema.parse({ version: 1 })).toEqual({ version: 1 });
  });

  it("may have fields of a later version, which are dropped", () => {
    const request = {
      version: 1,
      tokenId: "t",
      ofALaterVersion: { calls: 1 },
      quota: { per: "session", buckets: [{ ...bucket, burst: 3 }], shared: true },
      approval: { ...approval, persons: 2 },
      session: { key: "k", expiresAtMs: 5, intent: "use", resumed: true },
    };
    expect(admitRequestSchema.parse(request)).toEqual({
      version: 1,
      tokenId: "t",
      session: { key: "k", expiresAtMs: 5, intent: "use" },
      quota: { per: "session", buckets: [bucket] },
      approval,
    });
  });

  it("may leave every control out, in any way", () => {
    const request = { version: 1, tokenId: "t", attempt: null, dry: null, quota: null, approval: undefined };
    expect(admitRequestSchema.safeParse(request).success).toBe(true);
    const buckets = [{ name: "tool_view", perMinute: null }, bucket];
    const quota = { per: "principal", buckets };
    expect(admitRequestSchema.safeParse({ version: 1, tokenId: "t", quota }).success).toBe(true);
  });

  it("may note a call that is about to be sent under its attempt's name, and never with the end of a session", () => {
    const place = { upstream: "u", server: "bank", target: "configured" };
    const flight = { ...place, requestKey: "k", requestId: "a", leaseMs: 1 };
    const request = { version: 1, tokenId: "t", attempt: "a", flight: { ...flight, wing: 2 } };
    expect(admitRequestSchema.parse(request)).toMatchObject({ flight });
    const session = { key: "k", expiresAtMs: 5, intent: "end" };
    for (const more of [{ attempt: null }, { session }, { flight: { ...flight, leaseMs: 0 } }]) {
      expect(admitRequestSchema.safeParse({ ...request, ...more }).success).toBe(false);
    }
  });

  it("may note as much of a call under way as is known, and names it", () => {
    const session = { sessionId: "", protocolVersion: "2025-11-25" };
    const note = { version: 1, attempt: "a", session: { ...session, key: "k" }, requestId: null, wing: 2 };
    expect(flightNoteSchema.parse(note)).toEqual({ version: 1, attempt: "a", session, requestId: null });
    expect(flightNoteSchema.safeParse({ version: 1, session }).success).toBe(false);
  });

  it("may ask for room under its attempt's name, and say of which quota what it kept is part", () => {
    const { onFull, maxBytes, maxCount } = reserve;
    const request = { version: 1, tokenId: "t", attempt: "a", reserve: { ...reserve, class: 7 } };
    expect(admitRequestSchema.parse(request)).toMatchObject({ reserve });
    const report = { version: 1, attempt: "a", artifactQuota: { onFull, maxBytes, maxCount, class: 7 } };
    expect(settleReportSchema.parse(report)).toEqual({
      ...report,
      artifactQuota: { onFull, maxBytes, maxCount },
    });
    for (const artifactQuota of [{}, { onFull, maxBytes }, { onFull, maxBytes: 0, maxCount }]) {
      expect(settleReportSchema.safeParse({ version: 1, artifactQuota }).success).toBe(false);
    }
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
    { version: 1, tokenId: "t", attempt: "" },
    { version: 1, tokenId: "t", attempt: "a".repeat(257) },
    { version: 1, tokenId: "t", dry: "yes" },
    { version: 1, tokenId: "t", quota: { per: "tenant", buckets: [] } },
    { version: 1, tokenId: "t", quota: { per: "session" } },
    { version: 1, tokenId: "t", quota: { per: "session", buckets: [bucket, bucket] } },
    {
      version: 1,
      tokenId: "t",
      quota: { per: "session", buckets: Array.from({ length: 5 }, (_, index) => ({ name: `b${index}` })) },
    },
    ...[0, -1, 1.5, Number.NaN, "1", 100_001].map((perMinute) => ({
      version: 1,
      tokenId: "t",
      quota: { per: "session", buckets: [{ name: "b", perMinute }] },
    })),
    ...[0, -1, 1.5, Infinity, "1"].map((perSession) => ({
      version: 1,
      tokenId: "t",
      quota: { per: "session", buckets: [{ name: "b", perSession }] },
    })),
    ...Object.keys(approval).map((missing) => ({
      version: 1,
      tokenId: "t",
      approval: { ...approval, [missing]: undefined },
    })),
    { version: 1, tokenId: "t", approval: { ...approval, rule: "r".repeat(257) } },
    { version: 1, tokenId: "t", session: { key: "k", expiresAtMs: 5, intent: "end" }, approval },
    { version: 1, tokenId: "t", attempt: "a", session: { key: "k", expiresAtMs: 5, intent: "end" }, reserve },
    { version: 1, tokenId: "t", reserve },
    ...["bytes", "count", "maxBytes", "maxCount", "leaseMs"].flatMap((field) =>
      [0, -1, 1.5, Number.NaN, Infinity, 2 ** 60, "1", null, undefined].map((value) => ({
        version: 1,
        tokenId: "t",
        attempt: "a",
        reserve: { ...reserve, [field]: value },
      })),
    ),
    ...["keep", "", null, undefined].map((onFull) => ({
      version: 1,
      tokenId: "t",
      attempt: "a",
      reserve: { ...reserve, onFull },
    })),
    {
      version: 1,
      tokenId: "t",
      session: { key: "k", expiresAtMs: 5, intent: "end" },
      quota: { per: "session", buckets: [bucket] },
    },
  ])("is refused out of bounds: %#", (request) => {
    expect(admitRequestSchema.safeParse(request).success).toBe(false);
  });
});
