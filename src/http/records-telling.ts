import type { BearerClaims } from "../access/bearer.ts";
import { counts, UNNAMED } from "../gateway/telling/call-event.ts";
import { Teller } from "../gateway/telling/teller.ts";
import { isJsonArray, memberOf, parsedJson } from "../json.ts";
import type { RecordsContext } from "../records/adapter/context.ts";
import { isPdppCode } from "../records/problem.ts";
import type { ReadRequest } from "../records/source/read-source.ts";
import type { RECORD_OPERATIONS } from "../spine/telemetry/event-vocabulary.ts";
import { isGrantId, isStreamName } from "../spine/telemetry/identifiers.ts";
import type { Surface, ToolAnswer } from "../surface.ts";
import { refuse } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { HttpRequestContext } from "./request-context.ts";

type Operation = (typeof RECORD_OPERATIONS)[number];

/** Of one read or write no key, no value, no query and no filter is told. */
interface RecordsCall {
  readonly operation: Operation;
  readonly via: "mcp" | "rest";
  /** As the caller named it. */
  readonly stream: unknown;
  /** The connection, as the caller named it. */
  readonly connection?: unknown;
}

/** What tells of a call may say of its bearer: its streams and, of a connection or of all, whose grant it is. */
interface Reading {
  /** Whether a stream's name is more than the caller's own text. */
  readonly isKnown: (stream: string) => boolean;
  readonly grantOf?: (connection: unknown) => string | null;
}

type RecordsEnding =
  | { readonly ok: true; readonly rows: number | null }
  | { readonly ok: false; readonly code: unknown; readonly status: unknown };

/** Codes that the five tools have beside PDPP's. */
const TOOL_CODES: ReadonlySet<unknown> = new Set([
  "invalid_filter",
  "conflicting_connection_id",
  "unsupported_by_source",
]);

/** Begins to count time for one call; what it gives tells the ledger of the call's end, once and behind the answer. */
export function recordsTeller(
  c: HttpContext,
  claims: BearerClaims,
  { isKnown, grantOf = () => null }: Reading,
) {
  const ports = { now: () => Date.now(), newId: () => crypto.randomUUID(), log: logFor(c) };
  const teller = new Teller(null, ports);
  return ({ operation, via, stream, connection }: RecordsCall, ending: RecordsEnding): void => {
    const grant = grantOf(connection);
    const call = {
      operation,
      via,
      ...(isGrantId(grant) ? { grant } : {}),
      ...(isStreamName(stream) && isKnown(stream) ? { stream } : {}),
    };
    const told = teller.entries(
      ending.ok
        ? {
            event: "records.completed",
            success: true,
            ...UNNAMED,
            attributes: { ...call, ...counts({ row_count: ending.rows }) },
          }
        : {
            event: "records.failed",
            success: false,
            ...UNNAMED,
            attributes: { ...call, error_code: codeOf(ending.code), ...statusOf(ending.status) },
          },
    );
    new HttpRequestContext(c, claims, null).settle({ told: [...told] });
  };
}

/** An external source's codes are its own words. */
function codeOf(code: unknown): string {
  if (typeof code !== "string") return "internal";
  return isPdppCode(code) || TOOL_CODES.has(code) ? code : "source_error";
}

function statusOf(status: unknown): { readonly http_status?: number } {
  return counts({ http_status: typeof status === "number" ? status : null });
}

/** The surface, each of whose calls is told. */
export function toldSurface(
  surface: Surface<RecordsContext>,
  c: HttpContext,
  claims: BearerClaims,
): Surface<RecordsContext> {
  return {
    ...surface,
    async call(name, args, context, origin, line) {
      const tell = recordsTeller(c, claims, readingOf(c));
      const operation = OPERATIONS.find((known) => known === name);
      if (operation === undefined) return surface.call(name, args, context, origin, line);
      let answer: ToolAnswer | undefined;
      try {
        answer = await surface.call(name, args, context, origin, line);
        return answer;
      } finally {
        const content = answer?.structuredContent;
        const stream = memberOf(args, "stream") ?? memberOf(memberOf(content, "metadata"), "stream");
        const connection =
          memberOf(args, "connection_id") ?? memberOf(memberOf(content, "metadata"), "connection_id");
        tell({ operation, via: "mcp", stream, connection }, endingOf(answer));
      }
    },
  };
}

const OPERATIONS: readonly Operation[] = ["schema", "query_records", "aggregate", "search", "fetch"];

/** A handler of `POST /v1/ingest/{stream}`, each of whose requests is told: how many lines were taken, and nothing in them. */
export function toldIngest(handler: (c: HttpContext) => Promise<Response>) {
  return async function toldIngest(c: HttpContext): Promise<Response> {
    const caller = c.get("caller");
    if (caller.kind !== "bearer") return refuse(c, "forbidden");
    let isTaken = false;
    // Before it was found in a manifest, a stream's name is the caller's own text.
    const tell = recordsTeller(c, caller.claims, { isKnown: () => isTaken });
    const call = { operation: "ingest", via: "rest", stream: c.req.param("stream") } as const;
    let ending: RecordsEnding = { ok: false, code: null, status: null };
    try {
      const response = await handler(c);
      const body = parsedJson(await response.clone().text());
      isTaken = response.ok;
      const accepted = memberOf(body, "accepted");
      ending = isTaken
        ? { ok: true, rows: typeof accepted === "number" ? accepted : null }
        : { ok: false, code: memberOf(memberOf(body, "error"), "code"), status: response.status };
      return response;
    } finally {
      tell(call, ending);
    }
  };
}

/** A reader's bearer: its grants' streams, and the grant of the connection that a call names, or else the one or package that it has. */
export function readingOf(c: HttpContext): Reading {
  const { feeds, holder } = c.get("reader").whole;
  return {
    isKnown: (name) => feeds.some(({ stream }) => stream.name === name),
    grantOf: (connection) => {
      const feed = feeds.find(({ connectionId }) => connectionId === connection);
      if (feed !== undefined) return feed.grantId;
      if (holder.kind === "owner") return null;
      return holder.kind === "client" ? holder.grantId : holder.packageId;
    },
  };
}

/** No answer: something was thrown. */
function endingOf(answer: ToolAnswer | undefined): RecordsEnding {
  const content = answer?.structuredContent;
  if (answer !== undefined && answer.isError !== true) return { ok: true, rows: rowsOf(content) };
  return {
    ok: false,
    code: memberOf(memberOf(content, "error"), "code"),
    status: memberOf(content, "http_status"),
  };
}

/** How many records, hits or groups an answer has; null where it has no list of them. */
export function rowsOf(body: unknown): number | null {
  const data = memberOf(body, "data");
  const lists = [
    memberOf(body, "results"),
    data,
    memberOf(data, "data"),
    memberOf(body, "groups"),
    memberOf(data, "groups"),
  ];
  return lists.find(isJsonArray)?.length ?? null;
}

/** What a path under `/v1` asks for. */
export function operationAt({ path }: ReadRequest): Operation {
  const [head, , part] = path;
  if (head === "schema" || head === "search") return head;
  if (head === "connectors" || (head === "streams" && path.length <= 2)) return "streams";
  if (head !== "streams") return "other";
  if (part === "aggregate") return part;
  return path.length === 3 ? "query_records" : "fetch";
}
