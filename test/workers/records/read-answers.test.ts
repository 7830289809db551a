import { beforeAll, describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { isRecord, memberOf } from "../../../src/json.ts";
import { RECORD_ROW_BODY_MAX_BYTES, RECORDS_PAGE_MAX_BYTES } from "../../../src/limits/records.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import { answerRead } from "../../../src/records/server/route.ts";
import { grantOf, loadLab, newConnection, writeAll } from "./lab.ts";
import {
  coverageOf,
  dataOf,
  emptyRecords,
  found,
  noCost,
  ownerCoverage,
  portsOf,
  read,
  walk,
  withQuery,
} from "./read-rig.ts";

let one = "";
let other = "";
let both: Coverage;

beforeAll(async () => {
  await emptyRecords();
  await loadLab();
  [one, other] = [await newConnection(), await newConnection()];
  await writeAll(
    one,
    "times",
    ["shared", "mine"].map((key) => ({ key, data: { id: key, word: "w" } })),
  );
  await writeAll(
    other,
    "times",
    ["shared", "yours"].map((key) => ({ key, data: { id: key, word: "w" } })),
  );
  both = await coverageOf([grantOf(one, { times: {} }), grantOf(other, { times: { fields: ["id"] } })]);
});

const idsOf = (body: unknown): readonly unknown[] => dataOf(body).map((record) => memberOf(record, "id"));

describe("one record", () => {
  it("that several connections have is a choice between those, before anything of it is read", async () => {
    const cost = noCost();
    const answer = await read("/v1/streams/times/records/shared", both, cost);
    expect(answer).toMatchObject({
      ok: false,
      status: 409,
      error: {
        code: "ambiguous_connection",
        available_connections: [
          { connection_id: one, connector_key: "lab", grant_id: `grant-${one}` },
          { connection_id: other, connector_key: "lab", grant_id: `grant-${other}` },
        ],
        available_connection_count: 2,
        retry_with: "connection_id",
      },
    });
    expect(cost.roundTrips).toBe(1);
    const chosen = await found(`/v1/streams/times/records/shared?connection_id=${other}`, both);
    expect(memberOf(chosen, "data")).toEqual({ id: "shared" });
  });

  it("that one connection has is that one's", async () => {
    expect(memberOf(await found("/v1/streams/times/records/yours", both), "connection_id")).toBe(other);
  });

  it("is found by a key of any characters", async () => {
    const connectionId = await newConnection();
    const keys = ["a/b", "%2F", "?x=1&y", "#", "é\u{1F600}", "__proto__", "constructor", ":", "a b", "'; --"];
    await writeAll(
      connectionId,
      "times",
      keys.map((key) => ({ key, data: { id: key } })),
    );
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    for (const key of keys) {
      const path = `/v1/streams/times/records/${encodeURIComponent(key)}`;
      const record = await found(path, coverage);
      expect([memberOf(record, "id"), memberOf(memberOf(record, "links"), "self")]).toEqual([key, path]);
    }
  });
});

describe("a body", () => {
  it("comes back with its numbers as they were written and its members in their order", async () => {
    const connectionId = await newConnection();
    const numbers = ["12345678901234567890", "1.10", "1e2", "-0", "0.30000000000000004"];
    const data = {
      id: "n",
      zeta: numbers.map((text) => new ExactNumber(text)),
      alpha: { b: new ExactNumber("1.0") },
    };
    await writeAll(connectionId, "times", [{ key: "n", data }]);
    const coverage = await coverageOf([grantOf(connectionId, { times: {} })]);
    for (const path of ["/v1/streams/times/records", "/v1/streams/times/records/n"]) {
      const answer = await answerRead({ path: path.split("/").slice(2), query: [] }, portsOf(coverage));
      if (!answer.ok) throw new Error(answer.reason.code);
      expect(exactJsonText(answer.value.body)).toContain(`"data":${exactJsonText(data)}`);
    }
  });

  it("that is too large for a row comes whole from the bucket, projected as any other", async () => {
    const connectionId = await newConnection();
    const large = "x".repeat(RECORD_ROW_BODY_MAX_BYTES);
    await writeAll(connectionId, "times", [{ key: "n", data: { id: "n", secret: large, word: "w" } }]);
    const whole = await coverageOf([grantOf(connectionId, { times: {} })]);
    const record = await found("/v1/streams/times/records/n", whole);
    expect(memberOf(record, "data")).toEqual({ id: "n", secret: large, word: "w" });
    const narrow = await coverageOf([grantOf(connectionId, { times: { fields: ["id", "word"] } })]);
    for (const path of ["/v1/streams/times/records", "/v1/streams/times/records?changes_since=beginning"]) {
      expect(dataOf(await found(path, narrow)).map((item) => memberOf(item, "data"))).toEqual([
        { id: "n", word: "w" },
      ]);
    }
  });

  it("and others fill a page up to a bound of bytes, and the walk goes on behind it", async () => {
    const connectionId = await newConnection();
    const size = 200_000;
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    for (const key of keys) {
      await writeAll(connectionId, "plain", [{ key, data: { id: key, secret: "x".repeat(size) } }]);
    }
    const coverage = await coverageOf([grantOf(connectionId, { plain: {} })]);
    for (const query of ["order=asc", "changes_since=beginning"]) {
      const pages = await walk(`/v1/streams/plain/records?limit=100&${query}`, coverage);
      expect(pages.flatMap(idsOf)).toEqual(keys);
      expect(dataOf(pages[0]).length).toBe(Math.floor(RECORDS_PAGE_MAX_BYTES / (size + 25)));
    }
  });
});

describe("several connections", () => {
  it("have one schema entry where they may be read alike, and an entry each where not", async () => {
    const alike = await coverageOf([grantOf(one, { times: {} }), grantOf(other, { times: {} })]);
    const streamsOf = (body: unknown): unknown =>
      memberOf(Object.values(members(memberOf(body, "connectors")))[0], "streams");
    expect(streamsOf(await found("/v1/schema?view=compact", alike))).toHaveLength(1);
    const apart = await found("/v1/schema?view=compact", both);
    expect(streamsOf(apart)).toMatchObject([
      {
        granted_connections: [{ connection_id: one }],
        field_capabilities: { word: "t=string,eq,lex,a=count_distinct|group_by" },
      },
      { granted_connections: [{ connection_id: other }], field_capabilities: { word: "t=string,g=false" } },
    ]);
    expect(apart).toMatchObject({
      bearer: { token_kind: "mcp_package", grant_package_id: "package" },
      connectors: [{ granted_connections: [{ connection_id: one }, { connection_id: other }] }],
    });
    expect(await read("/v1/schema?detail=full&stream=times", both)).toMatchObject({
      status: 409,
      error: { code: "ambiguous_schema_detail", available_connection_count: 2 },
    });
    expect((await read(`/v1/schema?detail=full&stream=times&connection_id=${one}`, both)).ok).toBe(true);
    expect((await read("/v1/schema?detail=full&stream=times", alike)).ok).toBe(true);
    expect(await read("/v1/streams/times", both)).toMatchObject({ status: 409 });
  });

  it("of which one cannot be asked are answered without it, with a warning", async () => {
    const body = await found("/v1/streams/times/records?filter[word]=w", both);
    expect(idsOf(body)).toEqual(["shared", "mine"]);
    expect(memberOf(body, "meta")).toMatchObject({
      warnings: [
        {
          code: "source_skipped_not_applicable",
          detail: { connection_id: other, code: "field_not_granted" },
        },
      ],
    });
  });

  it("are one by the old name of connection_id too, with a warning", async () => {
    const body = await found(`/v1/streams/times/records?connector_instance_id=${one}`, both);
    expect(idsOf(body)).toEqual(["shared", "mine"]);
    expect(memberOf(body, "meta")).toMatchObject({ warnings: [{ code: "deprecated_alias_used" }] });
    expect(
      await read(`/v1/streams/times/records?connector_instance_id=${one}&connection_id=${other}`, both),
    ).toMatchObject({ status: 400, error: { code: "invalid_argument", param: "connector_instance_id" } });
  });
});

describe("what is not covered", () => {
  it("is told of as what does not exist", async () => {
    const coverage = await coverageOf([grantOf(one, { times: {} })]);
    const unknown = [
      ["/v1/streams/numbers/records", 404, "stream_not_declared"],
      ["/v1/streams/nowhere/records", 404, "stream_not_declared"],
      ["/v1/streams/__proto__", 404, "stream_not_declared"],
      ["/v1/schema?stream=numbers", 404, "stream_not_declared"],
      [`/v1/streams/times/records?connection_id=${other}`, 404, "connection_not_found"],
      ["/v1/schema?connection_id=nowhere", 404, "connection_not_found"],
      ["/v1/streams/times/records/yours", 404, "not_found"],
      ["/v1/schema?connector_id=nowhere", 404, "not_found"],
    ] as const;
    for (const [path, status, code] of unknown) {
      expect(await read(path, coverage)).toMatchObject({ ok: false, status, error: { code } });
    }
    const messages = await Promise.all(
      unknown.slice(0, 2).map(async ([path]) => {
        const answer = await read(path, coverage);
        return answer.ok ? "" : answer.error.message;
      }),
    );
    expect(new Set(messages).size).toBe(1);
  });
});

describe("a request", () => {
  it.each([
    ["?order=up", "invalid_request", "order"],
    ["?sort=word", "invalid_sort", "sort"],
    ["?sort=-at&order=asc", "invalid_sort", "sort"],
    ["?count=some", "invalid_request", "count"],
    ["?view=none", "invalid_request", "view"],
    ["?view=none&fields=id", "invalid_request", "view"],
    ["?limit=1&limit=2", "invalid_request", "limit"],
    ["?filter=word", "invalid_request", undefined],
    ["?filter[word]=a&filter[word]=b", "invalid_request", undefined],
    ["?__proto__=1", "invalid_request", undefined],
    ["?window=estimated", "invalid_request", "window"],
    [`?${"x".repeat(5_000)}=1`, "invalid_request", undefined],
    ["?cursor=", "invalid_cursor", undefined],
    [`?cursor=${"A".repeat(100)}`, "invalid_cursor", undefined],
  ])("with %s is refused", async (query, code, param) => {
    const coverage = await coverageOf([grantOf(one, { times: {} })]);
    const answer = await read(`/v1/streams/times/records${query}`, coverage);
    expect(answer).toMatchObject({ ok: false, status: 400, error: { code } });
    if (answer.ok) return;
    expect(answer.error.param).toBe(param);
    expect(answer.error.message.length).toBeLessThan(600);
  });

  it("takes a list of fields in every form, and always gives what the schema requires", async () => {
    const coverage = await coverageOf([grantOf(one, { times: {} })]);
    for (const query of [
      "fields=word,id",
      "fields=word",
      "fields[]=word",
      "fields=word&fields=word",
      "fields=,word,",
    ]) {
      const body = await found(`/v1/streams/times/records/mine?${query}`, coverage);
      expect(memberOf(body, "data")).toEqual({ id: "mine", word: "w" });
    }
  });

  it("that asks for no number, or for none, gets the default page", async () => {
    const coverage = await coverageOf([grantOf(one, { times: {} })]);
    for (const limit of ["0", "-1", "1e1", "", "ten", "٣"]) {
      const body = await found(withQuery("/v1/streams/times/records", { limit }), coverage);
      expect([dataOf(body).length, memberOf(memberOf(body, "meta"), "warnings")]).toEqual([2, []]);
    }
  });

  it("that the database fails is an api_error without a word of it, and the fault is told to the log", async () => {
    const heard: unknown[] = [];
    const fault = new Error("D1_ERROR: secret");
    const ports = {
      ...portsOf(both),
      sql: {
        read: async () => {
          throw fault;
        },
      },
      log: (error: unknown) => heard.push(error),
    };
    const answer = await answerRead({ path: ["streams", "times", "records"], query: [] }, ports);
    expect(answer).toMatchObject({ ok: false, reason: { code: "api_error" } });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(heard).toEqual([fault]);
  });

  it("of an owner reads every connection, and the connectors", async () => {
    const owner = await ownerCoverage();
    const body = await found(`/v1/streams/times/records?connection_id=${one}`, owner);
    expect(idsOf(body)).toEqual(["shared", "mine"]);
    expect(dataOf(await found("/v1/connectors", owner))).toMatchObject([
      { object: "connector", connector_key: "lab", display_name: "Lab", stream_count: 5 },
    ]);
  });
});

function members(value: unknown): object {
  return Array.isArray(value) || isRecord(value) ? value : {};
}
