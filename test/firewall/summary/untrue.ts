import type { Shape } from "../../../src/firewall/summary/json/shape.ts";
import { isRecord } from "../../../src/json.ts";
import { SUMMARY_SHAPE_MAX_DEPTH } from "../../../src/limits.ts";

/** What a shape says of values that is not so, found from the values themselves. */
export function untrue(shape: Shape, values: readonly unknown[], path = "$", depth = 0): string[] {
  const faults: string[] = [];
  const say = (what: string, said: unknown, is: unknown): void => {
    if (JSON.stringify(said) !== JSON.stringify(is)) {
      faults.push(`${path}: ${what} is said to be ${JSON.stringify(said)} and is ${JSON.stringify(is)}`);
    }
  };
  const count = (test: (value: unknown) => boolean): number => values.filter(test).length;
  const numbers = values.filter((value) => typeof value === "number");
  const strings = values.filter((value) => typeof value === "string");
  const objects = values.filter(isRecord);
  const arrays = values.filter((value): value is unknown[] => Array.isArray(value));
  say("count", shape.count, values.length);
  say(
    "nulls",
    shape.nulls,
    count((value) => value === null),
  );
  say(
    "trues",
    shape.trues,
    count((value) => value === true),
  );
  say(
    "falses",
    shape.falses,
    count((value) => value === false),
  );
  say("scalars", [shape.numbers, shape.strings], [numbers.length, strings.length]);
  say("containers", [shape.objects, shape.arrays], [objects.length, arrays.length]);
  const range = shape.numberRange.range;
  if (range !== undefined) {
    say("range", [Number(range.min), Number(range.max)], [Math.min(...numbers), Math.max(...numbers)]);
  }
  say("longest", shape.longest, Math.max(0, ...strings.map((text) => Array.from(text).length)));
  for (const { value, count: times } of shape.stringTallies.all ?? []) {
    say(
      `tally of ${JSON.stringify(value)}`,
      times,
      count((each) => each === value),
    );
  }
  if (depth >= SUMMARY_SHAPE_MAX_DEPTH) return faults;
  say("elements", shape.elements.sum, arrays.flat().length);
  say("longest array", shape.elements.max, Math.max(0, ...arrays.map(({ length }) => length)));
  const within = (each: Shape | undefined, inner: readonly unknown[], name: string): void => {
    if (each !== undefined) faults.push(...untrue(each, inner, path + name, depth + 1));
  };
  within(shape.items, arrays.flat(), "[*]");
  const members = objects.flatMap((object) => Object.keys(object)).length;
  say("members", shape.members.sum, members);
  within(
    shape.values,
    objects.flatMap((object) => Object.values(object)),
    ".*",
  );
  let told = 0;
  for (const [key, field] of shape.fields) {
    const having = objects.filter((object) => Object.hasOwn(object, key));
    say(`presence of ${key}`, field.presence, having.length);
    told += field.presence;
    within(
      field,
      having.map((object) => object[key]),
      `.${key}`,
    );
  }
  if (shape.values === undefined) say("told and lost members", told + shape.lost, members);
  return faults;
}
