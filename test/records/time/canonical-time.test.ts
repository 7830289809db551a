import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";

describe("a canonical time", () => {
  it("is UTC to the second, with the fraction that there is", () => {
    for (const [text, canonical] of [
      ["2026-01-01", "2026-01-01T00:00:00"],
      ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00"],
      ["2026-01-01t10:00:00z", "2026-01-01T10:00:00"],
      ["2026-01-01 10:00", "2026-01-01T10:00:00"],
      ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00"],
      ["2026-01-01T00:30:00-0130", "2026-01-01T02:00:00"],
      ["2026-01-01T10:00:00.1200Z", "2026-01-01T10:00:00.12"],
      ["2026-01-01T10:00:00.000Z", "2026-01-01T10:00:00"],
      [
        "2026-01-01T10:00:00.123456789012345678901234567891Z",
        "2026-01-01T10:00:00.123456789012345678901234567891",
      ],
      ["2024-02-29", "2024-02-29T00:00:00"],
      ["0000-01-01", "0000-01-01T00:00:00"],
      ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59"],
      ["9999-12-31T23:59:59.9Z", "9999-12-31T23:59:59.9"],
    ] as const)
      expect([text, canonicalTime(text)]).toEqual([text, canonical]);
  });

  it("is not made of what is no time, or of one outside the four-digit years", () => {
    for (const text of [
      "",
      "2026",
      "2026-13-01",
      "2026-00-10",
      "2026-02-29",
      "2026-04-31",
      "2026-01-01T24:00:00Z",
      "2026-01-01T10:60:00Z",
      "2026-01-01T10:00:60Z",
      "2026-01-01T10:00:00+24:00",
      "2026-01-01T10:00:00.Z",
      "2026-01-01T10:00:00.1234567890123456789012345678901Z",
      "2026-01-01Z",
      "0000-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      " 2026-01-01",
      "2026-01-01\n",
      "２０２６-01-01",
      "+02026-01-01",
    ])
      expect([text, canonicalTime(text)]).toEqual([text, undefined]);
  });

  const instant = fc.record({
    ms: fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(3000, 0) }),
    zone: fc.integer({ min: -1_439, max: 1_439 }),
    zeros: fc.nat(5),
  });

  it("sorts as time does, wherever it was written", () => {
    const written = ({ ms, zone, zeros }: { ms: number; zone: number; zeros: number }): string => {
      const local = new Date(ms + zone * 60_000).toISOString().slice(0, 23);
      const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60];
      const offset = `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      return `${local}${"0".repeat(zeros)}${zone < 0 ? "-" : "+"}${offset}`;
    };
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        const [left, right] = [canonicalTime(written(one)) ?? "", canonicalTime(written(other)) ?? ""];
        expect([left < right, left > right]).toEqual([one.ms < other.ms, one.ms > other.ms]);
        expect(Date.parse(`${left}Z`)).toBe(one.ms);
      }),
    );
  });

  it("is its own canonical time, and nothing makes it throw", () => {
    fc.assert(
      fc.property(instant, fc.string({ unit: "binary" }), ({ ms }, text) => {
        const canonical = canonicalTime(new Date(ms).toISOString()) ?? "";
        expect(canonicalTime(canonical)).toBe(canonical);
        expect(["string", "undefined"]).toContain(typeof canonicalTime(text));
      }),
    );
  });
});
