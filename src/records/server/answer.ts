import type { PdppProblem } from "../problem.ts";
import { ok, type Result } from "../../result.ts";
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
export function metaOf(
  warnings: readonly Warning[],
  count: CountMeta = { kind: "none" },
  window: object | null = null,
): object {
  return { count, warnings, ...(window === null ? {} : { window }) };
}

/** `links` of an answer that has no further pages. */
export function selfLink(request: ReadRequest): object {
  return { self: askedOf(request) };
}

/**
 * `links` of a list; `next` asks for the same, letter by letter, with the cursor in place of the one that came. In a walk
 * through changes it has the next bookmark as well, in place of the one that came.
 */
export function listLinks(request: ReadRequest, nextCursor: string | null, nextBookmark?: string): object {
  const self = askedOf(request);
  if (nextCursor === null) return { self, next: null };
  const fresh = new URLSearchParams({ cursor: nextCursor });
  if (nextBookmark !== undefined) fresh.set("changes_since", nextBookmark);
  const [path = "", ...queries] = self.split("?");
  const kept = queries
    .join("?")
    .split("&")
    .filter((parameter) => parameter !== "" && !fresh.has(nameOf(parameter)));
  return { self, next: `${path}?${[...kept, fresh].join("&")}` };
}

/** A list that is answered in one piece. */
export function wholeList(
  { request, warnings }: { readonly request: ReadRequest; readonly warnings: readonly Warning[] },
  data: readonly object[],
): ServerAnswer {
  const body = {
    data,
    has_more: false,
    object: "list",
    links: listLinks(request, null),
    meta: metaOf(warnings),
  };
  return ok({ body });
}

function askedOf(request: ReadRequest): string {
  return request.asked ?? pathOf(request);
}

/** The decoded name of a parameter as a query has it. */
function nameOf(parameter: string): string {
  const [name = ""] = new URLSearchParams(`?${parameter}`).keys();
  return name;
}

/** The path alone, as lists say it in `url`. */
export function listUrl({ path }: ReadRequest): string {
  return pathOf({ path, query: [] });
}
