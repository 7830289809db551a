import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import {
  grantOf,
  inPageOrder,
  isCovered,
  LAB_RECORDS,
  type LabRecord,
  loadLab,
  NARROWING,
  newConnection,
  writeAll,
} from "./lab.ts";
import { coverageOf, dataOf, emptyRecords, found, noCost, read, type GrantOf } from "./read-rig.ts";

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
});

const FOLDERS = ["a", "b", "5", "empty"].map((key) => ({ key, data: { id: key } }));

function idsOf(list: unknown): readonly unknown[] {
  return dataOf(list).map((record) => memberOf(record, "id"));
}

function expandedOf(body: unknown, name: string): ReadonlyMap<unknown, unknown> {
  return new Map(
    dataOf(body).map((record) => [memberOf(record, "id"), memberOf(memberOf(record, "expanded"), name)]),
  );
}

async function foldersWith(
  stream: string,
  records: readonly LabRecord[],
  streams: Parameters<typeof grantOf>[1],
): Promise<GrantOf> {
  const connectionId = await newConnection();
  await writeAll(connectionId, "folders", FOLDERS);
  await writeAll(connectionId, stream, records);
  return grantOf(connectionId, streams);
}

describe("an expansion", () => {
  it("gives each parent its first covered children in order, and whether there are more", async () => {
    await fc.assert(
      fc.asyncProperty(
        LAB_RECORDS,
        NARROWING,
        fc.integer({ min: 1, max: 5 }),
        async (records, narrowing, limit) => {
          const times = { ...narrowing, fields: null };
          const grant = await foldersWith("times", records, { folders: {}, times });
          const body = await found(
            `/v1/streams/folders/records?expand=inside&expand_limit[inside]=${limit}`,
            await coverageOf([grant]),
          );
          const children = (key: string) =>
            inPageOrder(
              "times",
              records
                .filter((record) => isCovered(record, times) && memberOf(record.data, "folder_id") === key)
                .map((record) => ({ connectionId: grant.connectionId, record })),
              "asc",
            ).map(({ record }) => record.key);
          const inside = expandedOf(body, "inside");
          expect(inside.size).toBe(FOLDERS.length);
          for (const [key, list] of inside) {
            const all = children(String(key));
            expect([idsOf(list), memberOf(list, "has_more")]).toEqual([
              all.slice(0, limit),
              all.length > limit,
            ]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("gives of a child what the child's own grant gives", async () => {
    const records = [{ key: "n1", data: { id: "n1", folder_id: "a", word: "w", secret: "SECRET" } }];
    const fields = ["id", "folder_id"];
    const grant = await foldersWith("times", records, { folders: {}, times: { fields } });
    const body = await found("/v1/streams/folders/records?expand=inside", await coverageOf([grant]));
    expect(dataOf(expandedOf(body, "inside").get("a")).map((child) => memberOf(child, "data"))).toEqual([
      { id: "n1", folder_id: "a" },
    ]);
  });

  it("gives children by key where the child's own grant does not give their order", async () => {
    const child = (key: string, at: string) => ({ key, data: { id: key, folder_id: "a", at } });
    const records = [child("n3", "2026-01-01"), child("n1", "2026-01-02"), child("n2", "2026-01-03")];
    const fields = ["id", "folder_id"];
    const grant = await foldersWith("times", records, { folders: {}, times: { fields } });
    const body = await found("/v1/streams/folders/records?expand=inside", await coverageOf([grant]));
    expect(idsOf(expandedOf(body, "inside").get("a"))).toEqual(["n1", "n2"]);
  });

  it("stays within one connection", async () => {
    const child = (key: string) => [{ key, data: { id: key, folder_id: "a" } }];
    const one = await foldersWith("times", child("mine"), { folders: {}, times: {} });
    const other = await foldersWith("times", child("yours"), { folders: {}, times: {} });
    const body = await found("/v1/streams/folders/records?expand=inside", await coverageOf([one, other]));
    const inside = dataOf(body)
      .filter((record) => memberOf(record, "id") === "a")
      .map((record) => ({
        of: memberOf(record, "connection_id"),
        inside: idsOf(memberOf(memberOf(record, "expanded"), "inside")),
      }));
    expect(inside).toEqual([
      { of: other.connectionId, inside: ["yours"] },
      { of: one.connectionId, inside: ["mine"] },
    ]);
  });

  it("gives the one record of a relation that has one, or null", async () => {
    const grant = await foldersWith("words", [{ key: "w1", data: { id: "w1", folder_id: "a", word: "x" } }], {
      folders: {},
      words: {},
    });
    const coverage = await coverageOf([grant]);
    const cover = expandedOf(await found("/v1/streams/folders/records?expand=cover", coverage), "cover");
    expect([memberOf(cover.get("a"), "id"), cover.get("b")]).toEqual(["w1", null]);
    const one = await found(
      "/v1/streams/folders/records/a?expand=cover&expand=inside",
      await coverageOf([{ ...grant, streams: [...grant.streams, { name: "times" }] }]),
    );
    expect(memberOf(memberOf(memberOf(one, "expanded"), "cover"), "id")).toBe("w1");
    expect(idsOf(memberOf(memberOf(one, "expanded"), "inside"))).toEqual([]);
  });

  it("finds the children whose key of the parent is a number, as its digits", async () => {
    const numbers = [5, 5.5, 50].map((number) => ({ key: `n${number}`, data: { id: `n${number}`, number } }));
    const grant = await foldersWith("numbers", numbers, { folders: {}, numbers: {} });
    const counted = expandedOf(
      await found("/v1/streams/folders/records?expand=counted", await coverageOf([grant])),
      "counted",
    );
    expect([...counted].map(([key, list]) => [key, idsOf(list)])).toContainEqual(["5", ["n5"]]);
    expect([...counted.values()].flatMap(idsOf)).toEqual(["n5"]);
  });

  it("asks once a relation, however many parents a page has, and reads no further than the limit", async () => {
    const children = ["a", "b"].flatMap((folder) =>
      Array.from({ length: 400 }, (_, index) => {
        const id = `${folder}${index}`;
        return { key: id, data: { id, folder_id: folder, at: new Date(index * 60_000).toISOString() } };
      }),
    );
    const grant = await foldersWith("times", children, { folders: {}, times: {} });
    const cost = noCost();
    await found("/v1/streams/folders/records?expand=inside", await coverageOf([grant]), cost);
    expect(cost.roundTrips).toBe(3);
    // Beside those that say whether the manifest still counts.
    expect(cost.statements.filter(({ sql }) => !sql.includes("record_manifests"))).toHaveLength(4);
    // Four parents, and of two of them two children and the one that says that there are more.
    expect(cost.rowsRead).toBeLessThan(100);
  });

  it("refuses what the stream does not offer or the grant does not cover", async () => {
    const grant = await foldersWith("times", [], { folders: {}, times: { fields: ["id", "word"] } });
    const coverage = await coverageOf([grant]);
    const path = "/v1/streams/folders/records";
    for (const [query, status, code] of [
      ["expand=unoffered", 400, "invalid_expand"],
      ["expand=nothing", 400, "invalid_expand"],
      ["expand=inside.more", 400, "invalid_expand"],
      ["expand=__proto__", 400, "invalid_expand"],
      ["expand_limit[inside]=1", 400, "invalid_expand"],
      ["expand=cover", 403, "grant_stream_not_allowed"],
      ["expand=inside", 403, "field_not_granted"],
    ] as const) {
      expect(await read(`${path}?${query}`, coverage)).toMatchObject({ status, error: { code } });
    }
    const whole = await coverageOf([
      { ...grant, streams: [{ name: "folders" }, { name: "times" }, { name: "words" }] },
    ]);
    for (const query of [
      "expand=inside&expand_limit[inside]=0",
      "expand=inside&expand_limit[inside]=6",
      "expand=inside&expand_limit[inside]=x",
      "expand=inside&expand_limit[cover]=1",
      "expand=inside&expand_limit[inside][gte]=1",
      "expand=cover&expand_limit[cover]=1",
    ]) {
      expect(await read(`${path}?${query}`, whole)).toMatchObject({
        status: 400,
        error: { code: "invalid_expand" },
      });
    }
    const schema = await found("/v1/streams/folders", coverage);
    const capabilities = memberOf(schema, "expand_capabilities");
    expect(capabilities).toMatchObject([
      { name: "inside", granted: true, usable: false, reason: "field_not_granted" },
      { name: "counted", granted: false, usable: false, reason: "related_stream_not_granted" },
      { name: "cover", granted: false, usable: false },
    ]);
  });
});
