import { fail, ok, type Result } from "../result.ts";
import { type Evaluated, evaluateQuery } from "./evaluate.ts";
import { type JsonLocation, locationOf } from "./node.ts";
import { parseJsonPath, type PathProblem } from "./parse.ts";

export interface JsonMatch {
  /** As it stands in the root, exact numbers as they are there. */
  readonly value: unknown;
  readonly location: JsonLocation;
}

/** `too_much`: the query looks at more of the document than a query may. */
export type QueryProblem = ({ readonly reason: "syntax" } & PathProblem) | { readonly reason: "too_much" };

/**
 * What a JSONPath query (RFC 9535) selects from a JSON value, in order; the same node twice where the query selects it
 * twice. `match` and `search` run in linear time, and work and memory are bounded. Never throws.
 */
export function queryJson(path: string, root: unknown): Result<readonly JsonMatch[], QueryProblem> {
  const found = findJson(path, root);
  if (!found.ok) return found;
  return ok(found.value.nodes.map((node) => ({ value: node.value, location: locationOf(node) })));
}

/** The same as nodes, which are cheaper than locations, and with how far the query got. */
export function findJson(path: string, root: unknown): Result<Evaluated, QueryProblem> {
  const query = parseJsonPath(path);
  if (!query.ok) return fail({ reason: "syntax", ...query.reason });
  const evaluated = evaluateQuery(query.value, root);
  return evaluated.ok ? evaluated : fail({ reason: "too_much" });
}
