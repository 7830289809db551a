import { compareCodePoints } from "../../code-points.ts";
import { AMBIGUOUS_CANDIDATES_MAX_COUNT } from "../../limits/records.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { SourceConnection } from "./read-source.ts";

/** A connection that a call may have meant, as errors name it. */
export type Candidate = Pick<SourceConnection, "connectionId" | "connectorKey" | "grantId" | "displayName">;

export interface AmbiguousOptions {
  readonly code?: "ambiguous_connection" | "ambiguous_schema_detail";
  /** What cannot be done without a connection: `records of "messages"`. */
  readonly what?: string;
  /** There may be candidates that only a schema read would tell. */
  readonly incomplete?: boolean;
  /** Of some source nothing at all is known, so that there is no total. */
  readonly uncounted?: boolean;
}

/**
 * The one shape of "several connections could be meant" (409, seed 002): at most twelve candidates in the order of their
 * ids, their total where it is known, and how to go on. It needs no call of any source.
 */
export function ambiguousConnection(
  connections: readonly Candidate[],
  {
    code = "ambiguous_connection",
    what = "this",
    incomplete = false,
    uncounted = false,
  }: AmbiguousOptions = {},
): PdppProblem {
  const unique = [...new Map(connections.map((each) => [each.connectionId, each])).values()].toSorted(
    (left, right) => compareCodePoints(left.connectionId, right.connectionId),
  );
  const shown = unique.slice(0, AMBIGUOUS_CANDIDATES_MAX_COUNT);
  const omitted = unique.length - shown.length;
  const hint =
    omitted > 0 || incomplete || uncounted
      ? { discovery_hint: "schema lists every connection that can be read." }
      : {};
  return problem(code, `Which connection is meant by ${what}? Say so with connection_id.`, {
    param: "connection_id",
    extra: {
      available_connections: shown.map(candidateRow),
      ...(uncounted ? {} : { available_connection_count: unique.length }),
      retry_with: "connection_id",
      ...(omitted > 0
        ? { available_connections_truncated: true, available_connections_omitted: omitted }
        : {}),
      ...hint,
    },
  });
}

/** A connection as errors and packages name it. */
export function candidateRow({ connectionId, connectorKey, grantId, displayName }: Candidate): object {
  return {
    connection_id: connectionId,
    connector_key: connectorKey,
    ...(grantId === null ? {} : { grant_id: grantId }),
    ...(displayName === null ? {} : { display_name: displayName }),
  };
}
