import type { Granularity } from "../../../src/records/time/buckets.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  formats.set(timeZone, made);
  return made;
}

/** Local clocks as `Intl` shows them for one instant, with nothing computed ahead: the plain reading that a faster one must equal. */
export function slowBucket(instantMs: number, granularity: Granularity, timeZone: string): string {
  const parts = formatOf(timeZone).formatToParts(instantMs);
  const text = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const [month, day] = [Number(text("month")), Number(text("day"))];
  const year = text("era").startsWith("B") ? 1 - Number(text("year")) : Number(text("year"));
  const two = (value: number) => String(value).padStart(2, "0");
  const key = (year: number, month: number, day: number) =>
    `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}-${two(month)}-${two(day)}`;
  switch (granularity) {
    case "minute":
      return `${key(year, month, day)}T${two(Number(text("hour")))}:${two(Number(text("minute")))}`;
    case "hour":
      return `${key(year, month, day)}T${two(Number(text("hour")))}:00`;
    case "day":
      return key(year, month, day);
    case "week": {
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
      return key(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
    }
    case "month":
      return key(year, month, 1);
    case "quarter":
      return key(year, [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10][month - 1] ?? 0, 1);
    case "year":
      return key(year, 1, 1);
  }
}

/** Zones with half and quarter hours, seconds, double summer time, changes at midnight, lost and doubled days. */
export const ODD_ZONES = [
  "UTC",
  "Europe/Berlin",
  "Europe/London",
  "Europe/Dublin",
  "Europe/Amsterdam",
  "America/New_York",
  "America/Sao_Paulo",
  "America/St_Johns",
  "America/Caracas",
  "America/Juneau",
  "America/Argentina/San_Luis",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Asia/Gaza",
  "Asia/Manila",
  "Asia/Pyongyang",
  "Africa/Casablanca",
  "Africa/Freetown",
  "Africa/Monrovia",
  "Africa/Cairo",
  "Australia/Lord_Howe",
  "Australia/Eucla",
  "Antarctica/Troll",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Pacific/Kwajalein",
  "Pacific/Chatham",
  "Pacific/Marquesas",
  "Etc/GMT+12",
  "Etc/GMT-14",
  "EST5EDT",
] as const;
