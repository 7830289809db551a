import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Bindings } from "../../../src/http/bindings.ts";
import { memberOf } from "../../../src/json.ts";
import { readEntry } from "../../../src/outbox/entry.ts";
import type { SettleReport } from "../../../src/principal/admit-contract.ts";
import type { GatewayEvent } from "../../../src/spine/telemetry/events.ts";
import { appWith, bindingsWith, ORIGIN } from "../http/client.ts";
import { get, grant, grantless, ingest, loadConnections, MAIL, OTHER_MAIL, owner, rpc } from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});

/** The principals' objects with what they are told in view. `gate` holds a report back. */
function watched(gate: Promise<void> = Promise.resolve()) {
  const reports: SettleReport[] = [];
  const methods: string[] = [];
  const PRINCIPALS = new Proxy(env.PRINCIPALS, {
    get: (target, name) => {
      if (name !== "getByName") throw new Error(`nobody asks for ${String(name)}`);
      return (principal: string) => {
        const stub = target.getByName(principal);
        return new Proxy(stub, {
          get: (_, method) => {
            methods.push(String(method));
            if (method !== "settle") throw new Error(`nobody asks for ${String(method)}`);
            return async (report: SettleReport) => {
              await gate;
              reports.push(report);
              return stub.settle(report);
            };
          },
        });
      };
    },
  });
  const events = (): readonly GatewayEvent[] =>
    reports
      .flatMap(({ told }) => told ?? [])
      .map((text) => {
        const entry = readEntry(text);
        if (!entry.ok) throw new Error(entry.reason);
        return entry.value.event;
      });
  const bindings: Partial<Bindings> = { PRINCIPALS };
  return { bindings, events, methods, reports };
}

const LINE = JSON.stringify({
  key: "secret-key",
  data: { id: "secret-key", sender: "secret sender", body: "secret invoice" },
  emitted_at: "2026-01-01T00:00:00Z",
});

describe("each read and write of records", () => {
  it.each<[string, (token: string, bindings: Partial<Bindings>) => Promise<Response>, object]>([
    [
      "a page",
      (token, bindings) =>
        get("/v1/streams/messages/records?filter[sender]=secret%20sender", token, bindings),
      {
        event: "records.completed",
        attributes: { operation: "query_records", via: "rest", stream: "messages", row_count: 1 },
      },
    ],
    [
      "one record",
      (token, bindings) => get("/v1/streams/messages/records/secret-key", token, bindings),
      { event: "records.completed", attributes: { operation: "fetch", via: "rest", stream: "messages" } },
    ],
    [
      "a record that there is not",
      (token, bindings) => get("/v1/streams/messages/records/other-secret", token, bindings),
      {
        event: "records.failed",
        attributes: { operation: "fetch", error_code: "not_found", stream: "messages", http_status: 404 },
      },
    ],
    [
      "a stream that nobody has: its name is the caller's own text",
      (token, bindings) => get("/v1/streams/secret/records", token, bindings),
      {
        event: "records.failed",
        attributes: { operation: "query_records", error_code: "stream_not_declared" },
      },
    ],
    [
      "a path that nobody has",
      (token, bindings) => get("/v1/secret", token, bindings),
      { event: "records.failed", attributes: { operation: "other", error_code: "not_found" } },
    ],
    [
      "a search by a tool",
      (token, bindings) =>
        rpc(token, "tools/call", { name: "search", arguments: { q: "secret invoice" } }, bindings),
      { event: "records.completed", attributes: { operation: "search", via: "mcp", row_count: 1 } },
    ],
    [
      "a page by a tool",
      (token, bindings) =>
        rpc(token, "tools/call", { name: "query_records", arguments: { stream: "messages" } }, bindings),
      {
        event: "records.completed",
        attributes: { operation: "query_records", via: "mcp", stream: "messages", row_count: 1 },
      },
    ],
    [
      "a document by a tool",
      (token, bindings) =>
        rpc(
          token,
          "tools/call",
          { name: "fetch", arguments: { id: `${MAIL}/messages:secret-key` } },
          bindings,
        ),
      { event: "records.completed", attributes: { operation: "fetch", via: "mcp", stream: "messages" } },
    ],
    [
      "a tool's refusal",
      (token, bindings) =>
        rpc(token, "tools/call", { name: "search", arguments: { q: "secret", secret: 1 } }, bindings),
      { event: "records.failed", attributes: { operation: "search", error_code: "invalid_request" } },
    ],
  ])("is told once, without its content: %s", async (_, ask, expected) => {
    await ingest(await owner(), MAIL, "messages", LINE);
    const { token, grantIds } = await grant([MAIL]);
    const { bindings, events, reports } = watched();
    await ask(token, bindings);
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject(expected);
    expect(events()[0]?.attributes).toMatchObject({ grant: grantIds[0] });
    const text = JSON.stringify(reports);
    expect(text).not.toMatch(/secret|lg_/);
  });

  it("is told with the grant of the connection that it names, and else with the package", async () => {
    await ingest(await owner(), MAIL, "messages", LINE);
    const { token, grantIds, packageId } = await grant([MAIL, OTHER_MAIL]);
    const { bindings, events } = watched();
    const call = (name: string, args: object) =>
      rpc(token, "tools/call", { name, arguments: args }, bindings);
    await call("query_records", { stream: "messages", connection_id: OTHER_MAIL });
    await call("fetch", { id: `${MAIL}/messages:secret-key` });
    await call("search", { q: "invoice" });
    await call("query_records", { stream: "messages", connection_id: "secret" });
    await get(`/v1/streams?connection_id=${MAIL}`, token, bindings);
    expect(events().map(({ attributes }) => memberOf(attributes, "grant"))).toEqual([
      grantIds[1],
      grantIds[0],
      packageId,
      packageId,
      grantIds[0],
    ]);
    const own = await owner();
    await get("/v1/streams", own, bindings);
    expect(events().at(-1)?.attributes).not.toHaveProperty("grant");
  });

  it("tells of an ingest how many lines were taken", async () => {
    const bearer = await owner();
    const { bindings, events } = watched();
    const send = (body: string) => ingest(bearer, MAIL, "messages", body, bindings);
    await send(LINE);
    await send("{ secret");
    expect(events()).toMatchObject([
      {
        event: "records.completed",
        attributes: { operation: "ingest", via: "rest", stream: "messages", row_count: 1 },
      },
      { event: "records.failed", attributes: { operation: "ingest", error_code: "invalid_request" } },
    ]);
    expect(JSON.stringify(events())).not.toContain("secret");
  });

  it("is told behind the answer, and no object is asked before it", async () => {
    const { token } = await grant([MAIL]);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { bindings, reports, methods } = watched(gate);
    const context = createExecutionContext();
    const request = new Request(`${ORIGIN}/v1/schema`, { headers: { Authorization: `Bearer ${token}` } });
    const response = await appWith({}).fetch(request, bindingsWith(bindings), context);
    expect(response.status).toBe(200);
    expect(reports).toEqual([]);
    expect(methods).toEqual(["settle"]);
    open();
    await waitOnExecutionContext(context);
    expect(reports).toHaveLength(1);
  });

  it("wakes nothing where the caller is refused", async () => {
    const { bindings, methods } = watched();
    for (const bearer of [null, "lg_client_nonsense", await owner(), await grantless()]) {
      await rpc(bearer, "tools/list", {}, bindings);
    }
    expect(methods).toEqual([]);
  });
});
