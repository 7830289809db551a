import type { PdppProblem } from "../problem.ts";
import type { Result } from "../../result.ts";
import { pathOf, type ReadRequest } from "../source/read-source.ts";

/** What a resource server answers with 200: a JSON object, in which a number may be an `ExactNumber`. */
export interface ServerBody {
  readonly body: object;
}

export type ServerAnswer = Result<ServerBody, PdppProblem>;

export type WarningCode =
  | "count_downgraded"
  | "source_skipped_not_applicable"
  | "deprecated_alias_used"
  | "limit_clamped"
  | "partial_results"
  | "compatibility_fallback"
  | "source_unavailable";

/** What the caller should know of an answer that was given all the same. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly param?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export type CountMeta = { readonly kind: "none" } | { readonly kind: "exact"; readonly value: number };

/** `meta` of every answer but a search's, whose count is a number. */
export function metaOf(warnings: readonly Warning[], count: CountMeta = { kind: "none" }): object {
  return { count, warnings };
}

/** `links` of an answer that has no further pages. */
export function selfLink(request: ReadRequest): object {
  return { self: pathOf(request) };
}

/** `links` of a list; `next` asks for the same with the cursor in place of the one that came. */
export function listLinks(request: ReadRequest, nextCursor: string | null): object {
  if (nextCursor === null) return { self: pathOf(request), next: null };
  const query = request.query.filter(([name]) => name !== "cursor");
  return {
    self: pathOf(request),
    next: pathOf({ path: request.path, query: [...query, ["cursor", nextCursor]] }),
  };
}

/** The path alone, as lists say it in `url`. */
export function listUrl({ path }: ReadRequest): string {
  return pathOf({ path, query: [] });
}
