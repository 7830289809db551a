import { chooseConnector, type Evidence, namedConnector } from "../records/ingest/choose-connector.ts";
import { ingest } from "../records/ingest/ingest.ts";
import type { LineRefusal } from "../records/ingest/line.ts";
import type { IngestPorts } from "../records/ingest/ports.ts";
import { type LinesReason, readLines, type ReadLine } from "../records/ingest/read-lines.ts";
import { nameList } from "../records/name-list.ts";
import { type PdppProblem, problem, wireProblem } from "../records/problem.ts";
import { BodyStore } from "../records/store/body-store.ts";
import { type ConnectReason, ConnectionStore } from "../records/store/connection-store.ts";
import { IngestStore } from "../records/store/ingest-store.ts";
import { ManifestStore } from "../records/store/manifest-store.ts";
import { cutAtCodePoint } from "../code-points.ts";
import {
  CONNECTION_NAME_MAX_CHARS,
  INGEST_LINES_MAX_COUNT,
  MANIFEST_NAME_MAX_CHARS,
} from "../limits/records.ts";
import { fail, ok, type Result } from "../result.ts";
import { refuse } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { pdppJson, pdppProblem } from "./pdpp.ts";
import { manifests } from "./records-ports.ts";
import { readBody } from "./request-body.ts";
import { sleep } from "./sleep.ts";
import { readRequest } from "./v1-read.ts";

interface IngestTarget {
  readonly stream: string;
  readonly connectionId: string;
  /** As it was said; a connection that is there knows its own. */
  readonly connectorKey: string | undefined;
  /** What the connection is called from now on; as before where it is not said. */
  readonly displayName: string | null;
  /** How many lines there are, where the sender says it. */
  readonly lineCount: number | null;
}

/**
 * `POST /v1/ingest/{stream}?connection_id=C[&connector_id=K][&display_name=N][&lines=L]`: NDJSON lines, all of them or none. 200 tells
 * of each line what became of it; 400 which are wrong, or that there are not `lines` of them (blank ones count for nothing),
 * and that nothing was written. Repeating it writes nothing twice.
 */
export async function ingestRecords(c: HttpContext): Promise<Response> {
  const target = readTarget(c.req.url);
  if (!target.ok) return pdppProblem(c, target.reason);
  const body = await readBody(c);
  if (!body.ok) return body.reason === "too_large" ? refuse(c, "too_large") : pdppProblem(c, NO_TEXT);
  const lines = readLines(body.value);
  if (!lines.ok) return refusedLines(c, lines.reason);
  const { lineCount } = target.value;
  if (lineCount !== null && lineCount !== lines.value.length)
    return pdppProblem(c, cutOff(lineCount, lines.value.length));
  try {
    return await written(c, target.value, lines.value);
  } catch (error) {
    logFor(c)(`ingest: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return pdppProblem(c, UNKNOWN_OUTCOME);
  }
}

async function written(c: HttpContext, target: IngestTarget, lines: readonly ReadLine[]): Promise<Response> {
  const { stream, connectionId } = target;
  const connected = await connect(c.env.DB, target, lines);
  if (!connected.ok) return pdppProblem(c, connected.reason);
  const report = await ingest({ connectionId, stream, lines }, ingestPorts(c));
  if (!report.ok) {
    const { connectorKey } = connected.value;
    return pdppProblem(
      c,
      report.reason === "busy"
        ? BUSY
        : await unknownStream(new ManifestStore(c.env.DB), stream, connectorKey),
    );
  }
  return pdppJson({
    object: "ingest_report",
    stream,
    connection_id: connectionId,
    connector_key: connected.value.connectorKey,
    connection_is_new: connected.value.isNew,
    accepted: report.value.length,
    rejected: 0,
    data: report.value,
  });
}

export function ingestPorts(c: HttpContext): IngestPorts {
  return {
    store: new IngestStore(c.env.DB, manifests),
    bodies: new BodyStore(c.env.ARTIFACTS),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    random: () => Math.random(),
    sleep,
    log: (error) => {
      logFor(c)(`bodies that nothing names stay in the bucket: ${String(error)}`);
    },
  };
}

interface Connected {
  readonly connectorKey: string;
  readonly isNew: boolean;
}

/** Finds the connection, or makes it. */
async function connect(
  db: D1Database,
  { connectionId, connectorKey, stream, displayName }: IngestTarget,
  lines: readonly ReadLine[],
): Promise<Result<Connected, PdppProblem>> {
  const connections = new ConnectionStore(db);
  const found = await connections.find(connectionId);
  if (found !== undefined && connectorKey !== undefined && connectorKey !== found.connectorKey)
    return fail(CONFLICT);
  const connectAs = async (key: string): Promise<Result<Connected, PdppProblem>> => {
    const connection = { id: connectionId, connectorKey: key, displayName };
    const made = await connections.connect(connection, Date.now());
    return made.ok
      ? ok({ connectorKey: key, isNew: found === undefined })
      : fail(CONNECT_PROBLEMS[made.reason]);
  };
  if (found !== undefined) {
    return displayName === null
      ? ok({ connectorKey: found.connectorKey, isNew: false })
      : connectAs(found.connectorKey);
  }
  const candidates = await connections.connectors(stream);
  const chosen = chooseConnector(connectionId, connectorKey, candidates, evidenceOf(lines));
  if (!chosen.ok) {
    return fail(
      chosen.reason === "unknown_connector"
        ? CONNECT_PROBLEMS.unknown_connector
        : await unknownStream(
            new ManifestStore(db),
            stream,
            namedConnector(connectionId, connectorKey, candidates),
          ),
    );
  }
  return connectAs(chosen.value);
}

/** A stream that is not declared: by the connector that is meant, with those that it has, or by none that is loaded. */
async function unknownStream(
  manifestStore: ManifestStore,
  stream: string,
  connectorKey: string | undefined,
): Promise<PdppProblem> {
  const name = JSON.stringify(cutAtCodePoint(stream, MANIFEST_NAME_MAX_CHARS));
  const loaded = await manifestStore.list();
  const connector = loaded.find((row) => row.connectorKey === connectorKey);
  return problem(
    "stream_not_declared",
    connector === undefined
      ? `No loaded connector declares the stream ${name}: load a manifest that does.`
      : `The connector ${connector.connectorKey} declares no stream ${name}. Its streams: ${nameList(connector.manifest.streams.keys())}. Load its manifest anew to give it more.`,
  );
}

function evidenceOf(lines: readonly ReadLine[]): Evidence {
  const data = lines.flatMap((line) => (line.kind === "data" ? [Object.keys(line.data)] : []));
  return { keys: lines.map(({ key }) => key), members: new Set(data.flat()) };
}

const PARAMETERS: ReadonlySet<string> = new Set([
  "connection_id",
  "connector_instance_id",
  "connector_id",
  "display_name",
  "lines",
]);

function readTarget(url: string): Result<IngestTarget, PdppProblem> {
  const request = readRequest(url);
  if (!request.ok) return request;
  const { path, query } = request.value;
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!PARAMETERS.has(name))
      return fail(
        problem("invalid_request", "Takes connection_id, connector_id, display_name and lines.", {
          param: name,
        }),
      );
    if (given.has(name)) return fail(problem("invalid_request", "Is given twice.", { param: name }));
    given.set(name, value);
  }
  const alias = given.get("connector_instance_id");
  const connectionId = given.get("connection_id") ?? alias;
  if (alias !== undefined && alias !== connectionId) return fail(TWO_CONNECTIONS);
  if (connectionId === undefined || connectionId === "")
    return fail(
      problem("invalid_request", "Name the connection: ?connection_id=…", { param: "connection_id" }),
    );
  const lineCount = given.get("lines");
  if (lineCount !== undefined && !/^\d{1,9}$/.test(lineCount))
    return fail(problem("invalid_request", "lines is how many lines the body has.", { param: "lines" }));
  return ok({
    stream: path[1] ?? "",
    connectionId,
    connectorKey: given.get("connector_id"),
    displayName: given.get("display_name") ?? null,
    lineCount: lineCount === undefined ? null : Number(lineCount),
  });
}

function refusedLines(c: HttpContext, reason: LinesReason): Response {
  if (reason.reason === "too_many_lines") return pdppProblem(c, TOO_MANY_LINES);
  const rejected = reason.lines.filter(({ status }) => status === "rejected");
  const [first] = rejected;
  const { status, error } = wireProblem(
    problem(
      "invalid_request",
      `${rejected.length} of ${reason.lines.length} ${reason.lines.length === 1 ? "line" : "lines"} ${rejected.length === 1 ? "is" : "are"} wrong, and nothing was written. ${shown(first)}`,
    ),
  );
  return pdppJson({ error: { ...error, request_id: c.get("requestId") }, data: reason.lines }, status);
}

function shown(line: LineRefusal | undefined): string {
  return line?.status === "rejected" ? `Line ${line.line}: ${line.message}.` : "";
}

function cutOff(said: number, came: number): PdppProblem {
  return problem(
    "invalid_request",
    `${came} of ${said} lines came, and nothing was written: send them again.`,
    {
      param: "lines",
    },
  );
}

const NO_TEXT = problem("invalid_request", "The body is no UTF-8.");
const TOO_MANY_LINES = problem("too_large", `At most ${INGEST_LINES_MAX_COUNT} lines at a time.`);
const CONFLICT = problem("invalid_argument", "This connection is of another connector.", {
  param: "connector_id",
});
const TWO_CONNECTIONS = problem(
  "invalid_argument",
  "connection_id and connector_instance_id name different connections.",
  { param: "connector_instance_id" },
);
const UNKNOWN_OUTCOME = problem(
  "api_error",
  "Whether these lines were written is not known. Send them again: nothing is written twice.",
);
const BUSY = problem("source_unavailable", "Others write to this stream all the time: try again.");
const CONNECT_PROBLEMS: Readonly<Record<ConnectReason, PdppProblem>> = {
  invalid_id: problem(
    "invalid_request",
    "An id is up to 100 letters, digits and . _ @ : - after the first.",
    {
      param: "connection_id",
    },
  ),
  invalid_name: problem(
    "invalid_request",
    `A name is up to ${CONNECTION_NAME_MAX_CHARS} characters that can be seen.`,
    { param: "display_name" },
  ),
  being_removed: problem("invalid_argument", "This connection is being removed: finish that first.", {
    param: "connection_id",
  }),
  unknown_connector: problem("invalid_request", "No manifest of this connector was loaded: load it first.", {
    param: "connector_id",
  }),
  conflict: CONFLICT,
};
