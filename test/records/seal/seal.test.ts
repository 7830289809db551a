import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { RECORD_CURSOR_MAX_CHARS } from "../../../src/limits.ts";
import { createBareSeal, createSeal, type Seal } from "../../../src/records/seal/seal.ts";

const NOW_MS = 1_800_000_000_000;

async function sealOf(secret: string, previous?: string, nowMs: () => number = () => NOW_MS): Promise<Seal> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: secret, LOOMGATE_KEY_PREVIOUS: previous });
  if (!rings.ok) throw new Error("the secret is long enough");
  return createSeal(rings.value.cursor, () => crypto.getRandomValues(new Uint8Array(12)), nowMs);
}

const seal = await sealOf("a".repeat(32));
/** What JSON gives back as it was. */
const payloads = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes("-0"));

describe("a sealed cursor", () => {
  it("gives back what was put in, under the binding that it was made for", async () => {
    await fc.assert(
      fc.asyncProperty(payloads, fc.string(), async (payload, binding) => {
        const opened = await seal.open(binding, await seal.close(binding, payload));
        const value: unknown = JSON.parse(JSON.stringify(payload));
        expect(opened).toEqual({ ok: true, value });
      }),
    );
  });

  it("holds a long payload in less than its length, and gives it back", async () => {
    const digits = fc.array(fc.double({ noNaN: true, min: 0, max: 1e12 }), {
      minLength: 200,
      maxLength: 400,
    });
    await fc.assert(
      fc.asyncProperty(digits, async (payload) => {
        const cursor = await seal.close("b", payload);
        expect(await seal.open("b", cursor)).toEqual({ ok: true, value: payload });
        expect(cursor.length).toBeLessThan(JSON.stringify(payload).length);
      }),
      { numRuns: 30 },
    );
  });

  it("opens under no other binding", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (binding, other) => {
        fc.pre(new TextDecoder().decode(new TextEncoder().encode(binding)) !== other && binding !== other);
        const cursor = await seal.close(binding, { after: 5 });
        expect(await seal.open(other, cursor)).toEqual({ ok: false, reason: "invalid" });
      }),
    );
  });

  it("is worth nothing when any character of it is another", async () => {
    const cursor = await seal.close("b", { after: "m12" });
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = `${cursor.slice(0, index)}${cursor[index] === "A" ? "B" : "A"}${cursor.slice(index + 1)}`;
      expect((await seal.open("b", changed)).ok).toBe(false);
    }
  });

  it("refuses any other text without throwing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await seal.open("b", text)).toEqual({ ok: false, reason: "invalid" });
      }),
    );
    expect((await seal.open("b", "A".repeat(RECORD_CURSOR_MAX_CHARS + 1))).ok).toBe(false);
  });

  it("shows nothing of what is inside", async () => {
    const cursor = await seal.close("b", { key: "a-rather-secret-key" });
    expect(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("secret");
    expect(await seal.close("b", { key: "a-rather-secret-key" })).not.toBe(cursor);
  });

  it("is as long for a value of one character as for one of twenty", async () => {
    const lengths = await Promise.all(
      ["a", "a".repeat(20)].map(async (key) => (await seal.close("b", { key })).length),
    );
    expect(new Set(lengths).size).toBe(1);
  });

  it("ends with its lifetime, and not before", async () => {
    let nowMs = NOW_MS;
    const timed = await sealOf("a".repeat(32), undefined, () => nowMs);
    const cursor = await timed.close("b", 1, 1000);
    nowMs += 999;
    expect(await timed.open("b", cursor)).toEqual({ ok: true, value: 1 });
    nowMs += 1;
    expect(await timed.open("b", cursor)).toEqual({ ok: false, reason: "expired" });
  });

  it("outlives a rotation of the key by one, and no more", async () => {
    const cursor = await seal.close("b", 1);
    expect((await (await sealOf("b".repeat(32), "a".repeat(32))).open("b", cursor)).ok).toBe(true);
    expect((await (await sealOf("c".repeat(32), "b".repeat(32))).open("b", cursor)).ok).toBe(false);
  });
});

describe("a bare cursor, which another one seals", () => {
  it("gives back what was put in, for as long as it is good", async () => {
    let now = NOW_MS;
    const bare = createBareSeal(() => now);
    const [lasting, brief] = [await bare.close("b", ["m", 1]), await bare.close("b", 2, 1_000)];
    expect([await bare.open("b", lasting), await bare.open("b", brief)]).toEqual([
      { ok: true, value: ["m", 1] },
      { ok: true, value: 2 },
    ]);
    now += 1_000;
    expect(await bare.open("b", brief)).toEqual({ ok: false, reason: "expired" });
    for (const text of ["", "[", "{}", "null", "\ud800"]) {
      expect(await bare.open("b", text)).toEqual({ ok: false, reason: "invalid" });
    }
  });
});
