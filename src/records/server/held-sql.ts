import { isJsonArray, parsedJson } from "../../json.ts";
import type { CoveredFeed } from "../grant/coverage.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { Row, Sql, Statement } from "./ports.ts";

/** What a read was planned by counts no more. Thrown within the server only; its entry tells it. */
export class FormMoved extends Error {
  readonly problem: PdppProblem = problem(
    "source_unavailable",
    "What the streams declare was changed while they were read: try again.",
  );
}

/**
 * The database as long as rows are filed as the feeds say it. Columns, order and documents are read by a manifest that came
 * before the read and may have given way since; so each round trip says in the same transaction whether it still counts, and
 * whether a feed's rows are between two orders by now. What would be of both is not given.
 */
export function heldSql(sql: Sql, feeds: readonly CoveredFeed[]): Sql {
  const hashes = new Map(
    feeds.flatMap(({ connectorKey, manifestHash }) =>
      manifestHash === undefined ? [] : [[connectorKey, manifestHash] as const],
    ),
  );
  if (hashes.size === 0) return sql;
  const ordered = new Set(feeds.flatMap((feed) => (feed.isReordered === true ? [] : [feed.feedId])));
  const held: Statement = { sql: HELD, values: [JSON.stringify([...hashes])] };
  return {
    read: async (statements) => {
      if (statements.every(({ isByVersion }) => isByVersion)) return sql.read(statements);
      const answers = await sql.read([...statements, held]);
      const row: Row = answers[statements.length]?.[0] ?? {};
      const reordered = parsedJson(String(row["reordered"]));
      const isBetween = isJsonArray(reordered) && reordered.some((id) => ordered.has(Number(id)));
      if (row["manifests"] !== hashes.size || isBetween) throw new FormMoved();
      return answers.slice(0, statements.length);
    },
  };
}

const HELD = `SELECT (SELECT count(*) FROM json_each(?) j CROSS JOIN record_manifests m
ON m.connector_key = j.value ->> 0 AND m.manifest_hash = j.value ->> 1) AS manifests,
(SELECT json_group_array(id) FROM record_feeds WHERE is_reordered = 1) AS reordered`;
