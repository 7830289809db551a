import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactRecord, ArtifactStore } from "../../../src/firewall/artifacts/artifact.ts";
import type { Result } from "../../../src/result.ts";
import { artifactOf, artifactRig, DAY_MS, handleOf, valueOf } from "../../support/artifact-rig.ts";

const bytes = new TextEncoder().encode("the same bytes");
const HANDLE = handleOf(1);
const KEY = `d7/ada/${HANDLE}`;

type Way = "put" | "adopt";
type Outcome = Result<ArtifactRecord, unknown>;

/** The store writes, and `finish` has put what an adopter adopts. */
async function writer(store: ArtifactStore, way: Way, goneUntilMs?: number): Promise<() => Promise<Outcome>> {
  if (way === "put") return () => store.put("ada", artifactOf(HANDLE, bytes), bytes, goneUntilMs);
  const upload = store.openUpload("ada");
  valueOf(await upload.finish(bytes));
  const { storedAs } = upload;
  return () => store.adopt("ada", { ...artifactOf(HANDLE, bytes), storedAs }, goneUntilMs);
}

async function expectReadable(store: ArtifactStore, record: ArtifactRecord | null) {
  if (record === null) throw new Error("there is no record");
  expect(valueOf(await store.read("ada", record, 0, 99))).toEqual(bytes);
}

const ways = fc.array(fc.constantFrom<Way>("put", "adopt"), { minLength: 2, maxLength: 4 });
/** What stands under the handle before the race. */
const before = fc.constantFrom<"nothing" | "nearly over" | "its bytes are gone">(
  "nothing",
  "nearly over",
  "its bytes are gone",
);

describe("writers of the same bytes at the same time", () => {
  it("all end with an artifact that can be read, in whatever order their steps happen, and whoever is refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        ways,
        before,
        fc.array(fc.boolean(), { maxLength: 6 }),
        fc.array(fc.constantFrom(0, 1_100), { maxLength: 12 }),
        async (scheduler, each, standing, refusals, pauses) => {
          const { store, bucket, clock } = artifactRig();
          if (standing !== "nothing") {
            const record = valueOf(await (await writer(store, "adopt"))());
            if (standing === "nearly over") clock.nowMs += 6 * DAY_MS;
            else bucket.objects.delete(`d7/ada/${record.storedAs?.slice(3)}`);
            clock.nowMs += 2_000;
          }
          const writers = await Promise.all(each.map((way) => writer(store, way)));
          const toRefuse = [...refusals];
          const toPause = [...pauses];
          bucket.before = async (operation, key) => {
            await scheduler.schedule(Promise.resolve(), `${operation} ${key}`);
            // Slow ones are not saved by R2's bound of one write a second.
            clock.nowMs += toPause.shift() ?? 0;
            const written = bucket.objects.get(KEY)?.uploaded.getTime() === clock.nowMs;
            // R2 may refuse a second write within the second before it looks at its condition.
            if (operation === "put" && written && toRefuse.shift() === true)
              throw new Error("slow down (10058)");
          };
          const race = Promise.all(writers.map((write) => write()));
          await scheduler.waitFor(race);
          const records = (await race).map(valueOf);
          bucket.before = () => undefined;
          for (const record of records) await expectReadable(store, record);
          await expectReadable(store, valueOf(await store.find("ada", HANDLE)));
          // The same bytes are there once, and what was there before and lapses.
          const live = new Set(records.map(({ storedAs }) => storedAs));
          expect(live.size).toBe(1);
          expect(bucket.objects.size).toBeLessThanOrEqual(standing === "nearly over" ? 3 : 2);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("find what the other one wrote where R2 takes but one write a second of a key", async () => {
    for (const way of ["put", "adopt"] as const) {
      const { store, bucket, clock, operations } = artifactRig();
      const [first, second] = [await writer(store, way), await writer(store, way)];
      operations();
      let refused = false;
      bucket.before = async (operation, key) => {
        if (operation !== "put" || key !== KEY || refused) return;
        refused = true;
        valueOf(await first());
        throw new Error("slow down (10058)");
      };
      const startedMs = clock.nowMs;
      await expectReadable(store, valueOf(await second()));
      expect(clock.nowMs).toBe(startedMs);
    }
  });

  it("wait for one whose write is still under way, and give up after that", async () => {
    const { store, bucket, clock, operations } = artifactRig();
    const [first, second] = [await writer(store, "put"), await writer(store, "put")];
    const startedMs = clock.nowMs;
    bucket.before = (operation) => {
      if (operation === "put" && clock.nowMs === startedMs) throw new Error("slow down (10058)");
    };
    await expectReadable(store, valueOf(await second()));
    expect(operations()).toEqual(["head", "put", "head", "put", "head", "put", "get"]);
    bucket.objects.clear();
    bucket.before = (operation) => {
      if (operation === "put") throw new Error("slow down (10058)");
    };
    expect(await first()).toEqual({
      ok: false,
      reason: { reason: "artifacts_unreachable", detail: "Error: slow down (10058)" },
    });
    expect(operations()).toEqual(["head", "put", "head", "put", "head", "put"]);
  });
});

describe("writers of bytes that are being retired", () => {
  it("that know of it end with what can be read, in whatever order the steps happen; an upload of old is gone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        ways,
        fc.constantFrom<Way>("put", "adopt"),
        fc.array(fc.constantFrom(0, 1_100), { maxLength: 12 }),
        async (scheduler, each, old, pauses) => {
          const { store, bucket, clock } = artifactRig();
          const gone = valueOf(await (await writer(store, old))());
          clock.nowMs += 2_000;
          const knowing = await Promise.all(each.map((way) => writer(store, way, gone.expiresAtMs)));
          const toPause = [...pauses];
          bucket.before = async (operation, key) => {
            await scheduler.schedule(Promise.resolve(), `${operation} ${key}`);
            clock.nowMs += toPause.shift() ?? 0;
          };
          const race = Promise.all([...knowing.map((write) => write()), store.retire("ada", [gone])]);
          await scheduler.waitFor(race);
          const outcomes = (await race).slice(0, -1);
          bucket.before = () => undefined;
          // R2 takes one write a second of a key: a writer may be refused, and then says so.
          const kept = outcomes.flatMap((outcome) =>
            outcome.ok && "handle" in outcome.value ? [outcome.value] : [],
          );
          const found = kept.length === 0 ? [] : [valueOf(await store.find("ada", HANDLE))];
          for (const record of [...kept, ...found]) await expectReadable(store, record);
          expect(bucket.objects.has(`d7/ada/x${gone.storedAs?.slice(4)}`)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("lose nothing to a second retirement of the same", async () => {
    const { store, clock } = artifactRig();
    const gone = valueOf(await (await writer(store, "put"))());
    clock.nowMs += 2_000;
    valueOf(await store.retire("ada", [gone]));
    clock.nowMs += 2_000;
    const record = valueOf(await (await writer(store, "put", gone.expiresAtMs))());
    clock.nowMs += 2_000;
    valueOf(await store.retire("ada", [gone]));
    expect(valueOf(await store.read("ada", record, 0, 99))).toEqual(bytes);
  });
});

describe("a write that happened though it was said to have failed", () => {
  it("is found and used", async () => {
    for (const way of ["put", "adopt"] as const) {
      const { store, bucket } = artifactRig();
      const write = await writer(store, way);
      bucket.after = () => {
        throw new Error("the connection was lost");
      };
      const record = valueOf(await write());
      bucket.after = () => undefined;
      await expectReadable(store, record);
      expect(bucket.objects.size).toBe(way === "put" ? 1 : 2);
    }
  });

  it("leaves no pointer to nothing where nobody can find out", async () => {
    const { store, bucket } = artifactRig();
    const write = await writer(store, "adopt");
    let isLost = false;
    bucket.after = () => {
      isLost = true;
      throw new Error("the connection was lost");
    };
    bucket.before = () => {
      if (isLost) throw new Error("the connection was lost");
    };
    expect((await write()).ok).toBe(false);
    bucket.before = () => undefined;
    bucket.after = () => undefined;
    await expectReadable(store, valueOf(await store.find("ada", HANDLE)));
  });
});

describe("an upload that no handle can name", () => {
  it("is deleted where the bucket could not be looked at, and nothing was written", async () => {
    const { store, bucket } = artifactRig();
    const write = await writer(store, "adopt");
    bucket.before = (operation) => {
      if (operation === "head") throw new Error("internal error (10001)");
    };
    expect((await write()).ok).toBe(false);
    expect(bucket.objects.size).toBe(0);
  });

  it("is deleted where another one stands there, at the second try too", async () => {
    const { store, bucket } = artifactRig();
    const [first, second] = [await writer(store, "adopt"), await writer(store, "adopt")];
    valueOf(await first());
    let failures = 0;
    bucket.before = (operation) => {
      if (operation !== "delete" || failures > 0) return;
      failures += 1;
      throw new Error("internal error (10001)");
    };
    const record = valueOf(await second());
    expect([failures, bucket.objects.size]).toEqual([1, 2]);
    await expectReadable(store, record);
  });
});
