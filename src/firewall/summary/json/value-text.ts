import { counted, firstPoints, unitsWithin } from "../cut.ts";
import { quoted } from "../neutral.ts";
import type { ScannedText } from "./scanner.ts";

/** A string that is longer is shown by its beginning. */
const SHOWN_POINTS = 60;
const BEGINNING_POINTS = 40;
const KEY_POINTS = 40;
/** Keys that need no quotes to be read. */
const PLAIN_KEY = /^[\p{L}\p{Nl}_$@#/][\p{L}\p{M}\p{N}_$@#./:-]*$/u;

/** A string as JSON, or its first words and how long it is. */
export function stringText({ head, points, whole }: ScannedText, shown = SHOWN_POINTS): string {
  if (whole && points <= shown) return quoted(head);
  const beginning = firstPoints(
    Array.from(unitsWithin(head, head.length)),
    Math.min(shown, BEGINNING_POINTS),
  );
  return `${quoted(beginning)}(${counted(points, "char")})`;
}

/** A key, in quotes where it is not plainly a name. */
export function keyText(key: string, whole = true): string {
  const points = Array.from(key);
  if (!whole || points.length > KEY_POINTS) return quoted(`${points.slice(0, KEY_POINTS - 1).join("")}…`);
  const safe = quoted(key);
  return PLAIN_KEY.test(key) && safe.length === key.length + 2 ? key : safe;
}

/** RFC 9535 §2.5.1.1: what may follow a dot. */
const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name segment of a JSONPath, in which nothing is unseen. */
export function nameSegment(key: string): string {
  return SHORTHAND.test(key) ? `.${key}` : `[${quoted(key)}]`;
}
