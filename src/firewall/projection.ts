import { exactJsonText } from "../exact-json/write.ts";
import { visibleJson } from "../exact-json/visible.ts";
import { isJsonArray, isRecord } from "../json.ts";
import type { Unselected } from "../large-result.ts";
import type { JsonLocation } from "../json-path/node.ts";
import { queryJson } from "../json-path/query-json.ts";
import type { InlineBounds } from "./result/inline-bounds.ts";
import { isTooLarge, type Keepsake, textKeepsake } from "./result/keepsake.ts";
import type { Sorted } from "./result/keepsakes.ts";

/** What an operator's rule shows of a large JSON result. */
export interface Projected {
  /** Which payload it is of. */
  readonly of: "text" | "structured";
  /** JSON; undefined where it is too large to be shown. */
  readonly text: string | undefined;
  /** The selected parts themselves, where they are too large to be shown. */
  readonly keepsake: Keepsake | undefined;
  /** Why that is not all that the rule names. */
  readonly unselected: Unselected | undefined;
}

/** What of a payload the rule selects: JSON. */
interface Selection {
  readonly selected?: string | undefined;
  readonly unselected?: Unselected | undefined;
}

/**
 * The parts of a large JSON result that `artifacts.keep` selects, as they came, in the shape that they had: objects with the
 * selected members, arrays with the selected elements one behind the other. Of the text, or where that is no JSON or has
 * nothing of it, of the structured content. Undefined where nothing is selected, and nothing could have been.
 */
export function projectKept(
  { keepText, textValue, keepStructured, structuredValue }: Sorted,
  paths: readonly string[],
  bounds: InlineBounds,
): Projected | undefined {
  if (paths.length === 0) return undefined;
  const fromText = selectionOf(keepText, textValue, paths);
  const isText = fromText.selected !== undefined;
  const { selected, unselected = fromText.unselected } = isText
    ? fromText
    : selectionOf(keepStructured, structuredValue, paths);
  const of = isText ? "text" : "structured";
  if (selected === undefined) {
    return unselected && { of, text: undefined, keepsake: undefined, unselected };
  }
  const text = visibleJson(selected);
  if (!isTooLarge(text, bounds)) return { of, text, keepsake: undefined, unselected };
  const keepsake = textKeepsake("selection", "selected parts", "application/json", text, { named: true });
  return { of, text: undefined, keepsake, unselected };
}

/** What a model and the operator's log are told of a selection that is not whole. */
export const NOT_SELECTED: Readonly<Record<Unselected, string>> = {
  not_followed:
    "not all that artifacts.keep selects may be shown: filters, descendants and positions from the end need an answer of 4 MiB or less",
  too_much: "not all that artifacts.keep selects is shown: it is too much, or too much to look through",
};

/** JSON; of what was too large to hold, what was selected while it went by (`streamed-projection.ts`). */
function selectionOf(keepsake: Keepsake | undefined, value: unknown, paths: readonly string[]): Selection {
  if (keepsake === undefined || keepsake.large !== undefined) return keepsake?.large ?? {};
  if (typeof value !== "object" || value === null) return {};
  const found = paths.map((path) => queryJson(path, value));
  const locations = found.flatMap((each) => (each.ok ? each.value.map(({ location }) => location) : []));
  return {
    selected: locations.length === 0 ? undefined : exactJsonText(project(value, treeOf(locations))),
    unselected: found.every(({ ok }) => ok) ? undefined : "too_much",
  };
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
