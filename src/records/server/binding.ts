import { compareCodePoints } from "../../code-points.ts";
import { fail, ok, type Result } from "../../result.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { Holder } from "../grant/coverage.ts";
import type { ReadRequest } from "../source/read-source.ts";
import type { ServerPorts } from "./ports.ts";

/** What may differ between the pages of one walk: what is told beside the records, and how many of them at a time. */
const NOT_BOUND: ReadonlySet<string> = new Set(["limit", "cursor", "changes_since", "count", "window"]);
/** Two names of one thing, which is bound whether it is named or not. */
const DIRECTION: ReadonlySet<string> = new Set(["order", "sort"]);

/** What a cursor belongs to: who reads, under which grant, and the whole question. */
export function cursorBinding(holder: Holder, { path, query }: ReadRequest): string {
  const bound = query
    .filter(([name]) => !NOT_BOUND.has(name) && !DIRECTION.has(name))
    .toSorted(([left], [right]) => compareCodePoints(left, right));
  return JSON.stringify([holderBinding(holder), path, directionOf(query), bound]);
}

/** What `order` and `sort` say, whether or not they may: a page judges them anew. */
function directionOf(query: ReadRequest["query"]): string {
  const { order, sort } = Object.fromEntries(query.filter(([name]) => DIRECTION.has(name)));
  if (order !== undefined) return order;
  return sort === undefined || sort.startsWith("-") ? "desc" : "asc";
}

/** Who reads, and under which grant. */
export function holderBinding(holder: Holder): readonly string[] {
  switch (holder.kind) {
    case "client":
      return ["client", holder.tokenId, holder.grantId];
    case "package":
      return ["package", holder.tokenId, holder.packageId];
    case "owner":
      return ["owner", holder.tokenId];
  }
}

/** What is inside a cursor that came, whatever that is. */
export async function openCursor(
  { seal }: Pick<ServerPorts, "seal">,
  binding: string,
  cursor: string,
): Promise<Result<unknown, PdppProblem>> {
  const opened = await seal.open(binding, cursor);
  if (opened.ok) return ok(opened.value);
  return fail(
    opened.reason === "expired"
      ? problem("cursor_expired", "The cursor has expired: begin again without it.")
      : problem(
          "invalid_cursor",
          "This is no cursor of this request: send the one that came with the last page, and change only limit, count or window.",
        ),
  );
}
