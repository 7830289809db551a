import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { Statement } from "../../../src/records/server/ports.ts";
import { untilStopped } from "../../capture/until-stopped.ts";
import { Told } from "../../command-line.ts";
import { callAdmin } from "../../token/admin-client.ts";
import { median } from "../figures/percentiles.ts";
import { type BenchState, postJson, withBenchState } from "./bench-state.ts";
import { type Feed, lineStatement, loadBatches, prepareStatements } from "./load-sql.ts";
import { CONNECTOR, makeTexts, MANIFEST, STREAM, wordInShare } from "./mail.ts";
import { type Answered, type MeasuredRead, measuredReads } from "./reads.ts";

export interface ReadFigures {
  readonly read: string;
  /** Milliseconds by the clock, the median. */
  readonly ms: number;
  readonly rows_read: number;
  /** Every body looked into; null where that cannot tell. */
  readonly plain: { readonly ms: number; readonly rows_read: number } | null;
}

export interface SizeFigures {
  readonly records: number;
  readonly load_s: number;
  readonly reads: readonly ReadFigures[];
}

export interface RecordFigures {
  /** Through the deployed Worker's door. */
  readonly ingest: {
    readonly records: number;
    readonly batch: number;
    readonly seconds: number;
    readonly records_per_second: number;
  };
  readonly sizes: readonly SizeFigures[];
}

export interface RecordEffort {
  readonly sizes: readonly number[];
  readonly ingested: number;
  readonly samples: number;
}

const BATCH_LINES = 500;
/** What takes seconds is asked less often. */
const SLOW_SAMPLES = 3;
const MANY = 1_000_000;
const INGESTED = "ingested";

/** Measures the embedded resource server over a local D1. Ends all that it started, also when stopped. */
export async function measureRecords(
  { sizes, ingested, samples }: RecordEffort,
  progress: (line: string) => void,
): Promise<RecordFigures> {
  const texts = makeTexts();
  const words = { common: wordInShare(texts, 0.01), rare: wordInShare(texts, 0.001) };
  return untilStopped((signal) =>
    withBenchState(signal, async (state) => {
      await connect(state, [INGESTED, ...sizes.map(connectionOf)]);
      progress("records: making letters");
      const lines = await makeLines(state, ingested, texts.length, prepareStatements(texts));
      progress(`records: ingesting ${ingested} letters`);
      const ingest = await measureIngest(state, lines);
      const worker = await state.startMeasuring();
      const ask: Ask = (asked) => postJson(worker.origin, asked);
      const reads = measuredReads(words);
      const figures: SizeFigures[] = [];
      for (const size of sizes) {
        progress(`records: loading ${size}`);
        const feed = await feedOf(ask, connectionOf(size));
        const begun = performance.now();
        for (const statements of loadBatches(feed, size, texts.length)) {
          signal.throwIfAborted();
          await ask({ kind: "run", statements });
        }
        const loadSeconds = (performance.now() - begun) / 1000;
        if (size === ingested) await compareWithIngested(ask, size, reads);
        const rows: ReadFigures[] = [];
        for (const read of reads) {
          signal.throwIfAborted();
          progress(`records: ${size}: ${read.name}`);
          const times = size >= MANY ? Math.min(samples, SLOW_SAMPLES) : samples;
          rows.push(await measureRead(ask, size, feed, read, times));
        }
        figures.push({ records: size, load_s: loadSeconds, reads: rows });
      }
      return { ingest, sizes: figures };
    }),
  );
}

type Ask = (asked: object) => Promise<unknown>;

function connectionOf(size: number): string {
  return `generated_${size}`;
}

/** The connections, as an operator makes them. */
async function connect(state: BenchState, connections: readonly string[]): Promise<void> {
  const deployed = await state.startDeployed();
  await callAdmin(deployed.admin, "POST", "/records/manifests", MANIFEST);
  for (const id of connections) {
    await callAdmin(deployed.admin, "POST", "/records/connections", { id, connector_key: CONNECTOR });
  }
  await deployed.stop();
}

/** Lines for the door, made by the SQL that fills the large connections. */
async function makeLines(
  state: BenchState,
  count: number,
  texts: number,
  prepare: Statement[],
): Promise<string[]> {
  const worker = await state.startMeasuring();
  for (const statement of prepare) await postJson(worker.origin, { kind: "run", statements: [statement] });
  const made = await postJson(worker.origin, {
    kind: "run",
    statements: lineStatement(1, count, count, texts),
  });
  await worker.stop();
  return rowsOf(made).map((row) => String(row["line"]));
}

async function measureIngest(state: BenchState, lines: readonly string[]): Promise<RecordFigures["ingest"]> {
  const deployed = await state.startDeployed();
  const owner = await callAdmin(deployed.admin, "POST", "/tokens", { name: "bench", kind: "owner" });
  const bearer = String(memberOf(owner, "token"));
  const url = `${deployed.origin}/v1/ingest/${STREAM}?connection_id=${INGESTED}`;
  const begun = performance.now();
  for (let start = 0; start < lines.length; start += BATCH_LINES) {
    await postJson(url, `${lines.slice(start, start + BATCH_LINES).join("\n")}\n`, bearer);
  }
  const seconds = (performance.now() - begun) / 1000;
  await deployed.stop();
  return { records: lines.length, batch: BATCH_LINES, seconds, records_per_second: lines.length / seconds };
}

/** What the server made for a connection. */
async function feedOf(ask: Ask, connection: string): Promise<Feed> {
  const find = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    rowsOf(await ask({ kind: "run", statements: [{ sql, values: [connection] }] }));
  const from = "FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id";
  const [feed] = await find(
    `SELECT f.id, json_extract(m.slots, '$.${STREAM}') AS slots ${from} JOIN record_manifests m ON m.connector_key = c.connector_key WHERE c.id = ?`,
  );
  const scopes = await find(
    `SELECT s.id, s.field ${from} JOIN record_scopes s ON s.feed_id = f.id WHERE c.id = ? ORDER BY s.id`,
  );
  const slots: unknown = JSON.parse(String(feed?.["slots"]));
  if (feed === undefined || !isRecord(slots)) throw new Told(`${connection} has no feed`);
  return {
    feedId: Number(feed["id"]),
    slots: new Map(Object.entries(slots).map(([field, slot]) => [field, String(slot)])),
    scopes: new Map(scopes.map((scope) => [String(scope["field"]), Number(scope["id"])])),
  };
}

/** What SQL wrote must answer as what ingest wrote does: else the figures are of another database. */
async function compareWithIngested(ask: Ask, size: number, reads: readonly MeasuredRead[]): Promise<void> {
  for (const { name, path, query } of reads) {
    const answers = await Promise.all(
      [INGESTED, connectionOf(size)].map(async (connection) => {
        const { text } = await timedRead(ask, {
          kind: "read",
          connection_id: connection,
          path,
          query,
          samples: 0,
        });
        return JSON.stringify(comparable(JSON.parse(text)));
      }),
    );
    if (answers[0] !== answers[1]) {
      throw new Told(
        `${name}: generated records answer otherwise than ingested ones:\n${answers.join("\n").slice(0, 4_000)}`,
      );
    }
  }
}

const OF_THE_CONNECTION = new Set([
  "connection_id",
  "connector_instance_id",
  "next_changes_since",
  "next_cursor",
  "links",
  "record_url",
]);

/** An answer without what differs from connection to connection. */
function comparable(value: unknown): unknown {
  if (isJsonArray(value)) return value.map(comparable);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      OF_THE_CONNECTION.has(name) ? [] : [[name, comparable(member)]],
    ),
  );
}

async function measureRead(
  ask: Ask,
  size: number,
  { feedId }: Feed,
  { name, path, query, plain, agrees }: MeasuredRead,
  samples: number,
): Promise<ReadFigures> {
  const own = await timedRead(ask, { kind: "read", connection_id: connectionOf(size), path, query, samples });
  if (plain === undefined) return { read: name, ms: own.ms, rows_read: own.rows_read, plain: null };
  const other = await timedRead(ask, { kind: "plain", statement: plain(feedId), samples });
  const results: unknown = JSON.parse(other.text);
  const rows = rowsOf({ rows: results });
  if (agrees?.(answeredOf(JSON.parse(own.text)), rows) === false) {
    throw new Told(`${name}: the server and plain SQL find different records`);
  }
  return {
    read: name,
    ms: own.ms,
    rows_read: own.rows_read,
    plain: { ms: other.ms, rows_read: other.rows_read },
  };
}

async function timedRead(ask: Ask, asked: object) {
  const timed = await ask(asked);
  const ms = memberOf(timed, "ms");
  return {
    text: String(memberOf(timed, "answer")),
    ms: median(isJsonArray(ms) ? ms.map(Number) : []),
    rows_read: Number(memberOf(timed, "rows_read")),
  };
}

function answeredOf(body: unknown): Answered {
  const [data, groups] = [memberOf(body, "data"), memberOf(body, "groups")];
  return {
    ids: isJsonArray(data) ? data.map((each) => String(memberOf(each, "id"))) : [],
    groups: isJsonArray(groups)
      ? groups.map((group) => ({ key: memberOf(group, "key"), count: memberOf(group, "count") }))
      : [],
    count: memberOf(memberOf(body, "meta"), "count"),
  };
}

/** The rows of a batch's last statement. */
function rowsOf(answer: unknown): readonly Record<string, unknown>[] {
  const results = memberOf(answer, "rows");
  const last = isJsonArray(results) ? results.at(-1) : undefined;
  return isJsonArray(last) ? last.filter((row) => isRecord(row)) : [];
}
