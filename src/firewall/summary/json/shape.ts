import {
  SUMMARY_DISTINCT_MAX_CHARS,
  SUMMARY_RECORD_KEYS_MAX_COUNT,
  SUMMARY_SHAPE_KEYS_MAX_COUNT,
  SUMMARY_SHAPES_MAX_COUNT,
} from "../../../limits.ts";
import { owned } from "../cut.ts";
import { DateRange, NumberRange, Tallies } from "../scalars.ts";
import type { Samples } from "./sample.ts";
import type { ScannedText } from "./scanner.ts";

/** Fewer objects with the same keys are members that happen to be alike. */
const MAP_MIN_COUNT = 3;

/** How many places are told apart in one document. */
export class ShapeBudget {
  #left = SUMMARY_SHAPES_MAX_COUNT;

  take(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }

  giveBack(count: number): void {
    this.#left += count;
  }
}

/** The least, the greatest and the sum of counts. */
export class Sizes {
  min = Number.POSITIVE_INFINITY;
  max = 0;
  sum = 0;

  add(size: number): void {
    this.min = Math.min(this.min, size);
    this.max = Math.max(this.max, size);
    this.sum += size;
  }

  merge(other: Sizes): void {
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    this.sum += other.sum;
  }
}

/**
 * What all values of one place in a JSON tree have in common: of which types they are, in which ranges, and the same of what is
 * within them. Two shapes can be merged into what they would be if one had seen the values of both.
 */
export class Shape {
  count = 0;
  nulls = 0;
  trues = 0;
  falses = 0;
  numbers = 0;
  strings = 0;
  objects = 0;
  arrays = 0;
  readonly numberRange = new NumberRange();
  readonly numberTallies = new Tallies();
  readonly dates = new DateRange();
  readonly stringTallies = new Tallies();
  /** Code points of the longest string. */
  longest = 0;
  /** The beginning of the first string that is too long for a category. */
  firstLong: ScannedText | undefined;
  /** Members of objects, and elements of arrays, that have ended. */
  readonly members = new Sizes();
  readonly elements = new Sizes();
  /** By key, while the objects are records. */
  readonly fields = new Map<string, Shape>();
  /** Members whose keys are not told apart: too many, or too long. */
  lost = 0;
  /**
   * Whether a key that could have been told apart was not, for want of room. Then none is added any more: what is counted of a key
   * is counted from the start or not at all.
   */
  closed = false;
  /** Of all members, once the objects are maps. */
  values: Shape | undefined;
  /** The first few keys of a map. */
  readonly mapKeys: string[] = [];
  /** Of all elements of the arrays. */
  items: Shape | undefined;
  /** Whether there was no room for them when the first one came. */
  itemsClosed = false;
  /** Elements and members of the arrays and objects that are sampled. */
  samples: Samples | undefined;
  /** Whether one of the objects or arrays has not ended, so that their sizes are more than is known. */
  partial = false;
  /** Whether nothing is known of what is within, since it is nested too deep. */
  deep = false;
  /** Whether what is in it is told in a line of its own. */
  toldApart = false;
  /** In how many objects this field was, and the last one of them. */
  presence = 0;
  #seenIn = -1;

  get scalars(): number {
    return this.nulls + this.trues + this.falses + this.numbers + this.strings;
  }

  addString({ head, points, whole }: ScannedText): void {
    this.count += 1;
    this.strings += 1;
    if (points > this.longest) this.longest = points;
    if (this.firstLong === undefined && (!whole || head.length > SUMMARY_DISTINCT_MAX_CHARS)) {
      this.firstLong = { head: owned(head), points, whole };
    }
    this.stringTallies.add(head, whole);
    this.dates.add(head, whole);
  }

  addNumber({ head, whole }: ScannedText): void {
    this.count += 1;
    this.numbers += 1;
    this.numberRange.add(head, whole);
    this.numberTallies.add(head, whole);
  }

  addLiteral(text: "true" | "false" | "null"): void {
    this.count += 1;
    if (text === "null") this.nulls += 1;
    else if (text === "true") this.trues += 1;
    else this.falses += 1;
  }

  addOpen(array: boolean): void {
    this.count += 1;
    if (array) this.arrays += 1;
    else this.objects += 1;
  }

  addClose(array: boolean, size: number): void {
    (array ? this.elements : this.members).add(size);
  }

  /** Where elements of the arrays are noted; nothing where the budget is used up. */
  element(budget: ShapeBudget): Shape | undefined {
    if (this.items !== undefined || this.itemsClosed) return this.items;
    if (budget.take()) this.items = new Shape();
    else this.itemsClosed = true;
    return this.items;
  }

  /** Where the member of this key is noted, in the object of this serial number. */
  member({ head, whole }: ScannedText, serial: number, budget: ShapeBudget): Shape | undefined {
    if (this.values !== undefined) return this.values;
    const known = whole ? this.fields.get(head) : undefined;
    if (known !== undefined) {
      known.#beIn(serial);
      return known;
    }
    // No record has keys of such length.
    const many = !whole || this.fields.size >= SUMMARY_RECORD_KEYS_MAX_COUNT;
    if (many && this.#isMap()) {
      this.#becomeMap(budget);
      return this.values;
    }
    const room = whole && !this.closed && this.fields.size < SUMMARY_SHAPE_KEYS_MAX_COUNT;
    if (!room || !budget.take()) {
      // Records in a map may use up the budget before there are many of them.
      if (this.fields.size >= MAP_MIN_COUNT && this.#isMap()) {
        this.#becomeMap(budget);
        return this.values;
      }
      this.lost += 1;
      if (whole) this.closed = true;
      return undefined;
    }
    const made = new Shape();
    made.#beIn(serial);
    this.fields.set(owned(head), made);
    return made;
  }

  #beIn(serial: number): void {
    if (this.#seenIn === serial) return;
    this.#seenIn = serial;
    this.presence += 1;
  }

  /** Many keys with the same kind of thing behind each: all objects, all arrays, or far more scalars of one type than records have. */
  #isMap(): boolean {
    const shapes = [...this.fields.values()];
    const all = (part: (shape: Shape) => number): boolean =>
      shapes.every((each) => part(each) === each.count);
    if (all((each) => each.objects) || all((each) => each.arrays)) return this.lost === 0;
    if (this.lost > 0 || this.fields.size < SUMMARY_SHAPE_KEYS_MAX_COUNT) return false;
    return (
      all((each) => each.numbers) || all((each) => each.strings) || all((each) => each.trues + each.falses)
    );
  }

  get retainedChars(): number {
    const own =
      this.numberRange.retainedChars +
      this.numberTallies.retainedChars +
      this.dates.retainedChars +
      this.stringTallies.retainedChars +
      (this.firstLong?.head.length ?? 0) +
      [...this.mapKeys, ...this.fields.keys()].reduce((sum, key) => sum + key.length, 0);
    const inner = [...this.fields.values(), this.items, this.values];
    return inner.reduce((sum, shape) => sum + (shape?.retainedChars ?? 0), own);
  }

  /**
   * At the end: takes an object with a few members for a map, where all are objects that mostly have the same keys. Then the
   * same for what is within.
   */
  foldAlike(budget: ShapeBudget): void {
    const shapes = [...this.fields.values()];
    if (
      this.lost === 0 &&
      shapes.length >= MAP_MIN_COUNT &&
      shapes.every((each) => each.objects === each.count && each.fields.size > 0)
    ) {
      const keys = new Set(shapes.flatMap((each) => [...each.fields.keys()]));
      const sum = shapes.reduce((total, each) => total + each.fields.size, 0);
      if (keys.size * shapes.length <= 2 * sum) this.#becomeMap(budget);
    }
    for (const shape of [...this.fields.values(), this.items, this.values]) shape?.foldAlike(budget);
  }

  #becomeMap(budget: ShapeBudget): void {
    const values = new Shape();
    for (const [key, shape] of this.fields) {
      if (this.mapKeys.length < SUMMARY_RECORD_KEYS_MAX_COUNT) this.mapKeys.push(key);
      values.merge(shape, budget);
      budget.giveBack(1);
    }
    budget.take();
    this.fields.clear();
    this.values = values;
  }

  /** Takes over what the other has seen; places that both know are given back. */
  merge(other: Shape, budget: ShapeBudget): void {
    this.count += other.count;
    this.nulls += other.nulls;
    this.trues += other.trues;
    this.falses += other.falses;
    this.numbers += other.numbers;
    this.strings += other.strings;
    this.objects += other.objects;
    this.arrays += other.arrays;
    this.longest = Math.max(this.longest, other.longest);
    this.firstLong ??= other.firstLong;
    this.partial ||= other.partial;
    this.deep ||= other.deep;
    this.lost += other.lost;
    this.numberRange.merge(other.numberRange);
    this.numberTallies.merge(other.numberTallies);
    this.dates.merge(other.dates);
    this.stringTallies.merge(other.stringTallies);
    this.members.merge(other.members);
    this.elements.merge(other.elements);
    this.itemsClosed ||= other.itemsClosed;
    this.items = this.itemsClosed ? undefined : merged(this.items, other.items, budget);
    this.#mergeMembers(other, budget);
  }

  #mergeMembers(other: Shape, budget: ShapeBudget): void {
    if (this.values !== undefined || other.values !== undefined) {
      // What a record has lost would be missing among the values of the map.
      if (this.lost > 0) return this.#forget();
      if (this.values === undefined) this.#becomeMap(budget);
      for (const key of [...other.mapKeys, ...other.fields.keys()]) {
        if (this.mapKeys.length < SUMMARY_RECORD_KEYS_MAX_COUNT) this.mapKeys.push(key);
      }
      for (const shape of other.fields.values()) this.values = merged(this.values, shape, budget);
      this.values = merged(this.values, other.values, budget);
      return;
    }
    const mineClosed = this.closed;
    if (other.closed) {
      for (const [key, shape] of this.fields) if (!other.fields.has(key)) this.#lose(key, shape, budget);
    }
    for (const [key, shape] of other.fields) {
      const mine = this.fields.get(key);
      if (mine !== undefined) {
        mine.merge(shape, budget);
        mine.presence += shape.presence;
        budget.giveBack(1);
      } else if (!mineClosed && this.fields.size < SUMMARY_SHAPE_KEYS_MAX_COUNT) this.fields.set(key, shape);
      else this.#lose(key, shape, budget);
    }
    this.closed ||= other.closed;
  }

  /** Of the objects only the sizes are known any more. */
  #forget(): void {
    this.values = undefined;
    this.fields.clear();
    this.mapKeys.length = 0;
    this.closed = true;
    this.lost = this.members.sum;
  }

  #lose(key: string, shape: Shape, budget: ShapeBudget): void {
    this.fields.delete(key);
    this.lost += shape.count;
    this.closed = true;
    budget.giveBack(1);
  }
}

function merged(mine: Shape | undefined, other: Shape | undefined, budget: ShapeBudget): Shape | undefined {
  if (mine === undefined || other === undefined) return mine ?? other;
  mine.merge(other, budget);
  budget.giveBack(1);
  return mine;
}
