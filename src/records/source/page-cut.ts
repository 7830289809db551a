import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import type { ReadRequest } from "./read-source.ts";
import { recordsIn } from "./schema-document.ts";

const LIMIT = /^[1-9]\d{0,5}$/;

/**
 * A list of records of which a source gave more than it was asked for, without the rest. What its cursors lead to comes after
 * rows that nobody saw, so that they go too; a warning says so.
 */
export function cutPage(source: string, { path, query }: ReadRequest, body: unknown): unknown {
  const limit = query.find(([name]) => name === "limit")?.[1] ?? "";
  const data = memberOf(body, "data");
  const isPage = path[0] === "streams" && path[2] === "records" && path.length === 3;
  if (!isPage || !LIMIT.test(limit) || !isRecord(body) || !isJsonArray(data)) return body;
  const count = Number(limit);
  if (data.length <= count) return body;
  const { next_cursor: _cursor, next_changes_since: _since, links, ...rest } = body;
  const { meta } = body;
  const warning = {
    code: "partial_results",
    message: `The source ${JSON.stringify(source)} gave ${data.length} records where ${count} were asked for: those behind them are left out, and it cannot be paged on. Narrow the read.`,
    detail: { source },
  };
  return {
    ...rest,
    data: data.slice(0, count),
    has_more: true,
    ...(isRecord(links) ? { links: { ...links, next: null } } : {}),
    meta: { ...(isRecord(meta) ? meta : {}), warnings: [...recordsIn(memberOf(meta, "warnings")), warning] },
  };
}
