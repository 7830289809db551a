import type { LinearRegExp } from "../linear-regexp.ts";
import type { JsonNode } from "./node.ts";
import type { Segment } from "./query.ts";

/** What one evaluation shares between a query and the queries in its filters. */
export interface Evaluation {
  readonly root: JsonNode;
  stepsLeft: number;
  /** Compiled patterns of `match` and `search`; `undefined` for what is none. */
  readonly patterns: Map<string, LinearRegExp | undefined>;
  select(from: JsonNode, segments: readonly Segment[]): readonly JsonNode[];
}

/** Ends an evaluation that looks at too much; never leaves this folder. */
export class OverBudget extends Error {}

/** Takes so many steps. */
export function spendSteps(evaluation: Evaluation, steps: number): void {
  evaluation.stepsLeft -= steps;
  if (evaluation.stepsLeft < 0) throw new OverBudget();
}
