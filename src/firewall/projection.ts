import { exactJsonText } from "../exact-json/write.ts";
import { isJsonArray, isRecord } from "../json.ts";
import type { JsonLocation } from "../json-path/node.ts";
import { queryJson } from "../json-path/query-json.ts";
import type { InlineBounds } from "./result/inline-bounds.ts";
import { isTooLarge, type Keepsake, textKeepsake } from "./result/keepsake.ts";
import type { Sorted } from "./result/keepsakes.ts";
import { summarise } from "./summary/summariser.ts";

/** What an operator's rule shows of a large JSON result. */
export interface Projected {
  readonly text: string;
  /** The selected parts themselves, where they are too large to be shown. */
  readonly keepsake: Keepsake | undefined;
}

/**
 * The parts of a large JSON result that `artifacts.keep` selects, as they came, in the shape that they had: objects with the
 * selected members, arrays with the selected elements one behind the other. Undefined where nothing is selected.
 */
export function projectKept(
  { keepText, textValue, keepStructured, structuredValue }: Sorted,
  paths: readonly string[],
  bounds: InlineBounds,
): Projected | undefined {
  const value = keepText === undefined ? keepStructured && structuredValue : textValue;
  if (paths.length === 0 || typeof value !== "object" || value === null) return undefined;
  const locations = paths.flatMap((path) => {
    const found = queryJson(path, value);
    return found.ok ? found.value.map(({ location }) => location) : [];
  });
  if (locations.length === 0) return undefined;
  const text = exactJsonText(project(value, treeOf(locations)));
  if (!isTooLarge(text, bounds)) return { text, keepsake: undefined };
  const keepsake = textKeepsake("part", "selected parts", "application/json", text, { named: true });
  return { text: summarise(text, { mediaType: "application/json" }).text, keepsake };
}

/** The ways to the selected values; a leaf is a whole value. */
type Tree = Map<string | number, Tree> | "all";

function treeOf(locations: readonly JsonLocation[]): Tree {
  const root = new Map<string | number, Tree>();
  for (const location of locations) {
    let at = root;
    for (const [depth, step] of location.entries()) {
      const below = at.get(step);
      if (below === "all") break;
      if (depth === location.length - 1) at.set(step, "all");
      else if (below === undefined) {
        const made = new Map<string | number, Tree>();
        at.set(step, made);
        at = made;
      } else at = below;
    }
    // `$` itself selects everything.
    if (location.length === 0) return "all";
  }
  return root;
}

function project(value: unknown, tree: Tree): unknown {
  if (tree === "all") return value;
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => {
      const below = tree.get(index);
      return below === undefined ? [] : [project(item, below)];
    });
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const below = tree.get(key);
    return below === undefined ? [] : [[key, project(member, below)]];
  });
  return Object.fromEntries(members);
}
