import { sha256Hex } from "../../identity/digest.ts";
import { PATH_SEGMENT_MAX_CHARS } from "../../limits.ts";
import { legalSegment } from "./path.ts";

/** What a leaf's segment is made from. `name` is the name part of the tool id, not the upstream's name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** For a name without an ASCII letter or digit. */
const NAMELESS = "tool";
const HASH8 = /#([0-9a-f]{8})$/;

function suffixed(base: string, suffix: string): string {
  return `${base.slice(0, PATH_SEGMENT_MAX_CHARS - suffix.length - 1)}-${suffix}`;
}

/**
 * The segments that a tool can have, shortest first: its name, then its name and the id's hash8 (eight digits of the
 * id's own hash where the id has a version instead), then more digits. The last one is the whole hash, so it is unique.
 */
function segmentAt(level: number, { id, name }: Named): string {
  const base = legalSegment(name) || NAMELESS;
  if (level === 0) return base;
  if (level === 1) return suffixed(base, HASH8.exec(id)?.[1] ?? sha256Hex(id).slice(0, 8));
  return level === 2 ? suffixed(base, sha256Hex(id).slice(0, 16)) : sha256Hex(id);
}

const LAST_LEVEL = 3;

/**
 * A segment for each tool of one namespace, in the order given, each unlike all others: its name, lengthened where two
 * clash. All that clash are lengthened, so the order of the tools decides nothing. The ids are distinct.
 */
export function leafSegments(tools: readonly Named[]): string[] {
  const levels = tools.map(() => 0);
  const segments = tools.map((tool) => segmentAt(0, tool));
  const holders = new Map<string, Set<number>>();
  const hold = (at: number): void => {
    const segment = segments[at] ?? "";
    holders.set(segment, (holders.get(segment) ?? new Set()).add(at));
  };
  for (const at of tools.keys()) hold(at);
  // A lengthened segment can be another tool's name: go on until nothing clashes. Each tool moves three times at most.
  let clashing = [...holders.keys()];
  while (clashing.length > 0) {
    const moved = clashing.flatMap((segment) => {
      const group = [...(holders.get(segment) ?? [])];
      return group.length < 2 ? [] : group.filter((at) => (levels[at] ?? 0) < LAST_LEVEL);
    });
    for (const at of moved) holders.get(segments[at] ?? "")?.delete(at);
    for (const at of moved) {
      const tool = tools[at];
      const level = (levels[at] ?? 0) + 1;
      if (tool === undefined) continue;
      levels[at] = level;
      segments[at] = segmentAt(level, tool);
      hold(at);
    }
    clashing = [...new Set(moved.map((at) => segments[at] ?? ""))];
  }
  return segments;
}
