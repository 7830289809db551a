import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LARGE_HEAD_MAX_CODE_POINTS } from "../../../src/limits.ts";
import { valueOf } from "../../support/artifact-rig.ts";
import {
  cuts,
  expectBytes,
  longText,
  piecesOf,
  recorder,
  sha256,
  sinkRig,
  storedOf,
} from "../../support/sink-rig.ts";

const encoder = new TextEncoder();

describe("a filter", () => {
  /** Turns letters into capitals, cuts pairs of surrogates in two, and holds one unit back. */
  const shouting = () => {
    let kept = "";
    return {
      push: (text: string) => {
        const all = kept + text.toUpperCase();
        kept = all.slice(-1);
        return all.slice(0, -1);
      },
      end: () => kept,
    };
  };

  it("comes before everything else: size, hash, index, beginning, summary and bytes are of what it lets through", async () => {
    await fc.assert(
      fc.asyncProperty(longText, cuts, async (text, cuts) => {
        const here = sinkRig({ openFilter: shouting });
        const sink = here.sinks.open("text", undefined);
        for (const piece of piecesOf(encoder.encode(text), cuts)) await sink.write(piece);
        const payload = await sink.close();
        const whole = text.toUpperCase();
        const bytes = encoder.encode(whole);
        expect(payload).toMatchObject({ sizeBytes: bytes.length, summary: whole });
        expect(payload.head).toBe(Array.from(whole).slice(0, LARGE_HEAD_MAX_CODE_POINTS).join(""));
        expect(valueOf(payload.stored).sha256).toBe(sha256(bytes));
        expectBytes(await storedOf(here, payload), bytes);
      }),
      { numRuns: 40 },
    );
  });

  it("makes no bytes that are no UTF-8, and leaves binary content alone", async () => {
    const here = sinkRig({ openFilter: () => ({ push: () => "a\ud800", end: () => "\udc00b\ud800" }) });
    const sink = here.sinks.open("text", undefined);
    await sink.write(encoder.encode("x"));
    const payload = await sink.close();
    expect(
      new TextDecoder("utf-8", { fatal: true }).decode((await storedOf(here, payload)) ?? undefined),
    ).toBe(`a\ufffda\u{10000}b\ufffd`);
    expect(payload.head).toBe(`a\ufffda\u{10000}b\ufffd`);
    const binary = here.sinks.open("bytes", undefined);
    await binary.write(Uint8Array.of(0xff, 0xfe));
    expect(await storedOf(here, await binary.close())).toEqual(Uint8Array.of(0xff, 0xfe));
  });

  it("that fails lets nothing through, and the rest is counted", async () => {
    let pushes = 0;
    const failing = {
      push: (text: string) => {
        pushes += 1;
        if (pushes > 1) throw new Error("a fault");
        return text;
      },
      end: () => "",
    };
    const here = sinkRig({ openFilter: () => failing });
    const sink = here.sinks.open("text", undefined);
    await sink.write(encoder.encode("clean "));
    await sink.write(encoder.encode("secret"));
    await sink.write(encoder.encode("secret"));
    const payload = await sink.close();
    expect(payload).toMatchObject({
      sizeBytes: 18,
      head: "clean ",
      stored: { ok: false },
      summary: undefined,
    });
    expect([here.bucket.objects.size, here.room.held]).toEqual([0, 0]);
  });
});

describe("a summariser that fails", () => {
  it.each(["push", "finish"])("in %s has nothing to say, and loses nothing else", async (failing) => {
    const fault = () => {
      throw new Error("a fault");
    };
    const here = sinkRig({ openSummariser: () => ({ ...recorder(), [failing]: fault }) });
    const sink = here.sinks.open("text", undefined);
    await sink.write(encoder.encode("a"));
    await sink.write(encoder.encode("b"));
    const payload = await sink.close();
    expect(payload).toMatchObject({ summary: undefined, sizeBytes: 2, head: "ab" });
    expect(await storedOf(here, payload)).toEqual(encoder.encode("ab"));
  });
});

describe("a digest", () => {
  it("that fails costs the bytes, and nothing else", async () => {
    const fault = async () => {
      throw new Error("a fault");
    };
    for (const failing of ["update", "finish"]) {
      const digest = { update: async () => {}, finish: async () => "", [failing]: fault };
      const here = sinkRig({ openDigest: () => digest });
      const sink = here.sinks.open("text", undefined);
      await sink.write(encoder.encode("ab"));
      const stored = { ok: false, reason: "store_failed" };
      expect(await sink.close()).toMatchObject({ stored, sizeBytes: 2, head: "ab", summary: "ab" });
      expect([here.bucket.objects.size, here.room.held]).toEqual([0, 0]);
    }
  });
});
