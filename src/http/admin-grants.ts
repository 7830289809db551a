import * as z from "zod";
import { mintBearer } from "../access/bearer.ts";
import { httpRecordSources } from "../config-records-schema.ts";
import { type GrantRecord, GrantStore } from "../records/grant/grant-store.ts";
import { judgeGrant } from "../records/grant/judge-grant.ts";
import { invalid, revokeTokenById } from "./admin-tokens.ts";
import { TOO_LARGE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { learnGranted, readerStore } from "./records-ports.ts";
import { readJson } from "./request-body.ts";

const texts = z.array(z.string());

const createSchema = z.strictObject({
  name: z.string().optional(),
  principal: z.string().optional(),
  connections: z
    .array(
      z.strictObject({
        connection_id: z.string(),
        streams: z.array(
          z.strictObject({ name: z.string(), fields: texts.optional(), resources: texts.optional() }),
        ),
      }),
    )
    .default([]),
  sources: texts.default([]),
  since: z.string().optional(),
  until: z.string().optional(),
  lifetime_s: z.number().optional(),
  scopes: texts.optional(),
});

/** No tool's id matches it: a bearer that was made to read records runs no tools, unless scopes say so. */
const NO_TOOLS = "none";

/** `POST /admin/grants`: a bearer and what it may read, in one transaction. The bearer is in this answer and nowhere else. */
export async function createGrant(c: HttpContext): Promise<Response> {
  const json = await readJson(c);
  if (!json.ok) return c.json(TOO_LARGE, 413);
  const body = createSchema.safeParse(json.value);
  if (!body.success) {
    return invalid(
      c,
      body.error.issues.map(({ path, message }) => [...path, message].join(": ")),
    );
  }
  const { sources, since, until, lifetime_s: lifetimeSeconds, scopes } = body.data;
  const { name = "records" } = body.data;
  // Bearers that nobody named share nothing: a principal's artifacts and approvals are its own.
  const principal = body.data.principal ?? body.data.name ?? `records-${crypto.randomUUID()}`;
  const connections = body.data.connections.map(({ connection_id: connectionId, streams }) => ({
    connectionId,
    streams,
  }));
  const judged = judgeGrant(
    { connections, sources, since, until },
    {
      connections: await readerStore(c).connectors(connections.map(({ connectionId }) => connectionId)),
      sources: new Set(httpRecordSources(c.get("config")).map((source) => source.name)),
    },
  );
  if (!judged.ok) return invalid(c, judged.reason);
  const nowMs = Date.now();
  const kind = judged.value.length === 1 ? "client" : "package";
  const minted = await mintBearer(
    c.get("keys").bearer,
    { kind, principal, scopes: scopes ?? [NO_TOOLS], lifetimeSeconds },
    crypto.getRandomValues(new Uint8Array(16)),
    nowMs,
  );
  if (!minted.ok) return invalid(c, [minted.reason]);
  const packageId = kind === "package" ? newId("pkg") : null;
  const grants = judged.value.map((grant) => ({ id: newId("grt"), grant }));
  const row = await new GrantStore(c.env.DB).create(
    { name, claims: minted.value.claims, packageId, grants },
    nowMs,
  );
  if (!row.ok)
    return invalid(c, [row.reason === "connection_gone" ? "a connection has just been removed" : row.reason]);
  await learnGranted(
    c,
    grants.flatMap(({ id, grant: { source } }) => (source === null ? [] : [{ grantId: id, source }])),
  );
  const [first] = grants;
  return c.json(
    {
      token: minted.value.bearer,
      kind,
      token_id: row.value.id,
      ...(packageId === null ? { grant_id: first?.id } : { package_id: packageId }),
      expires_at_s: row.value.expiresAtSeconds,
      grants: grants.map(({ id, grant: { connectionId, source, streams } }) => ({
        id,
        connection_id: connectionId,
        source,
        streams,
      })),
    },
    201,
  );
}

/** `GET /admin/grants`: the newest first; never a bearer. */
export async function listGrants(c: HttpContext): Promise<Response> {
  return c.json({ grants: (await new GrantStore(c.env.DB).list()).map(wireGrant) });
}

/** `DELETE /admin/grants/{id}`: the id is a grant's, a package's (all its grants) or a token's (the bearer itself). */
export async function revokeGrant(c: HttpContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const revoked = await new GrantStore(c.env.DB).revoke(id, Date.now());
  return revoked.length === 0 ? revokeTokenById(c, id) : c.json({ grants: revoked.map(wireGrant) });
}

function newId(prefix: "grt" | "pkg"): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
}

function wireGrant(grant: GrantRecord): Record<string, unknown> {
  return {
    id: grant.id,
    package_id: grant.packageId,
    token_id: grant.tokenId,
    name: grant.tokenName,
    connection_id: grant.connectionId,
    source: grant.source,
    streams: grant.streams,
    created_at_ms: grant.createdAtMs,
    revoked_at_ms: grant.revokedAtMs,
    token_expires_at_s: grant.tokenExpiresAtSeconds,
    token_revoked_at_s: grant.tokenRevokedAtSeconds,
  };
}
