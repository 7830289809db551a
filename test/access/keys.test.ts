import { describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../src/access/keys.ts";
import { signMac, verifyMac } from "../../src/mac.ts";
import { ringsOf, SECRET_A, SECRET_B } from "./support.ts";

const message = new TextEncoder().encode("a message");

describe("the keys of a secret", () => {
  it.each([
    [{}, "LOOMGATE_KEY", "missing"],
    [{ LOOMGATE_KEY: "" }, "LOOMGATE_KEY", "missing"],
    [{ LOOMGATE_KEY: "a".repeat(31) }, "LOOMGATE_KEY", "too_short"],
    [{ LOOMGATE_KEY: "a".repeat(5121) }, "LOOMGATE_KEY", "too_long"],
    [{ LOOMGATE_KEY: SECRET_A, LOOMGATE_KEY_PREVIOUS: "short" }, "LOOMGATE_KEY_PREVIOUS", "too_short"],
  ] as const)("are refused with a reason: %j", async (secrets, secret, reason) => {
    expect(await deriveKeyRings(secrets)).toEqual({ ok: false, reason: { secret, reason } });
  });

  it("count bytes, not characters", async () => {
    expect((await deriveKeyRings({ LOOMGATE_KEY: "é".repeat(16) })).ok).toBe(true);
  });

  it("differ by purpose: a MAC of one is worth nothing to another", async () => {
    const rings = await ringsOf(SECRET_A);
    const mac = await signMac(rings.bearer.current, message);
    const ids = [rings.bearer, rings.session, rings.cursor].map((ring) => ring.current.id);
    expect(new Set(ids).size).toBe(3);
    expect(await verifyMac(rings.bearer, rings.bearer.current.id, message, mac)).toBe(true);
    expect(await verifyMac(rings.session, rings.session.current.id, message, mac)).toBe(false);
    expect(await verifyMac(rings.bearer, rings.session.current.id, message, mac)).toBe(false);
  });

  it("are the same in every isolate, and derived once in one", async () => {
    const first = await ringsOf(SECRET_A);
    expect(await ringsOf(SECRET_A)).toBe(first);
    // Enough other secrets to push the first out.
    for (const letter of "ghijklmn") await ringsOf(letter.repeat(32));
    const again = await ringsOf(SECRET_A);
    expect(again).not.toBe(first);
    expect(await signMac(again.artifact.current, message)).toBe(
      await signMac(first.artifact.current, message),
    );
  });

  it("keep the previous secret's key beside the current one, and a blank one is none", async () => {
    const old = await ringsOf(SECRET_A);
    const rotated = await ringsOf(SECRET_B, SECRET_A);
    expect(rotated.session.previous?.id).toBe(old.session.current.id);
    expect((await ringsOf(SECRET_A, "")).session.previous).toBeNull();
    expect((await ringsOf(SECRET_A, SECRET_A)).session.previous).toBeNull();
  });
});
