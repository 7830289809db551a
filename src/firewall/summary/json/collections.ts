import type { Samples } from "./sample.ts";
import type { Shape } from "./shape.ts";
import { nameSegment } from "./value-text.ts";

/** An array or a map that is there once, with what all in it have in common. */
export interface Collection {
  /** JSONPath of the array or of the map. */
  readonly path: string;
  readonly map: boolean;
  readonly count: number;
  readonly each: Shape;
  readonly samples: Samples | undefined;
  /** The first keys of a map. */
  readonly keys: readonly string[];
  readonly partial: boolean;
  /** The array or the map itself. */
  readonly shape: Shape;
}

/** Wrappers such as `{"data":{"search":{"edges":[…]}}}` are looked through. */
const WRAPPERS_MAX_DEPTH = 5;

/** A shorter list of numbers or strings is told where it stands. */
const SCALARS_MIN_COUNT = 6;

/** The arrays and maps of a document that are within objects only: those of objects and arrays first, the largest first. */
export function collectionsOf(root: Shape): readonly Collection[] {
  const found: Collection[] = [];
  collect(root, "$", 0, found);
  return found
    .filter(({ path, each, count }) => path === "$" || isRecords(each) || count > SCALARS_MIN_COUNT)
    .map((collection, index) => ({ collection, index }))
    .sort(
      (left, right) =>
        Number(isRecords(right.collection.each)) - Number(isRecords(left.collection.each)) ||
        right.collection.count - left.collection.count ||
        left.index - right.index,
    )
    .map(({ collection }) => collection);
}

function isRecords(each: Shape): boolean {
  return each.objects + each.arrays > 0;
}

function collect(shape: Shape, path: string, depth: number, found: Collection[]): void {
  const { items, values, samples, partial } = shape;
  if (shape.arrays === 1 && shape.count === 1 && items !== undefined) {
    found.push({ path, map: false, count: items.count, each: items, samples, keys: [], partial, shape });
  }
  if (shape.objects !== 1 || shape.count !== 1) return;
  if (values !== undefined) {
    found.push({
      path,
      map: true,
      count: values.count,
      each: values,
      samples,
      keys: shape.mapKeys,
      partial,
      shape,
    });
  }
  if (depth === WRAPPERS_MAX_DEPTH) return;
  for (const [key, field] of shape.fields) collect(field, `${path}${nameSegment(key)}`, depth + 1, found);
}
