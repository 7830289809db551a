import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SESSION_LIFETIME_SECONDS } from "../../src/limits.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { mintSessionId, verifySessionId } from "../../src/principal/session-id.ts";
import { alter, NOW_MS, RANDOM, ringsOf, SECRET_A, SECRET_B, SECRET_C } from "../access/support.ts";

const rings = await ringsOf(SECRET_A);
const ring = rings.session;
/** Any string at all, lone surrogates included: this room trusts no one to have checked names. */
const names = fc.string({ unit: "binary", maxLength: 40 });
const EXPIRY_MS = NOW_MS + SESSION_LIFETIME_SECONDS * 1000;

describe("a session id", () => {
  it("is 83 visible ASCII characters that name neither principal nor secret", async () => {
    const { id, session } = await mintSessionId(ring, "ada@example.com", RANDOM, NOW_MS);
    expect(id).toMatch(/^lgs_[A-Za-z0-9_-]{79}$/);
    expect(session).toEqual({ key: "Dx8vP09fb3-Pn6-_z9_v_w", expiresAtMs: EXPIRY_MS });
    expect(Buffer.from(id.slice(4, 40), "base64url").includes("ada")).toBe(false);
  });

  it("gives its session back, for any principal and random bytes", async () => {
    const randoms = fc.uint8Array({ minLength: 16, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(names, randoms, fc.nat(4e9), async (principal, random, seconds) => {
        const { id, session } = await mintSessionId(ring, principal, random, seconds * 1000);
        expect(await verifySessionId(ring, principal, id, seconds * 1000)).toEqual({
          ok: true,
          value: session,
        });
      }),
    );
  });

  it("of one principal never verifies for another", async () => {
    await fc.assert(
      fc.asyncProperty(names, names, async (owner, other) => {
        fc.pre(owner !== other);
        const { id } = await mintSessionId(ring, owner, RANDOM, NOW_MS);
        expect(await verifySessionId(ring, other, id, NOW_MS)).toEqual({ ok: false, reason: "bad_mac" });
      }),
    );
    const { id } = await mintSessionId(ring, "\ud800", RANDOM, NOW_MS);
    expect((await verifySessionId(ring, "\ufffd", id, NOW_MS)).ok).toBe(false);
    expect((await verifySessionId(ring, "\ud801", id, NOW_MS)).ok).toBe(false);
  });

  it("fails with any one character changed, dropped or added", async () => {
    const { id } = await mintSessionId(ring, "ada", RANDOM, NOW_MS);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (at, by) => {
        const index = at % id.length;
        const dropped = id.slice(0, index) + id.slice(index + 1);
        for (const forged of [alter(id, at, by), dropped, `${dropped}A`, `${id}A`]) {
          const verified = await verifySessionId(ring, "ada", forged, NOW_MS);
          expect(verified.ok && forged !== id).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("has one form only: the unused bits of its last character count", async () => {
    const { id } = await mintSessionId(ring, "ada", RANDOM, NOW_MS);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const unused of [1, 2, 3]) {
      const last = alphabet.charAt(alphabet.indexOf(id.slice(-1)) ^ unused);
      expect((await verifySessionId(ring, "ada", id.slice(0, -1) + last, NOW_MS)).ok).toBe(false);
    }
  });

  it("ends with its expiry, and no later use moves it", async () => {
    const { id } = await mintSessionId(ring, "ada", RANDOM, NOW_MS);
    expect((await verifySessionId(ring, "ada", id, EXPIRY_MS - 1)).ok).toBe(true);
    expect(await verifySessionId(ring, "ada", id, EXPIRY_MS)).toEqual({ ok: false, reason: "expired" });
  });

  it("survives one rotation of the secret and not two", async () => {
    const { id } = await mintSessionId(ring, "ada", RANDOM, NOW_MS);
    const once = (await ringsOf(SECRET_B, SECRET_A)).session;
    const twice = (await ringsOf(SECRET_C, SECRET_B)).session;
    expect((await verifySessionId(once, "ada", id, NOW_MS)).ok).toBe(true);
    expect(await verifySessionId(twice, "ada", id, NOW_MS)).toEqual({ ok: false, reason: "bad_mac" });
  });

  it("signed under another purpose's key is forged", async () => {
    const { id } = await mintSessionId(rings.bearer, "ada", RANDOM, NOW_MS);
    expect((await verifySessionId(ring, "ada", id, NOW_MS)).ok).toBe(false);
  });

  it("never throws, whatever is presented", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: fc.constantFrom("A", "_", "-", "\ud800", "9"), minLength: 79, maxLength: 79 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("", "lgs_"), texts, async (head, tail) => {
        expect((await verifySessionId(ring, "ada", head + tail, NOW_MS)).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the name of a principal's object", () => {
  it("is one a principal, short and printable", () => {
    const known = new Map<string, string>();
    fc.assert(
      fc.property(names, (principal) => {
        const name = principalObjectName(principal);
        expect(name).toMatch(/^principal-1-[A-Za-z0-9_-]{43}$/);
        expect(known.get(name) ?? principal).toBe(principal);
        known.set(name, principal);
      }),
    );
    expect(principalObjectName("\ud800")).not.toBe(principalObjectName("\udfff"));
    expect(principalObjectName("")).not.toBe(principalObjectName("\u0000"));
  });
});
