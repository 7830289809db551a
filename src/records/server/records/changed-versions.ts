import { CHANGES_SCAN_MAX_COUNT, RECORDS_PAGE_MAX_BYTES } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { allOf, coveredKeys, coveredTimes, type Condition } from "../covered.ts";
import type { Row, ServerPorts, Statement } from "../ports.ts";
import type { StoredRecord } from "./stored.ts";

/** A walk through changes: what the caller knew, how far it has come, and where it ends. */
export interface Session {
  /** The version up to which the caller has seen everything; 0 for nothing. */
  readonly since: number;
  readonly after: number;
  /** Null before the first page, which fixes it. */
  readonly horizon: number | null;
}

/** The state of a record at the horizon, and the one that the caller knew. A state that is not covered is null. */
export interface ChangedVersion {
  readonly feed: CoveredFeed;
  readonly key: string;
  readonly version: number;
  /**
   * Of what is told. Where a record only left what the grant covers, the state that the caller knew: of the hidden one nothing
   * shows, and however often it changes or whether it is deleted then, the same is told.
   */
  readonly emittedAt: string;
  readonly now: StoredRecord | null;
  readonly before: StoredRecord | null;
}

export interface ChangedPage {
  readonly versions: readonly ChangedVersion[];
  readonly horizon: number;
  /** The version up to which this page has looked; null where nothing is left. */
  readonly after: number | null;
}

/**
 * The next versions that are the last of their record before the horizon and of which the grant covers this state or the
 * one before. At most `limit`; fewer where what was looked through or their bodies are many.
 */
export async function readChangedVersions(
  feed: CoveredFeed,
  session: Session,
  limit: number,
  ports: ServerPorts,
): Promise<Result<ChangedPage, PdppProblem>> {
  const [feedRows, scanned, rows] = await ports.sql.read([
    { sql: "SELECT head_version, floor_version FROM record_feeds WHERE id = ?", values: [feed.feedId] },
    scannedStatement(feed, session),
    changedStatement(feed, session, limit + 1),
  ]);
  const head = Number(feedRows?.[0]?.["head_version"] ?? 0);
  const floor = Number(feedRows?.[0]?.["floor_version"] ?? 0);
  // From the beginning nothing is compared with, so nothing can be missing.
  if (session.since > head || (session.since > 0 && session.since < floor)) {
    return fail(
      problem(
        "cursor_expired",
        "What this bookmark is compared with is no longer kept: begin with changes_since=beginning.",
      ),
    );
  }
  const found = (rows ?? []).map((row) => changedVersion(feed, row));
  const fitting = found.slice(0, fittingCount(found, limit));
  return ok({
    versions: fitting,
    horizon: session.horizon ?? head,
    after: fitting.length < found.length ? (fitting.at(-1)?.version ?? null) : scannedTo(scanned?.[0]),
  });
}

function fittingCount(changed: readonly ChangedVersion[], limit: number): number {
  let bytes = 0;
  for (const [index, { now, before }] of changed.slice(0, limit).entries()) {
    bytes += (now?.dataBytes ?? 0) + (before?.dataBytes ?? 0);
    if (index > 0 && bytes > RECORDS_PAGE_MAX_BYTES) return index;
  }
  return Math.min(changed.length, limit);
}

/** Null where the versions ended before the scan's bound. */
function scannedTo(row: Row | undefined): number | null {
  return Number(row?.["count"]) === CHANGES_SCAN_MAX_COUNT ? Number(row?.["version"]) : null;
}

function changedVersion(feed: CoveredFeed, row: Row): ChangedVersion {
  const key = String(row["record_key"]);
  const state = (
    isCovered: unknown,
    [version, emittedAt, dataBytes]: readonly unknown[],
  ): StoredRecord | null =>
    isCovered === 1
      ? {
          feed,
          key,
          version: Number(version),
          emittedAt: String(emittedAt),
          dataBytes: Number(dataBytes),
          position: { order: { type: "null" }, key, connectionId: feed.connectionId },
        }
      : null;
  const now = state(row["is_covered"], [row["version"], row["emitted_at"], row["data_bytes"]]);
  const before = state(row["was_covered"], [
    row["before_version"],
    row["before_emitted_at"],
    row["before_bytes"],
  ]);
  const isHidden = now === null && row["is_deletion"] !== 1;
  return {
    feed,
    key,
    version: Number(row["version"]),
    emittedAt: isHidden && before !== null ? before.emittedAt : String(row["emitted_at"]),
    now,
    before,
  };
}

const COLUMNS = "version, record_key, deleted, emitted_at, consent_time, data_bytes, superseded_by";

/** The versions that one page looks through: all that the walk has before it, up to a bound. */
function versionsAhead(feed: CoveredFeed, { after, horizon }: Session, columns: string): Statement {
  const keys = coveredKeys(feed, "record_key");
  const where = allOf([
    { sql: "feed_id = ?", values: [feed.feedId] },
    ...keys,
    { sql: "version > ?", values: [after] },
    atHorizon("version <= ", feed, horizon),
  ]);
  // Few records are named by a grant that names any: their versions are found by key, not by going through all.
  const index = keys.length === 0 ? "" : " INDEXED BY record_versions_by_key";
  return {
    sql: `SELECT ${columns} FROM record_versions${index} WHERE ${where.sql} ORDER BY version LIMIT ${CHANGES_SCAN_MAX_COUNT}`,
    values: where.values,
  };
}

function scannedStatement(feed: CoveredFeed, session: Session): Statement {
  const { sql, values } = versionsAhead(feed, session, "version");
  return { sql: `SELECT MAX(version) AS version, COUNT(*) AS count FROM (${sql})`, values };
}

function changedStatement(feed: CoveredFeed, session: Session, take: number): Statement {
  const ahead = versionsAhead(feed, session, COLUMNS);
  const now = covers(feed, "v");
  const before = covers(feed, "b");
  const deletion = deletes(feed);
  const wasKnown = session.since > 0;
  const join = wasKnown
    ? " LEFT JOIN record_versions b ON b.id = (SELECT id FROM record_versions WHERE feed_id = ? AND record_key = v.record_key AND version <= ? ORDER BY version DESC LIMIT 1)"
    : "";
  const superseded = atHorizon("v.superseded_by > ", feed, session.horizon);
  return {
    sql: `SELECT v.version, v.record_key, v.emitted_at, v.data_bytes, ${now.sql} AS is_covered${wasKnown ? `, ${before.sql} AS was_covered, b.version AS before_version, b.emitted_at AS before_emitted_at, b.data_bytes AS before_bytes, ${deletion.sql} AS is_deletion` : ""}
FROM (${ahead.sql}) v${join}
WHERE (v.superseded_by IS NULL OR ${superseded.sql}) AND (${now.sql}${wasKnown ? ` OR ${before.sql}` : ""})
ORDER BY v.version LIMIT ?`,
    values: [
      ...now.values,
      ...(wasKnown ? [...before.values, ...deletion.values] : []),
      ...ahead.values,
      ...(wasKnown ? [feed.feedId, session.since] : []),
      ...superseded.values,
      ...now.values,
      ...(wasKnown ? before.values : []),
      take,
    ],
  };
}

/** Whether a state is one that the grant covers: live, and within its times. Its key is looked at before. */
function covers(feed: CoveredFeed, alias: string): Condition {
  const conditions = allOf([
    { sql: `${alias}.deleted = 0`, values: [] },
    ...coveredTimes(feed, `${alias}.consent_time`),
  ]);
  return { sql: `(${conditions.sql})`, values: conditions.values };
}

/** Whether a version deletes what the grant covered until then. */
function deletes(feed: CoveredFeed): Condition {
  if (feed.since === null && feed.until === null) return { sql: "v.deleted", values: [] };
  const last = covers(feed, "l");
  return {
    sql: `(v.deleted AND (SELECT ${last.sql} FROM record_versions l WHERE l.feed_id = ? AND l.record_key = v.record_key AND l.version < v.version ORDER BY l.version DESC LIMIT 1))`,
    values: [...last.values, feed.feedId],
  };
}

function atHorizon(comparison: string, { feedId }: CoveredFeed, horizon: number | null): Condition {
  return horizon === null
    ? { sql: `${comparison}(SELECT head_version FROM record_feeds WHERE id = ?)`, values: [feedId] }
    : { sql: `${comparison}?`, values: [horizon] };
}
