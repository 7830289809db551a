import { SUMMARY_MAX_CODE_POINTS } from "../../limits.ts";

const MARK = "…";
const BLANK_LINE = /\n[ \t\r]*\n/;
/** A sentence ends with its mark and a space after it; the marks of CJK need none. */
const SENTENCE_END = /[.!?](?=\s)|[。！？]/gu;

/**
 * What stands for a large text: its first paragraph, if need be cut to its last whole sentence that fits, else inside a
 * word. At most `SUMMARY_MAX_CODE_POINTS`, the mark of a cut included; a surrogate pair is never split. What it does not
 * show is told by the line of the artifact.
 */
export function summarise(text: string): string {
  const start = text.search(/\S/);
  if (start < 0) return "";
  // A code point is at most two units, so the text itself need not be walked.
  const room = text.slice(start, start + 2 * SUMMARY_MAX_CODE_POINTS + 2);
  const blank = BLANK_LINE.exec(room);
  const paragraph = (blank === null ? room : room.slice(0, blank.index)).trimEnd();
  const ended = blank !== null || start + room.length >= text.length;
  const points = Array.from(paragraph);
  if (ended && points.length <= SUMMARY_MAX_CODE_POINTS) return paragraph;
  const fitting = points.slice(0, SUMMARY_MAX_CODE_POINTS).join("");
  let end = 0;
  for (const match of fitting.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  if (end > 0) return fitting.slice(0, end);
  return firstPoints(points, SUMMARY_MAX_CODE_POINTS);
}

/** The first so many code points, the last of them a mark; for a text that goes on. */
export function cutPoints(text: string, count: number): string {
  const points = Array.from(text.slice(0, 2 * count));
  return points.length < count && text.length <= 2 * count ? text : firstPoints(points, count);
}

function firstPoints(points: readonly string[], count: number): string {
  return `${points
    .slice(0, count - 1)
    .join("")
    .trimEnd()}${MARK}`;
}
