import * as z from "zod";
import { isBearerKind, mintBearer } from "../access/bearer.ts";
import { type TokenRow, TokenStore } from "../access/token-store.ts";
import { principalPort } from "../principal/principals-store.ts";
import { NOT_FOUND, TOO_LARGE, UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { readJson } from "./request-body.ts";

const createSchema = z.strictObject({
  name: z.string(),
  kind: z.string().default("client").refine(isBearerKind, "kind is client, package or owner"),
  principal: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  lifetime_s: z.number().optional(),
});

/** `GET /admin/tokens`: what was issued, the newest first; never a bearer. */
export async function listTokens(c: HttpContext): Promise<Response> {
  const rows = await new TokenStore(c.env.DB).list();
  return c.json({ tokens: rows.map(wireToken) });
}

/** `POST /admin/tokens`: the bearer is in this answer and nowhere else. */
export async function createToken(c: HttpContext): Promise<Response> {
  const json = await readJson(c);
  if (!json.ok) return c.json(TOO_LARGE, 413);
  const body = createSchema.safeParse(json.value);
  if (!body.success) {
    const problems = body.error.issues.map(({ path, message }) => [...path, message].join(": "));
    return invalid(c, problems);
  }
  const { name, kind, principal, scopes, lifetime_s: lifetimeSeconds } = body.data;
  const nowMs = Date.now();
  const random = crypto.getRandomValues(new Uint8Array(16));
  const request = { kind, principal: principal ?? name, scopes, lifetimeSeconds };
  const minted = await mintBearer(c.get("keys").bearer, request, random, nowMs);
  if (!minted.ok) return invalid(c, [minted.reason]);
  const row = await new TokenStore(c.env.DB).create(name, minted.value.claims, nowMs);
  return row.ok
    ? c.json({ token: minted.value.bearer, ...wireToken(row.value) }, 201)
    : invalid(c, [row.reason]);
}

/** `DELETE /admin/tokens/{id}[?forget=true]`: with `forget` its row goes as well, unless it has grants. */
export async function revokeToken(c: HttpContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const response = await revokeTokenById(c, id);
  if (response.ok && c.req.query("forget") === "true") await new TokenStore(c.env.DB).forget(id);
  return response;
}

/**
 * First the principal's object refuses the id, then the list shows it: a failure in between leaves a token that is dead and
 * looks alive, and asking again mends that; the other order would leave it alive.
 */
export async function revokeTokenById(c: HttpContext, id: string): Promise<Response> {
  const tokens = new TokenStore(c.env.DB);
  const row = await tokens.find(id);
  if (row === null) return c.json(NOT_FOUND, 404);
  const revoked = await principalPort(c.env.PRINCIPALS, row.principal).revoke({
    version: 1,
    tokenId: row.id,
    expiresAtMs: row.expiresAtSeconds * 1000,
  });
  if (!revoked.ok || !revoked.value.accepted) return c.json(UNAVAILABLE, 503);
  const marked = await tokens.markRevoked(row.id, Date.now());
  return marked.ok ? c.json(wireToken(marked.value)) : c.json(NOT_FOUND, 404);
}

export function invalid(c: HttpContext, problems: readonly string[]): Response {
  return c.json({ error: "invalid", problems }, 400);
}

function wireToken(row: TokenRow): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    principal: row.principal,
    scopes: row.scopes,
    created_at_s: row.createdAtSeconds,
    expires_at_s: row.expiresAtSeconds,
    revoked_at_s: row.revokedAtSeconds,
  };
}
