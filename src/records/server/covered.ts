import type { CoveredFeed } from "../grant/coverage.ts";
import type { SqlValue } from "./ports.ts";

/** A condition of a WHERE clause, with its values in their order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/**
 * Which rows of `records` (by this alias) a grant covers: its feed, its keys, its times. This is in every statement that
 * reads records, so that nothing else is ever counted, ordered or looked at.
 */
export function coveredRows(feed: CoveredFeed, alias = "r"): Condition {
  return allOf([{ sql: `${alias}.feed_id = ?`, values: [feed.feedId] }, ...grantedRows(feed, alias)]);
}

/** The same but for the feed, for a statement over several feeds that are granted alike. */
export function grantedRows(feed: CoveredFeed, alias = "r"): Condition[] {
  const { stream } = feed;
  const conditions = [
    ...coveredKeys(feed, `${alias}.record_key`),
    ...coveredTimes(feed, `${alias}.consent_time`),
  ];
  // The order's own column says the same where it is the time of consent, and its index has a range then.
  if (stream.cursorField !== null && stream.cursorField === stream.consentTimeField) {
    conditions.push(...coveredTimes(feed, `${alias}.cursor_value`));
  }
  return conditions;
}

export function coveredKeys({ resources }: CoveredFeed, column: string): Condition[] {
  return resources === null
    ? []
    : [{ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(resources)] }];
}

export function coveredTimes({ since, until }: CoveredFeed, column: string): Condition[] {
  return [
    ...(since === null ? [] : [{ sql: `${column} >= ?`, values: [since] }]),
    ...(until === null ? [] : [{ sql: `${column} < ?`, values: [until] }]),
  ];
}

/** Whether the stream has an order that the grant gives; else records stand by their keys, of which nothing hidden shows. */
export function isOrdered({ stream: { cursorField }, fields }: CoveredFeed): boolean {
  return cursorField !== null && (fields?.has(cursorField) ?? true);
}

/** Whether a grant covers all that the feed has. */
export function isWholeFeed({ resources, since, until }: CoveredFeed): boolean {
  return resources === null && since === null && until === null;
}
