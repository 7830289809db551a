import { RECORD_LABEL_MAX_CHARS } from "../../limits.ts";
import { ambiguousConnection, type Candidate } from "../source/ambiguous.ts";
import type { ReadSource } from "../source/read-source.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { AdapterProblem } from "./answers.ts";
import { oneLine, quoted } from "./line.ts";

/**
 * Whether a call that reads one stream may go without a connection. Over a package of several the caller has to choose, whatever
 * they have, and so over one external server of which several connections have the stream; no source is asked to say so (seed
 * 002). The embedded server reads its own connections together, so it is asked itself.
 */
export function chooseConnection(
  source: ReadSource,
  stream: string,
  connectionId: string | undefined,
): Result<undefined, AdapterProblem> {
  if (connectionId !== undefined) return ok(undefined);
  const { kind, connections, uncounted = false } = source.describe();
  if (kind === "d1") return ok(undefined);
  const having = connections.filter(({ streams }) => streams === undefined || streams.includes(stream));
  const judged = kind === "package" ? connections : having;
  if (new Set(judged.map(({ connectionId }) => connectionId)).size < 2) return ok(undefined);
  const candidates = having.length === 0 ? connections : having;
  // The list names what has the stream; schema tells the rest, and whatever became known since.
  const what = `the stream ${quoted(oneLine(stream, 80))}`;
  return fail(ambiguousConnection(candidates.map(candidate), { what, incomplete: true, uncounted }));
}

/** A connection with a label of a length that leaves room for the others. */
export function candidate({ connectionId, connectorKey, grantId, displayName }: Candidate): Candidate {
  return {
    connectionId,
    connectorKey: oneLine(connectorKey, RECORD_LABEL_MAX_CHARS),
    grantId,
    displayName: displayName === null ? null : oneLine(displayName, RECORD_LABEL_MAX_CHARS),
  };
}
