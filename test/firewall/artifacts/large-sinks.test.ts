import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexLines } from "../../../src/firewall/artifacts/line-index.ts";
import type { LargePayload } from "../../../src/large-result.ts";
import {
  ARTIFACT_BUFFER_PIECE_BYTES,
  ARTIFACT_STORED_MAX_BYTES,
  ARTIFACT_PART_BYTES,
  LARGE_HEAD_MAX_CODE_POINTS,
} from "../../../src/limits.ts";
import { ok } from "../../../src/result.ts";
import { valueOf } from "../../support/artifact-rig.ts";
import {
  cuts,
  expectBytes,
  longText,
  MEBIBYTE,
  piecesOf,
  sha256,
  sinkRig,
  storedOf,
} from "../../support/sink-rig.ts";

const encoder = new TextEncoder();

describe("a large text on its way into the store", () => {
  it("is stored, hashed, indexed, begun and summarised as a whole one would be, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        longText,
        cuts,
        fc.constantFrom("text" as const, "json" as const),
        async (text, cuts, form) => {
          const here = sinkRig();
          const bytes = encoder.encode(text);
          const sink = here.sinks.open(form, undefined);
          for (const piece of piecesOf(bytes, cuts)) await sink.write(piece);
          const payload = await sink.close();
          const { lines, index } = indexLines(bytes);
          expect(payload).toMatchObject({ form, sizeBytes: bytes.length, summary: text });
          expect(payload.head).toBe(Array.from(text).slice(0, LARGE_HEAD_MAX_CODE_POINTS).join(""));
          expect(valueOf(payload.stored)).toMatchObject({ sha256: sha256(bytes), lines, lineIndex: index });
          expectBytes(await storedOf(here, payload), bytes);
          expect(here.room.held).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is uploaded in parts of one size, in the memory of one part", async () => {
    for (const [size, operations] of [
      [0, ["put"]],
      [ARTIFACT_PART_BYTES, ["put"]],
      [ARTIFACT_PART_BYTES + 1, ["create", "part", "part", "complete"]],
      [2 * ARTIFACT_PART_BYTES, ["create", "part", "part", "complete"]],
      [2 * ARTIFACT_PART_BYTES + 7, ["create", "part", "part", "part", "complete"]],
    ] as const) {
      const here = sinkRig();
      const bytes = new Uint8Array(size).map((_, index) => index * 31);
      const sink = here.sinks.open("bytes", undefined);
      for (const piece of piecesOf(bytes, [65_536, 70_001])) await sink.write(piece);
      const payload = await sink.close();
      expect(here.operations()).toEqual(operations);
      expect(payload).toMatchObject({ sizeBytes: size, head: "", summary: undefined });
      expect(valueOf(payload.stored)).toMatchObject({ sha256: sha256(bytes), lines: null, lineIndex: "" });
      if (size > 0) expectBytes(await storedOf(here, payload), bytes);
      // While it grows for the last time the memory before is there too.
      expect(here.room.most).toBeLessThanOrEqual(1.25 * ARTIFACT_PART_BYTES);
      expect([here.room.held, here.hints]).toEqual([0, []]);
    }
  });

  it("takes little memory while it is small", async () => {
    const here = sinkRig();
    const sink = here.sinks.open("text", "text/csv");
    await sink.write(encoder.encode("a,b\n"));
    expect(here.room.held).toBe(ARTIFACT_BUFFER_PIECE_BYTES);
    await sink.close();
    await here.sinks.open("json", undefined).close();
    await here.sinks.open("text", undefined).close();
    expect(here.hints).toEqual([{ mediaType: "text/csv" }, { mediaType: "application/json" }, {}]);
  });

  it("holds up whoever writes it while a part is being uploaded", async () => {
    const here = sinkRig();
    let upload = () => {};
    const uploaded = new Promise<void>((resolve) => {
      upload = resolve;
    });
    here.bucket.before = (operation) => (operation === "part" ? uploaded : undefined);
    const sink = here.sinks.open("bytes", undefined);
    await sink.write(new Uint8Array(ARTIFACT_PART_BYTES));
    const order: string[] = [];
    const write = async () => {
      await sink.write(new Uint8Array(1));
      order.push("written");
    };
    const writing = write();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    order.push("uploaded");
    upload();
    await writing;
    expect(order).toEqual(["uploaded", "written"]);
    expect((await sink.close()).stored.ok).toBe(true);
  });
});

describe("a payload that cannot be kept", () => {
  const text = "line of a log\n".repeat(850_000);
  const bytes = encoder.encode(text);

  async function payloadOf(here: ReturnType<typeof sinkRig>): Promise<LargePayload> {
    const sink = here.sinks.open("text", undefined);
    for (const piece of piecesOf(bytes, [100_000])) await sink.write(piece);
    return sink.close();
  }

  it.each(["create", "part", "complete"])(
    "because %s fails is counted and summarised all the same",
    async (failing) => {
      const here = sinkRig();
      here.bucket.before = (operation) => {
        if (operation === failing) throw new Error("internal error (10001)");
      };
      const payload = await payloadOf(here);
      expect(payload.stored).toEqual({ ok: false, reason: "store_failed" });
      expect([payload.sizeBytes, payload.summary === text, payload.head.length]).toEqual([
        bytes.length,
        true,
        LARGE_HEAD_MAX_CODE_POINTS,
      ]);
      expect([here.bucket.objects.size, here.bucket.unfinished.size, here.room.held]).toEqual([0, 0, 0]);
      expect(here.operations().filter((operation) => operation === failing)).toEqual([failing]);
    },
  );

  it("because the one put fails", async () => {
    const here = sinkRig();
    here.bucket.before = (operation) => {
      if (operation === "put") throw new Error("internal error (10001)");
    };
    const sink = here.sinks.open("text", undefined);
    await sink.write(encoder.encode("short"));
    expect(await sink.close()).toMatchObject({
      stored: { ok: false, reason: "store_failed" },
      sizeBytes: 5,
      head: "short",
      summary: "short",
    });
    expect(here.room.held).toBe(0);
  });

  it.each([0, ARTIFACT_BUFFER_PIECE_BYTES, 3 * MEBIBYTE])(
    "for want of room (%d bytes)",
    async (roomBytes) => {
      const here = sinkRig({}, roomBytes);
      const payload = await payloadOf(here);
      expect(payload.stored).toEqual({ ok: false, reason: "no_room" });
      expect([payload.sizeBytes, payload.summary === text]).toEqual([bytes.length, true]);
      expect([here.bucket.objects.size, here.room.held, here.operations()]).toEqual([0, 0, []]);
    },
  );

  it("because it is too long, by a byte", async () => {
    for (const [over, stored] of [
      [0, { ok: true }],
      [1, { ok: false, reason: "too_long" }],
    ] as const) {
      let parts = 0;
      let aborted = 0;
      const here = sinkRig({
        openUpload: () => ({
          storedAs: "d7/x0000000000000000",
          part: async (part) => {
            if (part.length !== ARTIFACT_PART_BYTES) throw new Error("a part of another size");
            parts += 1;
            return ok(undefined);
          },
          finish: async () => ok(undefined),
          abort: async () => {
            aborted += 1;
          },
        }),
      });
      const sink = here.sinks.open("bytes", undefined);
      const mebibyte = new Uint8Array(MEBIBYTE);
      for (let count = 0; count < ARTIFACT_STORED_MAX_BYTES / MEBIBYTE; count += 1)
        await sink.write(mebibyte);
      await sink.write(new Uint8Array(over));
      await sink.write(new Uint8Array(over));
      const payload = await sink.close();
      expect(payload).toMatchObject({ stored, sizeBytes: ARTIFACT_STORED_MAX_BYTES + 2 * over });
      expect([parts, aborted, here.room.held]).toEqual([14, over, 0]);
    }
  });

  it("is given up at any time and leaves nothing behind, after its end too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat({ max: 4 }),
        fc.boolean(),
        fc.nat({ max: 8 }),
        async (...drawn) => {
          const [scheduler, writes, isClosed, steps] = drawn;
          const here = sinkRig();
          let freedTooSoon = 0;
          here.bucket.before = async (operation) => {
            await scheduler.schedule(Promise.resolve(), operation);
            // Until a part has arrived its memory is in use, whatever else happens.
            if (operation === "part" && here.room.held < ARTIFACT_PART_BYTES) freedTooSoon += 1;
          };
          const sink = here.sinks.open("bytes", undefined);
          const work = (async () => {
            for (let count = 0; count < writes; count += 1) await sink.write(new Uint8Array(3 * MEBIBYTE));
            if (isClosed) await sink.close();
          })();
          for (let step = 0; step < steps; step += 1) {
            for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
            if (scheduler.count() > 0) await scheduler.waitOne();
          }
          for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
          const aborting = sink.abort();
          await scheduler.waitFor(Promise.all([work, aborting]));
          expect([here.bucket.objects.size, here.bucket.unfinished.size]).toEqual([0, 0]);
          expect([here.room.held, freedTooSoon]).toEqual([0, 0]);
          expect((await sink.close()).stored.ok).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
