import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { OPERATOR, ORIGIN, send } from "../http/client.ts";
import { codeOf, get, grant, ingest, loadConnections, MAIL, owner, rpc } from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});

describe("a good bearer of the wrong kind", () => {
  it("is told which kind is taken, and how one is made", async () => {
    const message = async (asked: Promise<Response>) => {
      const answer: unknown = await (await asked).json();
      return memberOf(memberOf(answer, "error"), "message");
    };
    const [{ token: client }, ownerToken] = [await grant([MAIL]), await owner()];
    const writes = "Writing takes an owner's bearer: npm run token -- create --name N --kind owner.";
    expect(await message(ingest(client, MAIL, "messages", "{}"))).toBe(writes);
    expect(await message(ingest(OPERATOR, MAIL, "messages", "{}"))).toBe(writes);
    const reads =
      "Reading here takes the bearer of a grant, no owner's or operator's: npm run grant -- create makes one.";
    for (const bearer of [OPERATOR, ownerToken]) {
      const init = { method: "POST", headers: { Authorization: `Bearer ${bearer}` }, body: "{}" };
      expect(await message(send("/mcp/records", init))).toBe(reads);
    }
    expect(await message(get("/v1/schema", OPERATOR))).toBe(
      "Reading here takes the bearer of a grant, or an owner's: npm run grant -- create makes one.",
    );
    const strange = { headers: { Authorization: `Bearer ${client}`, Origin: "https://evil.example" } };
    expect(await message(send("/v1/schema", strange))).toBe(
      "Pages of this origin may not ask here, nor hosts of this name.",
    );
  });
});

describe("every answer of the read surface", () => {
  const bearers = async () => (await grant([MAIL])).token;

  it.each<[string, number, string, () => Promise<Response>]>([
    ["no bearer", 401, "authentication_error", () => get("/v1/schema", null)],
    ["the operator", 403, "permission_error", () => get("/v1/schema", OPERATOR)],
    [
      "a strange page",
      403,
      "permission_error",
      async () =>
        send("/v1/schema", {
          headers: { Authorization: `Bearer ${await bearers()}`, Origin: "https://evil.example" },
        }),
    ],
    ["an unknown path", 404, "not_found", async () => get("/v1/nothing", await bearers())],
    ["the root", 404, "not_found", async () => get("/v1", await bearers())],
    ["semantic search", 404, "not_found", async () => get("/v1/search/semantic?q=a", await bearers())],
    ["hybrid search", 404, "not_found", async () => get("/v1/search/hybrid?q=a", await bearers())],
    [
      "a field window",
      404,
      "not_found",
      async () => get("/v1/streams/messages/records/m1/field-window", await bearers()),
    ],
    ["a blob", 404, "not_found", async () => get("/v1/blobs/b1", await bearers())],
    [
      "another method",
      405,
      "method_not_allowed",
      async () =>
        send("/v1/schema", { method: "POST", headers: { Authorization: `Bearer ${await bearers()}` } }),
    ],
    [
      "GET of what is written",
      405,
      "method_not_allowed",
      async () => get("/v1/ingest/messages", await bearers()),
    ],
    ["GET of the tools", 405, "method_not_allowed", async () => get("/mcp/records", await bearers())],
    [
      "DELETE of the tools",
      405,
      "method_not_allowed",
      async () =>
        send("/mcp/records", { method: "DELETE", headers: { Authorization: `Bearer ${await bearers()}` } }),
    ],
    [
      "a body that says it is too large",
      413,
      "too_large",
      async () =>
        send("/v1/ingest/messages", { method: "POST", headers: { "Content-Length": "4194305" }, body: "x" }),
    ],
    [
      "a body that is too large",
      413,
      "too_large",
      async () =>
        ingest(
          await owner(),
          MAIL,
          "messages",
          new ReadableStream({
            start(controller) {
              controller.enqueue(new Uint8Array(4_194_305));
              controller.close();
            },
          }),
        ),
    ],
    [
      "too many requests",
      429,
      "rate_limit_exceeded",
      async () => get("/v1/schema", await bearers(), { SHIELD: { limit: async () => ({ success: false }) } }),
    ],
    ["no key", 503, "source_unavailable", () => get("/v1/schema", null, { LOOMGATE_KEY: "" })],
    [
      "no database",
      503,
      "source_unavailable",
      async () =>
        get("/v1/schema", await bearers(), {
          DB: new Proxy(env.DB, {
            get: () => () => {
              throw new Error("no such table: secrets");
            },
          }),
        }),
    ],
  ])("has PDPP's shape and headers: %s", async (_, status, code, ask) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("pdpp-version")).toBe("2026-04-06");
    const body: unknown = await response.json();
    const error = memberOf(body, "error");
    expect(memberOf(error, "code")).toBe(code);
    expect(memberOf(error, "type")).toMatch(/_error$/);
    expect(memberOf(error, "message")).toMatch(/\.$/);
    expect(memberOf(error, "request_id")).toBe(response.headers.get("request-id"));
    expect(JSON.stringify(body)).not.toMatch(/lg_|secrets|operator-/);
  });

  it("allows what would work", async () => {
    const token = await bearers();
    expect((await get("/mcp/records", token)).headers.get("allow")).toBe("POST");
    expect((await get("/v1/ingest/messages", token)).headers.get("allow")).toBe("POST");
    const posted = await send("/v1/schema", { method: "PUT", headers: { Authorization: `Bearer ${token}` } });
    expect(posted.headers.get("allow")).toBe("GET");
    expect(
      (await get("/v1/schema", token, { SHIELD: { limit: async () => ({ success: false }) } })).headers.get(
        "retry-after",
      ),
    ).toBe("60");
  });

  it("has the headers where it is a success, too, and a name of its own", async () => {
    const token = await bearers();
    const [read, listed] = [await get("/v1/schema", token), await rpc(token, "tools/list")];
    for (const response of [read, listed]) {
      expect(response.status).toBe(200);
      expect(response.headers.get("pdpp-version")).toBe("2026-04-06");
      expect(response.headers.get("request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(read.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(read.headers.get("request-id")).not.toBe(listed.headers.get("request-id"));
  });

  it.each([
    ["/mcp/records", "/mcp/records"],
    ["/v1/schema", ""],
  ])("a 401 leads to the metadata: %s", async (path, resource) => {
    const metadata = `/.well-known/oauth-protected-resource${resource}`;
    const response = await send(path, { method: path === "/v1/schema" ? "GET" : "POST" });
    expect(response.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${ORIGIN}${metadata}"`);
    const body: unknown = await response.json();
    expect(memberOf(memberOf(body, "error"), "resource_metadata")).toBe(`${ORIGIN}${metadata}`);
    const told: unknown = await (await send(metadata)).json();
    expect(memberOf(told, "resource")).toBe(`${ORIGIN}${resource === "" ? "/" : resource}`);
  });

  it("of other surfaces is as it was", async () => {
    const response = await send("/nowhere");
    expect(await response.json()).toEqual({ error: "not_found" });
    expect(response.headers.get("pdpp-version")).toBeNull();
  });

  it("on a page that is allowed can be read with its headers", async () => {
    const LOOMGATE_CONFIG = '{"gateway":{"allowed_origins":["https://page.example"]}}';
    const response = await send(
      "/v1/schema",
      { headers: { Authorization: `Bearer ${await bearers()}`, Origin: "https://page.example" } },
      { LOOMGATE_CONFIG },
    );
    expect(response.headers.get("access-control-allow-origin")).toBe("https://page.example");
    expect(response.headers.get("access-control-expose-headers")).toContain("Request-Id");
  });
});

describe("hostile paths", () => {
  it.each([
    ["no UTF-8 in a key", "/v1/streams/messages/records/%FF", 400, "invalid_request"],
    ["no UTF-8 in a stream", "/v1/streams/%C3%28/records", 400, "invalid_request"],
    ["half an escape", "/v1/%", 400, "invalid_request"],
    ["4,000 segments", `/v1${"/a".repeat(4000)}`, 404, "not_found"],
    ["40,000 characters", `/v1/streams/messages/records/${"a".repeat(40_000)}`, 400, "invalid_request"],
    ["a slash in a key", "/v1/streams/messages/records/a%2Fb", 404, "not_found"],
    ["the way up in a key", "/v1/streams/messages/records/..%2F..%2Fadmin", 404, "not_found"],
    ["a slash in a stream", "/v1/streams/messages%2Frecords", 404, "stream_not_declared"],
    ["__proto__", "/v1/streams/__proto__/records", 404, "stream_not_declared"],
    ["constructor", "/v1/streams/constructor", 404, "stream_not_declared"],
    ["nothing between slashes", "/v1//streams", 404, "not_found"],
    ["nothing behind a slash", "/v1/streams/", 404, "stream_not_declared"],
    ["an escaped letter of the route", "/%761/schema", 200, null],
  ])("are answered in the shape: %s", async (_, path, status, code) => {
    const response = await get(path, (await grant([MAIL])).token);
    expect(response.status).toBe(status);
    expect(code === null ? null : await codeOf(response)).toBe(code);
    expect(response.headers.get("pdpp-version")).toBe("2026-04-06");
  });

  it("reach no other route: a dot segment is gone before it is looked at", async () => {
    const { token } = await grant([MAIL]);
    const response = await get("/v1/streams/%2e%2e/%2e%2e/admin/tokens", token);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ error: "forbidden" });
  });

  it("find a record whose key has a slash, as itself", async () => {
    const key = "a/b ..%2F?#";
    const line = JSON.stringify({ key, data: { id: key }, emitted_at: "2026-01-01T00:00:00Z" });
    expect((await ingest(await owner(), MAIL, "messages", line)).status).toBe(200);
    const { token } = await grant([MAIL]);
    const response = await get(`/v1/streams/messages/records/${encodeURIComponent(key)}`, token);
    expect(await response.json()).toMatchObject({ id: key, data: { id: key } });
  });
});

describe("numbers", () => {
  it("leave /v1 as they were written", async () => {
    const line =
      '{"key":"m1","data":{"id":"m1","size":12345678901234567890,"ratio":1.10},"emitted_at":"2026-01-01T00:00:00Z"}';
    expect((await ingest(await owner(), MAIL, "messages", line)).status).toBe(200);
    const { token } = await grant([MAIL]);
    const text = await (await get("/v1/streams/messages/records/m1", token)).text();
    expect(text).toContain('"size":12345678901234567890');
    expect(text).toContain('"ratio":1.10');
  });
});
