import { isRecord } from "../json.ts";
import { REGEXP_PATTERNS_MAX_COUNT } from "../limits.ts";
import { compileLinear, type LinearRegExp } from "../linear-regexp.ts";
import { CHARS_A_STEP, isEqual, isLess, NOTHING, type ValueOrNothing } from "./compare.ts";
import { type Evaluation, OverBudget, spendSteps } from "./evaluation.ts";
import type { JsonNode } from "./node.ts";
import type { Comparable, Comparison, InnerQuery, Logical } from "./query.ts";

/** Whether a filter's expression holds for a node (RFC 9535 §2.3.5.2). */
export function isTrue(test: Logical, node: JsonNode, evaluation: Evaluation): boolean {
  switch (test.kind) {
    case "or":
      return test.all.some((each) => isTrue(each, node, evaluation));
    case "and":
      return test.all.every((each) => isTrue(each, node, evaluation));
    case "not":
      return !isTrue(test.of, node, evaluation);
    case "exists":
      return nodesOf(test.query, node, evaluation).length > 0;
    case "compare": {
      const left = valueOf(test.left, node, evaluation);
      const right = valueOf(test.right, node, evaluation);
      return holds(test.operator, left, right, evaluation);
    }
    case "match":
    case "search": {
      const text = valueOf(test.value, node, evaluation);
      const pattern = valueOf(test.pattern, node, evaluation);
      if (typeof text !== "string" || typeof pattern !== "string") return false;
      const compiled = patternOf(pattern, evaluation);
      if (compiled === undefined) return false;
      spendSteps(evaluation, Math.ceil((text.length / CHARS_A_STEP) * (1 + compiled.size / CHARS_A_STEP)));
      return test.kind === "match" ? compiled.testWhole(text) : compiled.test(text);
    }
  }
}

function holds(
  operator: Comparison,
  left: ValueOrNothing,
  right: ValueOrNothing,
  evaluation: Evaluation,
): boolean {
  const spend = (steps: number): void => spendSteps(evaluation, steps);
  const equal = (): boolean => isEqual(left, right, spend);
  switch (operator) {
    case "==":
      return equal();
    case "!=":
      return !equal();
    case "<":
      return isLess(left, right, spend);
    case ">":
      return isLess(right, left, spend);
    case "<=":
      return isLess(left, right, spend) || equal();
    case ">=":
      return isLess(right, left, spend) || equal();
  }
}

function valueOf(comparable: Comparable, node: JsonNode, evaluation: Evaluation): ValueOrNothing {
  switch (comparable.kind) {
    case "literal":
      return comparable.value;
    case "query":
    case "value": {
      const nodes = nodesOf(comparable.query, node, evaluation);
      return nodes.length === 1 ? nodes[0]?.value : NOTHING;
    }
    case "count":
      return nodesOf(comparable.query, node, evaluation).length;
    case "length":
      return lengthOf(valueOf(comparable.of, node, evaluation), evaluation);
  }
}

/** Of a text in characters, not in UTF-16 units (RFC 9535 §2.4.4). */
function lengthOf(value: ValueOrNothing, evaluation: Evaluation): ValueOrNothing {
  if (typeof value === "string") {
    spendSteps(evaluation, Math.ceil(value.length / CHARS_A_STEP));
    let pairs = 0;
    for (let at = 1; at < value.length; at += 1) {
      const isLow = (value.charCodeAt(at) & 0xfc00) === 0xdc00;
      if (isLow && (value.charCodeAt(at - 1) & 0xfc00) === 0xd800) pairs += 1;
    }
    return value.length - pairs;
  }
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : NOTHING;
}

function nodesOf(
  { isRelative, segments }: InnerQuery,
  node: JsonNode,
  evaluation: Evaluation,
): readonly JsonNode[] {
  spendSteps(evaluation, 1);
  return evaluation.select(isRelative ? node : evaluation.root, segments);
}

/** A pattern may stand in the document, so there may be many. */
function patternOf(pattern: string, { patterns }: Evaluation): LinearRegExp | undefined {
  if (!patterns.has(pattern)) {
    if (patterns.size >= REGEXP_PATTERNS_MAX_COUNT) throw new OverBudget();
    const compiled = compileLinear(withIregexpDots(pattern), false);
    patterns.set(pattern, compiled.ok ? compiled.value : undefined);
  }
  return patterns.get(pattern);
}

/** RFC 9485 §5: a dot is anything but the ends of lines, which are two there. */
function withIregexpDots(pattern: string): string {
  return pattern.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]?|\./g, (token) =>
    token === "." ? "[^\\n\\r]" : token,
  );
}
