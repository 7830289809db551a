import { fail, ok, type Result } from "../../../result.ts";
import type { Coverage, CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import type { Warning } from "../answer.ts";
import { parseFilters, type FieldFilter } from "../filter/filters.ts";
import type { Parameters } from "../parameters.ts";
import { expansionsOf } from "./expansion.ts";
import type { FeedPlan } from "./give.ts";
import type { Direction } from "./position.ts";
import { projectionOf } from "./projection.ts";

/** What a list of records asks of one feed. */
export interface ListPlan extends FeedPlan {
  readonly filters: readonly FieldFilter[];
  readonly direction: Direction;
}

/**
 * A plan for each feed that the request fits. Streams of one name may be declared differently: a feed that lacks what the
 * request names is left out with a warning, unless that leaves none.
 */
export function planFeeds<Plan>(
  feeds: readonly CoveredFeed[],
  planFeed: (feed: CoveredFeed) => Result<Plan, PdppProblem>,
): Result<{ readonly plans: readonly Plan[]; readonly warnings: readonly Warning[] }, PdppProblem> {
  const plans: Plan[] = [];
  const warnings: Warning[] = [];
  let first: PdppProblem | undefined;
  for (const feed of feeds) {
    const planned = planFeed(feed);
    if (planned.ok) {
      plans.push(planned.value);
      continue;
    }
    first ??= planned.reason;
    warnings.push({
      code: "source_skipped_not_applicable",
      message: `${feed.connectionId} was left out: ${planned.reason.message}`,
      detail: { connection_id: feed.connectionId, code: planned.reason.code },
    });
  }
  return plans.length === 0 && first !== undefined ? fail(first) : ok({ plans, warnings });
}

export function planList(
  coverage: Coverage,
  feed: CoveredFeed,
  parameters: Parameters,
): Result<ListPlan, PdppProblem> {
  const direction = directionOf(feed, parameters);
  if (!direction.ok) return direction;
  const filters = parseFilters(parameters.keyed("filter"), feed);
  if (!filters.ok) return filters;
  const plan = planRecord(coverage, feed, parameters);
  if (!plan.ok) return plan;
  return ok({
    ...plan.value,
    filters: filters.value,
    direction: direction.value,
  });
}

/** What is asked of one record, or of each of a list. */
export function planRecord(
  coverage: Coverage,
  feed: CoveredFeed,
  parameters: Parameters,
): Result<FeedPlan, PdppProblem> {
  const projection = projectionOf(feed, parameters);
  if (!projection.ok) return projection;
  const expansions = expansionsOf(coverage, feed, parameters);
  return expansions.ok
    ? ok({ feed, projection: projection.value, expansions: expansions.value })
    : expansions;
}

/** `sort` is a sign and the stream's own order field; `order` says the same without naming it. Newest first where neither is given. */
function directionOf(feed: CoveredFeed, parameters: Parameters): Result<Direction, PdppProblem> {
  const order = parameters.one("order");
  if (order !== undefined && order !== "asc" && order !== "desc") {
    return fail(problem("invalid_request", "order is asc or desc.", { param: "order" }));
  }
  const sort = parameters.one("sort");
  if (sort === undefined) return ok(order ?? "desc");
  const { cursorField } = feed.stream;
  const field = sort.replace(/^[-+]/, "");
  if (cursorField === null || field !== cursorField) {
    return fail(
      problem(
        "invalid_sort",
        cursorField === null
          ? "The stream has no field to sort by: order works without one."
          : `The stream is sorted by ${cursorField} or -${cursorField} only.`,
        { param: "sort" },
      ),
    );
  }
  if (feed.fields?.has(cursorField) === false) {
    return fail(problem("field_not_granted", `The field ${cursorField} is not granted.`));
  }
  const direction = sort.startsWith("-") ? "desc" : "asc";
  if (order !== undefined && order !== direction) {
    return fail(problem("invalid_sort", "sort and order say different things.", { param: "sort" }));
  }
  return ok(direction);
}
