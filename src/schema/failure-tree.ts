import type { OutputUnit } from "@cfworker/json-schema";
import { FAILURE_LOCATIONS_MAX_CHARS, VALIDATION_FAILURES_MAX_COUNT } from "../limits.ts";

/** One failure that the validator tells of, with those that led to it. */
export interface Failure {
  readonly keyword: string;
  /** JSON Pointer into the instance. */
  readonly path: string;
  /** Where the keyword stands in the prepared schema, in the validator's own notation. */
  readonly location: string;
  /** `location` relative to the failure that this one led to. */
  readonly within: string;
  readonly children: Failure[];
}

/** Whose children's first step is a name, which could look like a keyword. */
const NAMED: ReadonlySet<string> = new Set(["properties", "dependentSchemas"]);

/**
 * The validator tells failures as a list, what failed before why it failed. This puts each reason under what it explains,
 * and leaves out what says nothing: that an `if` led to its branch, and the items that a `contains` did not count.
 */
export function buildFailureTree(units: readonly OutputUnit[]): readonly Failure[] {
  const roots: Failure[] = [];
  const open: Failure[] = [];
  let chars = 0;
  let previous: OutputUnit | undefined;
  for (const unit of units.slice(0, VALIDATION_FAILURES_MAX_COUNT)) {
    if (unit.keyword === "if" || isRepeated(unit, previous)) continue;
    previous = unit;
    const location = unit.keywordLocation;
    // Places share their beginnings until they are written out, each whole.
    chars += location.length + unit.instanceLocation.length;
    if (chars > FAILURE_LOCATIONS_MAX_CHARS && open.length > 0) break;
    while (open.length > 0 && !location.startsWith(`${open.at(-1)?.location ?? ""}/`)) open.pop();
    const parent = open.at(-1);
    const within = location.slice(parent?.location.length ?? 1);
    const path = decodeLocation(unit.instanceLocation);
    const failure: Failure = { keyword: keywordOf(unit), path, location, within, children: [] };
    open.push(failure);
    if (isUncounted(failure, parent)) continue;
    (parent?.children ?? roots).push(failure);
  }
  return roots;
}

/** The validator tells of each missing member, and they are found all at once. */
function isRepeated(
  { keyword, keywordLocation, instanceLocation }: OutputUnit,
  previous?: OutputUnit,
): boolean {
  return (
    (keyword === "required" || keyword === "dependentRequired") &&
    previous?.keywordLocation === keywordLocation &&
    previous.instanceLocation === instanceLocation
  );
}

/** The only formats that a prepared schema has stand for its patterns. */
function keywordOf({ keyword }: OutputUnit): string {
  return keyword === "format" ? "pattern" : keyword;
}

function isUncounted({ within }: Failure, parent: Failure | undefined): boolean {
  if (parent?.keyword === "contains") return false;
  const rest = parent !== undefined && NAMED.has(parent.keyword) ? within.replace(/^\/[^/]*/u, "") : within;
  return /^(?:\/\d+)?(?:\/(?:then|else))?\/contains\//u.test(rest);
}

/** From the validator's URI fragment to a JSON Pointer. What it encoded was well-formed, so decoding cannot fail. */
function decodeLocation(location: string): string {
  return decodeURIComponent(location.slice(1));
}

/** The names and indexes by which a failure's location leads through the prepared schema, its keyword left out. */
export function locationSteps(location: string): readonly string[] {
  const steps = location.split("/").slice(1, -1);
  return steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}
