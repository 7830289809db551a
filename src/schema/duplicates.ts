import { isJsonArray, isRecord } from "../json.ts";

export interface DuplicateItems {
  readonly any: boolean;
  /** Comparisons that checking the costliest array pair by pair may take. */
  readonly pairwise: number;
}

/** Characters of two long strings that are compared in the time of one comparison. */
const CHARS_PER_COMPARISON = 256;

/**
 * Whether any array in a value holds two equal items, found in one pass: equal values get equal numbers, bottom up. The value
 * has been inspected, so its depth is bounded and recursion is safe.
 */
export function findDuplicates(root: unknown): DuplicateItems {
  const numbers = new Map<string, number>();
  let any = false;
  let pairwise = 0;

  const numberOf = (key: string): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };

  const visit = (value: unknown): { readonly number: number; readonly size: number } => {
    if (isJsonArray(value)) {
      const items = value.map(visit);
      const size = items.reduce((sum, item) => sum + item.size, 1);
      if (new Set(items.map(({ number }) => number)).size < items.length) any = true;
      pairwise = Math.max(pairwise, items.length * size);
      return { number: numberOf(`[${items.map(({ number }) => number).join(",")}`), size };
    }
    if (isRecord(value)) {
      const members = Object.entries(value).map(([name, item]) => ({ name, item: visit(item) }));
      const size = members.reduce((sum, { item }) => sum + item.size, 1);
      const parts = members.map(({ name, item }) => `${JSON.stringify(name)}:${item.number}`).sort();
      return { number: numberOf(`{${parts.join(",")}`), size };
    }
    const size = typeof value === "string" ? 1 + Math.floor(value.length / CHARS_PER_COMPARISON) : 1;
    return { number: numberOf(value === 0 ? "0" : JSON.stringify(value)), size };
  };

  visit(root);
  return { any, pairwise: Math.ceil(pairwise / 64) };
}
