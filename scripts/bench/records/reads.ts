import type { Statement } from "../../../src/records/server/ports.ts";
import { STREAM } from "./mail.ts";

/** One read that is measured, and how one would do the same without the columns: every body looked into. */
export interface MeasuredRead {
  readonly name: string;
  readonly path: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  /** Over one feed's bodies; absent where bodies alone cannot tell. */
  readonly plain?: (feedId: number) => Statement;
  /** Whether both found the same, as far as both tell it. */
  readonly agrees?: (answer: Answered, plain: readonly Record<string, unknown>[]) => boolean;
}

/** What of an answer is compared. */
export interface Answered {
  readonly ids: readonly string[];
  readonly groups: readonly { readonly key: unknown; readonly count: unknown }[];
  readonly count: unknown;
}

const RECORDS = ["streams", STREAM, "records"];
const AGGREGATE = ["streams", STREAM, "aggregate"];
const PAGE = 100;
const ZONE = "America/New_York";
const RANGE = ["2024-06-01T00:00:00Z", "2024-07-01T00:00:00Z"] as const;

const BODIES = "FROM record_versions WHERE feed_id = ? AND superseded_by IS NULL AND deleted = 0";
const field = (name: string): string => `json_extract(data, '$.${name}')`;
const newest = `ORDER BY ${field("sent_at")} DESC, record_key DESC LIMIT ${PAGE}`;

function sameKeys({ ids }: Answered, rows: readonly Record<string, unknown>[]): boolean {
  return ids.join(" ") === rows.map((row) => String(row["record_key"])).join(" ");
}

function sameCounts({ groups }: Answered, rows: readonly Record<string, unknown>[]): boolean {
  const counts = (list: readonly unknown[]): string => list.map(Number).join(" ");
  return counts(groups.map(({ count }) => count)) === counts(rows.map((row) => row["count"]));
}

/** The reads in their order. `common` and `rare` are words of many and of few letters. */
export function measuredReads({
  common,
  rare,
}: {
  readonly common: string;
  readonly rare: string;
}): MeasuredRead[] {
  return [
    {
      name: "page of 100, newest first",
      path: RECORDS,
      query: [["limit", "100"]],
      plain: (feedId) => ({ sql: `SELECT record_key, data ${BODIES} ${newest}`, values: [feedId] }),
      agrees: sameKeys,
    },
    {
      name: "page of 100, folder = drafts",
      path: RECORDS,
      query: [
        ["limit", "100"],
        ["filter[folder]", "drafts"],
      ],
      plain: (feedId) => ({
        sql: `SELECT record_key, data ${BODIES} AND ${field("folder")} = 'drafts' ${newest}`,
        values: [feedId],
      }),
      agrees: sameKeys,
    },
    {
      name: "page of 100 of one month",
      path: RECORDS,
      query: [
        ["limit", "100"],
        ["filter[sent_at][gte]", RANGE[0]],
        ["filter[sent_at][lt]", RANGE[1]],
      ],
      plain: (feedId) => ({
        sql: `SELECT record_key, data ${BODIES} AND ${field("sent_at")} >= '${RANGE[0]}' AND ${field("sent_at")} < '${RANGE[1]}' ${newest}`,
        values: [feedId],
      }),
      agrees: sameKeys,
    },
    {
      name: "count by sender, first 100",
      path: AGGREGATE,
      query: [
        ["metric", "count"],
        ["group_by", "sender"],
        ["limit", "100"],
      ],
      plain: (feedId) => ({
        sql: `SELECT ${field("sender")} AS key, count(*) AS count ${BODIES} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100`,
        values: [feedId],
      }),
      agrees: sameCounts,
    },
    {
      name: "count by day in New York, 100 days",
      path: AGGREGATE,
      query: [
        ["metric", "count"],
        ["group_by_time", "sent_at"],
        ["granularity", "day"],
        ["time_zone", ZONE],
        ["limit", "100"],
      ],
      // By days of UTC: how one would do it that knows no zones.
      plain: (feedId) => ({
        sql: `SELECT substr(${field("sent_at")}, 1, 10) AS key, count(*) AS count ${BODIES} GROUP BY 1 ORDER BY 1 LIMIT 100`,
        values: [feedId],
      }),
    },
    {
      name: "search, a word of 1 in 100 letters",
      path: ["search"],
      query: [
        ["q", common],
        ["limit", "25"],
      ],
      plain: (feedId) => searchPlain(feedId, common),
      agrees: sameTotal,
    },
    {
      name: "search, a word of 1 in 1,000",
      path: ["search"],
      query: [
        ["q", rare],
        ["limit", "25"],
      ],
      plain: (feedId) => searchPlain(feedId, rare),
      agrees: sameTotal,
    },
    {
      name: "100 changes since the beginning",
      path: RECORDS,
      query: [
        ["limit", "100"],
        ["changes_since", "beginning"],
      ],
    },
  ];
}

/** Words of the bench hold no other word, so that a pattern finds what an index does; ranked by nothing. */
function searchPlain(feedId: number, word: string): Statement {
  const text = `' ' || ${field("subject")} || ' ' || ${field("body")} || ' '`;
  return {
    sql: `SELECT record_key, data, count(*) OVER () AS total ${BODIES} AND ${text} LIKE ? LIMIT 25`,
    values: [feedId, `% ${word} %`],
  };
}

function sameTotal({ count }: Answered, rows: readonly Record<string, unknown>[]): boolean {
  return Number(count) === Number(rows[0]?.["total"] ?? 0);
}
