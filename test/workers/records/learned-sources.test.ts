import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import {
  type LearnedSource,
  packConnections,
  targetHash,
  unpackConnections,
} from "../../../src/records/source/learned-source.ts";
import { LearnedStore } from "../../../src/records/source/learned-store.ts";
import { send } from "../http/client.ts";
import { loadConnections, MAIL } from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

const BEARER = "a-bearer-of-the-tests-0123456789";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

let hosts = 0;

/** A source at an address that this isolate never heard of, and what it was asked. */
function outside(answer: () => Promise<Response> | Response) {
  hosts += 1;
  const base = `https://rs-${hosts}.example`;
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string | URL) => {
    asked.push(String(url));
    return answer();
  });
  const sources = [{ kind: "d1" }, { kind: "http", name: "outside", url: base, token_env: "RS_BEARER" }];
  const bindings = { LOOMGATE_CONFIG: JSON.stringify({ records: { sources } }), RS_BEARER: BEARER };
  const post = (path: string, bearer: string, body: unknown) =>
    send(
      path,
      {
        method: "POST",
        headers: {
          Authorization: `Bearer ${bearer}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(body),
      },
      bindings,
    );
  return {
    base,
    asked,
    async granted(connections: readonly string[] = []): Promise<string> {
      const response = await post("/admin/grants", "operator-operator-operator", {
        connections: connections.map((connection_id) => ({ connection_id, streams: [{ name: "*" }] })),
        sources: ["outside"],
      });
      expect(response.status).toBe(201);
      return String(memberOf(await response.json(), "token"));
    },
    /** A tool's structured answer. */
    async call(token: string, name: string, args: object): Promise<unknown> {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const text = await (await post("/mcp/records", token, call)).text();
      const json: unknown = JSON.parse(
        text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "null"),
      );
      return memberOf(memberOf(json, "result"), "structuredContent");
    },
  };
}

function schema(...ids: readonly string[]): Response {
  return Response.json({
    object: "schema",
    bearer: { token_kind: "client" },
    connectors: [
      {
        connector_key: "chat",
        streams: [{ name: "messages" }],
        granted_connections: ids.map((connection_id) => ({ connection_id })),
      },
    ],
  });
}

async function kept(): Promise<readonly (readonly [unknown, readonly string[]])[]> {
  const { results } = await env.DB.prepare(
    "SELECT source, connections, target_hash FROM record_source_connections ORDER BY source",
  ).all();
  expect(JSON.stringify(results)).not.toContain(BEARER);
  return results.map(({ source, connections }) => [
    source,
    unpackConnections(String(connections)).map(({ connectionId }) => connectionId),
  ]);
}

describe("what an external source has", () => {
  it("is learnt in one call when a bearer for it is made, and kept", async () => {
    const rs = outside(() => schema("x1", "x2"));
    await rs.granted();
    expect(rs.asked).toEqual([`${rs.base}/v1/schema?view=compact`]);
    expect(await kept()).toEqual([["outside", ["x1", "x2"]]]);
  });

  it("is granted all the same where the source is down, or never answers", async () => {
    const down = outside(() => Promise.reject(new Error("down")));
    await down.granted();
    const silent = outside(() => new Promise<Response>(() => undefined));
    await silent.granted();
    expect([down.asked, silent.asked].map(({ length }) => length)).toEqual([1, 1]);
    expect(await kept()).toEqual([]);
  });

  it("names its candidates in an isolate that never asked it, without a call", async () => {
    const rs = outside(() => Promise.reject(new Error("down")));
    const token = await rs.granted([MAIL]);
    const connections = ["x1", "x2"].map((connectionId) => ({
      connectionId,
      connectorKey: "chat",
      grantId: null,
      displayName: null,
      streams: ["messages"],
    }));
    const learned = {
      source: "outside",
      targetHash: targetHash({ base: rs.base, bearer: BEARER }),
      connections: packConnections(connections),
      learnedAtMs: 1,
    };
    const unknown = memberOf(await rs.call(token, "query_records", { stream: "messages" }), "error");
    expect(memberOf(unknown, "code")).toBe("ambiguous_connection");
    expect(memberOf(unknown, "available_connection_count")).toBeUndefined();
    expect(memberOf(unknown, "discovery_hint")).toBeTypeOf("string");
    await new LearnedStore(env.DB).keep([learned]);
    const calls = rs.asked.length;
    const error = memberOf(await rs.call(token, "query_records", { stream: "messages" }), "error");
    expect(error).toMatchObject({ code: "ambiguous_connection", available_connection_count: 3 });
    const candidates = memberOf(error, "available_connections");
    const rows = isJsonArray(candidates) ? candidates : [];
    expect(rows.map((row) => [memberOf(row, "connection_id"), memberOf(row, "connector_key")])).toEqual([
      [MAIL, "testmail"],
      ["x1", "chat"],
      ["x2", "chat"],
    ]);
    expect(rows.every((row) => String(memberOf(row, "grant_id")).startsWith("grt_"))).toBe(true);
    expect(rs.asked).toHaveLength(calls);
  });

  it("is written behind the answer where a schema tells something else, and not again where it tells the same", async () => {
    let ids = ["x1"];
    const rs = outside(() => schema(...ids));
    const token = await rs.granted();
    await env.DB.prepare("UPDATE record_source_connections SET learned_at_ms = 7").run();
    const at = () =>
      env.DB.prepare("SELECT learned_at_ms FROM record_source_connections").first("learned_at_ms");
    await rs.call(token, "schema", {});
    expect(await at()).toBe(7);
    ids = ["x1", "x2"];
    await rs.call(token, "schema", {});
    expect(await kept()).toEqual([["outside", ["x1", "x2"]]]);
    expect(await at()).not.toBe(7);
  });

  it("is not overwritten by what was told before it", async () => {
    const store = new LearnedStore(env.DB);
    const told = (connections: string, learnedAtMs: number): LearnedSource => ({
      source: "s",
      targetHash: "h",
      connections,
      learnedAtMs,
    });
    await store.keep([told('[["new","k",null,null,null]]', 5)]);
    await store.keep([told('[["old","k",null,null,null]]', 4)]);
    expect(await kept()).toEqual([["s", ["new"]]]);
    await store.keep([]);
  });
});
