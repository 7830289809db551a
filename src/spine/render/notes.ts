import { compareCodePoints } from "../../code-points.ts";
import { NOTE_DEFAULT_MAX_CHARS, NOTES_DEFAULT_MAX_LINES } from "../../limits/spine.ts";
import { wholeBound } from "./bounds.ts";
import { cutPlain, withoutUnprintable } from "./quote.ts";
import { collapseInlineWhitespace } from "./truncate.ts";

export interface NoteBounds {
  /** At least 1. */
  readonly maxLines: number;
  /** Code points of a note without its label; at least 1. */
  readonly maxChars: number;
}

/**
 * Notes as lines `note: …`, the same for the same set, whoever noted first and how often: each once, by code point, on one
 * line. A longer note ends in an ellipsis. Where there are more than the bound, the last line says how many are
 * omitted, the one in whose place it stands included. What is blank is no note.
 */
export function renderNotes(notes: readonly string[], bounds: Partial<NoteBounds> = {}): readonly string[] {
  const most = wholeBound(bounds.maxLines ?? NOTES_DEFAULT_MAX_LINES, 1);
  const maxChars = wholeBound(bounds.maxChars ?? NOTE_DEFAULT_MAX_CHARS, 1);
  const lines = new Set(notes.map((note) => collapseInlineWhitespace(withoutUnprintable(note))));
  lines.delete("");
  const ordered = Array.from(lines).sort(compareCodePoints);
  const shown = ordered.length > most ? most - 1 : ordered.length;
  const rendered = ordered.slice(0, shown).map((line) => `note: ${cutPlain(line, maxChars)}`);
  return shown === ordered.length ? rendered : [...rendered, `… ${ordered.length - shown} note(s) omitted`];
}
