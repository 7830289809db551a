import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withOwner } from "../../scripts/records/import.ts";
import { callAdmin } from "../../scripts/token/admin-client.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import {
  BACKEND_NAMES,
  type Granted,
  type RecordsRig,
  SOURCE_SECRETS,
  startRecordsRig,
  WIDE_STREAMS_COUNT,
} from "../support/records-rig.ts";
import {
  codeOf,
  type Scenario,
  type ScenarioContext,
  structured,
} from "../support/records-scenarios/context.ts";
import { READING_SCENARIOS } from "../support/records-scenarios/reading.ts";
import { SURFACE_SCENARIOS } from "../support/records-scenarios/surface.ts";
import type { Misbehaviour } from "../support/records-server/server.ts";

const SCENARIOS = [...SURFACE_SCENARIOS, ...READING_SCENARIOS].map((scenario): [string, Scenario] => [
  scenario.name,
  scenario,
]);

describe("the read surface, over the embedded server, external ones, and several as one", () => {
  let rig: RecordsRig;
  beforeAll(async () => {
    rig = await startRecordsRig();
  });
  afterAll(() => rig.close());

  describe.each(BACKEND_NAMES)("%s", (name) => {
    let context: ScenarioContext;
    beforeAll(async () => {
      context = await rig.backends[name]();
    });
    it.each(SCENARIOS)("%s", async (_scenario, { run }) => {
      await expect(run(context)).resolves.toBeUndefined();
    });
  });

  it("names all of eighty streams within bounds, over either kind of server", async () => {
    for (const [connections, sources] of [
      [["cin_wide"], []],
      [[], ["wide"]],
    ] as const) {
      const { client } = await rig.granted(connections, sources);
      const answer = await client.call("schema", {});
      for (let at = 0; at < WIDE_STREAMS_COUNT; at += 1) {
        expect(answer.text).toMatch(new RegExp(`\\bstream_${at}\\b`));
      }
      expect(Buffer.byteLength(answer.text)).toBeLessThan(18_000);
      expect(Buffer.byteLength(JSON.stringify(structured(answer)))).toBeLessThan(60_000);
    }
  });

  describe("a package", () => {
    it("gives each source its turn, says whose hits they are, and refuses a stream that two have without a call", async () => {
      const { client } = await rig.granted(["cin_a"], ["chat"]);
      const answer = await client.call("search", { q: "invoice", limit: 6 });
      const { results } = structured(answer);
      const of = isJsonArray(results) ? results.map((hit) => memberOf(hit, "connection_id")) : [];
      expect(of).toEqual(["cin_a", "cin_b", "cin_a", "cin_b", "cin_a", "cin_b"]);
      expect(answer.text).toContain("source_mix=cin_a");
      const before = rig.seen().length;
      const refused = await client.call("query_records", { stream: "messages" });
      expect(structured(refused)["error"]).toMatchObject({
        code: "ambiguous_connection",
        retry_with: "connection_id",
        available_connections: [{ connection_id: "cin_a" }, { connection_id: "cin_b" }],
      });
      expect(rig.seen()).toHaveLength(before);
      const shared = await client.call("schema", { stream: "messages", detail: "full" });
      expect(codeOf(shared)).toBe("ambiguous_schema_detail");
    });

    it("of twenty connections lists twelve, their total and where to look, and asks nobody", async () => {
      const ids = Array.from({ length: 20 }, (_, at) => `cin_${100 + at}`);
      for (const id of ids) {
        await callAdmin(rig.admin, "POST", "/records/connections", { id, connector_key: "testmail" });
      }
      const { client } = await rig.granted(ids, []);
      const before = rig.seen().length;
      for (const [tool, args] of [
        ["query_records", {}],
        ["aggregate", { metric: "count" }],
      ] as const) {
        const { error } = structured(await client.call(tool, { stream: "messages", ...args }));
        expect(error).toMatchObject({
          code: "ambiguous_connection",
          available_connection_count: 20,
          available_connections_omitted: 8,
        });
        expect(memberOf(error, "available_connections")).toHaveLength(12);
        expect(String(memberOf(error, "discovery_hint"))).toContain("schema");
      }
      expect(rig.seen()).toHaveLength(before);
    });

    it("loses a source the moment its grant is revoked, and everything when the last one is", async () => {
      const { client, ids, token } = await rig.granted(["cin_a"], ["chat"]);
      const both = await client.call("search", { q: "invoice", limit: 4 });
      expect(both.text).toContain("cin_b");
      const [embedded, outside] = ids;
      await callAdmin(rig.admin, "DELETE", `/grants/${outside}`);
      const one = await client.call("search", { q: "invoice", limit: 4 });
      expect(one.text).toContain("cin_a");
      expect(JSON.stringify(one.raw)).not.toContain("cin_b");
      // With one source left nothing is ambiguous.
      expect(codeOf(await client.call("query_records", { stream: "messages", limit: 1 }))).toBe("ok");
      await callAdmin(rig.admin, "DELETE", `/grants/${embedded}`);
      const response = await rig.post(token, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      expect(response.status).toBe(403);
      expect(memberOf(memberOf(await response.json(), "error"), "code")).toBe("package_revoked");
    });
  });

  describe("an external server that does harm", () => {
    let alone: Granted;
    let beside: Granted;
    beforeAll(async () => {
      alone = await rig.granted([], ["wayward"]);
      beside = await rig.granted(["cin_a"], ["wayward"]);
    });
    beforeEach(() => {
      rig.wayward.misbehave = undefined;
    });

    it.each<[Misbehaviour, readonly string[]]>([
      ["hang", ["source_unavailable"]],
      ["hang_in_body", ["source_unavailable"]],
      ["endless", ["source_unavailable"]],
      ["redirect", ["http_302"]],
      ["html", ["source_unavailable"]],
      ["html_error", ["http_502"]],
      ["too_many", ["rate_limit_exceeded"]],
      ["no_json", ["source_unavailable"]],
      ["reset", ["source_unavailable"]],
      ["echo_error", ["permission_error"]],
      ["wrong_shape", ["api_error"]],
    ])("with %s fails its own reads in one call each, and takes nobody else down", async (wrong, codes) => {
      await alone.client.call("schema", {});
      rig.wayward.misbehave = wrong;
      const before = rig.wayward.seen.length;
      const answer = await alone.client.call("query_records", { stream: "messages", connection_id: "cin_b" });
      expect(codes).toContain(codeOf(answer));
      const calls = rig.wayward.seen.slice(before).filter(({ url }) => !url.includes("/schema"));
      expect(calls.length).toBeLessThanOrEqual(1);
      const found = await beside.client.call("search", { q: "invoice", limit: 5 });
      expect(codeOf(found)).toBe("ok");
      expect(found.text).toContain("cin_a");
      expect((await beside.client.call("schema", {})).text).toContain("cin_a");
      const page = await beside.client.call("query_records", { stream: "messages", connection_id: "cin_a" });
      expect(codeOf(page)).toBe("ok");
    });
  });

  it("refuses an owner's bearer, at the door and behind a source, and asks the server for no record with it", async () => {
    const { client } = await rig.granted([], ["owned"]);
    const before = rig.full.seen.length;
    for (const [tool, args] of [
      ["schema", {}],
      ["query_records", { stream: "messages" }],
      ["search", { q: "invoice" }],
      ["fetch", { id: "cin_a/messages:testmail-m1" }],
    ] as const) {
      expect(codeOf(await client.call(tool, args))).toBe("owner_token_refused");
    }
    const asked = rig.full.seen.slice(before).filter(({ url }) => !url.startsWith("/v1/schema"));
    expect(asked).toEqual([]);
    const status = await withOwner(
      rig.admin,
      async (bearer) => (await rig.post(await bearer(), "{}")).status,
    );
    expect(status).toBe(403);
  });

  it("groups by the days of a zone, also on the one that has an hour less", async () => {
    const connection = { id: "cin_dst", connector_key: "testmail" };
    await callAdmin(rig.admin, "POST", "/records/connections", connection);
    const times = [
      "2026-03-28T22:59:00Z",
      "2026-03-28T23:30:00Z",
      "2026-03-29T21:59:00Z",
      "2026-03-29T22:00:00Z",
    ];
    const lines = times.map((time, at) => ({
      key: `m${at}`,
      data: { id: `m${at}`, sent_at: time },
      emitted_at: time,
    }));
    await rig.ingest("cin_dst", "messages", lines);
    const { client } = await rig.granted(["cin_dst"], []);
    const grouped = { stream: "messages", metric: "count", group_by_time: "sent_at", granularity: "day" };
    const answer = await client.call("aggregate", { ...grouped, time_zone: "Europe/Berlin" });
    expect(memberOf(structured(answer)["data"], "groups")).toEqual([
      { key: "2026-03-28", count: 1 },
      { key: "2026-03-29", count: 2 },
      { key: "2026-03-30", count: 1 },
    ]);
  });

  it("shows no bearer in any answer, or in anything printed, logged or kept of what happened", async () => {
    expect(rig.outputs.length).toBeGreaterThan(100);
    const headers = { authorization: `Bearer ${rig.admin.operatorToken}` };
    const kept = await Promise.all(
      ["events?limit=1000", "status", "grants"].map(async (path) => {
        const response = await fetch(`${rig.admin.url}/${path}`, { headers });
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        return response.text();
      }),
    );
    const all = [...rig.outputs, ...kept, rig.gateway.output()].join("\n");
    for (const secret of SOURCE_SECRETS) expect(all).not.toContain(secret);
  });
});
