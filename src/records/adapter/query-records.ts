import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import type { ToolAnswer } from "../../surface.ts";
import { answerOf, refusal, sourceRefusal, unreadable } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import { chooseConnection } from "./connection-choice.ts";
import type { RecordsContext } from "./context.ts";
import { expandRefusal } from "./expand-gate.ts";
import { withBoundedWarnings } from "./notes.ts";
import { projectedRecord } from "./projection.ts";
import { recordsText } from "./records-text.ts";

/** The `query_records` tool: one page of a stream, or of what changed in it. */
export async function callQueryRecords(args: ReadArguments, { source }: RecordsContext): Promise<ToolAnswer> {
  const stream = args.text("stream") ?? "";
  const connectionId = args.text("connection_id");
  const chosen = chooseConnection(source, stream, connectionId);
  if (!chosen.ok) return refusal(chosen.reason);
  const refused = await expandRefusal(args, source, stream, connectionId);
  if (refused !== undefined) return refused;
  // A cursor of a walk through changes knows where that began; some servers begin anew where both are given.
  const superseded = args.has("cursor") ? ["changes_since"] : [];
  const answer = await source.get({
    path: ["streams", stream, "records"],
    query: args.query("stream", ...superseded),
  });
  if (!answer.ok) return sourceRefusal(answer);
  const { body, requestId } = answer;
  const records = memberOf(body, "data");
  if (!isRecord(body) || !isJsonArray(records)) return unreadable(requestId);
  const fields = args.list("fields");
  const shown = records.map((record) => projectedRecord(record, fields, args.has("expand")));
  const place = { stream, connectionId: connectionId ?? onlyConnection(source.describe().connections) };
  return answerOf(recordsText(shown, body, place), {
    data: { ...withBoundedWarnings(body), data: shown },
    request_id: requestId,
  });
}

/** The one connection that a source has, where it has one: what its records belong to that do not say. */
export function onlyConnection(connections: readonly { readonly connectionId: string }[]): string | null {
  const [first, ...others] = connections;
  return first === undefined || others.length > 0 ? null : first.connectionId;
}
