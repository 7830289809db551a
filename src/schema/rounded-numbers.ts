import { oncePerObject } from "../once-per-object.ts";
import type { PreparedSchema } from "./prepared-schema.ts";

/**
 * The values of the schema's own `enum` and `const` that may not be what their server wrote: schemas are read as JavaScript
 * reads, which rounds past 2^53. An argument that rounds to one of them is taken for it: refusing a legal id would be worse
 * than letting its server judge one that is off by one.
 */
export const roundedNumbers: (schema: PreparedSchema) => ReadonlySet<number> = oncePerObject(
  ({ root, lookup }) => {
    const rounded = new Set<number>();
    const seen = new Set<unknown>();
    const open: { readonly value: unknown; readonly isListed: boolean }[] = [
      { value: root, isListed: false },
      { value: lookup, isListed: false },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, isListed } = next;
      if (isListed && typeof value === "number" && isRounded(value)) rounded.add(value);
      if (typeof value !== "object" || value === null || seen.has(value)) continue;
      seen.add(value);
      for (const [key, item] of Object.entries(value)) {
        open.push({ value: item, isListed: isListed || key === "enum" || key === "const" });
      }
    }
    return rounded;
  },
);

/** Whether other numbers in a JSON text would have been read as this one. */
export function isRounded(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}
