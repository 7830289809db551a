import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";
import { KEYRING_CACHE_MAX_ENTRIES, KEY_SECRET_MAX_BYTES, KEY_SECRET_MIN_BYTES } from "../limits.ts";
import type { KeyRing, NamedKey } from "../mac.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";

/** What keys are derived for. One purpose's MAC is worth nothing to another: each has its own key. */
type KeyPurpose = "bearer" | "session" | "cursor" | "artifact";

/** `cursor` encrypts (AES-256-GCM), the others sign (HMAC-SHA-256). */
export type KeyRings = Readonly<Record<KeyPurpose, KeyRing>>;

/** The secrets as the environment gives them. A previous key that is absent or blank means that none is accepted. */
export interface KeySecrets {
  readonly LOOMGATE_KEY?: string | undefined;
  readonly LOOMGATE_KEY_PREVIOUS?: string | undefined;
}

export type KeyReason = {
  readonly secret: "LOOMGATE_KEY" | "LOOMGATE_KEY_PREVIOUS";
  readonly reason: "missing" | "too_short" | "too_long";
};

const encoder = new TextEncoder();
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;

/** Derived rings by a hash of the secrets; the secrets themselves are not kept as keys of a map. */
const cache = new Map<string, KeyRings>();

/**
 * The key rings of a configuration: HKDF-SHA-256 (RFC 5869) of each secret, one label a purpose. Derived once an isolate.
 * The values are remembered, never the promise: on Workers a request must not wait for a promise of another request.
 */
export async function deriveKeyRings(secrets: KeySecrets): Promise<Result<KeyRings, KeyReason>> {
  const current = secrets.LOOMGATE_KEY ?? "";
  const previous = secrets.LOOMGATE_KEY_PREVIOUS ?? "";
  if (current === "") return fail({ secret: "LOOMGATE_KEY", reason: "missing" });
  const currentProblem = lengthProblem(current);
  if (currentProblem !== null) return fail({ secret: "LOOMGATE_KEY", reason: currentProblem });
  const previousProblem = previous === "" ? null : lengthProblem(previous);
  if (previousProblem !== null) return fail({ secret: "LOOMGATE_KEY_PREVIOUS", reason: previousProblem });

  const cacheKey = encodeBase64url(sha256(encoder.encode(JSON.stringify([current, previous]))));
  const known = cache.get(cacheKey);
  if (known !== undefined) return ok(known);
  const rings = await ringsOf(current, previous === "" || previous === current ? null : previous);
  const oldest = cache.size >= KEYRING_CACHE_MAX_ENTRIES ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(cacheKey, rings);
  return ok(rings);
}

function lengthProblem(secret: string): "too_short" | "too_long" | null {
  const length = encoder.encode(secret).length;
  if (length < KEY_SECRET_MIN_BYTES) return "too_short";
  return length > KEY_SECRET_MAX_BYTES ? "too_long" : null;
}

async function ringsOf(current: string, previous: string | null): Promise<KeyRings> {
  const ring = async (purpose: KeyPurpose): Promise<KeyRing> => ({
    current: await namedKey(current, purpose),
    previous: previous === null ? null : await namedKey(previous, purpose),
  });
  return {
    bearer: await ring("bearer"),
    session: await ring("session"),
    cursor: await ring("cursor"),
    artifact: await ring("artifact"),
  };
}

async function namedKey(secret: string, purpose: KeyPurpose): Promise<NamedKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"]);
  const derive = (label: string, bytes: number) =>
    crypto.subtle.deriveBits(
      {
        name: "HKDF",
        hash: "SHA-256",
        salt: new Uint8Array(),
        info: encoder.encode(`loomgate/1/${purpose}/${label}`),
      },
      base,
      bytes * 8,
    );
  const id = new Uint8Array(await derive("id", KEY_ID_BYTES));
  const key = await derive("key", KEY_BYTES);
  return {
    id: [...id].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    key: await (purpose === "cursor"
      ? crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"])
      : crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])),
  };
}
