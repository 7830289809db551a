import { beforeEach, describe, expect, it } from "vitest";
import { bearerFor, OPERATOR, send } from "../http/client.ts";
import {
  CHAT,
  codeOf,
  countedDatabase,
  expired,
  get,
  grant,
  grantless,
  ingest,
  loadConnections,
  MAIL,
  operate,
  owner,
  rowless,
  rpc,
} from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});

const CALLERS: Readonly<Record<string, () => Promise<string | null>>> = {
  none: async () => null,
  bad: async () => "lg_client_nonsense",
  unknownKind: async () => (await bearerFor()).replace("lg_client_", "lg_robot_"),
  foreignKey: () => bearerFor({}, "a-key-of-another-deployment-altogether"),
  expired,
  rowless,
  grantless: () => grantless(),
  emptyPackage: () => grantless("package"),
  client: async () => (await grant([MAIL])).token,
  package: async () => (await grant([MAIL, CHAT])).token,
  owner: () => owner(),
  operator: async () => OPERATOR,
};

/** The status, and of a refusal the code in PDPP's shape. */
async function told(response: Response): Promise<unknown> {
  return response.ok ? response.status : [response.status, await codeOf(response)];
}

const UNAUTHORIZED = [401, "authentication_error"];
const FORBIDDEN = [403, "permission_error"];

describe("who may read and write records", () => {
  it.each<[string, (bearer: string | null) => Promise<Response>, Readonly<Record<string, unknown>>]>([
    [
      "/mcp/records",
      (bearer) => rpc(bearer, "tools/list"),
      {
        grantless: FORBIDDEN,
        emptyPackage: 200,
        client: 200,
        package: 200,
        owner: FORBIDDEN,
        operator: FORBIDDEN,
      },
    ],
    [
      "GET /v1/schema",
      (bearer) => get("/v1/schema", bearer),
      { grantless: FORBIDDEN, emptyPackage: 200, client: 200, package: 200, owner: 200, operator: FORBIDDEN },
    ],
    [
      "GET /v1/streams/messages/records",
      (bearer) => get(`/v1/streams/messages/records?connection_id=${MAIL}`, bearer),
      {
        grantless: FORBIDDEN,
        emptyPackage: [404, "connection_not_found"],
        client: 200,
        package: 200,
        owner: 200,
        operator: FORBIDDEN,
      },
    ],
    [
      "POST /v1/ingest/messages",
      (bearer) =>
        send(`/v1/ingest/messages?connection_id=${MAIL}`, {
          method: "POST",
          headers: bearer === null ? {} : { Authorization: `Bearer ${bearer}` },
          body: '{"key":"m1","data":{"id":"m1"},"emitted_at":"2026-01-01T00:00:00Z"}',
        }),
      {
        grantless: FORBIDDEN,
        emptyPackage: FORBIDDEN,
        client: FORBIDDEN,
        package: FORBIDDEN,
        owner: 200,
        operator: FORBIDDEN,
      },
    ],
  ])("%s", async (_, ask, expected) => {
    const answers = new Map<string, unknown>();
    for (const [caller, bearer] of Object.entries(CALLERS)) {
      answers.set(caller, await told(await ask(await bearer())));
    }
    const isIngest = expected["client"] !== 200;
    expect(Object.fromEntries(answers)).toEqual({
      none: UNAUTHORIZED,
      bad: UNAUTHORIZED,
      unknownKind: UNAUTHORIZED,
      foreignKey: UNAUTHORIZED,
      expired: UNAUTHORIZED,
      // A package may not write, whoever it is.
      rowless: isIngest ? FORBIDDEN : UNAUTHORIZED,
      ...expected,
    });
  });

  it("an owner's or operator's bearer, an unknown kind or none is refused before D1 is asked or the body read", async () => {
    const refused = [await owner(), OPERATOR, (await bearerFor()).replace("lg_client_", "lg_robot_"), null];
    for (const bearer of refused) {
      const { bindings, asked } = countedDatabase();
      let read = 0;
      const body = new ReadableStream(
        {
          pull(controller) {
            read += 1;
            controller.enqueue(new Uint8Array(16));
          },
        },
        { highWaterMark: 0 },
      );
      const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer}` };
      const response = await send("/mcp/records", { method: "POST", headers, body }, bindings);
      expect([403, 401]).toContain(response.status);
      expect(asked()).toBe(0);
      expect(read).toBe(0);
    }
  });

  it("a revoked bearer is refused before its body is read", async () => {
    const { token, tokenId } = await grant([MAIL]);
    await operate("DELETE", `/admin/tokens/${tokenId}`);
    const body = '{"jsonrpc":"2.0", broken';
    const response = await send("/mcp/records", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body,
    });
    expect(await told(response)).toEqual(UNAUTHORIZED);
  });

  it("a bearer made to read records is a client that sees no tool of the gateway", async () => {
    const { token } = await grant([MAIL]);
    const row: unknown = await (await operate("GET", "/admin/tokens")).json();
    expect(JSON.stringify(row)).toContain('"scopes":["none"]');
    expect(await told(await get("/admin/tokens", token))).toEqual([403, null]);
  });
});

describe("a revocation counts for the next read", () => {
  const BOTH: readonly [string, (bearer: string) => Promise<Response>][] = [
    ["/v1", (bearer) => get("/v1/schema", bearer)],
    ["/mcp/records", (bearer) => rpc(bearer, "tools/list")],
  ];

  it.each(BOTH)("of a token, by either route: %s", async (_, ask) => {
    for (const route of ["tokens", "grants"]) {
      const { token, tokenId } = await grant([MAIL]);
      expect((await ask(token)).status).toBe(200);
      expect((await operate("DELETE", `/admin/${route}/${tokenId}`)).status).toBe(200);
      expect(await told(await ask(token))).toEqual(UNAUTHORIZED);
    }
  });

  it.each(BOTH)("of a grant: %s", async (_, ask) => {
    const { token, grantIds } = await grant([MAIL]);
    const other = await grant([MAIL]);
    expect((await operate("DELETE", `/admin/grants/${grantIds[0]}`)).status).toBe(200);
    expect(await told(await ask(token))).toEqual([403, "grant_revoked"]);
    expect((await ask(other.token)).status).toBe(200);
  });

  it.each(BOTH)("of a package: %s", async (_, ask) => {
    const { token, packageId } = await grant([MAIL, CHAT]);
    expect((await operate("DELETE", `/admin/grants/${packageId}`)).status).toBe(200);
    expect(await told(await ask(token))).toEqual([403, "package_revoked"]);
  });

  it("of a package's child: it is gone, and the rest stays", async () => {
    const { token, grantIds } = await grant([MAIL, CHAT]);
    const before = await (await get("/v1/schema", token)).text();
    expect(before).toContain(CHAT);
    await operate("DELETE", `/admin/grants/${grantIds[1]}`);
    const after = await (await get("/v1/schema", token)).text();
    expect(after).not.toContain(CHAT);
    expect(after).toContain(MAIL);
    expect(await told(await get(`/v1/streams/channels/records?connection_id=${CHAT}`, token))).toEqual([
      404,
      "connection_not_found",
    ]);
    await operate("DELETE", `/admin/grants/${grantIds[0]}`);
    expect(await told(await get("/v1/schema", token))).toEqual([403, "package_revoked"]);
  });

  it("of an owner: neither reading nor writing", async () => {
    const bearer = await owner();
    const made: unknown = await (await operate("GET", "/admin/tokens")).json();
    const id = /"id":"([0-9a-f]{32})"/.exec(JSON.stringify(made))?.[1] ?? "";
    await operate("DELETE", `/admin/tokens/${id}`);
    expect(await told(await get("/v1/schema", bearer))).toEqual(UNAUTHORIZED);
    expect(await told(await ingest(bearer, MAIL, "messages", "{}"))).toEqual(UNAUTHORIZED);
  });

  it("is known to who asks twice, and to the list; an id that nobody has is not", async () => {
    const { grantIds } = await grant([MAIL]);
    const first: unknown = await (await operate("DELETE", `/admin/grants/${grantIds[0]}`)).json();
    const second: unknown = await (await operate("DELETE", `/admin/grants/${grantIds[0]}`)).json();
    expect(second).toEqual(first);
    expect(await (await operate("GET", "/admin/grants")).json()).toEqual(first);
    expect((await operate("DELETE", "/admin/grants/grt_nobody")).status).toBe(404);
  });
});

describe("one bearer's grants", () => {
  it("are nobody else's, whatever principal both speak for", async () => {
    const mail = await grant([MAIL], { principal: "ada" });
    const chat = await grant([CHAT], { principal: "ada" });
    expect(await (await get("/v1/schema", mail.token)).text()).not.toContain(CHAT);
    expect(await (await get("/v1/schema", chat.token)).text()).not.toContain(MAIL);
  });

  it("cost one round trip to D1 where the manifests are known", async () => {
    const { token } = await grant([MAIL, CHAT]);
    await get("/v1/nothing", token);
    const { bindings, asked } = countedDatabase();
    await get("/v1/nothing", token, bindings);
    // Four statements are prepared, and one batch carries them.
    expect(asked()).toBe(5);
  });

  it.each([
    [{}, "name at least one connection"],
    [{ connections: [{ connection_id: "nobody", streams: [{ name: "*" }] }] }, "no such connection"],
    [
      { connections: [{ connection_id: MAIL, streams: [{ name: "messages", fields: ["nope"] }] }] },
      "no field",
    ],
    [{ connections: [{ connection_id: MAIL, streams: [{ name: "*" }] }], more: 1 }, "more"],
    [{ sources: ["personal"] }, "no such source"],
    [{ connections: [{ connection_id: MAIL, streams: [{ name: "*" }] }], lifetime_s: 0 }, "lifetime_invalid"],
    [
      { connections: [{ connection_id: MAIL, streams: [{ name: "*" }] }], name: "a\nb", principal: "ada" },
      "name_invalid",
    ],
  ])("are not made of what cannot be granted: %j", async (body, problem) => {
    const tokens = await (await operate("GET", "/admin/tokens")).text();
    const response = await operate("POST", "/admin/grants", body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(problem);
    expect(await (await operate("GET", "/admin/tokens")).text()).toBe(tokens);
  });
});
