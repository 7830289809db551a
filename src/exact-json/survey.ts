import { isExactNumber } from "./exact-number.ts";

export interface ExactSurvey {
  /** Every object and array with an exact number somewhere inside, each before those that it holds. */
  readonly holders: readonly object[];
  /** Objects and arrays inside each other, at most; a scalar has none. */
  readonly depth: number;
}

/** Where a JSON value, a tree of any depth, holds exact numbers. Of an exact number itself it knows nothing. */
export function surveyExact(root: unknown): ExactSurvey {
  const { found, depth } = lookThrough(root);
  // Nearly all values have none, and a list of all that a large one is made of would be larger than it.
  return found ? surveyHolders(root) : { holders: [], depth };
}

/** Whether there is an exact number inside, and how deep it goes; holds no more at a time than what is open. */
function lookThrough(root: unknown): { readonly found: boolean; readonly depth: number } {
  const open: { readonly items: readonly unknown[]; next: number }[] = [];
  let depth = 0;
  let found = false;
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (isExactNumber(value)) found ||= open.length > 0;
    else open.push({ items: Array.isArray(value) ? value : Object.values(value), next: 0 });
  };
  visit(root);
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    depth = Math.max(depth, open.length);
    if (inner.next === inner.items.length) open.pop();
    else {
      inner.next += 1;
      visit(inner.items[inner.next - 1]);
    }
  }
  return { found, depth };
}

function surveyHolders(root: unknown): ExactSurvey {
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
