import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketKey, bucketRanges, GRANULARITIES } from "../../../src/records/time/buckets.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { ianaZone } from "../../../src/records/time/zones.ts";
import { ODD_ZONES, slowBucket } from "./slow-zones.ts";

const CALENDAR = GRANULARITIES.filter((granularity) => granularity !== "minute" && granularity !== "hour");

describe("bucket ranges", () => {
  it("put every instant into the bucket that the zone's calendar shows", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ODD_ZONES),
        fc.constantFrom(...CALENDAR),
        fc.oneof(
          fc.integer({ min: Date.parse("1840-01-01"), max: Date.parse("2150-01-01") }),
          fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59Z") }),
        ),
        (timeZone, granularity, instant) => {
          const time = canonicalTime(new Date(instant).toISOString()) ?? "";
          const segments = ianaZone(timeZone)?.segmentsOf([new Date(instant).getUTCFullYear()]) ?? [];
          const ranges = bucketRanges(granularity, segments, 5_000) ?? [];
          const within = ranges.filter(([from, to]) => from <= time && time < to);
          expect(within.map(([, , bucket]) => bucketKey(granularity, bucket))).toEqual([
            slowBucket(instant, granularity, timeZone),
          ]);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("follow one another without gaps", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ODD_ZONES),
        fc.constantFrom(...CALENDAR),
        fc.integer({ min: 0, max: 9999 }),
        (timeZone, granularity, year) => {
          const segments = ianaZone(timeZone)?.segmentsOf([year]) ?? [];
          const ranges = bucketRanges(granularity, segments, 5_000) ?? [];
          expect(ranges[0]?.[0]).toBe(segments[0]?.from);
          expect(ranges.at(-1)?.[1]).toBe(segments.at(-1)?.to);
          for (const [index, [from, to]] of ranges.entries()) {
            expect(from < to).toBe(true);
            expect(ranges[index + 1]?.[0] ?? to).toBe(to);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("know that Manila had no last day of 1844 and Samoa none of 30 December 2011", () => {
    const days = (zone: string, year: number) =>
      (bucketRanges("day", ianaZone(zone)?.segmentsOf([year]) ?? [], 5_000) ?? []).map(([, , bucket]) =>
        bucketKey("day", bucket),
      );
    expect(days("Pacific/Apia", 2011)).toContain("2011-12-29");
    expect(days("Pacific/Apia", 2011)).not.toContain("2011-12-30");
    expect(days("Pacific/Apia", 2011)).toContain("2011-12-31");
    expect(days("Asia/Manila", 1844)).not.toContain("1844-12-31");
  });

  it("are not made for minutes and hours, or where there would be too many", () => {
    const segments = ianaZone("Europe/Berlin")?.segmentsOf([2025, 2026]) ?? [];
    expect(bucketRanges("hour", segments, 1_000_000)).toBeNull();
    expect(bucketRanges("minute", segments, 1_000_000)).toBeNull();
    expect(bucketRanges("day", segments, 700)).toBeNull();
    expect(bucketRanges("day", segments, 800)).not.toBeNull();
  });
});
