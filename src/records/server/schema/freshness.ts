import type { CoveredFeed } from "../../grant/coverage.ts";
import { allOf, coveredKeys, coveredTimes, isOrdered, isWholeFeed } from "../covered.ts";
import type { Row, ServerPorts, Statement } from "../ports.ts";
import { countStatement } from "../records/page-statement.ts";
import { chooseRows } from "../records/row-choice.ts";

/** How new a feed is, and how many records it has, as far as a grant covers it. */
export interface FeedState {
  /** When its newest record was emitted, as that record says it. */
  readonly lastUpdated: string | null;
  /** Null where it was not asked for. */
  readonly recordCount: number | null;
}

/**
 * The state of each feed. A whole feed's row knows it; what a grant narrows is looked up, so that nothing tells of records
 * that it does not cover: its newest record by the stream's order or, where that is not granted, the one written last; and a
 * count only where one is wanted.
 */
export async function feedStates(
  feeds: readonly CoveredFeed[],
  isCounted: boolean,
  { sql }: ServerPorts,
): Promise<ReadonlyMap<CoveredFeed, FeedState>> {
  const whole = feeds.filter(isWholeFeed);
  const narrowed = feeds.filter((feed) => !isWholeFeed(feed));
  const [wholeRows, ...narrowedRows] = await sql.read([
    {
      sql: "SELECT id, record_count, last_emitted_at AS emitted_at FROM record_feeds WHERE id IN (SELECT value FROM json_each(?))",
      values: [JSON.stringify(whole.map(({ feedId }) => feedId))],
    },
    ...narrowed.map(isCounted ? countedStatement : newestStatement),
  ]);
  const byFeed = new Map((wholeRows ?? []).map((row) => [row["id"], row]));
  return new Map([
    ...whole.map((feed) => [feed, stateOf(byFeed.get(feed.feedId))] as const),
    ...narrowed.map((feed, index) => [feed, stateOf(narrowedRows[index]?.[0])] as const),
  ]);
}

function newestStatement(feed: CoveredFeed): Statement {
  if (!isOrdered(feed)) return lastWrittenStatement(feed);
  const { from, where } = chooseRows(feed, []);
  return {
    sql: `SELECT r.emitted_at FROM ${from.sql} WHERE ${where.sql} ORDER BY r.cursor_value DESC LIMIT 1`,
    values: [...from.values, ...where.values],
  };
}

/** Where the order is not the caller's to know: of what was written last, which a walk through changes shows too. */
function lastWrittenStatement(feed: CoveredFeed): Statement {
  const where = allOf([
    { sql: "v.feed_id = ? AND v.deleted = 0 AND v.superseded_by IS NULL", values: [feed.feedId] },
    ...coveredKeys(feed, "v.record_key"),
    ...coveredTimes(feed, "v.consent_time"),
  ]);
  const index = feed.resources === null ? "" : " INDEXED BY record_versions_by_key";
  return {
    sql: `SELECT v.emitted_at FROM record_versions v${index} WHERE ${where.sql} ORDER BY v.version DESC LIMIT 1`,
    values: where.values,
  };
}

function countedStatement(feed: CoveredFeed): Statement {
  const newest = newestStatement(feed);
  const count = countStatement(feed, []);
  return {
    sql: `SELECT (${newest.sql}) AS emitted_at, (${count.sql}) AS record_count`,
    values: [...newest.values, ...count.values],
  };
}

function stateOf(row: Row | undefined): FeedState {
  const [emittedAt, count] = [row?.["emitted_at"], row?.["record_count"]];
  return {
    lastUpdated: typeof emittedAt === "string" ? emittedAt : null,
    recordCount: typeof count === "number" ? count : null,
  };
}

/** `freshness` as the wire has it; of several feeds, the newest counts. */
export function freshnessOf(states: readonly (FeedState | undefined)[]): object {
  const times = states
    .map((state) => Date.parse(state?.lastUpdated ?? ""))
    .filter((time) => !Number.isNaN(time));
  return {
    status: "unknown",
    ...(times.length === 0 ? {} : { captured_at: new Date(Math.max(...times)).toISOString() }),
  };
}
