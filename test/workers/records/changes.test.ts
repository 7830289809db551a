import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import { CHANGES_SCAN_MAX_COUNT, RECORD_VERSIONS_KEPT_MS } from "../../../src/limits/records.ts";
import { grantOf, LAB_RECORDS, loadLab, NARROWING, newConnection, writeAll } from "./lab.ts";
import { coverageOf, dataOf, emptyRecords, found, read, textOf, walk, withQuery, write } from "./read-rig.ts";

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
});

const PATH = "/v1/streams/times/records";

/** A record as a client keeps it. */
function contentOf(record: unknown): unknown {
  return [memberOf(record, "id"), memberOf(record, "data"), memberOf(record, "emitted_at")];
}

/** What a client has that walks changes: records by id, without those it was told are gone. */
class Replica {
  readonly records = new Map<unknown, unknown>();
  #bookmark = "beginning";

  async follow(path: string, coverage: Coverage): Promise<readonly unknown[]> {
    const pages = await walk(withQuery(path, { changes_since: this.#bookmark }), coverage);
    const told = pages.flatMap((page) => dataOf(page));
    for (const record of told) {
      const id = memberOf(record, "id");
      if (memberOf(record, "deleted") === true) this.records.delete(id);
      else this.records.set(id, contentOf(record));
    }
    this.#bookmark = textOf(pages.at(-1), "next_changes_since") ?? "";
    return told;
  }
}

async function pageContents(path: string, coverage: Coverage): Promise<ReadonlyMap<unknown, unknown>> {
  const pages = await walk(path, coverage);
  return new Map(
    pages.flatMap((page) => dataOf(page).map((record) => [memberOf(record, "id"), contentOf(record)])),
  );
}

const idsOf = (told: readonly unknown[]): readonly unknown[] => told.map((record) => memberOf(record, "id"));

describe("a walk by changes", () => {
  it("leaves a client with the very records that a walk by pages gives, after any sequence of writes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(LAB_RECORDS, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 6 }),
        NARROWING,
        fc.constantFrom("", "filter[word]=a", "fields=word", "filter[number][gte]=1"),
        fc.integer({ min: 1, max: 4 }),
        async (batches, narrowing, query, limit) => {
          const connectionId = await newConnection();
          const path = `${PATH}?limit=${limit}&${query}`;
          // What is asked of has to be granted.
          const fields = query === "" ? narrowing.fields : null;
          const coverage = await coverageOf([grantOf(connectionId, { times: { ...narrowing, fields } })]);
          const replica = new Replica();
          for (const [records, isDeleted, isFollowed] of batches) {
            await writeAll(
              connectionId,
              "times",
              records.map(({ key, data }) => ({ key, data: isDeleted ? null : data })),
            );
            if (isFollowed) await replica.follow(path, coverage);
          }
          await replica.follow(path, coverage);
          expect(replica.records).toEqual(await pageContents(path, coverage));
          expect(await replica.follow(path, coverage)).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  }, 120_000);

  it("ends where it began: what is written during the walk is told by the next one", async () => {
    const connectionId = await newConnection();
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    const keys = ["a", "b", "c", "d", "e"];
    await writeAll(
      connectionId,
      "times",
      keys.map((key) => ({ key, data: { id: key, word: "old" } })),
    );
    const pages = await walk(`${PATH}?changes_since=beginning&limit=2`, coverage, async (page) => {
      if (page > 1) return;
      await writeAll(connectionId, "times", [
        { key: "e", data: { id: "e", word: "new" } },
        { key: "f", data: { id: "f", word: "new" } },
        { key: "d", data: null },
      ]);
    });
    const told = pages.flatMap((page) => dataOf(page));
    expect(
      told.map((record) => [memberOf(record, "id"), memberOf(memberOf(record, "data"), "word")]),
    ).toEqual(keys.map((key) => [key, "old"]));
    const next = dataOf(
      await found(withQuery(PATH, { changes_since: textOf(pages[0], "next_changes_since") }), coverage),
    );
    expect(next.map((record) => [memberOf(record, "id"), memberOf(record, "deleted")])).toEqual([
      ["e", undefined],
      ["f", undefined],
      ["d", true],
    ]);
  });

  it("goes on with the cursor alone, and with changes_since beside it", async () => {
    const connectionId = await newConnection();
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    await writeAll(
      connectionId,
      "times",
      ["a", "b", "c"].map((key) => ({ key, data: { id: key } })),
    );
    const first = await found(`${PATH}?changes_since=beginning&limit=1`, coverage);
    const cursor = textOf(first, "next_cursor");
    for (const since of [undefined, "beginning", textOf(first, "next_changes_since"), "nonsense"]) {
      const page = await found(withQuery(PATH, { cursor, limit: "1", changes_since: since }), coverage);
      expect(idsOf(dataOf(page))).toEqual(["b"]);
    }
  });

  it("tells of a record that is gone, or no longer covered, by its key and without its data", async () => {
    const connectionId = await newConnection();
    const narrow = { since: "2026-01-01T00:00:00" };
    const coverage = await coverageOf([grantOf(connectionId, { times: narrow })]);
    const at = "2026-06-01T00:00:00Z";
    await writeAll(connectionId, "times", [
      { key: "gone", data: { id: "gone", at } },
      { key: "moved", data: { id: "moved", at } },
      { key: "never", data: { id: "never", at: "2025-01-01T00:00:00Z" } },
    ]);
    const bookmark = textOf(await found(`${PATH}?changes_since=beginning`, coverage), "next_changes_since");
    await write(connectionId, "times", [
      { key: "gone", data: null, emitted_at: "2026-07-01T00:00:00Z" },
      { key: "moved", data: { id: "moved", at: "2025-01-01T00:00:00Z" }, emitted_at: "2026-07-01T00:00:00Z" },
      { key: "never", data: null, emitted_at: "2026-07-01T00:00:00Z" },
    ]);
    const told = dataOf(await found(withQuery(PATH, { changes_since: bookmark }), coverage));
    // Of a state that is not covered nothing is told, its time neither.
    const times = { gone: "2026-07-01T00:00:00Z", moved: "2026-01-01T00:00:00Z" };
    expect(told).toEqual(
      Object.entries(times).map(([id, time]) => ({
        deleted: true,
        deleted_at: time,
        emitted_at: time,
        id,
        object: "record",
        stream: "times",
        connection_id: connectionId,
        connector_instance_id: connectionId,
      })),
    );
  });

  it("tells the same of a record that left, whatever becomes of it where nobody may see it", async () => {
    const narrow = { since: "2026-01-01T00:00:00" };
    const visible = { id: "r", at: "2026-06-01T00:00:00Z" };
    const hidden = { id: "r", at: "2025-01-01T00:00:00Z" };
    const told = async (...states: readonly (object | null)[]) => {
      const connectionId = await newConnection();
      const coverage = await coverageOf([grantOf(connectionId, { times: narrow })]);
      await writeAll(connectionId, "times", [{ key: "r", data: visible }]);
      const bookmark = textOf(await found(`${PATH}?changes_since=beginning`, coverage), "next_changes_since");
      for (const [month, data] of states.entries()) {
        await write(connectionId, "times", [
          { key: "r", data, emitted_at: `2026-0${month + 3}-01T00:00:00Z` },
        ]);
      }
      const page = await found(withQuery(PATH, { changes_since: bookmark }), coverage);
      const later = withQuery(PATH, { changes_since: textOf(page, "next_changes_since") });
      await write(connectionId, "times", [{ key: "r", data: { ...hidden, word: "x" } }]);
      return [dataOf(page), dataOf(await found(later, coverage))].map((records) =>
        records.map((record) => [memberOf(record, "emitted_at"), memberOf(record, "deleted_at")]),
      );
    };
    const left = [[["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]], []];
    expect(await told(hidden)).toEqual(left);
    expect(await told(hidden, { ...hidden, word: "w" })).toEqual(left);
    expect(await told(hidden, null)).toEqual(left);
    expect(await told(hidden, null, hidden)).toEqual(left);
    expect(await told(visible, null)).toEqual([[["2026-04-01T00:00:00Z", "2026-04-01T00:00:00Z"]], []]);
  });

  it("passes over a change of what the caller does not see", async () => {
    const connectionId = await newConnection();
    const coverage = await coverageOf([grantOf(connectionId, { times: { fields: ["id", "word"] } })]);
    await writeAll(connectionId, "times", [{ key: "a", data: { id: "a", word: "w", secret: "1" } }]);
    const bookmark = textOf(await found(`${PATH}?changes_since=beginning`, coverage), "next_changes_since");
    await writeAll(connectionId, "times", [{ key: "a", data: { id: "a", word: "w", secret: "2" } }]);
    expect(dataOf(await found(withQuery(PATH, { changes_since: bookmark }), coverage))).toEqual([]);
    await writeAll(connectionId, "times", [{ key: "a", data: { id: "a", word: "x", secret: "2" } }]);
    expect(idsOf(dataOf(await found(withQuery(PATH, { changes_since: bookmark }), coverage)))).toEqual(["a"]);
  });

  it("comes through a long history that nobody may see, a bounded number of versions at a time", async () => {
    const connectionId = await newConnection();
    const coverage = await coverageOf([grantOf(connectionId, { times: { since: "2026-01-01T00:00:00" } })]);
    const notes = (count: number, at: string) =>
      Array.from({ length: count }, (_, index) => ({ key: `${at}-${index}`, data: { id: "x", at } }));
    await writeAll(connectionId, "times", [
      ...notes(1, "2026-02-01"),
      ...notes(CHANGES_SCAN_MAX_COUNT + 100, "2025-01-01"),
      ...notes(1, "2026-03-01"),
    ]);
    const pages = await walk(`${PATH}?changes_since=beginning`, coverage);
    expect(pages.map((page) => idsOf(dataOf(page)))).toEqual([["2026-02-01-0"], ["2026-03-01-0"]]);
  });

  it("gives no empty page for what nobody may see, be it records or fields, however little is asked for", async () => {
    const connectionId = await newConnection();
    const grant = grantOf(connectionId, { times: { since: "2026-01-01T00:00:00", fields: ["id", "word"] } });
    const coverage = await coverageOf([grant]);
    const notes = (count: number, at: string, secret: string) =>
      Array.from({ length: count }, (_, index) => ({ key: `${at}-${index}`, data: { id: "x", at, secret } }));
    const seen = notes(150, "2026-02-01", "1");
    await writeAll(connectionId, "times", seen);
    const pages = await walk(`${PATH}?changes_since=beginning&limit=100`, coverage);
    const bookmark = textOf(pages.at(-1), "next_changes_since");
    await writeAll(connectionId, "times", [
      ...notes(CHANGES_SCAN_MAX_COUNT + 50, "2025-01-01", "1"),
      ...notes(150, "2026-02-01", "2"),
      { key: "one", data: { id: "x", at: "2026-02-02" } },
      { key: "two", data: { id: "x", at: "2026-02-02" } },
    ]);
    const told = await walk(withQuery(`${PATH}?limit=1`, { changes_since: bookmark }), coverage);
    expect(told.map((page) => idsOf(dataOf(page)))).toEqual([["one"], ["two"]]);
  });

  it("says 410 to a bookmark whose past is no longer kept, and begins again from the beginning", async () => {
    const connectionId = await newConnection();
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    await write(connectionId, "times", [{ key: "a", data: { id: "a", word: "1" } }], 0);
    const bookmark = textOf(await found(`${PATH}?changes_since=beginning`, coverage), "next_changes_since");
    const later = RECORD_VERSIONS_KEPT_MS * 2;
    await write(connectionId, "times", [{ key: "a", data: { id: "a", word: "2" } }], later);
    await write(connectionId, "times", [{ key: "a", data: { id: "a", word: "3" } }], later * 2);
    await write(connectionId, "times", [{ key: "b", data: { id: "b" } }], later * 3);
    expect(await read(withQuery(PATH, { changes_since: bookmark }), coverage)).toMatchObject({
      status: 410,
      error: { code: "cursor_expired" },
    });
    expect(idsOf(dataOf(await found(`${PATH}?changes_since=beginning`, coverage)))).toEqual(["a", "b"]);
  });

  it("refuses what a walk by changes has no meaning for", async () => {
    const [one, other] = [await newConnection(), await newConnection()];
    const coverage = await coverageOf([grantOf(one, { times: {}, folders: {} })]);
    const both = await coverageOf([grantOf(one, { times: {} }), grantOf(other, { times: {} })]);
    const since = "changes_since=beginning";
    for (const [path, as, code] of [
      [`${PATH}?${since}&order=asc`, coverage, "invalid_request"],
      [`${PATH}?${since}&sort=at`, coverage, "invalid_request"],
      [`${PATH}?${since}&count=exact`, coverage, "invalid_request"],
      [`${PATH}?${since}&window=exact`, coverage, "invalid_request"],
      [`/v1/streams/folders/records?${since}&expand=inside`, coverage, "invalid_expand"],
      [`${PATH}?changes_since=2026-01-01T00:00:00Z`, coverage, "invalid_cursor"],
      [`${PATH}?changes_since=`, coverage, "invalid_cursor"],
      [`${PATH}?${since}`, both, "invalid_argument"],
    ] as const) {
      expect(await read(path, as)).toMatchObject({ ok: false, status: 400, error: { code } });
    }
    expect(await read(`${PATH}?${since}`, both)).toMatchObject({
      error: { retry_with: "connection_id", available_connection_count: 2 },
    });
    expect((await read(withQuery(PATH, { changes_since: "beginning", connection_id: other }), both)).ok).toBe(
      true,
    );
  });
});
