import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/code-points.ts";
import { memberOf } from "../../../src/json.ts";
import { canonicalTime } from "../../../src/records/time/canonical-time.ts";
import {
  grantOf,
  isCovered,
  LAB_RECORDS,
  type LabStream,
  loadLab,
  NARROWING,
  newConnection,
  writeAll,
} from "./lab.ts";
import { coverageOf, emptyRecords, found, noCost, read, textOf, withQuery } from "./read-rig.ts";

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
});

const names: readonly LabStream[] = ["times", "numbers", "words", "plain"];
const PATH = "/v1/streams/times/records";

const windowOf = (body: unknown): unknown => memberOf(memberOf(body, "meta"), "window");

function instantOf(value: unknown): string | undefined {
  return typeof value === "string" ? canonicalTime(value) : undefined;
}

/** An instant as a window tells it. */
function told(instant: string): string {
  return instant.includes(".") ? `${instant.padEnd(23, "0")}Z` : `${instant}.000Z`;
}

describe("the window of a list", () => {
  it("is how many records there are and between which granted times, on every page", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.array(fc.tuple(LAB_RECORDS, NARROWING), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "word"),
        async (stream, connections, filtered) => {
          const sources = [];
          for (const [records, narrowing] of connections) {
            const connectionId = await newConnection();
            await writeAll(connectionId, stream, records);
            const fields = filtered === "" ? narrowing.fields : null;
            sources.push({ connectionId, records, narrowing: { ...narrowing, fields } });
          }
          const coverage = await coverageOf(
            sources.map(({ connectionId, narrowing }) => grantOf(connectionId, { [stream]: narrowing })),
          );
          const covered = sources.flatMap(({ records, narrowing }) =>
            records
              .filter((record) => isCovered(record, narrowing))
              .filter(({ data }) => filtered === "" || memberOf(data, "word") === "a")
              .map(({ data }) =>
                narrowing.fields?.includes("at") === false ? undefined : memberOf(data, "at"),
              ),
          );
          const instants = covered.flatMap((at) => instantOf(at) ?? []).toSorted(compareCodePoints);
          const path = `/v1/streams/${stream}/records?limit=2${filtered === "" ? "" : "&filter[word]=a"}`;
          const first = await found(`${path}&window=exact`, coverage);
          const window = windowOf(first);
          const [earliest, latest] = [instants[0], instants.at(-1)];
          expect(window).toEqual({
            total: covered.length,
            ...(earliest === undefined ? {} : { earliest_at: told(earliest), latest_at: told(latest ?? "") }),
          });
          const cursor = textOf(first, "next_cursor");
          if (cursor === undefined) return;
          const second = await found(withQuery(path, { cursor, window: "exact", count: "exact" }), coverage);
          expect(memberOf(second, "meta")).toMatchObject({ window, count: { value: covered.length } });
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  it("has its times in UTC, to the millisecond at least and without losing a digit", async () => {
    const connectionId = await newConnection();
    const ends = ["2026-01-01T01:00:00+01:00", "2026-02-01T00:00:00.123456789Z"];
    await writeAll(
      connectionId,
      "times",
      [...ends, "no time"].map((at, index) => ({ key: `k${index}`, data: { id: "x", at } })),
    );
    const coverage = await coverageOf([grantOf(connectionId, { times: { fields: ["id", "at"] } })]);
    expect(memberOf(await found(`${PATH}?window=exact`, coverage), "meta")).toEqual({
      count: { kind: "none" },
      warnings: [],
      window: {
        total: 3,
        earliest_at: "2026-01-01T00:00:00.000Z",
        latest_at: "2026-02-01T00:00:00.123456789Z",
      },
    });
  });

  it("is not told where it is not asked for, and goes with no walk through changes", async () => {
    const coverage = await coverageOf([grantOf(await newConnection(), { times: {} })]);
    for (const query of ["", "?window=none", "?window="]) {
      expect(memberOf(await found(`${PATH}${query}`, coverage), "meta")).not.toHaveProperty("window");
    }
    expect(windowOf(await found(`${PATH}?window=exact`, coverage))).toEqual({ total: 0 });
    for (const query of ["?window=estimated", "?window=exact&changes_since=beginning"]) {
      const refused = { ok: false, status: 400, error: { code: "invalid_request" } };
      expect(await read(`${PATH}${query}`, coverage)).toMatchObject(refused);
    }
  });

  it.each<[string, LabStream, object]>([
    ["a whole feed", "times", {}],
    ["a feed from a time on", "times", { since: "2026-01-02T00:00:00" }],
    ["a feed in another order", "numbers", {}],
    ["a feed in another order, from a time on", "numbers", { since: "2026-01-02T00:00:00" }],
  ])("reads the ends of an index, not what lies between: %s", async (_, stream, narrowing) => {
    const connectionId = await newConnection();
    const records = Array.from({ length: 1_500 }, (_unused, index) => ({
      key: `n${index}`,
      data: { id: "x", number: 1, at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString() },
    }));
    await writeAll(connectionId, stream, records);
    const coverage = await coverageOf([grantOf(connectionId, { [stream]: narrowing })]);
    const path = `/v1/streams/${stream}/records?limit=1&count=exact`;
    const [counted, windowed] = [noCost(), noCost()];
    await found(path, coverage, counted);
    await found(`${path}&window=exact`, coverage, windowed);
    expect(windowed.rowsRead - counted.rowsRead).toBeLessThanOrEqual(24);
  });
});
