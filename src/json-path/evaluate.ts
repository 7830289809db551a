import { isRecord } from "../json.ts";
import { JSON_PATH_MATCHES_MAX_COUNT, JSON_PATH_MAX_STEPS_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { isTrue } from "./filter.ts";
import { type JsonNode, rootNode } from "./node.ts";
import type { NodeSelector, Query, Segment } from "./query.ts";
import { type Evaluation, OverBudget, spendSteps } from "./evaluation.ts";

/** What a query found. `reached` is how far it got: segments that selected something, and nodes of the last of these. */
export interface Evaluated {
  readonly nodes: readonly JsonNode[];
  readonly reached: { readonly segments: number; readonly nodes: readonly JsonNode[] };
}

/** `too_much`: it looks at more nodes than a query may, or selects more. */
export type EvaluationProblem = "too_much";

/**
 * The nodes that a query selects from a JSON value, in the order of RFC 9535, members in the value's order. Exact numbers
 * are compared as numbers of any size. Work and memory are bounded whatever the query; never throws.
 */
export function evaluateQuery(query: Query, root: unknown): Result<Evaluated, EvaluationProblem> {
  const start = rootNode(root);
  const evaluation: Evaluation = {
    root: start,
    stepsLeft: JSON_PATH_MAX_STEPS_COUNT,
    patterns: new Map(),
    select: (from, segments) => selectAll(from, segments, evaluation),
  };
  try {
    let nodes: readonly JsonNode[] = [start];
    let reached: Evaluated["reached"] = { segments: 0, nodes };
    for (const [index, segment] of query.segments.entries()) {
      nodes = selectSegment(nodes, segment, evaluation);
      if (nodes.length === 0) break;
      reached = { segments: index + 1, nodes };
    }
    return ok({ nodes, reached });
  } catch (error) {
    if (error instanceof OverBudget) return fail("too_much");
    throw error;
  }
}

function selectAll(
  from: JsonNode,
  segments: readonly Segment[],
  evaluation: Evaluation,
): readonly JsonNode[] {
  let nodes: readonly JsonNode[] = [from];
  for (const segment of segments) nodes = selectSegment(nodes, segment, evaluation);
  return nodes;
}

function selectSegment(
  nodes: readonly JsonNode[],
  { isDescendant, selectors }: Segment,
  evaluation: Evaluation,
): readonly JsonNode[] {
  const selected: JsonNode[] = [];
  for (const node of nodes) {
    for (const each of isDescendant ? withDescendants(node) : [node]) {
      for (const selector of selectors) {
        for (const child of selectFrom(each, selector, evaluation)) {
          if (selected.length >= JSON_PATH_MATCHES_MAX_COUNT) throw new OverBudget();
          selected.push(child);
        }
      }
    }
  }
  return selected;
}

/** The node and everything below it, each before what it holds. Keeps no more than what is open. */
function* withDescendants(node: JsonNode): Generator<JsonNode> {
  yield node;
  const open = [childrenOf(node)];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { done, value } = inner.next();
    if (done === true) open.pop();
    else {
      yield value;
      if (typeof value.value === "object" && value.value !== null) open.push(childrenOf(value));
    }
  }
}

function* childrenOf(parent: JsonNode): Generator<JsonNode, undefined> {
  const { value } = parent;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (let key = 0; key < items.length; key += 1) yield { value: items[key], parent, key };
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) yield { value: value[key], parent, key };
  }
  return undefined;
}

function* selectFrom(parent: JsonNode, selector: NodeSelector, evaluation: Evaluation): Generator<JsonNode> {
  spendSteps(evaluation, 1);
  const { value } = parent;
  switch (selector.kind) {
    case "name":
      if (isRecord(value) && Object.hasOwn(value, selector.name)) {
        yield { value: value[selector.name], parent, key: selector.name };
      }
      return;
    case "index":
      if (Array.isArray(value)) yield* indexed(value, parent, selector.index);
      return;
    case "slice":
      if (!Array.isArray(value)) return;
      for (const index of sliceIndexes(selector, value.length)) {
        spendSteps(evaluation, 1);
        yield* indexed(value, parent, index);
      }
      return;
    case "wildcard":
      for (const child of childrenOf(parent)) {
        spendSteps(evaluation, 1);
        yield child;
      }
      return;
    case "filter":
      for (const child of childrenOf(parent)) {
        spendSteps(evaluation, 1);
        if (isTrue(selector.test, child, evaluation)) yield child;
      }
  }
}

function* indexed(items: readonly unknown[], parent: JsonNode, index: number): Generator<JsonNode> {
  const key = index < 0 ? items.length + index : index;
  if (key >= 0 && key < items.length) yield { value: items[key], parent, key };
}

/** RFC 9535 §2.3.4.2.2. */
function* sliceIndexes(
  { start, end, step }: Extract<NodeSelector, { kind: "slice" }>,
  length: number,
): Generator<number> {
  const normal = (index: number): number => (index >= 0 ? index : length + index);
  if (step > 0) {
    const lower = Math.min(Math.max(normal(start ?? 0), 0), length);
    const upper = Math.min(Math.max(normal(end ?? length), 0), length);
    for (let index = lower; index < upper; index += step) yield index;
  } else if (step < 0) {
    const upper = Math.min(Math.max(normal(start ?? length - 1), -1), length - 1);
    const lower = end === undefined ? -1 : Math.min(Math.max(normal(end), -1), length - 1);
    for (let index = upper; index > lower; index += step) yield index;
  }
}
