import { SQL_VALUES_MAX_COUNT } from "../../limits/records.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { Sql } from "./ports.ts";

/** A request came to a statement with more values than D1 takes. Thrown within the server only; its entry tells it. */
export class TooManyValues extends Error {
  readonly problem: PdppProblem = problem(
    "invalid_request",
    "So many filters over so many sources are too much: choose one by connection_id.",
    { param: "connection_id" },
  );
}

/**
 * The database with D1's bound of values kept before it is asked: how many there are depends on filters, sources and what the
 * grants say together, so no operation knows it on its own.
 */
export function boundedSql(sql: Sql): Sql {
  return {
    read: async (statements) => {
      if (statements.some(({ values }) => values.length > SQL_VALUES_MAX_COUNT)) throw new TooManyValues();
      return sql.read(statements);
    },
  };
}
