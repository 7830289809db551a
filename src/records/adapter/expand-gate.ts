import type { ReadSource } from "../source/read-source.ts";
import type { AdapterProblem } from "./answers.ts";
import { oneLine, quoted } from "./line.ts";
import { expandablesOf } from "./schema/capabilities.ts";
import { documentOf, type StreamRow, streamRows } from "./schema/document.ts";

/**
 * Why a stream cannot be expanded: its schema, read now and of this stream alone, declares no relation (seed 003). What is not
 * known is left to the source: a schema that cannot be read, a stream that it does not name, a relation of another name, and a
 * source that takes no relations at all, which says so better.
 */
export async function expandRefusal(
  source: ReadSource,
  stream: string,
  connectionId: string | undefined,
): Promise<AdapterProblem | undefined> {
  const answer = await source.get({
    path: ["schema"],
    query: [
      ["stream", stream],
      ...(connectionId === undefined ? [] : [["connection_id", connectionId] as const]),
    ],
  });
  const document = answer.ok ? documentOf(answer.body) : undefined;
  const rows = document === undefined ? [] : streamRows(document, { stream, connectionId });
  if (rows.length === 0 || rows.some(mayExpand)) return undefined;
  const name = quoted(oneLine(stream, 80));
  return {
    code: "invalid_expand",
    message:
      `The stream ${name} declares no relation, so it takes no expand. schema {"stream":${name}} tells what it takes ` +
      "(GET /v1/schema, expand_capabilities).",
    param: "expand",
  };
}

function mayExpand({ raw, profile }: StreamRow): boolean {
  return profile !== "full" || expandablesOf(raw).length > 0;
}
