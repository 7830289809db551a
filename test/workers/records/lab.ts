import fc from "fast-check";
import { compareCodePoints } from "../../../src/code-points.ts";
import { compareDecimals, decimalOf } from "../../../src/exact-json/decimal.ts";
import { ExactNumber, isExactNumber } from "../../../src/exact-json/exact-number.ts";
import { memberOf } from "../../../src/json.ts";
import type { GrantedStream } from "../../../src/records/grant/granted-stream.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { connect, loadManifest, write, type GrantOf, type Written } from "./read-rig.ts";

/** The fields of every stream of the lab; `secret` and `hidden` are what a narrow grant leaves out. */
const PROPERTIES = {
  id: { type: "string" },
  at: { type: "string", format: "date-time" },
  number: { type: "number" },
  word: { type: "string" },
  folder_id: { type: "string" },
  secret: { type: "string" },
  hidden: { type: "integer" },
};
const QUERY = {
  range_filters: { number: ["gte", "gt", "lte", "lt"], at: ["gte", "lt"], secret: ["gte"], hidden: ["gte"] },
  search: { lexical_fields: ["word", "secret"] },
  aggregations: {
    count: true,
    sum: ["number", "hidden"],
    min: ["secret", "number"],
    max: ["secret", "number"],
    group_by: ["word", "secret"],
    group_by_time: ["at"],
    count_distinct: ["word", "secret"],
  },
};

function stream(name: string, cursorField: string | null, more: object = {}): object {
  return {
    name,
    semantics: "mutable_state",
    primary_key: ["id"],
    ...(cursorField === null ? {} : { cursor_field: cursorField }),
    consent_time_field: "at",
    selection: { fields: true, resources: true },
    schema: { type: "object", required: ["id"], properties: PROPERTIES },
    query: QUERY,
    ...more,
  };
}

/** One stream for each kind of order, and one whose records have children. */
export const STREAMS = { times: "at", numbers: "number", words: "word", plain: null } as const;
export type LabStream = keyof typeof STREAMS;

const MANIFEST = {
  protocol_version: "0.1.0",
  connector_id: "lab",
  connector_key: "lab",
  display_name: "Lab",
  streams: [
    ...Object.entries(STREAMS).map(([name, cursorField]) => stream(name, cursorField)),
    stream("folders", "at", {
      relationships: [
        { name: "inside", stream: "times", foreign_key: "folder_id", cardinality: "has_many" },
        { name: "counted", stream: "numbers", foreign_key: "number", cardinality: "has_many" },
        { name: "cover", stream: "words", foreign_key: "folder_id", cardinality: "has_one" },
        { name: "unoffered", stream: "plain", foreign_key: "folder_id", cardinality: "has_many" },
      ],
      query: {
        ...QUERY,
        expand: [
          { name: "inside", default_limit: 2, max_limit: 5 },
          { name: "counted", default_limit: 2, max_limit: 5 },
          { name: "cover" },
        ],
      },
      views: [{ id: "short", label: "Short", fields: ["id", "word", "secret"] }],
    }),
  ],
};

export async function loadLab(): Promise<void> {
  await loadManifest(MANIFEST);
}

let connections = 0;

/** A connection that nobody has used; one made later has a later id. */
export async function newConnection(): Promise<string> {
  connections += 1;
  const id = `lab-${String(connections).padStart(5, "0")}`;
  await connect(id, "lab");
  return id;
}

export type LabData = Readonly<Record<string, unknown>>;

export interface LabRecord extends Written {
  readonly data: LabData;
}

/** A few keys most of the time, so that connections have records of one key. */
const KEYS = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "B", "5") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "a/b",
      "a b",
      "é",
      "\u{1F600}",
      "\uFFFD",
      "__proto__",
      "%",
      "'",
      '"',
      "?x=1",
      "0",
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "binary", minLength: 1, maxLength: 3 })
      .filter((key) => !/[\0\p{Cs}]/u.test(key)),
  },
);
const TIMES = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-01-01T00:00:00.5Z",
  "2026-01-01T01:00:00+01:00",
  "2026-01-02T00:00:00Z",
  "2026-02-01T00:00:00.123456789Z",
  "2026-03-01",
  "no time",
);
const NUMBERS = fc.constantFrom<number | ExactNumber>(
  0,
  1,
  2,
  -1,
  1.5,
  new ExactNumber("9007199254740993"),
  new ExactNumber("9007199254740992.0"),
  new ExactNumber("9007199254740993.0"),
  new ExactNumber("9223372036854775807"),
  new ExactNumber("12345678901234567890"),
  new ExactNumber("1.10"),
  new ExactNumber("1e300"),
  0.1,
);
const WORDS = fc.constantFrom(
  "",
  "a",
  "b",
  "A",
  "é",
  "\u{1F600}",
  "\uFFFD",
  "zz\0z",
  "zz",
  "10",
  "9",
  "\uD800x",
);

/** Any record, often without what it is ordered by or with another's value. */
const LAB_RECORD: fc.Arbitrary<LabRecord> = fc
  .record({
    key: KEYS,
    at: fc.option(TIMES, { nil: undefined }),
    number: fc.option(fc.oneof(NUMBERS, fc.constant("no number")), { nil: undefined }),
    word: fc.option(fc.oneof(WORDS, fc.constant(7)), { nil: undefined }),
    folder: fc.constantFrom(undefined, "a", "b", "5"),
    extra: fc.boolean(),
  })
  .map(({ key, at, number, word, folder, extra }) => ({
    key,
    data: {
      id: key,
      ...(at === undefined ? {} : { at }),
      ...(number === undefined ? {} : { number }),
      ...(word === undefined ? {} : { word }),
      ...(folder === undefined ? {} : { folder_id: folder }),
      secret: `SECRET ${String(word)} ${String(at)}`,
      hidden: 424242,
      ...(extra ? { undeclared: "SECRET too" } : {}),
    },
  }));

export const LAB_RECORDS = fc.uniqueArray(LAB_RECORD, { selector: ({ key }) => key, maxLength: 14 });

/** A grant's narrowing of a stream. */
export type Narrowing = Omit<GrantedStream, "name">;

export const NARROWING: fc.Arbitrary<Narrowing> = fc.record({
  fields: fc.constantFrom(null, ["id", "word"], ["id", "at", "number"]),
  resources: fc.constantFrom(null, null, ["a", "b", "a", "\u{1F600}", "nowhere"]),
  since: fc.constantFrom(null, null, "2026-01-01T00:00:00.5"),
  until: fc.constantFrom(null, null, "2026-02-01T00:00:00"),
});

export function grantOf(
  connectionId: string,
  streams: Readonly<Record<string, Partial<Narrowing>>>,
): GrantOf {
  return {
    id: `grant-${connectionId}`,
    connectionId,
    streams: Object.entries(streams).map(([name, narrowing]) => Object.assign({ name }, narrowing)),
  };
}

/** Whether a grant covers a record, by the rules alone. */
export function isCovered(
  { key, data }: LabRecord,
  { resources = null, since = null, until = null }: Partial<Narrowing>,
): boolean {
  const at = timeOf(data);
  if (resources !== null && !resources.includes(key)) return false;
  if (since === null && until === null) return true;
  return at !== undefined && (since === null || at >= since) && (until === null || at < until);
}

function timeOf(data: LabData): string | undefined {
  const at = memberOf(data, "at");
  return typeof at === "string" ? canonicalTime(at) : undefined;
}

/** What a record is ordered by in a stream; undefined for none. */
function orderOf(stream: LabStream, data: LabData): string | number | ExactNumber | undefined {
  const field = STREAMS[stream];
  const value = field === null ? undefined : memberOf(data, field);
  if (field === "at") return timeOf(data);
  if (field === "word") return typeof value === "string" ? value.replace(/\p{Cs}/gu, "\uFFFD") : undefined;
  return typeof value === "number" || isExactNumber(value) ? value : undefined;
}

function grantedOrderOf(stream: LabStream, { record, fields }: Placed) {
  const field = STREAMS[stream];
  const isGranted = fields === undefined || fields === null || (field !== null && fields.includes(field));
  return isGranted ? orderOf(stream, record.data) : undefined;
}

export interface Placed {
  readonly connectionId: string;
  readonly record: LabRecord;
  /** What the grant gives of it; null or absent for everything. */
  readonly fields?: readonly string[] | null;
}

/** Records in a page's order: by value, key and connection, and those without a value, or whose value is not granted, last. */
export function inPageOrder(
  stream: LabStream,
  placed: readonly Placed[],
  direction: "asc" | "desc",
): readonly Placed[] {
  return placed.toSorted((left, right) => {
    const [one, other] = [grantedOrderOf(stream, left), grantedOrderOf(stream, right)];
    if ((one === undefined) !== (other === undefined)) return one === undefined ? 1 : -1;
    const compared =
      (one === undefined || other === undefined ? 0 : compareValues(one, other)) ||
      compareCodePoints(left.record.key, right.record.key) ||
      compareCodePoints(left.connectionId, right.connectionId);
    return direction === "asc" ? compared : -compared;
  });
}

function compareValues(one: string | number | ExactNumber, other: string | number | ExactNumber): number {
  if (typeof one === "string" && typeof other === "string") return compareCodePoints(one, other);
  return compareDecimals(stored(one), stored(other));
}

/** A whole number of 64 bits is kept as it is, however it is written, any other as the nearest double. */
function stored(value: string | number | ExactNumber) {
  const text = isExactNumber(value) ? value.text : String(value);
  const whole = /^-?[0-9]+(?=(?:\.0+)?$)/.exec(text)?.[0];
  const isKept = whole !== undefined && BigInt(whole) < 2n ** 63n && BigInt(whole) >= -(2n ** 63n);
  return decimalOf(isKept ? whole : String(Number(text)));
}

/** The records of a connection's stream, written. */
export async function writeAll(
  connectionId: string,
  stream: string,
  records: readonly Written[],
): Promise<void> {
  await write(connectionId, stream, records);
}
