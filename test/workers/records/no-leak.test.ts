import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, isRecord } from "../../../src/json.ts";
import {
  grantOf,
  isCovered,
  LAB_RECORDS,
  type LabRecord,
  loadLab,
  NARROWING,
  newConnection,
  writeAll,
} from "./lab.ts";
import { coverageOf, emptyRecords, read } from "./read-rig.ts";

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
});

const RECORDS = "/v1/streams/times/records";
const AGGREGATE = "/v1/streams/times/aggregate";

/** Everything that can be asked of a stream, what is not granted too. */
const QUESTIONS = [
  "/v1/schema",
  "/v1/schema?view=compact",
  "/v1/schema?detail=full&stream=times",
  "/v1/connectors",
  "/v1/streams",
  "/v1/streams/times",
  `${RECORDS}?count=exact`,
  `${RECORDS}?limit=2&order=asc&count=exact`,
  `${RECORDS}?filter[word]=a&count=exact`,
  `${RECORDS}?filter[secret][gte]=SECRET`,
  `${RECORDS}?filter[hidden]=424242&count=exact`,
  `${RECORDS}?fields=secret`,
  `${RECORDS}?fields=word`,
  `${RECORDS}?sort=-at`,
  `${RECORDS}?changes_since=beginning`,
  `${RECORDS}/a`,
  `${RECORDS}/b?fields=hidden`,
  `${RECORDS}/extra-1`,
  `${AGGREGATE}?metric=count`,
  `${AGGREGATE}?metric=count&group_by=word`,
  `${AGGREGATE}?metric=count&group_by=secret`,
  `${AGGREGATE}?metric=count&group_by_time=at&granularity=day`,
  `${AGGREGATE}?metric=sum&field=number`,
  `${AGGREGATE}?metric=sum&field=hidden`,
  `${AGGREGATE}?metric=min&field=secret`,
  `${AGGREGATE}?metric=count_distinct&field=secret`,
  `${AGGREGATE}?metric=count&filter[secret][gte]=S`,
  "/v1/search?q=a",
  "/v1/search?q=SECRET",
  "/v1/search?q=zz&limit=1",
  "/v1/streams/folders/records?expand=inside&expand_limit[inside]=3",
];

/** An answer without what is new in every answer. */
function withoutCursors(value: unknown, name = ""): unknown {
  if (["next_cursor", "next_changes_since", "next"].includes(name)) return value === null ? null : "<cursor>";
  if (isJsonArray(value)) return value.map((item) => withoutCursors(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [member, withoutCursors(item, member)]),
  );
}

async function answersOf(
  records: readonly LabRecord[],
  narrowing: Parameters<typeof isCovered>[1],
): Promise<readonly unknown[]> {
  const connectionId = await newConnection();
  await writeAll(
    connectionId,
    "folders",
    ["a", "b"].map((key) => ({ key, data: { id: key } })),
  );
  await writeAll(connectionId, "times", records);
  const coverage = await coverageOf([
    grantOf(connectionId, { folders: { fields: ["id"] }, times: narrowing }),
  ]);
  const answers: unknown[] = [];
  for (const question of QUESTIONS) {
    const answer = await read(question, coverage);
    const said = answer.ok ? answer.body : answer.error;
    answers.push([question, answer.status, withoutCursors(said)]);
  }
  const alike: unknown = JSON.parse(JSON.stringify(answers).replaceAll(connectionId, "<connection>"));
  return isJsonArray(alike) ? alike : [];
}

/** The same to whom the grant is given: other values in the fields that it leaves out, and other records that it does not cover. */
function alikeWithin(
  records: readonly LabRecord[],
  narrowing: Parameters<typeof isCovered>[1],
): readonly LabRecord[] {
  const extra = [1, 2, 3].map((index) => {
    const id = `extra-${index}`;
    return { key: id, data: { id, word: "a zz", at: "2020-01-01T00:00:00Z", number: 1e6, folder_id: "a" } };
  });
  const { fields = null, since = null, until = null } = narrowing;
  // The time that the stream is ordered by, where it decides nothing else.
  const isTimeHidden = fields?.includes("at") === false && since === null && until === null;
  const changed = records.map(({ key, data }, index) => ({
    key,
    data: {
      ...data,
      ...(fields === null ? {} : { secret: "zzz SECRETIVE", hidden: 5, undeclared: "other" }),
      ...(isTimeHidden ? { at: `2026-05-${String(28 - index).padStart(2, "0")}` } : {}),
    },
  }));
  const covered = changed.filter((record) => isCovered(record, narrowing));
  const uncovered = extra.filter((record) => !isCovered(record, narrowing));
  return [...uncovered.slice(0, 1), ...covered, ...uncovered.slice(1)];
}

describe("a grant", () => {
  it("is all that an answer depends on: what it leaves out changes none, whatever is asked", async () => {
    await fc.assert(
      fc.asyncProperty(LAB_RECORDS, NARROWING, async (records, narrowing) => {
        const [one, other] = [
          await answersOf(records, narrowing),
          await answersOf(alikeWithin(records, narrowing), narrowing),
        ];
        expect(other).toEqual(one);
        // The questions name what is asked for; the answers never what is in it.
        const told = narrowing.fields === null ? "" : JSON.stringify(one);
        expect(told).not.toMatch(/SECRET [^=]|424242(?!&)/);
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  it("leaves nothing of an order that it does not give in the order of an answer", async () => {
    const narrowing = { fields: ["id", "word"], resources: null, since: null, until: null };
    const times = ["2026-01-03", "2026-01-01", "2026-01-04", "2026-01-02"];
    const records = times.map((at, index) => {
      const id = `r${index}`;
      return { key: id, data: { id, at, word: "a zz" } };
    });
    expect(await answersOf(alikeWithin(records, narrowing), narrowing)).toEqual(
      await answersOf(records, narrowing),
    );
  });
});
