import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ianaZone, type OffsetSegment } from "../../../src/records/time/zones.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { ODD_ZONES, slowBucket } from "./slow-zones.ts";

const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

function segmentsOf(zone: string, years: readonly number[]): readonly OffsetSegment[] {
  return ianaZone(zone)?.segmentsOf(years) ?? [];
}

/** What the clocks show by the segments: `2026-01-01T10:05`. */
function minuteBySegments(zone: string, instantMs: number): string | undefined {
  const time = canonicalTime(new Date(instantMs).toISOString()) ?? "";
  const found = segmentsOf(zone, [new Date(instantMs).getUTCFullYear()]).filter(
    ({ from, to }) => from <= time && time < to,
  );
  expect(found).toHaveLength(1);
  return new Date(instantMs + (found[0]?.offsetSeconds ?? NaN) * 1000).toISOString().slice(0, 16);
}

/** Most of all the years in which zones change. */
const instants = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: Date.parse("1840-01-01"), max: Date.parse("2100-01-01") }) },
  { weight: 2, arbitrary: fc.integer({ min: Date.parse("2090-01-01"), max: LAST_MS - 86_400_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: FIRST_MS + 86_400_000, max: Date.parse("1850-01-01") }) },
);

describe("a zone's offset segments", () => {
  it("show what the zone's clocks show at any instant", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ODD_ZONES), instants, (zone, instant) => {
        expect(minuteBySegments(zone, instant)).toBe(slowBucket(instant, "minute", zone));
      }),
      { numRuns: 1_500 },
    );
  });

  it("begin and end at the very second of each change", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ODD_ZONES), fc.integer({ min: 1840, max: 2120 }), (zone, year) => {
        for (const { from } of segmentsOf(zone, [year])) {
          const at = Date.parse(`${from}Z`);
          for (const instant of [at - 1000, at, at + 1000]) {
            expect(minuteBySegments(zone, instant)).toBe(slowBucket(instant, "minute", zone));
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("cover each asked year once and ascend", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ODD_ZONES.slice(1)),
        fc.uniqueArray(fc.integer({ min: 0, max: 9999 }), { maxLength: 12 }),
        (zone, asked) => {
          const years = asked.toSorted((one, other) => one - other);
          const segments = segmentsOf(zone, years);
          if (ianaZone(zone)?.isUtc === true) return;
          const starts = years.map((year) => `${String(year).padStart(4, "0")}-01-01T00:00:00`);
          for (const start of starts) {
            expect(segments.filter(({ from, to }) => from <= start && start < to)).toHaveLength(1);
          }
          for (const [index, { from, to }] of segments.entries()) {
            expect(from < to).toBe(true);
            expect(to <= (segments[index + 1]?.from ?? to)).toBe(true);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("know the day that Samoa left out and the offsets that had seconds", () => {
    expect(segmentsOf("Pacific/Apia", [2011]).filter(({ to }) => to >= "2011-12")).toEqual([
      { from: "2011-09-24T14:00:00", to: "2011-12-30T10:00:00", offsetSeconds: -36_000 },
      { from: "2011-12-30T10:00:00", to: "2012-01-01T00:00:00", offsetSeconds: 50_400 },
    ]);
    expect(segmentsOf("America/New_York", [1800])[0]?.offsetSeconds).toBe(-17_762);
    expect(segmentsOf("Africa/Monrovia", [1971])).toEqual([
      { from: "1971-01-01T00:00:00", to: "1972-01-01T00:00:00", offsetSeconds: -2_670 },
    ]);
  });

  it("of all years of the calendar are bounded and cheap to ask for", () => {
    const years = Array.from({ length: 10_000 }, (_, year) => year);
    const segments = segmentsOf("Europe/Berlin", years);
    expect(segments.length).toBeLessThan(17_000);
    expect(segments[0]).toMatchObject({ from: "0000-01-01T00:00:00", to: "1893-03-31T23:06:32" });
    expect(segments.at(-1)).toEqual({ from: "9999-10-31T01:00:00", to: ":", offsetSeconds: 3_600 });
  });
});

describe("a zone's name", () => {
  it("is one of the IANA database, in any case", () => {
    expect(ianaZone("europe/berlin")).toBe(ianaZone("Europe/Berlin"));
    expect(ianaZone("Etc/UTC")?.isUtc).toBe(true);
  });

  it("is never a bare offset or another text", () => {
    for (const name of [
      "+05:30",
      "-08",
      "",
      " UTC",
      "Mars/Olympus",
      "Europe/Berlin\0",
      "__proto__",
      "\ud800",
      "a".repeat(10_000),
    ]) {
      expect([name, ianaZone(name)]).toEqual([name, undefined]);
    }
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(() => ianaZone(text)).not.toThrow();
      }),
    );
  });
});
