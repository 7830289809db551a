import { namesNeighbourSecret } from "./secret-names.ts";

/** Which cells of a table's rows are secrets: by their columns' names, or by the name in a neighbouring cell. */
export interface NamedColumns {
  /** Columns whose names say secret, from the first on. */
  readonly names: ReadonlyMap<number, string>;
  /** A column of names, and the one that has what they name. */
  readonly pair: { readonly name: number; readonly value: number } | undefined;
}

const NAMING = /^(?:name|key|field|setting|variable|env|parameter|param|property|header|option|credential)$/i;
const VALUE = /^(?:value|values|content|wert|valor|valeur)$/i;

/** Nothing where no cell can be one. */
export function namedColumns(header: readonly string[]): NamedColumns | undefined {
  const names = new Map<number, string>();
  for (const [index, name] of header.entries()) if (namesNeighbourSecret(name)) names.set(index, name);
  const [name, value] = [
    header.findIndex((cell) => NAMING.test(cell)),
    header.findIndex((cell) => VALUE.test(cell)),
  ];
  const pair = name === -1 || value === -1 ? undefined : { name, value };
  return names.size === 0 && pair === undefined ? undefined : { names, pair };
}

/** The row's cells that are secrets, from the first on, each with the name that says so. A cell that names another stays. */
export function secretCells(
  { names, pair }: NamedColumns,
  cellAt: (index: number) => string,
): ReadonlyMap<number, string> {
  const named = pair === undefined ? "" : cellAt(pair.name);
  if (pair === undefined || !namesNeighbourSecret(named)) return names;
  const others = [...names].filter(([index]) => index !== pair.name && index !== pair.value);
  return new Map([...others, [pair.value, named] as const].toSorted(([one], [other]) => one - other));
}
