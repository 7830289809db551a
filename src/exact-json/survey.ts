import { isExactNumber } from "./exact-number.ts";

export interface ExactSurvey {
  /** Every object and array with an exact number somewhere inside, each before those that it holds. */
  readonly holders: readonly object[];
  /** Objects and arrays inside each other, at most; a scalar has none. */
  readonly depth: number;
}

/** Where a JSON value, a tree of any depth, holds exact numbers. Of an exact number itself it knows nothing. */
export function surveyExact(root: unknown): ExactSurvey {
  const nodes: object[] = [];
  const parents: number[] = [];
  const holds: boolean[] = [];
  let found = false;
  const visit = (value: unknown, parent: number): void => {
    if (typeof value !== "object" || value === null) return;
    if (isExactNumber(value)) {
      holds[parent] = true;
      found = true;
    } else {
      nodes.push(value);
      parents.push(parent);
      holds.push(false);
    }
  };

  if (!isExactNumber(root)) visit(root, -1);
  let depth = 0;
  let levelEnd = 0;
  for (let at = 0; at < nodes.length; at += 1) {
    if (at === levelEnd) {
      depth += 1;
      levelEnd = nodes.length;
    }
    const node: unknown = nodes[at];
    if (Array.isArray(node)) for (const item of node) visit(item, at);
    else for (const item of Object.values(node ?? {})) visit(item, at);
  }
  if (!found) return { holders: [], depth };

  for (let at = nodes.length - 1; at > 0; at -= 1) {
    const parent = parents[at];
    if (holds[at] === true && parent !== undefined) holds[parent] = true;
  }
  return { holders: nodes.filter((_, at) => holds[at]), depth };
}
