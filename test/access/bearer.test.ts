import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mintBearer, verifyBearer } from "../../src/access/bearer.ts";
import type { BearerRequest } from "../../src/access/bearer.ts";
import { encodeBase64url } from "../../src/base64url.ts";
import { BEARER_MAX_CHARS, TOKEN_LIFETIME_DEFAULT_SECONDS } from "../../src/limits.ts";
import { signMac } from "../../src/mac.ts";
import type { KeyRing } from "../../src/mac.ts";
import { alter, NOW_MS, principals, RANDOM, ringsOf, SECRET_A, SECRET_B, SECRET_C } from "./support.ts";

const ring = (await ringsOf(SECRET_A)).bearer;
const kinds = fc.constantFrom("client" as const, "package" as const, "owner" as const);
const encoder = new TextEncoder();

async function mint(request: Partial<BearerRequest> = {}, by: KeyRing = ring) {
  const minted = await mintBearer(by, { kind: "client", principal: "ada", ...request }, RANDOM, NOW_MS);
  if (!minted.ok) throw new Error(minted.reason);
  return minted.value;
}

/** A payload with a good MAC, as only this deployment could have made it. */
async function signed(kind: string, payload: unknown): Promise<string> {
  const text = `lg_${kind}_${encodeBase64url(encoder.encode(JSON.stringify(payload)))}`;
  return `${text}_${await signMac(ring.current, encoder.encode(text))}`;
}

describe("a bearer", () => {
  it("has the contract's form and says what it was minted with", async () => {
    const { bearer, claims } = await mint({ scopes: ["github:*"] });
    expect(bearer).toMatch(/^lg_client_[A-Za-z0-9_-]+_[A-Za-z0-9_-]{43}$/);
    expect(claims).toEqual({
      kind: "client",
      principal: "ada",
      tokenId: "0f1f2f3f4f5f6f7f8f9fafbfcfdfefff",
      expiresAtSeconds: NOW_MS / 1000 + TOKEN_LIFETIME_DEFAULT_SECONDS,
      scopes: ["github:*"],
    });
    expect(await verifyBearer(ring, bearer, NOW_MS)).toEqual({ ok: true, value: claims });
  });

  it("verifies for any principal, kind and random id", async () => {
    const ids = fc.uint8Array({ minLength: 16, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(principals, kinds, ids, async (principal, kind, random) => {
        const minted = await mintBearer(ring, { kind, principal }, random, NOW_MS);
        if (!minted.ok) throw new Error(minted.reason);
        const verified = await verifyBearer(ring, minted.value.bearer, NOW_MS);
        expect(verified).toEqual({ ok: true, value: minted.value.claims });
        expect(minted.value.claims).toMatchObject({ principal, kind });
      }),
    );
  });

  it("fails with any one character changed, dropped or added", async () => {
    const { bearer } = await mint({ principal: "ünïcode@example.com" });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (at, by) => {
        const index = at % bearer.length;
        const dropped = bearer.slice(0, index) + bearer.slice(index + 1);
        const added = `${bearer.slice(0, index)}A${bearer.slice(index)}`;
        for (const forged of [alter(bearer, at, by), dropped, added, `${bearer} `, `${bearer}A`]) {
          expect((await verifyBearer(ring, forged, NOW_MS)).ok).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("fails with the unused bits of its last character altered", async () => {
    const { bearer } = await mint();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const value = alphabet.indexOf(bearer.slice(-1));
    for (const unused of [1, 2, 3]) {
      const forged = bearer.slice(0, -1) + alphabet.charAt(value ^ unused);
      expect(await verifyBearer(ring, forged, NOW_MS)).toEqual({ ok: false, reason: "bad_mac" });
    }
  });

  it("cannot change its kind", async () => {
    const { bearer } = await mint();
    const forged = bearer.replace("lg_client_", "lg_owner_");
    expect(await verifyBearer(ring, forged, NOW_MS)).toEqual({ ok: false, reason: "bad_mac" });
  });

  it("is of an unknown kind before any work is done", async () => {
    const { bearer } = await mint();
    for (const kind of ["operator", "", "CLIENT", "constructor", "__proto__".slice(2, 7)]) {
      const verified = await verifyBearer(ring, bearer.replace("lg_client_", `lg_${kind}_`), NOW_MS);
      expect(verified).toEqual({ ok: false, reason: "unknown_kind" });
    }
  });

  it("ends with the second of its expiry", async () => {
    const { bearer } = await mint({ lifetimeSeconds: 60 });
    expect((await verifyBearer(ring, bearer, NOW_MS + 59_999)).ok).toBe(true);
    expect(await verifyBearer(ring, bearer, NOW_MS + 60_000)).toEqual({ ok: false, reason: "expired" });
  });

  it("survives one rotation of the secret and not two", async () => {
    const { bearer, claims } = await mint();
    const once = (await ringsOf(SECRET_B, SECRET_A)).bearer;
    const twice = (await ringsOf(SECRET_C, SECRET_B)).bearer;
    expect(await verifyBearer(once, bearer, NOW_MS)).toEqual({ ok: true, value: claims });
    expect(await verifyBearer(twice, bearer, NOW_MS)).toEqual({ ok: false, reason: "bad_mac" });
    const renewed = await mint({}, once);
    expect((await verifyBearer(twice, renewed.bearer, NOW_MS)).ok).toBe(true);
  });

  it("is not refused for `_` inside payload and MAC", async () => {
    let underscores = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const { bearer } = await mint({ principal: `÷ÿ${seed}` });
      if (bearer.split("_").length > 4) underscores += 1;
      expect((await verifyBearer(ring, bearer, NOW_MS)).ok).toBe(true);
    }
    expect(underscores).toBeGreaterThan(0);
  });

  it("never throws, whatever is presented", async () => {
    const tails = fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.string({ minLength: 43 }));
    const heads = fc.constantFrom(
      "",
      "lg_",
      "lg_client_",
      "lg_client__",
      "lg_owner_e30_",
      "lg_package_bnVsbA_",
    );
    await fc.assert(
      fc.asyncProperty(heads, tails, async (head, tail) => {
        expect((await verifyBearer(ring, head + tail, NOW_MS)).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("is measured before it is read", async () => {
    const long = `lg_client_${"A".repeat(BEARER_MAX_CHARS)}_${"A".repeat(43)}`;
    expect(await verifyBearer(ring, long, NOW_MS)).toEqual({ ok: false, reason: "malformed" });
  });

  it.each([
    null,
    [],
    "text",
    { v: 2 },
    { e: "soon" },
    { t: "../revoked" },
    { p: "" },
    { p: "a\u0000b" },
    { d: "owner" },
    { s: [] },
    { s: "github:*" },
    { s: ["github:*", 1] },
    { s: [""] },
    { s: null },
  ])("with a good MAC over a payload that cannot be read (%j) is refused, never widened", async (change) => {
    const good = { v: 1, k: ring.current.id, d: "client", p: "ada", t: "0".repeat(32), e: NOW_MS };
    expect((await verifyBearer(ring, await signed("client", good), NOW_MS)).ok).toBe(true);
    const bad =
      change !== null && typeof change === "object" && !Array.isArray(change)
        ? { ...good, ...change }
        : change;
    expect(await verifyBearer(ring, await signed("client", bad), NOW_MS)).toEqual({
      ok: false,
      reason: "malformed",
    });
  });

  it("with a later version's field beside the known ones still reads", async () => {
    const later = {
      v: 1,
      k: ring.current.id,
      d: "client",
      p: "ada",
      t: "0".repeat(32),
      e: NOW_MS,
      z: { y: 1 },
    };
    expect((await verifyBearer(ring, await signed("client", later), NOW_MS)).ok).toBe(true);
  });
});

describe("minting", () => {
  it.each([
    [{ principal: "" }, "principal_invalid"],
    [{ principal: "a\nb" }, "principal_invalid"],
    [{ principal: "\ud800" }, "principal_invalid"],
    [{ principal: "é".repeat(129) }, "principal_invalid"],
    [{ scopes: [] }, "scopes_invalid"],
    [{ scopes: [""] }, "scopes_invalid"],
    [{ scopes: Array.from({ length: 33 }, () => "*") }, "scopes_invalid"],
    [{ scopes: Array.from({ length: 32 }, () => "a".repeat(256)) }, "too_large"],
    [{ lifetimeSeconds: 0 }, "lifetime_invalid"],
    [{ lifetimeSeconds: Number.NaN }, "lifetime_invalid"],
    [{ lifetimeSeconds: 1e12 }, "lifetime_invalid"],
  ] as const)("refuses %j as %s", async (change, reason) => {
    const minted = await mintBearer(ring, { kind: "client", principal: "ada", ...change }, RANDOM, NOW_MS);
    expect(minted).toEqual({ ok: false, reason });
  });
});
