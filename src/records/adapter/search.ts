import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import {
  RECORD_LABEL_MAX_CHARS,
  RECORD_TITLE_MAX_CHARS,
  RECORDS_TEXT_MIN_BYTES,
  SEARCH_TEXT_MAX_BYTES,
  SNIPPET_MAX_CHARS,
  SNIPPET_TEXT_MAX_CHARS,
} from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { ToolAnswer } from "../../surface.ts";
import type { SourceConnection } from "../source/read-source.ts";
import { addressOf, placeOf, type RecordsPlace } from "./address.ts";
import { answerOf, sourceRefusal, unreadable } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import type { RecordsContext } from "./context.ts";
import { highlighted, unhighlighted } from "./highlight.ts";
import { BoundedLines, boundedList, nameText, oneLine, quoted } from "./line.ts";
import { addWarnings, listNotes, numberText, withBoundedWarnings } from "./notes.ts";
import { onlyConnection } from "./query-records.ts";
import { recordId } from "./record-id.ts";
import { idText } from "./record-line.ts";
import { textAt } from "./schema/document.ts";
import { titleOf } from "./title.ts";

/** One hit as the tool answers it. */
interface Hit {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
  readonly connection_id?: string;
  readonly connector_key?: string;
  readonly stream: string;
  readonly record_key: string;
  readonly display_name?: string;
}

/** The `search` tool: the best hits over every connection or one, at most `limit` in all. */
export async function callSearch(
  args: ReadArguments,
  { source, baseUrl }: RecordsContext,
): Promise<ToolAnswer> {
  const mode = args.text("mode") ?? "lexical";
  const path = mode === "lexical" ? ["search"] : ["search", mode];
  const answer = await source.get({ path, query: args.query("mode") });
  if (!answer.ok) return sourceRefusal(answer);
  const { body, requestId } = answer;
  const rows = memberOf(body, "data");
  if (!isRecord(body) || !isJsonArray(rows)) return unreadable(requestId);
  const description = source.describe();
  const { connections } = description;
  const known = new Map(connections.map((each) => [each.connectionId, each]));
  const only = args.text("connection_id") ?? onlyConnection(connections);
  const placeIn = (connection: SourceConnection | undefined) => placeOf(description, connection, baseUrl);
  // A source that gives more than was asked for has not understood the limit, which is the caller's.
  const results = rows
    .flatMap((row) => hitOf(row, known, only, placeIn))
    .slice(0, args.limit() ?? rows.length);
  const { data: _rows, ...envelope } = withBoundedWarnings(body);
  return answerOf(searchText(results, body), {
    data: { ...envelope, results_ref: "results", result_count: results.length },
    results,
    request_id: requestId,
  });
}

function hitOf(
  row: unknown,
  known: ReadonlyMap<string, SourceConnection>,
  only: string | null,
  placeIn: (connection: SourceConnection | undefined) => RecordsPlace,
): readonly Hit[] {
  const stream = textAt(row, "stream");
  const key = textAt(row, "record_key") ?? textAt(row, "id");
  if (stream === null || key === null || key === "") return [];
  const connectionId = textAt(row, "connection_id") ?? only;
  const connection = connectionId === null ? undefined : known.get(connectionId);
  const connectorKey =
    textAt(row, "connector_key") ?? connection?.connectorKey ?? textAt(row, "connector_id");
  const displayName = textAt(row, "display_name") ?? connection?.displayName ?? null;
  const found = memberOf(row, "snippet");
  const snippet = typeof found === "string" ? found : textAt(found, "text");
  const ref = { connectionId, stream, key };
  return [
    {
      id: recordId(ref),
      title: titleOf({
        places: [row, memberOf(row, "data")],
        label: displayName ?? connectorKey ?? connectionId,
        stream,
        key,
        emittedAt: textAt(row, "emitted_at"),
        ...(snippet === null ? {} : { snippet: unhighlighted(snippet) }),
      }),
      url: addressOf(row, placeIn(connection), ref),
      ...(snippet === null ? {} : { snippet: highlighted(snippet, SNIPPET_MAX_CHARS) }),
      ...(connectionId === null ? {} : { connection_id: connectionId }),
      ...(connectorKey === null ? {} : { connector_key: connectorKey }),
      stream,
      record_key: key,
      ...(displayName === null ? {} : { display_name: oneLine(displayName, RECORD_LABEL_MAX_CHARS) }),
    },
  ];
}

/** The page in text: how many, how to go on, the first id before anything long, and the best hits while they fit. */
function searchText(hits: readonly Hit[], envelope: unknown): string {
  const [first] = hits;
  const mix = sourceMix(hits);
  const head = [
    [
      `search: ${hits.length} hit(s).`,
      listNotes(envelope),
      ...(first === undefined ? [] : [`first_fetch_id=${idText(first.id)}`]),
    ]
      .filter((part) => part !== "")
      .join(" "),
    ...(mix === undefined ? [] : [mix]),
    ...recallLines(envelope),
  ];
  const headBytes = head.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
  const lines = new BoundedLines(Math.max(SEARCH_TEXT_MAX_BYTES, headBytes + RECORDS_TEXT_MIN_BYTES));
  lines.addAlways(...head);
  addWarnings(lines, envelope);
  lines.reserve(MORE_HITS_BYTES);
  const left = hits.findIndex((hit, index) => !lines.add(hitLine(hit, index)));
  lines.reserve(-MORE_HITS_BYTES);
  if (left >= 0) {
    lines.add(
      `more_hits=${hits.length - left} of this page; followup=ask again with limit=${Math.max(1, left)} and page with cursor`,
    );
  }
  return lines.text();
}

const MORE_HITS_BYTES = 110;

function hitLine(hit: Hit, index: number): string {
  return [
    `hit[${index}]`,
    `id=${idText(hit.id)}`,
    `title=${quoted(oneLine(hit.title, RECORD_TITLE_MAX_CHARS))}`,
    ...(hit.connection_id === undefined ? [] : [`connection_id=${nameText(hit.connection_id)}`]),
    ...(hit.connector_key === undefined ? [] : [`connector_key=${nameText(hit.connector_key)}`]),
    `stream=${nameText(hit.stream)}`,
    ...(hit.display_name === undefined ? [] : [`display_name=${quoted(hit.display_name)}`]),
    ...(hit.snippet === undefined
      ? []
      : [`snippet=${quoted(highlighted(hit.snippet, SNIPPET_TEXT_MAX_CHARS))}`]),
  ].join(" ");
}

/** Whose hits they are, where they are of more than one connection: `source_mix=cin_a(testmail "Work"):3|cin_b(testchat):2`. */
function sourceMix(hits: readonly Hit[]): string | undefined {
  const counts = new Map<string, { readonly hit: Hit; count: number }>();
  for (const hit of hits) {
    const entry = counts.get(hit.connection_id ?? "") ?? { hit, count: 0 };
    entry.count += 1;
    counts.set(hit.connection_id ?? "", entry);
  }
  if (counts.size < 2) return undefined;
  const texts = [...counts.values()].map(({ hit, count }) => {
    const label = [
      ...(hit.connector_key === undefined ? [] : [nameText(hit.connector_key)]),
      ...(hit.display_name === undefined ? [] : [quoted(hit.display_name)]),
    ].join(" ");
    return `${nameText(hit.connection_id ?? "unknown")}(${label}):${count}`;
  });
  return `source_mix=${boundedList(texts, SOURCE_MIX_MAX_BYTES)}`;
}

const SOURCE_MIX_MAX_BYTES = 1_000;

/** Told only where not everything was ranked: who finds nothing then must not conclude that there is nothing. */
function recallLines(envelope: unknown): readonly string[] {
  const recall = memberOf(memberOf(envelope, "meta"), "recall");
  if (
    !isRecord(recall) ||
    (memberOf(recall, "complete") !== false && memberOf(recall, "truncated") !== true)
  ) {
    return [];
  }
  const scope = textAt(recall, "ranking_scope");
  const numbers = ["ranked_candidate_count", "candidate_window_limit", "truncated_source_count"].flatMap(
    (name) => {
      const value = numberText(memberOf(recall, name));
      return value === undefined ? [] : [`${name}=${value}`];
    },
  );
  const parts = [...(scope === null ? [] : [`ranking_scope=${nameText(oneLine(scope, 40))}`]), ...numbers];
  return [
    `recall=partial ${parts.join(" ")}; not every match was ranked: narrow with streams, connection_id or more words`,
  ];
}
