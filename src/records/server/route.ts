import { fail, type Result } from "../../result.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { ReadRequest } from "../source/read-source.ts";
import { answerAggregate } from "./aggregate/aggregate.ts";
import type { ServerAnswer } from "./answer.ts";
import { boundedSql, TooManyValues } from "./bounded-sql.ts";
import { FormMoved, heldSql } from "./held-sql.ts";
import { parseParameters, type ParameterNames, type Parsed } from "./parameters.ts";
import type { ServerPorts } from "./ports.ts";
import { answerConnectors } from "./schema/connectors.ts";
import { answerSchema } from "./schema/schema.ts";
import { answerStream, answerStreams } from "./schema/streams.ts";
import { answerRecord } from "./records/record.ts";
import { answerRecords } from "./records/records.ts";
import { answerSearch } from "./search/search.ts";

interface Operation {
  readonly names: ParameterNames;
  readonly answer: (request: Parsed, ports: ServerPorts) => Promise<ServerAnswer>;
}

const OPERATIONS = {
  connectors: { names: { connection: true }, answer: answerConnectors },
  schema: {
    names: { one: ["view", "detail", "stream", "connector_id"], connection: true },
    answer: answerSchema,
  },
  streams: { names: { connection: true }, answer: answerStreams },
  stream: { names: { connection: true }, answer: answerStream },
  records: {
    names: {
      one: ["limit", "cursor", "order", "sort", "count", "window", "view", "changes_since"],
      list: ["fields", "expand"],
      keyed: ["filter", "expand_limit"],
      connection: true,
    },
    answer: answerRecords,
  },
  record: {
    names: { one: ["view"], list: ["fields", "expand"], keyed: ["expand_limit"], connection: true },
    answer: answerRecord,
  },
  aggregate: {
    names: {
      one: ["metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"],
      keyed: ["filter"],
      connection: true,
    },
    answer: answerAggregate,
  },
  search: {
    names: { one: ["q", "limit", "cursor"], list: ["streams"], keyed: ["filter"], connection: true },
    answer: answerSearch,
  },
} as const satisfies Readonly<Record<string, Operation>>;

/** The resource server, whoever asks: no HTTP in it. It never throws, and what a backend said never leaves. */
export async function answerRead(request: ReadRequest, ports: ServerPorts): Promise<ServerAnswer> {
  const found = operationAt(request.path);
  if (found === undefined) return fail(problem("not_found", "There is nothing at this path."));
  const { operation, stream = "", key = "" } = found;
  const read = parseParameters(request, operation.names);
  if (!read.ok) return asRecorded(read);
  try {
    const bounded = { ...ports, sql: boundedSql(heldSql(ports.sql, ports.coverage.feeds)) };
    return asRecorded(await operation.answer({ request, stream, key, ...read.value }, bounded));
  } catch (error) {
    if (error instanceof TooManyValues || error instanceof FormMoved) return asRecorded(fail(error.problem));
    ports.log(error);
    return fail(problem("api_error", "The records could not be read: try again."));
  }
}

/** PDPP's server has no `param` in these, though the message names it. */
const WITHOUT_PARAM: ReadonlySet<string> = new Set([
  "unknown_field",
  "field_not_granted",
  "invalid_cursor",
  "invalid_expand",
]);
/** The parameters that say what is reckoned with, of which it names none either. */
const NEVER_NAMED = /^(?:filter\[|metric$|field$|group_by|granularity$|time_zone$)/;

function asRecorded<Value>(answer: Result<Value, PdppProblem>): Result<Value, PdppProblem> {
  if (answer.ok) return answer;
  const { param, ...rest } = answer.reason;
  const isNamed = param !== undefined && !WITHOUT_PARAM.has(rest.code) && !NEVER_NAMED.test(param);
  return fail(isNamed ? { ...rest, param } : rest);
}

function operationAt(
  path: readonly string[],
): { readonly operation: Operation; readonly stream?: string; readonly key?: string } | undefined {
  const [head, stream, part, key] = path;
  if (path.length === 1) {
    if (head === "connectors") return { operation: OPERATIONS.connectors };
    if (head === "schema") return { operation: OPERATIONS.schema };
    if (head === "streams") return { operation: OPERATIONS.streams };
    return head === "search" ? { operation: OPERATIONS.search } : undefined;
  }
  if (head !== "streams" || stream === undefined) return undefined;
  if (path.length === 2) return { operation: OPERATIONS.stream, stream };
  if (path.length === 3 && part === "records") return { operation: OPERATIONS.records, stream };
  if (path.length === 3 && part === "aggregate") return { operation: OPERATIONS.aggregate, stream };
  return path.length === 4 && part === "records" && key !== undefined
    ? { operation: OPERATIONS.record, stream, key }
    : undefined;
}
