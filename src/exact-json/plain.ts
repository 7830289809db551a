import { isExactNumber } from "./exact-number.ts";
import { surveyExact } from "./survey.ts";

/**
 * The value as `JSON.parse` would have read it: each exact number as the nearest JavaScript number, which for `1e999` is
 * Infinity. What holds no exact number is not copied, up to the value itself. Any depth.
 */
export function plainJson(value: unknown): unknown {
  if (isExactNumber(value)) return Number(value.text);
  const { holders } = surveyExact(value);
  const copies = new Map<unknown, unknown>();
  const plain = (item: unknown): unknown => {
    if (typeof item !== "object" || item === null) return item;
    return isExactNumber(item) ? Number(item.text) : (copies.get(item) ?? item);
  };
  // Inner ones come after those that hold them.
  for (const holder of holders.toReversed()) copies.set(holder, copyOf(holder, plain));
  return copies.get(value) ?? value;
}

function copyOf(container: object, plain: (item: unknown) => unknown): unknown {
  if (Array.isArray(container)) return container.map((item: unknown) => plain(item));
  // `fromEntries` defines members, so that `__proto__` is one.
  const copy = Object.fromEntries(Object.entries(container).map(([key, item]) => [key, plain(item)]));
  if (Object.getPrototypeOf(container) === null) Object.setPrototypeOf(copy, null);
  return copy;
}
