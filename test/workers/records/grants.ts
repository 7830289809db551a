import { env } from "cloudflare:workers";
import { mintBearer } from "../../../src/access/bearer.ts";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import seed from "../../fixtures/records/seed.json" with { type: "json" };
import type { Bindings } from "../../../src/http/bindings.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { bearerFor, KEY, OPERATOR, send } from "../http/client.ts";

/** Asks as the operator, with a body in JSON. */
export function operate(method: string, path: string, body?: unknown): Promise<Response> {
  return send(path, {
    method,
    headers: { Authorization: `Bearer ${OPERATOR}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function done(asked: Promise<Response>): Promise<unknown> {
  const response = await asked;
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
  return body;
}

/** An owner's bearer, with its row. */
export async function owner(lifetimeSeconds = 3600): Promise<string> {
  const body = { name: "owner", kind: "owner", lifetime_s: lifetimeSeconds };
  return String(memberOf(await done(operate("POST", "/admin/tokens", body)), "token"));
}

/** Two connections of the fixture's first connector, and one of its second, without records. */
export const MAIL = "testmail-1";
export const OTHER_MAIL = "testmail-2";
export const CHAT = "testchat-1";

export async function loadConnections(): Promise<void> {
  await done(operate("POST", "/admin/records/manifests", seed));
  for (const [id, connector_key] of [
    [MAIL, "testmail"],
    [OTHER_MAIL, "testmail"],
    [CHAT, "testchat"],
  ]) {
    await done(operate("POST", "/admin/records/connections", { id, connector_key }));
  }
}

/** Writes lines as NDJSON. */
export function ingest(
  bearer: string,
  connection: string,
  stream: string,
  body: BodyInit,
  bindings: Partial<Bindings> = {},
): Promise<Response> {
  const init = { method: "POST", headers: { Authorization: `Bearer ${bearer}` }, body };
  return send(`/v1/ingest/${stream}?connection_id=${connection}`, init, bindings);
}

/** The code of a refusal in PDPP's shape; null where it has none. */
export async function codeOf(response: Response): Promise<unknown> {
  return memberOf(memberOf(await response.json(), "error"), "code") ?? null;
}

export interface MadeGrant {
  readonly token: string;
  readonly tokenId: string;
  readonly packageId: string | null;
  readonly grantIds: readonly string[];
}

/** A bearer with grants of these connections, every stream of each unless `more` says otherwise. */
export async function grant(connections: readonly string[], more: object = {}): Promise<MadeGrant> {
  const made = await done(
    operate("POST", "/admin/grants", {
      connections: connections.map((connection_id) => ({ connection_id, streams: [{ name: "*" }] })),
      ...more,
    }),
  );
  const grants = memberOf(made, "grants");
  const packageId = memberOf(made, "package_id");
  return {
    token: String(memberOf(made, "token")),
    tokenId: String(memberOf(made, "token_id")),
    packageId: typeof packageId === "string" ? packageId : null,
    grantIds: isJsonArray(grants) ? grants.map((one) => String(memberOf(one, "id"))) : [],
  };
}

/** A client without a grant, with its row. */
export async function grantless(kind: "client" | "package" = "client"): Promise<string> {
  return String(memberOf(await done(operate("POST", "/admin/tokens", { name: "grantless", kind })), "token"));
}

/** A package's bearer of this deployment's key whose time is over. */
export async function expired(): Promise<string> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: KEY });
  if (!rings.ok) throw new Error(rings.reason.reason);
  const request = { kind: "package", principal: "ada", lifetimeSeconds: 1 } as const;
  const minted = await mintBearer(rings.value.bearer, request, new Uint8Array(16), Date.now() - 60_000);
  if (!minted.ok) throw new Error(minted.reason);
  return minted.value.bearer;
}

/** A bearer of this deployment's key without a row: one that somebody has done away with. */
export function rowless(): Promise<string> {
  return bearerFor({ kind: "package" });
}

export function get(
  path: string,
  bearer: string | null,
  bindings: Partial<Bindings> = {},
): Promise<Response> {
  return send(path, bearer === null ? {} : { headers: { Authorization: `Bearer ${bearer}` } }, bindings);
}

/** One JSON-RPC request to `/mcp/records`. */
export function rpc(
  bearer: string | null,
  method: string,
  params: unknown = {},
  bindings: Partial<Bindings> = {},
): Promise<Response> {
  const init = {
    method: "POST",
    headers: {
      ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
  return send("/mcp/records", init, bindings);
}

/** The tests' database, and how often it was asked. */
export function countedDatabase(): { readonly bindings: Partial<Bindings>; readonly asked: () => number } {
  let asked = 0;
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        asked += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { bindings: { DB }, asked: () => asked };
}
