import { visibleJson } from "../../exact-json/visible.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { type JsonObject, isRecord, memberOf } from "../../json.ts";
import type { ToolAnswer } from "../../surface.ts";
import type { ReadAnswer } from "../source/read-source.ts";
import { answerOf, refusal, sourceRefusal, unreadable } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import { chooseConnection } from "./connection-choice.ts";
import type { RecordsContext } from "./context.ts";
import { documentOfRecord } from "./record-document.ts";
import { expandRefusal } from "./expand-gate.ts";
import { oneLine, quoted } from "./line.ts";
import { onlyConnection } from "./query-records.ts";
import { parseRecordId, type RecordRef } from "./record-id.ts";
import { textAt } from "./schema/document.ts";

/** The `fetch` tool: one record as a document, the very same in text and structured output, and nothing beside it. */
export async function callFetch(
  args: ReadArguments,
  { source, baseUrl }: RecordsContext,
): Promise<ToolAnswer> {
  const parsed = parseRecordId(args.text("id") ?? "");
  if (!parsed.ok) return refusal(parsed.reason);
  const { connectionId: embedded, stream, key } = parsed.value;
  const given = args.text("connection_id");
  if (embedded !== null && given !== undefined && embedded !== given) {
    const names = [embedded, given].map((name) => quoted(oneLine(name, 80)));
    return refusal({
      code: "conflicting_connection_id",
      message: `id is of the connection ${names[0]}, connection_id is ${names[1]}: leave connection_id out.`,
      param: "connection_id",
    });
  }
  const connectionId = given ?? embedded ?? undefined;
  const chosen = chooseConnection(source, stream, connectionId);
  if (!chosen.ok) return refusal(chosen.reason);
  const refused = await expandRefusal(args, source, stream, connectionId);
  if (refused !== undefined) return refused;
  const answer = await source.get({
    path: ["streams", stream, "records", key],
    query: [
      ...args.query("id", "connection_id"),
      ...(connectionId === undefined ? [] : [["connection_id", connectionId] as const]),
    ],
  });
  if (!answer.ok) return sourceRefusal(answer);
  const record = recordOf(answer);
  const asked = { connectionId: connectionId ?? null, stream, key };
  if (record === undefined || !isOf(record, asked)) return unreadable(answer.requestId);
  const description = source.describe();
  const document = documentOfRecord(record, {
    ref: { ...asked, connectionId: connectionId ?? onlyConnection(description.connections) },
    fields: args.list("fields"),
    expanded: args.has("expand"),
    source: description,
    baseUrl,
  });
  return answerOf(visibleJson(exactJsonText(document)), document);
}

/** The record in an answer, which some servers wrap once more. */
function recordOf({ body }: Extract<ReadAnswer, { readonly ok: true }>): JsonObject | undefined {
  const inner = memberOf(body, "data");
  if (memberOf(inner, "object") === "record" && isRecord(memberOf(inner, "data"))) {
    return isRecord(inner) ? inner : undefined;
  }
  return isRecord(body) && isRecord(inner) ? body : undefined;
}

/** Whether a record says of itself nothing but what was asked for: another one's words must not stand under its id. */
function isOf(record: JsonObject, { connectionId, stream, key }: RecordRef): boolean {
  const says = (name: string, asked: string): boolean => (textAt(record, name) ?? asked) === asked;
  const isIts =
    connectionId === null ||
    (says("connection_id", connectionId) && says("connector_instance_id", connectionId));
  return isIts && says("stream", stream) && says("id", key) && says("record_key", key);
}
