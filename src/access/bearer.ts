import { decodeBase64url, encodeBase64url } from "../base64url.ts";
import { compileGlob } from "../glob.ts";
import {
  BEARER_MAX_CHARS,
  SCOPES_MAX_COUNT,
  TOKEN_LIFETIME_DEFAULT_SECONDS,
  TOKEN_LIFETIME_MAX_SECONDS,
} from "../limits.ts";
import { MAC_CHARS, signMac, verifyMac } from "../mac.ts";
import type { KeyRing } from "../mac.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";
import { checkPrincipal } from "./principal-name.ts";

/**
 * Bearers, `lg_<kind>_<payload>_<mac>`: checked without any IO, so that a flood of forged ones wakes nothing. The scopes
 * travel inside for the same reason; a token's scopes are fixed for its life.
 */
const BEARER_KINDS = ["client", "package", "owner"] as const;
export type BearerKind = (typeof BEARER_KINDS)[number];

export interface BearerClaims {
  readonly kind: BearerKind;
  readonly principal: string;
  /** 32 hexadecimal digits: random, not secret, what a revocation names. */
  readonly tokenId: string;
  readonly expiresAtSeconds: number;
  /** Globs over tool ids; `null` is everything. */
  readonly scopes: readonly string[] | null;
}

export interface BearerRequest {
  readonly kind: BearerKind;
  readonly principal: string;
  readonly scopes?: readonly string[] | null | undefined;
  readonly lifetimeSeconds?: number | undefined;
}

export type MintReason = "principal_invalid" | "scopes_invalid" | "lifetime_invalid" | "too_large";
export type BearerReason = "malformed" | "unknown_kind" | "bad_mac" | "expired";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const PREFIX = "lg_";
const TOKEN_ID = /^[0-9a-f]{32}$/;

export function isBearerKind(kind: unknown): kind is BearerKind {
  return BEARER_KINDS.some((known) => known === kind);
}

/** Makes a bearer. `random` is 16 fresh random bytes, the token's id; `nowMs` is the clock. No scopes means everything. */
export async function mintBearer(
  ring: KeyRing,
  request: BearerRequest,
  random: Uint8Array,
  nowMs: number,
): Promise<Result<{ readonly bearer: string; readonly claims: BearerClaims }, MintReason>> {
  const principal = checkPrincipal(request.principal);
  if (!principal.ok) return principal;
  const scopes = request.scopes ?? null;
  if (scopes !== null && !scopesAreValid(scopes)) return fail("scopes_invalid");
  const lifetime = request.lifetimeSeconds ?? TOKEN_LIFETIME_DEFAULT_SECONDS;
  if (!Number.isInteger(lifetime) || lifetime < 1 || lifetime > TOKEN_LIFETIME_MAX_SECONDS) {
    return fail("lifetime_invalid");
  }
  const claims: BearerClaims = {
    kind: request.kind,
    principal: principal.value,
    tokenId: [...random.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    expiresAtSeconds: Math.floor(nowMs / 1000) + lifetime,
    scopes,
  };
  const signed = `${PREFIX}${claims.kind}_${encodePayload(claims, ring.current.id)}`;
  if (signed.length + 1 + MAC_CHARS > BEARER_MAX_CHARS) return fail("too_large");
  return ok({ bearer: `${signed}_${await signMac(ring.current, encoder.encode(signed))}`, claims });
}

/** The claims of a bearer that this deployment minted and that has not expired. Never throws, whatever the text. */
export async function verifyBearer(
  ring: KeyRing,
  bearer: string,
  nowMs: number,
): Promise<Result<BearerClaims, BearerReason>> {
  // Base64url has `_` in its alphabet, so the parts are cut from both ends, never split.
  if (bearer.length > BEARER_MAX_CHARS || !bearer.startsWith(PREFIX)) return fail("malformed");
  const kindEnd = bearer.indexOf("_", PREFIX.length);
  const macStart = bearer.length - MAC_CHARS;
  if (kindEnd === -1 || macStart - 1 <= kindEnd || bearer[macStart - 1] !== "_") return fail("malformed");
  const kind = bearer.slice(PREFIX.length, kindEnd);
  if (!isBearerKind(kind)) return fail("unknown_kind");
  const payload = decodePayload(bearer.slice(kindEnd + 1, macStart - 1));
  if (payload === null) return fail("malformed");
  const signed = encoder.encode(bearer.slice(0, macStart - 1));
  if (!(await verifyMac(ring, payload.keyId, signed, bearer.slice(macStart)))) return fail("bad_mac");
  const { claims } = payload;
  if (claims.kind !== kind) return fail("malformed");
  return nowMs >= claims.expiresAtSeconds * 1000 ? fail("expired") : ok(claims);
}

/** Whether every scope is a glob that can be matched, and there is at least one. */
function scopesAreValid(scopes: readonly string[]): boolean {
  return (
    scopes.length > 0 && scopes.length <= SCOPES_MAX_COUNT && scopes.every((scope) => compileGlob(scope).ok)
  );
}

function encodePayload(claims: BearerClaims, keyId: string): string {
  const { kind, principal, tokenId, expiresAtSeconds, scopes } = claims;
  const fields = { v: 1, k: keyId, d: kind, p: principal, t: tokenId, e: expiresAtSeconds };
  return encodeBase64url(encoder.encode(JSON.stringify(scopes === null ? fields : { ...fields, s: scopes })));
}

/** Reads a payload that nobody has vouched for yet. */
function decodePayload(text: string): { readonly keyId: string; readonly claims: BearerClaims } | null {
  const bytes = decodeBase64url(text);
  if (!bytes.ok) return null;
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes.value));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [keyId, kind, principal, tokenId, expires, scopes] = ["k", "d", "p", "t", "e", "s"].map((name) =>
    fields.get(name),
  );
  if (fields.get("v") !== 1 || typeof keyId !== "string" || !isBearerKind(kind)) return null;
  if (typeof principal !== "string" || !checkPrincipal(principal).ok) return null;
  if (typeof tokenId !== "string" || !TOKEN_ID.test(tokenId)) return null;
  if (typeof expires !== "number" || !Number.isSafeInteger(expires)) return null;
  // A scope that cannot be read must never widen to "everything".
  if (scopes !== undefined && !(isStrings(scopes) && scopesAreValid(scopes))) return null;
  return { keyId, claims: { kind, principal, tokenId, expiresAtSeconds: expires, scopes: scopes ?? null } };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
