import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { memberOf } from "../../../src/json.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import { GRANULARITIES } from "../../../src/records/time/buckets.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import { ODD_ZONES } from "../../records/time/slow-zones.ts";
import { expected, fieldIn, spelled, type Stored } from "./aggregate-model.ts";
import { bodyOf, feedOf, store, streamOf, type Query, type TestRecord } from "./aggregate-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

const kinds = {
  who: "text",
  size: "integer",
  rate: "number",
  seen: "boolean",
  at: "time",
  on: "date",
} as const;
const stream = streamOf(kinds, { cursorField: "at", consentTimeField: "at" });

beforeAll(async () => {
  await freshDatabase();
});

const times = fc.oneof(
  fc.constantFrom(
    "2026-03-29T00:59:59.9999999Z",
    "2026-03-29T01:00:00Z",
    "2026-03-29T03:00:00+02:00",
    "2026-10-25T02:30:00+02:00",
    "2026-10-25T02:30:00+01:00",
    "2011-12-30T09:59:59.5Z",
    "2011-12-30T10:00:00Z",
    "2026-01-04T23:30:00Z",
    "2026-01-05",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.9Z",
    "1883-11-18T17:00:00Z",
    "2026-02-30T00:00:00Z",
    "soon",
  ),
  fc
    .date({ min: new Date("1900-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
);
/** Fractions are halves and stand beside small numbers, so that no order of adding rounds. */
const rates = fc.constantFrom("0", "1", "2", "1.0", "-3", "1e2", "0.5", "1.50", "-2.5");
const numbers = fc.constantFrom(
  "0",
  "1",
  "2",
  "1.0",
  "-3",
  "1e2",
  "9007199254740992",
  "9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "0.5",
  "1.50",
);
const texts = fc.constantFrom(
  "ann",
  "bob",
  "",
  "Ann",
  "a'n\"n",
  "🙂",
  "\uffff",
  "true",
  "1",
  "'; DROP TABLE records; --",
);
const json = <Value>(values: fc.Arbitrary<Value>) => values.map((value) => JSON.stringify(value));
const other = fc.constantFrom("null", "[1]", '{"a":1}', '"7"', "true");
const mostly = (values: fc.Arbitrary<string>) =>
  fc.option(fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: other }), {
    freq: 6,
    nil: undefined,
  });

const bodies = fc
  .record({
    who: mostly(json(texts)),
    size: mostly(numbers),
    rate: mostly(rates),
    seen: mostly(json(fc.boolean())),
    at: mostly(json(times)),
    on: mostly(json(fc.constantFrom("2026-01-04", "2026-01-05", "2026-02-01", "2024-02-29", "2026-02-31"))),
  })
  .map((body) => {
    const members = Object.entries(body).filter(([, text]) => text !== undefined);
    return `{${members.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
  });

const instants = times.map((time) => canonicalTime(time) ?? null);
const grants = fc.record({
  since: fc.option(instants, { freq: 1 }),
  until: fc.option(instants, { freq: 1 }),
  resources: fc.option(fc.subarray(["k0", "k1", "k2", "k5", "k9", "nope"]), { freq: 1 }),
});
/** Columns as they are given out, as another connector has them, or none at all. */
const columns = fc.constantFrom<CoveredFeed["slots"]>(
  feedOf(stream).slots,
  new Map([
    ["who", "t9"],
    ["size", "n3"],
    ["rate", "n1"],
    ["seen", "t1"],
    ["at", "d4"],
  ]),
  new Map(),
);

const queries = fc.oneof(
  fc.constant({ metric: "count" }),
  fc.record({ metric: fc.constant("sum"), field: fc.constantFrom("size", "rate") }),
  fc.record({ metric: fc.constantFrom("min", "max"), field: fc.constantFrom("size", "rate", "at", "on") }),
  fc.record({ metric: fc.constant("count_distinct"), field: fc.constantFrom(...Object.keys(kinds)) }),
  fc.record({
    metric: fc.constant("count"),
    group_by: fc.constantFrom(...Object.keys(kinds)),
    limit: fc.constantFrom("1", "2", "10", "100"),
  }),
  fc.record({
    metric: fc.constant("count"),
    group_by_time: fc.constantFrom("at", "at", "on"),
    granularity: fc.constantFrom(...GRANULARITIES),
    time_zone: fc.constantFrom(...ODD_ZONES),
    limit: fc.constantFrom("1", "3", "10", "100"),
  }),
);
const validTimes = times.filter((time) => canonicalTime(time) !== undefined);
const operators = fc.constantFrom("", "", "[gte]", "[gt]", "[lte]", "[lt]");
const filter = (name: string, values: fc.Arbitrary<string>) =>
  fc.tuple(operators, values).map(([operator, value]) => ({ [`filter[${name}]${operator}`]: value }));
const filters = fc
  .array(
    fc.oneof(
      filter("who", texts),
      filter("size", numbers),
      filter("rate", numbers),
      filter("at", validTimes),
      filter("on", fc.constantFrom("2026-01-05", "2026-01-05T00:00:00Z")),
      fc.boolean().map((value) => ({ "filter[seen]": String(value) })),
    ),
    { maxLength: 2 },
  )
  .map((parts): Query => parts.reduce<Query>((all, part) => Object.assign({}, all, part), {}));

/** Ids that no connection is given, whatever another file has left. */
let nextFeed = 500_000;

/** Stores records of several connections; of each the grant covers a part. */
async function stored(
  plan: readonly {
    readonly bodies: readonly string[];
    readonly slots: CoveredFeed["slots"];
    readonly grant: Partial<CoveredFeed>;
  }[],
): Promise<{ readonly all: readonly Stored[]; readonly objects: ReadonlyMap<string, string> }> {
  const all: Stored[] = [];
  const objects = new Map<string, string>();
  for (const { bodies, slots, grant } of plan) {
    const feedId = nextFeed;
    nextFeed += 1;
    const connectorKey = `c${JSON.stringify([...slots])}`;
    const feed = feedOf(stream, { feedId, slots, connectorKey, ...grant });
    const records = bodies.map((data, index): TestRecord => ({ key: `k${index}`, data }));
    // Fields without a column are read out of the row, which a body in the bucket does not have.
    const large = new Set(slots.size === stream.fields.size ? ["k1", "k4"] : []);
    for (const { key, data } of records) objects.set(`big/${feedId}/${key}`, data);
    await store(feed, records, large);
    all.push({ feed, records });
  }
  return { all, objects };
}

/** What the answer says and what it should say, in one spelling. */
async function compared(
  all: readonly Stored[],
  query: Query,
  objects: ReadonlyMap<string, string>,
): Promise<readonly [said: unknown, wanted: unknown]> {
  const body = await bodyOf(
    all.map(({ feed }) => feed),
    query,
    objects,
  );
  const { total, value, groups } = expected(all, query);
  const name = query["field"] ?? query["group_by"];
  const spell = (value: unknown): unknown => {
    if (name === undefined || query["metric"] === "count_distinct") return value;
    const field = fieldIn(all, name);
    return spelled(query["metric"] === "sum" ? { ...field, kind: "number" } : field, value);
  };
  if (groups === undefined) {
    return [
      [body["filtered_record_count"], spell(body["value"])],
      [total, value],
    ];
  }
  const said = Array.isArray(body["groups"]) ? body["groups"] : [];
  const rest = total - groups.reduce((sum, [, count]) => sum + count, 0);
  return [
    [
      body["filtered_record_count"],
      body["other_count"],
      said.map((group) => [spell(memberOf(group, "key")), memberOf(group, "count")]),
    ],
    [total, rest, groups],
  ];
}

describe("an aggregate", () => {
  it("is what a plain walk over the covered records comes to, whatever stands beside them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ bodies: fc.array(bodies, { maxLength: 12 }), slots: columns, grant: grants }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(fc.tuple(queries, filters), { minLength: 4, maxLength: 8 }),
        async (plan, asked) => {
          const { all, objects } = await stored(plan);
          for (const [query, more] of asked) {
            const [said, wanted] = await compared(all, { ...query, ...more }, objects);
            expect(said).toEqual(wanted);
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  it("gives numbers and times as records write them, and sums beyond 64 bits", async () => {
    const { all, objects } = await stored([
      {
        bodies: [
          '{"size":9223372036854775807,"rate":12345678901234567890,"at":"2026-01-01T01:00:00.50+01:00"}',
          '{"size":9223372036854775807,"rate":1.10,"at":"2026-01-02T00:00:00Z"}',
        ],
        slots: feedOf(stream).slots,
        grant: {},
      },
    ]);
    const feeds = all.map(({ feed }) => feed);
    const value = async (query: Query) => exactJsonText((await bodyOf(feeds, query, objects))["value"]);
    expect(await value({ metric: "sum", field: "size" })).toBe("18446744073709551614");
    const isRounded = async (query: Query) => (await bodyOf(feeds, query, objects))["approximate"];
    expect(await isRounded({ metric: "sum", field: "size" })).toBe(false);
    // A double has no room for its last digits, and says so.
    expect(await isRounded({ metric: "sum", field: "rate" })).toBe(true);
    expect(await isRounded({ metric: "sum", field: "rate", "filter[rate]": "1.10" })).toBe(false);
    expect(await value({ metric: "max", field: "size" })).toBe("9223372036854775807");
    expect(await value({ metric: "max", field: "rate" })).toBe("12345678901234567890");
    // This one's body is in the bucket.
    expect(await value({ metric: "min", field: "rate" })).toBe("1.10");
    expect(await value({ metric: "min", field: "at" })).toBe('"2026-01-01T01:00:00.50+01:00"');
    expect(
      exactJsonText((await bodyOf(feeds, { metric: "count", group_by: "rate" }, objects))["groups"]),
    ).toBe('[{"key":1.10,"count":1},{"key":12345678901234567890,"count":1}]');
  });

  it("gives a long text as a group's key whole", async () => {
    const long = `${"long ".repeat(3_000)}end`;
    const { all, objects } = await stored([
      {
        bodies: [JSON.stringify({ who: long }), JSON.stringify({ who: long })],
        slots: feedOf(stream).slots,
        grant: {},
      },
    ]);
    const body = await bodyOf(
      all.map(({ feed }) => feed),
      { metric: "count", group_by: "who", "filter[who]": long },
      objects,
    );
    expect(body["groups"]).toEqual([{ key: long, count: 2 }]);
  });

  it("keeps values of different types apart, over more connectors than one compound takes", async () => {
    const typed = ["text", "boolean", "integer", "time"] as const;
    const values = ['"true"', "true", "1", '"2026-01-01T00:00:00Z"'];
    const feeds: CoveredFeed[] = [];
    for (let index = 0; index < 28; index += 1) {
      const kind = typed[index % 4] ?? "text";
      const feed = feedOf(streamOf({ x: kind }), { feedId: 100_000 + index, connectorKey: `many${index}` });
      await store(feed, [{ key: "one", data: `{"x":${values[index % 4]}}` }]);
      feeds.push(feed);
    }
    const distinct = await bodyOf(feeds, { metric: "count_distinct", field: "x" });
    expect([distinct["value"], distinct["filtered_record_count"]]).toEqual([4, 28]);
    const { groups } = await bodyOf(feeds, { metric: "count", group_by: "x" });
    expect(groups).toEqual(
      expect.arrayContaining([
        { key: "true", count: 7 },
        { key: true, count: 7 },
        { key: 1, count: 7 },
        { key: "2026-01-01T00:00:00Z", count: 7 },
      ]),
    );
  });

  it("says what was asked, with every member that the recorded server has", async () => {
    const { all } = await stored([
      { bodies: ['{"who":"ann"}', "{}"], slots: feedOf(stream).slots, grant: {} },
    ]);
    const feeds = all.map(({ feed }) => feed);
    const rest = {
      object: "aggregation",
      stream: "things",
      field: null,
      granularity: null,
      time_zone: null,
      filtered_record_count: 2,
      approximate: false,
      meta: { count: { kind: "none" }, warnings: [] },
    };
    expect(await bodyOf(feeds, { metric: "count", group_by: "who" })).toEqual({
      ...rest,
      metric: "count",
      group_by: "who",
      group_by_time: null,
      groups: [
        { key: "ann", count: 1 },
        { key: null, count: 1 },
      ],
      limit: 10,
      other_count: 0,
      links: { self: "/v1/streams/things/aggregate?metric=count&group_by=who" },
    });
    expect(await bodyOf(feeds, { metric: "count", group_by_time: "at", granularity: "day" })).toMatchObject({
      group_by_time: "at",
      granularity: "day",
      time_zone: "UTC",
      groups: [{ key: null, count: 2 }],
    });
    expect(await bodyOf(feeds, { metric: "sum", field: "size" })).toMatchObject({
      field: "size",
      value: null,
    });
  });
});
