import { setTimeout as sleep } from "node:timers/promises";
import { isJsonArray, memberOf, parsedJson } from "../../src/json.ts";
import { Told } from "../command-line.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";
import type { Batch } from "./batches.ts";

export interface ImportTarget {
  readonly connection: string;
  readonly stream: string;
  readonly connector: string | undefined;
  /** What the connection is called. */
  readonly name?: string | undefined;
}

/** Lines by what became of them, and the connector of a connection that was made for them. */
export type ImportReport = Record<"lines" | (typeof STATUSES)[number], number> & { connector?: string };

const STATUSES = ["created", "updated", "unchanged", "deleted", "absent"] as const;
/** What a killed import leaves is soon good for nothing; each try of a batch begins with three minutes of it left at least. */
const BEARER_LIFETIME_SECONDS = 300;
const BEARER_RENEWED_AFTER_MS = 120_000;
/** A batch that is sent again is written once. */
const RETRY_DELAYS_MS = [500, 2_000, 5_000, 15_000];
const SHOWN_PROBLEMS = 10;

/** Gives the owner's bearer to send with next: a fresh one where the last is no longer young. */
export type OwnerBearer = () => Promise<string>;

/**
 * Runs `work` with short bearers of an owner, each revoked, and in no list any more, when its successor is there or all ends. One
 * that cannot be revoked ends nothing: it lapses by itself.
 */
export async function withOwner<Value>(
  admin: Admin,
  work: (bearer: OwnerBearer) => Promise<Value>,
  nowMs: () => number = () => Date.now(),
): Promise<Value> {
  let held: { readonly id: string; readonly token: string; readonly madeAtMs: number } | undefined;
  const letGo = async (id: string | undefined): Promise<void> => {
    if (id === undefined) return;
    try {
      await callAdmin(admin, "DELETE", `/tokens/${encodeURIComponent(id)}?forget=true`);
    } catch (error) {
      if (!(error instanceof Told)) throw error;
    }
  };
  try {
    return await work(async () => {
      if (held !== undefined && nowMs() - held.madeAtMs < BEARER_RENEWED_AFTER_MS) return held.token;
      const made = await callAdmin(admin, "POST", "/tokens", {
        name: "records import",
        kind: "owner",
        lifetime_s: BEARER_LIFETIME_SECONDS,
      });
      const before = held?.id;
      held = { id: String(memberOf(made, "id")), token: String(memberOf(made, "token")), madeAtMs: nowMs() };
      await letGo(before);
      return held.token;
    });
  } finally {
    await letGo(held?.id);
  }
}

/** Sends the batches one after another. The first that is refused ends it; those before it are written. */
export async function sendAll(
  url: string,
  bearer: OwnerBearer,
  batches: AsyncIterable<Batch>,
  onProgress: (report: ImportReport) => void,
): Promise<ImportReport> {
  const report: ImportReport = { lines: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, absent: 0 };
  // An operator who may not is told so at once; later ones are asked for with the batch, and as often.
  await bearer();
  for await (const batch of orEmpty(batches)) {
    const answer = await send(url, bearer, batch, report.lines > 0);
    if (memberOf(answer, "connection_is_new") === true)
      report.connector = String(memberOf(answer, "connector_key"));
    const data = memberOf(answer, "data");
    for (const line of isJsonArray(data) ? data : []) {
      const status = STATUSES.find((known) => known === memberOf(line, "status"));
      if (status !== undefined) report[status] += 1;
    }
    report.lines += batch.lines.length;
    onProgress(report);
  }
  return report;
}

/** A file without a line is sent as well: the server knows whether there is such a stream, and makes the connection. */
async function* orEmpty(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let isEmpty = true;
  for await (const batch of batches) {
    isEmpty = false;
    yield batch;
  }
  if (isEmpty) yield { body: Buffer.alloc(0), lines: [] };
}

export function ingestUrl(admin: Admin, { connection, stream, connector, name }: ImportTarget): string {
  const url = new URL(`/v1/ingest/${encodeURIComponent(stream)}`, admin.url);
  url.searchParams.set("connection_id", connection);
  if (connector !== undefined) url.searchParams.set("connector_id", connector);
  if (name !== undefined) url.searchParams.set("display_name", name);
  return url.href;
}

async function send(url: string, bearer: OwnerBearer, batch: Batch, isLater: boolean): Promise<unknown> {
  let failure = "";
  let mayBeWritten = false;
  const target = new URL(url);
  // What is cut off on its way at the end of a line looks whole to who does not know how many there are.
  target.searchParams.set("lines", String(batch.lines.length));
  for (const delayMs of [0, ...RETRY_DELAYS_MS]) {
    if (delayMs > 0) await sleep(delayMs);
    let token: string;
    try {
      token = await bearer();
    } catch (error) {
      failure = `${rangeOf(batch)}: ${error instanceof Error ? error.message : String(error)}`;
      continue;
    }
    let response: Response;
    let text: string;
    try {
      response = await fetch(target, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" },
        body: batch.body,
      });
      text = await response.text();
    } catch (error) {
      failure = `${rangeOf(batch)}: the connection was cut (${error instanceof Error ? error.message : String(error)})`;
      mayBeWritten = true;
      continue;
    }
    if (response.ok) return parsedJson(text);
    failure = told(text, response.status, batch);
    if (response.status < 500 && response.status !== 429) break;
    mayBeWritten ||= response.status >= 500;
  }
  const written = mayBeWritten
    ? `Whether ${rangeOf(batch)} ${batch.lines.length === 1 ? "was" : "were"} written is not known${isLater ? "; what stands before is written" : ""}.`
    : isLater
      ? `What stands before line ${batch.lines[0]} is written.`
      : "Nothing was written.";
  throw new Told(
    `${failure}\n${written} Import the file again once this is mended: nothing is written twice.`,
  );
}

function rangeOf({ lines }: Batch): string {
  if (lines.length === 0) return "a file without lines";
  return lines.length === 1 ? `line ${lines[0]}` : `lines ${lines[0]} to ${lines.at(-1)}`;
}

/** The server counts the lines of a batch, the person those of the file. */
function told(text: string, status: number, batch: Batch): string {
  const answer = parsedJson(text);
  const data = memberOf(answer, "data");
  const rejected = (isJsonArray(data) ? data : []).filter((line) => memberOf(line, "status") === "rejected");
  if (rejected.length === 0) {
    const error = memberOf(answer, "error");
    const message = memberOf(error, "message");
    return `${rangeOf(batch)}: ${typeof message === "string" ? message : `the server answered ${status} ${text}`}`;
  }
  const lines = rejected
    .slice(0, SHOWN_PROBLEMS)
    .map(
      (line) =>
        `  line ${batch.lines[Number(memberOf(line, "line")) - 1]}: ${String(memberOf(line, "message"))}`,
    );
  const more = rejected.length - lines.length;
  const head = rejected.length === 1 ? "1 line is wrong" : `${rejected.length} lines are wrong`;
  return [head, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}
