import { env } from "cloudflare:workers";
import { decimalOf, isInteger } from "../../../src/exact-json/decimal.ts";
import { isExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { memberOf } from "../../../src/json.ts";
import type { PdppProblem } from "../../../src/records/problem.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import type {
  AggregationDeclarations,
  FieldDeclaration,
  FieldKind,
  StreamManifest,
} from "../../../src/records/manifest/manifest.ts";
import { RANGE_OPERATORS } from "../../../src/records/manifest/manifest.ts";
import { assignSlots, slotText } from "../../../src/records/manifest/slots.ts";
import { createSeal } from "../../../src/records/seal/seal.ts";
import { answerAggregate } from "../../../src/records/server/aggregate/aggregate.ts";
import { parseParameters } from "../../../src/records/server/parameters.ts";
import type { Row, ServerPorts, Statement } from "../../../src/records/server/ports.ts";
import { D1SqlStore } from "../../../src/records/store/d1-sql-store.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import type { Result } from "../../../src/result.ts";

/** A stream whose every field takes every operator and aggregate that its kind allows. */
export function streamOf(
  kinds: Readonly<Record<string, FieldKind>>,
  changes: Partial<StreamManifest> = {},
): StreamManifest {
  const fields = new Map(
    Object.entries(kinds).map(([name, kind]): [string, FieldDeclaration] => [
      name,
      { name, kind, schema: {}, required: false },
    ]),
  );
  const named = (...wanted: readonly FieldKind[]) =>
    new Set([...fields.values()].filter(({ kind }) => wanted.includes(kind)).map(({ name }) => name));
  const aggregations: AggregationDeclarations = {
    count: true,
    sum: named("integer", "number"),
    min: named("integer", "number", "time", "date"),
    max: named("integer", "number", "time", "date"),
    groupBy: named("text", "boolean", "integer", "number", "time", "date"),
    groupByTime: named("time", "date"),
    countDistinct: named("text", "boolean", "integer", "number", "time", "date"),
  };
  return {
    name: "things",
    semantics: "mutable_state",
    primaryKey: ["id"],
    cursorField: null,
    consentTimeField: null,
    fields,
    relationships: [],
    views: [],
    rangeFilters: new Map([...fields.keys()].map((name) => [name, RANGE_OPERATORS])),
    lexicalFields: [],
    aggregations,
    source: {},
    ...changes,
  };
}

export function feedOf(stream: StreamManifest, changes: Partial<CoveredFeed> = {}): CoveredFeed {
  return {
    feedId: 1,
    connectionId: `cin_${changes.feedId ?? 1}`,
    connectorKey: "testing",
    connectorId: "testing",
    connectorName: null,
    displayName: null,
    grantId: null,
    stream,
    slots: assignSlots(stream),
    fields: null,
    resources: null,
    since: null,
    until: null,
    ...changes,
  };
}

export interface TestRecord {
  readonly key: string;
  /** The body's JSON text. */
  readonly data: string;
}

/** A field as the columns hold it: the plain reading of the storage rules. Null for what is of another type. */
export function columnValue(data: string, { name, kind }: FieldDeclaration): string | null {
  const parsed = parseExactJson(data, { duplicates: "refuse" });
  const value = parsed.ok ? memberOf(parsed.value, name) : undefined;
  switch (kind) {
    case "text":
      return typeof value === "string" ? slotText(value) : null;
    case "boolean":
      return typeof value === "boolean" ? String(value) : null;
    case "integer":
    case "number": {
      const text = isExactNumber(value) ? value.text : typeof value === "number" ? String(value) : null;
      if (text === null || !Number.isFinite(Number(text))) return null;
      return kind === "number" || isInteger(decimalOf(text)) ? text : null;
    }
    case "time":
    case "date":
      return typeof value === "string" ? (canonicalTime(value) ?? null) : null;
    case "other":
      return null;
  }
}

/** Writes records as they are stored. Those whose key is in `large` have their body in the bucket instead. */
export async function store(
  { feedId, stream, slots }: CoveredFeed,
  records: readonly TestRecord[],
  large: ReadonlySet<string> = new Set(),
): Promise<void> {
  const column = (data: string, name: string | null): string | null => {
    const field = name === null ? undefined : stream.fields.get(name);
    return field === undefined ? null : columnValue(data, field);
  };
  const slotted = [...slots];
  for (let index = 0; index < records.length; index += 1_000) {
    const rows = records.slice(index, index + 1_000).map(({ key, data }, offset) => ({
      key,
      version: index + offset + 1,
      data: large.has(key) ? null : data,
      object: large.has(key) ? `big/${feedId}/${key}` : null,
      cursor: column(data, stream.cursorField),
      consent: column(data, stream.consentTimeField),
      slots: slotted.map(([name]) => column(data, name)),
    }));
    const json = JSON.stringify(rows);
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO records (feed_id, record_key, version, cursor_value, consent_time, emitted_at${slotted.map(([, slot]) => `, ${slot}`).join("")})
SELECT ${feedId}, value ->> 'key', value ->> 'version', value ->> 'cursor', value ->> 'consent', '2026-01-01T00:00:00Z'${slotted.map((_, slot) => `, value ->> '$.slots[${slot}]'`).join("")} FROM json_each(?)`,
      ).bind(json),
      env.DB.prepare(
        `INSERT INTO record_versions (feed_id, version, record_key, emitted_at, data, data_object, written_at_ms)
SELECT ${feedId}, value ->> 'version', value ->> 'key', '2026-01-01T00:00:00Z', value ->> 'data', value ->> 'object', 0 FROM json_each(?)`,
      ).bind(json),
    ]);
  }
}

export type Query = Readonly<Record<string, string>>;

export interface Asked {
  readonly answer: Result<Readonly<Record<string, unknown>>, PdppProblem>;
  readonly statements: readonly Statement[];
  readonly rowsRead: number;
}

/** Asks for an aggregate over what is covered. `bodies` are those in the bucket. */
export async function ask(
  feeds: readonly CoveredFeed[],
  query: Query,
  bodies: ReadonlyMap<string, string> = new Map(),
  between: (round: number) => Promise<void> = async () => {},
): Promise<Asked> {
  let rowsRead = 0;
  const statements: Statement[] = [];
  const d1 = new D1SqlStore(env.DB, (count) => {
    rowsRead += count;
  });
  let round = 0;
  const ports: ServerPorts = {
    coverage: { holder: { kind: "owner", tokenId: "t" }, feeds },
    sql: {
      async read(asked): Promise<readonly (readonly Row[])[]> {
        await between(round);
        round += 1;
        statements.push(...asked);
        return d1.read(asked);
      },
    },
    bodies: { read: async (key) => bodies.get(key) },
    seal: createSeal(
      { current: { id: "00000000", key: await aesKey() }, previous: null },
      () => new Uint8Array(12),
      () => 0,
    ),
    now: () => 0,
    log: () => {},
  };
  const request = { path: ["streams", "things", "aggregate"], query: Object.entries(query) };
  const parsed = parseParameters(request, {
    one: ["metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"],
    keyed: ["filter"],
    connection: true,
  });
  if (!parsed.ok) return { answer: parsed, statements, rowsRead };
  const answer = await answerAggregate({ request, stream: "things", key: "", ...parsed.value }, ports);
  return {
    answer: answer.ok ? { ok: true, value: { ...answer.value.body } } : answer,
    statements,
    rowsRead,
  };
}

/** The answer's body, where there must be one. */
export async function bodyOf(...asked: Parameters<typeof ask>): Promise<Readonly<Record<string, unknown>>> {
  const { answer } = await ask(...asked);
  if (!answer.ok) throw new Error(`${answer.reason.code}: ${answer.reason.message}`);
  return answer.value;
}

/** How SQLite runs a statement. */
export async function planOf({ sql, values }: Statement): Promise<readonly string[]> {
  const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all();
  return plan.results.map((row) => String(row["detail"]));
}

async function aesKey() {
  return crypto.subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["encrypt", "decrypt"]);
}
