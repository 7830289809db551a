import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import type { ReadRequest } from "./read-source.ts";
import { recordsIn } from "./schema-document.ts";

const LIMIT = /^[1-9]\d{0,5}$/;

/** A list that a source gave, without what would lead its reader astray; a warning says so. */
export function cutPage(source: string, request: ReadRequest, body: unknown): unknown {
  return withoutLoop(source, request, withinLimit(source, request, body));
}

/** A cursor that leads back to the page that it came with would be followed for ever. */
function withoutLoop(source: string, { query }: ReadRequest, body: unknown): unknown {
  const asked = query.find(([name]) => name === "cursor")?.[1];
  if (!isRecord(body) || asked === undefined || body["next_cursor"] !== asked) return body;
  const { next_cursor: _cursor, ...rest } = body;
  const message = `The source ${JSON.stringify(source)} gave the cursor of this page as the next one: it cannot be paged on. Narrow the read.`;
  return { ...withWarning(rest, source, message), has_more: true };
}

/**
 * A list of records of which a source gave more than it was asked for, without the rest. What its cursors lead to comes after
 * rows that nobody saw, so that they go too; a warning says so.
 */
function withinLimit(source: string, { path, query }: ReadRequest, body: unknown): unknown {
  const limit = query.find(([name]) => name === "limit")?.[1] ?? "";
  const data = memberOf(body, "data");
  const isPage = path[0] === "streams" && path[2] === "records" && path.length === 3;
  if (!isPage || !LIMIT.test(limit) || !isRecord(body) || !isJsonArray(data)) return body;
  const count = Number(limit);
  if (data.length <= count) return body;
  const { next_cursor: _cursor, next_changes_since: _since, ...rest } = body;
  const message = `The source ${JSON.stringify(source)} gave ${data.length} records where ${count} were asked for: those behind them are left out, and it cannot be paged on. Narrow the read.`;
  return { ...withWarning(rest, source, message), data: data.slice(0, count), has_more: true };
}

function withWarning(
  body: Readonly<Record<string, unknown>>,
  source: string,
  message: string,
): Readonly<Record<string, unknown>> {
  const { links, meta } = body;
  const warnings = [
    ...recordsIn(memberOf(meta, "warnings")),
    { code: "partial_results", message, detail: { source } },
  ];
  return {
    ...body,
    ...(isRecord(links) ? { links: { ...links, next: null } } : {}),
    meta: { ...(isRecord(meta) ? meta : {}), warnings },
  };
}
