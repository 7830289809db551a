import { exactJsonText } from "../../../exact-json/write.ts";
import type { ToolAnswer } from "../../../surface.ts";
import { ambiguousConnection } from "../../source/ambiguous.ts";
import type { ReadAnswer, ReadSource, SourceConnection } from "../../source/read-source.ts";
import { answerOf, type Refused, refusal, sourceRefusal, unreadable } from "../answers.ts";
import type { ReadArguments } from "../arguments.ts";
import { candidate } from "../connection-choice.ts";
import type { RecordsContext } from "../context.ts";
import { oneLine, quoted } from "../line.ts";
import {
  documentOf,
  type GrantedConnection,
  type SchemaScope,
  type StreamRow,
  streamRows,
} from "./document.ts";
import { documentMembers } from "./document-notes.ts";
import { indexDocument, indexText, schemaIndex } from "./index-answer.ts";
import { compactRow } from "./row-object.ts";
import { fullDocument, scopedDocument, scopedText } from "./scoped-answer.ts";

/**
 * The `schema` tool: without a stream the index of all, with one what it takes. What is read of a stream is its full row, since
 * the server's compact one leaves out formats, views and whether records are counted; both are compacted here.
 */
export async function callSchema(args: ReadArguments, { source }: RecordsContext): Promise<ToolAnswer> {
  const stream = args.text("stream");
  const connectionId = args.text("connection_id");
  const full = args.text("detail") === "full";
  if (stream === undefined && full) {
    return refusal({
      code: "invalid_request",
      message:
        'detail "full" is of one stream: schema {"stream":"…","connection_id":"…","detail":"full"}. Find it with schema {}.',
      param: "detail",
    });
  }
  const scope = { stream, connectionId };
  const answer = await readSchema(source, scope, full);
  if (!answer.ok) return sourceRefusal(answer);
  const document = documentOf(answer.body);
  if (document === undefined) return unreadable(answer.requestId);
  const known = new Map(source.describe().connections.map((each) => [each.connectionId, each]));
  const rows = streamRows(document, scope).map((row) => labelled(row, known));
  const rest = { request_id: answer.requestId };
  if (stream === undefined) {
    const index = schemaIndex(rows);
    return answerOf(indexText(index, document), { data: indexDocument(index, document, rest), ...rest });
  }
  if (rows.length === 0) return refusal(notThere(stream, connectionId));
  return scoped(stream, rows, document, rest, full);
}

function scoped(
  stream: string,
  all: readonly StreamRow[],
  document: unknown,
  rest: { readonly request_id: string | null },
  full: boolean,
): ToolAnswer {
  const rows = mergedRows(all);
  const members = documentMembers(document);
  const candidates = rows.flatMap(({ connectorKey, connections }) =>
    connections.map((each) => candidate({ ...each, connectorKey: connectorKey ?? "" })),
  );
  const [only] = all;
  if (full && only !== undefined) {
    const isShared = new Set(candidates.map(({ connectionId }) => connectionId)).size > 1 || rows.length > 1;
    if (isShared) {
      const what = `the stream ${quoted(oneLine(stream, 80))}`;
      return refusal(ambiguousConnection(candidates, { code: "ambiguous_schema_detail", what }));
    }
    const text = scopedText(stream, rows, document, true);
    return answerOf(text, { data: fullDocument(only, rest, members), ...rest });
  }
  const text = scopedText(stream, rows, document, false);
  return answerOf(text, { data: scopedDocument(rows, rest, members), ...rest });
}

/** Reads as little as tells what is wanted: the index needs no field, and a server without a compact form is read plainly. */
async function readSchema(
  source: ReadSource,
  { stream, connectionId }: SchemaScope,
  full: boolean,
): Promise<ReadAnswer> {
  const query: (readonly [string, string])[] = [
    ...(full ? [["detail", "full"] as const] : []),
    ...(stream === undefined ? [] : [["stream", stream] as const]),
    ...(connectionId === undefined ? [] : [["connection_id", connectionId] as const]),
  ];
  if (stream !== undefined) return source.get({ path: ["schema"], query });
  const compact = await source.get({ path: ["schema"], query: [["view", "compact"], ...query] });
  return !compact.ok && refusesView(compact) ? source.get({ path: ["schema"], query }) : compact;
}

const NO_VIEW_CODES: ReadonlySet<string> = new Set(["bad_request", "invalid_request", "unsupported_query"]);

function refusesView({ status, error }: Refused): boolean {
  const isOther = error.param !== undefined && error.param !== "view";
  return status === 400 && NO_VIEW_CODES.has(error.code) && !isOther;
}

/** Labels and grants that the document leaves out and the source knows. */
function labelled(row: StreamRow, known: ReadonlyMap<string, SourceConnection>): StreamRow {
  const connections = row.connections.map(({ connectionId, displayName, grantId }): GrantedConnection => ({
    connectionId,
    displayName: displayName ?? known.get(connectionId)?.displayName ?? null,
    grantId: grantId ?? known.get(connectionId)?.grantId ?? null,
  }));
  return { ...row, connections };
}

/** Rows that say the same of several connections, once. */
function mergedRows(rows: readonly StreamRow[]): readonly StreamRow[] {
  const merged = new Map<string, StreamRow>();
  for (const row of rows) {
    const said = compactRow({ ...row, connections: [] }, { fields: Infinity, connections: 0 });
    const key = exactJsonText([row.connectorKey, said]);
    const before = merged.get(key)?.connections ?? [];
    const ids = new Set(before.map(({ connectionId }) => connectionId));
    const added = row.connections.filter(({ connectionId }) => !ids.has(connectionId));
    merged.set(key, { ...row, connections: [...before, ...added] });
  }
  return [...merged.values()];
}

function notThere(stream: string, connectionId: string | undefined) {
  const where = connectionId === undefined ? "" : ` of the connection ${quoted(oneLine(connectionId, 80))}`;
  return {
    code: "stream_not_declared",
    message: `No granted stream ${quoted(oneLine(stream, 80))}${where}: schema {} lists them all.`,
    param: "stream",
  } as const;
}
