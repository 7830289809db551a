import { wholeBound } from "./bounds.ts";

/**
 * The first of `count` lines, at most `maxLines` of them (1 at least). Where there are more, the last one says how many
 * are missing, the one in whose place it stands included. Lines that are not shown are not made.
 */
export function boundLines(count: number, maxLines: number, lineAt: (index: number) => string): string {
  const most = wholeBound(maxLines, 1);
  const shown = count > most ? most - 1 : count;
  const lines = Array.from({ length: shown }, (_, index) => lineAt(index));
  if (shown < count) lines.push(`… ${count - shown} line(s) omitted`);
  return lines.join("\n");
}
