import { exactJsonText } from "../../exact-json/write.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { MANIFEST_MAX_BYTES, MANIFEST_MAX_DEPTH, MANIFEST_STREAMS_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { ConnectorManifest, StreamManifest } from "./manifest.ts";
import { type ManifestProblem, Problems } from "./problems.ts";
import { checkRelations, readStream } from "./read-stream.ts";

/** Letters and digits with marks between: a connection's id may begin with it. */
const CONNECTOR_KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/**
 * A connector's manifest (PDPP protocol 0.1.0), judged whole. Members that are not known stay in `source` and count for
 * nothing. Never throws, whatever comes.
 */
export function readManifest(value: unknown): Result<ConnectorManifest, readonly ManifestProblem[]> {
  const problems = new Problems();
  if (!isRecord(value)) {
    problems.add([], "a manifest is an object");
    return fail(problems.found);
  }
  // Before anything walks it: what is too deep or too large is not looked at.
  if (isTooDeep(value)) {
    problems.add([], `is nested more than ${MANIFEST_MAX_DEPTH} levels deep`);
    return fail(problems.found);
  }
  if (utf8Length(exactJsonText(value)) > MANIFEST_MAX_BYTES) {
    problems.add([], `has more than ${MANIFEST_MAX_BYTES} bytes`);
    return fail(problems.found);
  }
  const connectorId = memberOf(value, "connector_id");
  const connectorKey = memberOf(value, "connector_key") ?? connectorId;
  if (typeof connectorKey !== "string" || !CONNECTOR_KEY.test(connectorKey))
    problems.add(["connector_key"], "is 1 to 64 letters, digits and . _ - between them");
  if (connectorId !== undefined && typeof connectorId !== "string")
    problems.add(["connector_id"], "is a text");
  const displayName = memberOf(value, "display_name") ?? null;
  if (displayName !== null && typeof displayName !== "string") problems.add(["display_name"], "is a text");

  const streams = new Map<string, StreamManifest>();
  const listed = memberOf(value, "streams");
  if (!isJsonArray(listed) || listed.length === 0) problems.add(["streams"], "is an array, not empty");
  for (const [index, item] of problems.list(listed, ["streams"], MANIFEST_STREAMS_MAX_COUNT).entries()) {
    const stream = readStream(item, ["streams", index], problems);
    if (stream === undefined) continue;
    if (streams.has(stream.name)) problems.add(["streams", index, "name"], "is the name of another stream");
    else streams.set(stream.name, stream);
  }
  if (problems.found.length > 0) return fail(problems.found);
  const related = checkRelations(streams, problems);
  if (problems.found.length > 0) return fail(problems.found);
  return ok({
    connectorKey: String(connectorKey),
    connectorId: typeof connectorId === "string" ? connectorId : String(connectorKey),
    displayName: typeof displayName === "string" ? displayName : null,
    streams: related,
  });
}

function isTooDeep(root: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (!isJsonArray(value) && !isRecord(value)) continue;
    if (depth > MANIFEST_MAX_DEPTH) return true;
    for (const child of Object.values<unknown>(value)) open.push({ value: child, depth: depth + 1 });
  }
  return false;
}
