const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,30}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/;

const MINUTE_MS = 60_000;

/**
 * An instant as a text that sorts as time does: UTC, `YYYY-MM-DDTHH:MM:SS`, then the fraction without trailing zeros if
 * there is one, and no zone letter (with it, a whole second would sort after its own fractions). Takes RFC 3339 times with
 * any number of digits, a day (its first moment in UTC) and a time without a zone (UTC). `undefined` for anything else, and
 * for an instant outside the years 0000 to 9999.
 */
export function canonicalTime(text: string): string | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", , sign] = match;
  const [zoneHour = "0", zoneMinute = "0"] = [match[10], match[11]];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that its month does not have rolls over, and is none.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * MINUTE_MS;
  const utc = new Date(date.getTime() - (sign === "-" ? -offset : offset));
  const utcYear = utc.getUTCFullYear();
  if (utcYear < 0 || utcYear > 9999) return undefined;
  const digits = fraction.replace(/0+$/, "");
  return `${utc.toISOString().slice(0, 19)}${digits === "" ? "" : `.${digits}`}`;
}
