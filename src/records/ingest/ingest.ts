import { bytesToHex } from "@noble/hashes/utils.js";
import {
  INGEST_MAX_ATTEMPTS,
  INGEST_RETRY_STEP_MS,
  RECORD_OBJECTS_AT_ONCE_COUNT,
  RECORD_VERSIONS_KEPT_MS,
} from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { bodyPrefix } from "./body-key.ts";
import type { DataLine, IngestLine, LineReport } from "./line.ts";
import { type IngestPlan, planIngest } from "./plan.ts";
import type { FeedState, IngestPorts } from "./ports.ts";
import type { ReadLine } from "./read-lines.ts";
import { isInRow } from "./row-values.ts";

export interface IngestRequest {
  readonly connectionId: string;
  readonly stream: string;
  readonly lines: readonly ReadLine[];
}

export type IngestReason =
  /** The connection, or its manifest, has no such stream. */
  | "unknown_stream"
  /** Others write to this stream all the time, or it waits for another manifest. */
  | "busy";

/**
 * Writes a batch of lines whole, or not at all. Planned over what is there and written only if that still is so; a batch
 * that another one overtook is planned anew. Throws where the database or the bucket does: it is then not known whether
 * the batch was written, and repeating it does no harm.
 */
export async function ingest(
  { connectionId, stream, lines: read }: IngestRequest,
  ports: IngestPorts,
): Promise<Result<readonly LineReport[], IngestReason>> {
  const lines = await Promise.all(read.map(weighed));
  const keys = [...new Set(lines.map(({ key }) => key))];
  // What is uploaded for a line serves every attempt. An object is one version's alone, so no other batch counts on it.
  const objects = new Map<number, string>();
  for (let attempt = 0; attempt < INGEST_MAX_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await ports.sleep(ports.random() * attempt * INGEST_RETRY_STEP_MS);
    const nowMs = ports.now();
    const state = await ports.store.state(connectionId, stream, keys, nowMs - RECORD_VERSIONS_KEPT_MS);
    if (state === undefined || state === "waiting") {
      await tidy(ports, [...objects.values()]);
      return fail(state === undefined ? "unknown_stream" : "busy");
    }
    const plan = planIngest({ ...state, lines, nowMs });
    if (plan.versions.length === 0) {
      await tidy(ports, [...objects.values()]);
      return ok(plan.report);
    }
    await upload(state, plan, objects, ports);
    if ((await ports.store.write(state, plan, objects, nowMs)) === "moved") continue;
    const named = new Set(plan.versions.map(({ line }) => line?.line));
    const orphans = [...objects].filter(([line]) => !named.has(line)).map(([, key]) => key);
    await tidy(ports, [...orphans, ...state.prunable.flatMap(({ objectKey }) => objectKey ?? [])]);
    return ok(plan.report);
  }
  await tidy(ports, [...objects.values()]);
  return fail("busy");
}

const encoder = new TextEncoder();

async function weighed(line: ReadLine): Promise<IngestLine> {
  if (line.kind === "delete") return line;
  const bytes = encoder.encode(line.text);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { ...line, bytes: bytes.length, hash: bytesToHex(digest) };
}

async function upload(
  { feedId }: FeedState,
  { versions }: IngestPlan,
  objects: Map<number, string>,
  { bodies, newId }: IngestPorts,
): Promise<void> {
  const large = versions
    .map(({ line }) => line)
    .filter((line): line is DataLine => line !== null && !isInRow(line) && !objects.has(line.line));
  for (let start = 0; start < large.length; start += RECORD_OBJECTS_AT_ONCE_COUNT) {
    await Promise.all(
      large.slice(start, start + RECORD_OBJECTS_AT_ONCE_COUNT).map(async ({ line, hash, text }) => {
        const key = `${bodyPrefix(feedId)}${hash}/${newId()}`;
        await bodies.put(key, text);
        objects.set(line, key);
      }),
    );
  }
}

/** What is left in the bucket takes room and is named by nothing: no reason to fail what has been written. */
async function tidy({ bodies, log }: IngestPorts, objectKeys: readonly string[]): Promise<void> {
  if (objectKeys.length === 0) return;
  try {
    await bodies.remove(objectKeys);
  } catch (error) {
    log(error);
  }
}
