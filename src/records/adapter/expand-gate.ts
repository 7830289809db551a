import type { ToolAnswer } from "../../surface.ts";
import type { ReadSource } from "../source/read-source.ts";
import { refusal, sourceRefusal } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import { oneLine, quoted } from "./line.ts";
import { expandablesOf } from "./schema/capabilities.ts";
import { documentOf, type StreamRow, streamRows } from "./schema/document.ts";

/**
 * The refusal of a call that would expand what cannot be: the stream's schema, read now and of this stream alone, declares no
 * relation (seed 003). What is not known is left to the source: a schema that cannot be read, a stream that it does not name, a
 * relation of another name, and a source that takes no relations at all, which says so better. A bearer that is none (401) would
 * be none for the records either.
 */
export async function expandRefusal(
  args: ReadArguments,
  source: ReadSource,
  stream: string,
  connectionId: string | undefined,
): Promise<ToolAnswer | undefined> {
  if (!args.has("expand") && !args.has("expand_limit")) return undefined;
  const answer = await source.get({
    path: ["schema"],
    query: [
      ["stream", stream],
      ...(connectionId === undefined ? [] : [["connection_id", connectionId] as const]),
    ],
  });
  if (!answer.ok && answer.status === 401) return sourceRefusal(answer);
  const document = answer.ok ? documentOf(answer.body) : undefined;
  const rows = document === undefined ? [] : streamRows(document, { stream, connectionId });
  if (rows.length === 0 || rows.some(mayExpand)) return undefined;
  const name = quoted(oneLine(stream, 80));
  return refusal({
    code: "invalid_expand",
    message:
      `The stream ${name} declares no relation, so it takes no expand. schema {"stream":${name}} tells what it takes ` +
      "(GET /v1/schema, expand_capabilities).",
    param: "expand",
  });
}

function mayExpand({ raw, profile }: StreamRow): boolean {
  return profile !== "full" || expandablesOf(raw).length > 0;
}
