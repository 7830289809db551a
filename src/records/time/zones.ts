import { ZONE_CACHE_MAX_COUNT, ZONE_NAME_MAX_CHARS } from "../../limits/records.ts";

/** A stretch of time in which a zone's clocks are one offset ahead of UTC. Canonical times: from `from` on, before `to`. */
export interface OffsetSegment {
  readonly from: string;
  readonly to: string;
  readonly offsetSeconds: number;
}

export interface TimeZone {
  /** Whether its clocks show UTC, in every year. */
  readonly isUtc: boolean;
  /** Every moment of these UTC years (0 to 9999, ascending) is in one segment; segments ascend and do not overlap. */
  segmentsOf(years: readonly number[]): readonly OffsetSegment[];
}

/** Sorts after every canonical time, which all begin with a digit. */
const END = ":";

/** Everything, as it stands. */
export const UNMOVED: readonly OffsetSegment[] = [{ from: "", to: END, offsetSeconds: 0 }];

const zones = new Map<string, TimeZone>();

/** A zone of the IANA database, by any of its names; undefined for other texts, bare offsets such as `+05:30` too. */
export function ianaZone(name: string): TimeZone | undefined {
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) {
    zones.delete(key);
    zones.set(key, known);
    return known;
  }
  if (name.length > ZONE_NAME_MAX_CHARS || !/^[a-z]/i.test(name)) return undefined;
  const format = clockOf(name);
  if (format === undefined) return undefined;
  const zone = zoneOf(offsetReader(format), format.resolvedOptions().timeZone === "UTC");
  zones.set(key, zone);
  const [oldest] = zones.keys();
  if (zones.size > ZONE_CACHE_MAX_COUNT && oldest !== undefined) zones.delete(oldest);
  return zone;
}

/** Seconds since 1970, on which one more offset begins to hold. */
type Change = readonly [atSeconds: number, offsetSeconds: number];

/** Before standard time came up in the 1840s every zone has one offset: its city's sun. */
const FIRST_CHANGING_YEAR = 1800;
/** No zone has rules of its own for single years this late; from here on they repeat as the calendar does. */
const FIRST_REPEATING_YEAR = 2100;
/** After 400 years the Gregorian calendar begins again, on the same weekday. */
const CALENDAR_YEARS = 400;
const DAY_SECONDS = 86_400;
/** No offset was ever in force for less than this: Freetown's four days in September 1939 are the shortest. */
const PROBE_SECONDS = 3 * DAY_SECONDS;

function zoneOf(offsetAt: (seconds: number) => number, isUtc: boolean): TimeZone {
  const years = new Map<number, readonly Change[]>();
  const early = offsetAt(yearStart(FIRST_CHANGING_YEAR));
  /** The offsets of a year, its beginning's first. */
  const changesIn = (year: number): readonly Change[] => {
    if (year < FIRST_CHANGING_YEAR) return [[yearStart(year), early]];
    const late = Math.max(0, Math.floor((year - FIRST_REPEATING_YEAR) / CALENDAR_YEARS)) * CALENDAR_YEARS;
    const base = year - late;
    const found = years.get(base) ?? probeYear(base, offsetAt);
    years.set(base, found);
    if (late === 0) return found;
    const shift = yearStart(year) - yearStart(base);
    return found.map(([at, offset]) => [at + shift, offset]);
  };
  return {
    isUtc,
    segmentsOf(asked) {
      const segments: OffsetSegment[] = [];
      for (const year of asked) {
        const changes = changesIn(year);
        for (const [index, [at, offsetSeconds]] of changes.entries()) {
          const next = changes[index + 1]?.[0] ?? yearStart(year + 1);
          const [from, to] = [canonicalSecond(at), canonicalSecond(next)];
          const last = segments.at(-1);
          const goesOn = last?.to === from && last.offsetSeconds === offsetSeconds;
          if (goesOn) segments.pop();
          segments.push({ from: goesOn ? last.from : from, to, offsetSeconds });
        }
      }
      return segments;
    },
  };
}

export const UTC: TimeZone = zoneOf(() => 0, true);

function probeYear(year: number, offsetAt: (seconds: number) => number): readonly Change[] {
  const end = yearStart(year + 1);
  let at = yearStart(year);
  let offset = offsetAt(at);
  const changes: Change[] = [[at, offset]];
  while (at < end) {
    const next = Math.min(at + PROBE_SECONDS, end);
    const nextOffset = offsetAt(next);
    if (nextOffset !== offset) {
      const change = changeBetween(at, next, offset, offsetAt);
      if (change < end) changes.push([change, nextOffset]);
    }
    at = next;
    offset = nextOffset;
  }
  return changes;
}

/** The first second after `low`, at most `high`, that no longer has `offset`. */
function changeBetween(
  low: number,
  high: number,
  offset: number,
  offsetAt: (seconds: number) => number,
): number {
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** What shows a zone's clocks; undefined for a name that is none. */
function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const [year, month] = ["numeric", "2-digit"] as const;
  const [day, hour, minute, second] = [month, month, month, month];
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year,
      month,
      day,
      hour,
      minute,
      second,
    });
  } catch {
    return undefined;
  }
}

/** A zone's offset from UTC at an instant of the year 1800 or later, from clocks that show `01/31/2026, 10:00:00`. */
function offsetReader(format: Intl.DateTimeFormat): (seconds: number) => number {
  return (seconds) => {
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(seconds * 1000).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - seconds;
  };
}

function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1) / 1000;
}

/** A whole second as a canonical time; what is beyond the year 9999 sorts after all of them. */
export function canonicalSecond(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return text.startsWith("+") ? END : text.slice(0, 19);
}
