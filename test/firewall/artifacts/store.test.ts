import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/firewall/artifacts/artifact.ts";
import { ARTIFACT_METADATA_MAX_BYTES, TOOL_ID_MAX_CHARS } from "../../../src/limits.ts";
import { artifactOf, artifactRig, DAY_MS, handleOf, valueOf } from "../../support/artifact-rig.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes));
const HANDLE = handleOf(1);

/** Uploads and adopts what is one part at most. */
async function putLarge(store: ArtifactStore, owner: string, handle: string, bytes: Uint8Array) {
  const upload = store.openUpload(owner);
  valueOf(await upload.finish(bytes));
  return valueOf(await store.adopt(owner, { ...artifactOf(handle, bytes), storedAs: upload.storedAs }));
}

describe("artifacts in a bucket", () => {
  it("are read by range with their record, and found without one", async () => {
    const { store, bucket } = artifactRig();
    const bytes = bytesOf("0123456789");
    const record = valueOf(await store.put("ada", artifactOf(HANDLE, bytes, { lineIndex: "1.5" }), bytes));
    expect(Array.from(bucket.objects.keys())).toEqual([`d7/ada/${HANDLE}`]);
    expect(valueOf(await store.find("ada", HANDLE))).toEqual(record);
    expect(textOf(valueOf(await store.read("ada", record, 2, 3)))).toBe("234");
    expect(textOf(valueOf(await store.read("ada", record, 8, 30)))).toBe("89");
    // A row of an earlier version does not know where its bytes are.
    expect(textOf(valueOf(await store.read("ada", { handle: HANDLE }, 0, 1)))).toBe("0");
    expect((await store.read("ada", record, 30, 1)).ok).toBe(false);
  });

  it("keep binary content without lines", async () => {
    const { store } = artifactRig();
    const bytes = Uint8Array.of(0, 255, 10);
    const image = artifactOf(HANDLE, bytes, { mediaType: "image/png", lines: null });
    const record = valueOf(await store.put("ada", image, bytes));
    expect(valueOf(await store.find("ada", HANDLE))).toEqual(record);
    expect(record.lines).toBeNull();
  });

  it("live as long as their class says, under its prefix, and are found whatever the class is now", async () => {
    for (const days of [1, 7, 30] as const) {
      const { storeOf, clock, bucket } = artifactRig();
      const record = valueOf(await storeOf(days).put("ada", artifactOf(HANDLE, bytesOf("x")), bytesOf("x")));
      expect(record.expiresAtMs).toBe(clock.nowMs + days * DAY_MS);
      expect(Array.from(bucket.objects.keys())).toEqual([`d${days}/ada/${HANDLE}`]);
      clock.nowMs += days * DAY_MS - 1;
      for (const other of [1, 7, 30] as const) {
        expect(valueOf(await storeOf(other).find("ada", HANDLE))).toEqual(record);
        expect(textOf(valueOf(await storeOf(other).read("ada", record, 0, 9)))).toBe("x");
      }
      clock.nowMs += 1;
      for (const other of [1, 7, 30] as const) {
        expect(valueOf(await storeOf(other).find("ada", HANDLE))).toBeNull();
      }
    }
  });

  it("are found alive in another class though the own class has one that is over", async () => {
    const { storeOf, clock } = artifactRig();
    await storeOf(1).put("ada", artifactOf(HANDLE, bytesOf("x")), bytesOf("x"));
    await storeOf(30).put("ada", artifactOf(HANDLE, bytesOf("x")), bytesOf("x"));
    clock.nowMs += 2 * DAY_MS;
    expect(valueOf(await storeOf(1).find("ada", HANDLE))?.storedAs).toBe(`d30/${HANDLE}`);
  });

  it("cost one look where they are expected, and three where they are not", async () => {
    const { store, storeOf, operations } = artifactRig();
    await store.put("ada", artifactOf(HANDLE, bytesOf("x")), bytesOf("x"));
    expect(operations()).toEqual(["head", "put"]);
    await store.find("ada", HANDLE);
    expect(operations()).toEqual(["head"]);
    await storeOf(1).find("ada", HANDLE);
    expect(operations()).toEqual(["head", "head", "head"]);
    for (const text of ["", "x", `${HANDLE}0`, HANDLE.slice(1), "../ada", `x${"0".repeat(32)}`]) {
      expect(valueOf(await store.find("ada", text))).toBeNull();
    }
    expect(operations()).toEqual([]);
  });

  it("are not written again while at least half of their life is left, and are once it is not", async () => {
    const { store, clock, operations } = artifactRig();
    const bytes = bytesOf("the same");
    const first = valueOf(await store.put("ada", artifactOf(HANDLE, bytes), bytes));
    operations();
    clock.nowMs += 3.5 * DAY_MS;
    expect(valueOf(await store.put("ada", artifactOf(HANDLE, bytes), bytes))).toEqual(first);
    expect(operations()).toEqual(["head"]);
    clock.nowMs += 1;
    const renewed = valueOf(await store.put("ada", artifactOf(HANDLE, bytes), bytes));
    expect(renewed).toEqual({ ...first, expiresAtMs: clock.nowMs + 7 * DAY_MS });
    expect(operations()).toEqual(["head", "put"]);
    expect(valueOf(await store.find("ada", HANDLE))).toEqual(renewed);
  });

  it("are named by a pointer where they were uploaded before their handle was known", async () => {
    const { store, bucket, operations, clock } = artifactRig();
    const bytes = bytesOf("a large one");
    const record = await putLarge(store, "ada", HANDLE, bytes);
    expect(operations()).toEqual(["put", "head", "put"]);
    expect(record.storedAs).toMatch(/^d7\/x[0-9a-f]{32}$/);
    expect(record).toMatchObject({ sizeBytes: bytes.length, expiresAtMs: clock.nowMs + 7 * DAY_MS });
    expect(valueOf(await store.find("ada", HANDLE))).toEqual(record);
    expect(textOf(valueOf(await store.read("ada", record, 2, 5)))).toBe("large");
    expect(bucket.objects.size).toBe(2);
  });

  it("are stored once, whether they were put or uploaded first", async () => {
    const { store, bucket, operations } = artifactRig();
    const bytes = bytesOf("the same");
    const large = await putLarge(store, "ada", HANDLE, bytes);
    operations();
    expect(await putLarge(store, "ada", HANDLE, bytes)).toEqual(large);
    expect(operations()).toEqual(["put", "head", "head", "delete"]);
    expect(valueOf(await store.put("ada", artifactOf(HANDLE, bytes), bytes))).toEqual(large);
    expect(operations()).toEqual(["head", "head"]);
    expect(bucket.objects.size).toBe(2);
    const small = valueOf(await store.put("ada", artifactOf(handleOf(2), bytes), bytes));
    expect(await putLarge(store, "ada", handleOf(2), bytes)).toEqual(small);
    expect(bucket.objects.size).toBe(3);
  });

  it("get a new upload once the one that their handle names is gone or nearly over, and old rows read on", async () => {
    const { store, bucket, clock } = artifactRig();
    const bytes = bytesOf("the same");
    const first = await putLarge(store, "ada", HANDLE, bytes);
    clock.nowMs += 4 * DAY_MS;
    const second = await putLarge(store, "ada", HANDLE, bytes);
    expect(second.storedAs).not.toBe(first.storedAs);
    expect(textOf(valueOf(await store.read("ada", first, 0, 9)))).toBe("the same");
    bucket.objects.delete(`d7/ada/${second.storedAs?.slice(3)}`);
    clock.nowMs += 2_000;
    const third = await putLarge(store, "ada", HANDLE, bytes);
    expect(valueOf(await store.find("ada", HANDLE))).toEqual(third);
    expect(textOf(valueOf(await store.read("ada", third, 0, 9)))).toBe("the same");
  });

  it("are read through the pointer that took their place after their row was written", async () => {
    const { store, bucket, clock, operations } = artifactRig();
    const bytes = bytesOf("longer than the name of an upload, which is what a pointer says");
    const row = valueOf(await store.put("ada", artifactOf(HANDLE, bytes), bytes));
    clock.nowMs += 4 * DAY_MS;
    const renewed = await putLarge(store, "ada", HANDLE, bytes);
    operations();
    expect(valueOf(await store.read("ada", row, 0, 99))).toEqual(bytes);
    expect(operations()).toEqual(["get", "get"]);
    expect(textOf(valueOf(await store.read("ada", row, 51, 99)))).toBe("pointer says");
    expect(operations()).toEqual(["get", "head", "get"]);
    bucket.objects.delete(`d7/ada/${renewed.storedAs?.slice(3)}`);
    expect(valueOf(await store.read("ada", row, 0, 1))).toBeNull();
    expect(valueOf(await store.read("ada", row, 50, 1))).toBeNull();
  });

  it("of an earlier version stay readable, and are renewed like the others", async () => {
    const { store, bucket, clock } = artifactRig();
    const kept = (customMetadata: Record<string, string>) =>
      bucket.put(`d7/ada/${HANDLE}`, bytesOf("old"), {
        httpMetadata: { contentType: "text/plain" },
        customMetadata,
      });
    await kept({ tool: "a:b#00000000", expires: String(clock.nowMs + DAY_MS), lines: "1", index: "" });
    const record = valueOf(await store.find("ada", HANDLE));
    expect(record).toEqual({
      handle: HANDLE,
      toolId: "a:b#00000000",
      mediaType: "text/plain",
      sizeBytes: 3,
      lines: 1,
      lineIndex: "",
      expiresAtMs: clock.nowMs + DAY_MS,
      storedAs: `d7/${HANDLE}`,
    });
    clock.nowMs += 2_000;
    const renewed = valueOf(await store.put("ada", artifactOf(HANDLE, bytesOf("old")), bytesOf("old")));
    expect(renewed.expiresAtMs).toBe(clock.nowMs + 7 * DAY_MS);
    clock.nowMs += 2_000;
    // Without a word of its expiry an object lives as long as its class.
    await kept({});
    expect(valueOf(await store.find("ada", HANDLE))?.expiresAtMs).toBe(clock.nowMs + 7 * DAY_MS);
  });

  it("are retired, small and large, and what is not there or another's is left", async () => {
    const { store, bucket, clock } = artifactRig();
    const bytes = bytesOf("x");
    const large = await putLarge(store, "ada", handleOf(1), bytes);
    const small = valueOf(await store.put("ada", artifactOf(handleOf(2), bytes), bytes));
    const { storedAs: _, ...old } = valueOf(await store.put("ada", artifactOf(handleOf(3), bytes), bytes));
    const stays = valueOf(await store.put("eve", artifactOf(handleOf(2), bytes), bytes));
    clock.nowMs += 2_000;
    const nowhere = [
      { ...small, handle: handleOf(4) },
      { ...small, handle: "../eve" },
      { ...small, storedAs: "" },
    ];
    const forged = { ...small, storedAs: `d7/../eve/${handleOf(2)}` };
    const gone = [large, small, old, ...nowhere, forged];
    expect(valueOf(await store.retire("ada", gone))).toEqual(gone);
    for (const { handle, storedAs } of [large, small, { handle: old.handle, storedAs: undefined }]) {
      expect(valueOf(await store.find("ada", handle))).toBeNull();
      expect(valueOf(await store.read("ada", { handle, storedAs }, 0, 1))).toBeNull();
      expect(valueOf(await store.read("ada", { handle, storedAs }, 5, 1))).toBeNull();
    }
    expect(valueOf(await store.read("eve", stays, 0, 1))).toEqual(bytes);
    const left = Array.from(bucket.objects.values()).map(({ size }) => size);
    expect(left.filter((size) => size > 0)).toEqual([1]);
    // What was retired is written anew.
    clock.nowMs += 2_000;
    const again = valueOf(await store.put("ada", artifactOf(handleOf(2), bytes), bytes));
    expect(valueOf(await store.read("ada", again, 0, 1))).toEqual(bytes);
  });

  it("that are uploads go by their names, as many as are asked, and what is not there is no failure", async () => {
    const { store, bucket, operations } = artifactRig();
    const upload = store.openUpload("ada");
    await upload.finish(bytesOf("x"));
    operations();
    const names = [upload.storedAs, upload.storedAs, "", "../eve", `d7/../eve/${handleOf(2)}`];
    expect(await store.remove("ada", names)).toEqual({ ok: true, value: undefined });
    expect([operations(), bucket.objects.size]).toEqual([["delete"], 0]);
    const many = Array.from({ length: 2_500 }, (_, index) => `d7/${handleOf(index)}`);
    expect((await store.remove("ada", many)).ok).toBe(true);
    expect(operations()).toEqual(["delete", "delete", "delete"]);
  });

  it("stay where the bucket does not retire them, and the others go", async () => {
    const { store, bucket, clock } = artifactRig();
    const bytes = bytesOf("x");
    const [one, two] = [
      valueOf(await store.put("ada", artifactOf(handleOf(1), bytes), bytes)),
      valueOf(await store.put("ada", artifactOf(handleOf(2), bytes), bytes)),
    ];
    clock.nowMs += 2_000;
    bucket.before = (operation, key) => {
      if (operation === "put" && key.endsWith("1")) throw new Error("internal error (10001)");
    };
    expect(valueOf(await store.retire("ada", [one, two]))).toEqual([two]);
    expect((await store.retire("ada", [one])).ok).toBe(false);
    expect(valueOf(await store.read("ada", one, 0, 1))).toEqual(bytes);
  });

  it("have room beside them for the longest of everything", async () => {
    const { store, bucket } = artifactRig();
    const longest = {
      toolId: "t".repeat(TOOL_ID_MAX_CHARS),
      lines: 67_108_864,
      sizeBytes: 67_108_864,
      // The longest index there is; see the tests of the index.
      lineIndex: "x".repeat(1_300),
    };
    const upload = store.openUpload("o".repeat(64));
    await upload.finish(bytesOf("x"));
    const artifact = { ...artifactOf(HANDLE, bytesOf("x"), longest), storedAs: upload.storedAs };
    const record = valueOf(await store.adopt("o".repeat(64), artifact));
    expect(valueOf(await store.find("o".repeat(64), HANDLE))).toEqual(record);
    const beside = bucket.objects.get(`d7/${"o".repeat(64)}/${HANDLE}`)?.customMetadata ?? {};
    expect(Object.entries(beside).flat().join("").length).toBeLessThan(ARTIFACT_METADATA_MAX_BYTES);
  });

  it("tell of a bucket that does not answer, and never reject", async () => {
    const { store, bucket } = artifactRig();
    bucket.before = () => {
      throw new Error("internal error (10001)");
    };
    const bytes = bytesOf("x");
    const upload = store.openUpload("ada");
    const outcomes = await Promise.all([
      store.put("ada", artifactOf(HANDLE, bytes), bytes),
      store.adopt("ada", { ...artifactOf(HANDLE, bytes), storedAs: upload.storedAs }),
      store.find("ada", HANDLE),
      store.read("ada", { handle: HANDLE }, 0, 1),
      store.remove("ada", [`d7/${HANDLE}`]),
      store.retire("ada", [{ handle: HANDLE, expiresAtMs: 1 }]),
      upload.part(bytes),
      upload.finish(bytes),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toEqual({
        ok: false,
        reason: { reason: "artifacts_unreachable", detail: "Error: internal error (10001)" },
      });
    }
    await upload.abort();
  });
});

describe("a handle", () => {
  it("opens nothing of another's, forged, truncated or expired, by any door", async () => {
    const { store, clock } = artifactRig();
    const owners = ["ada", "eve"];
    const kept = await Promise.all(
      owners.flatMap((owner, index) => [
        store.put(owner, artifactOf(handleOf(10 + index), bytesOf(owner)), bytesOf(owner)).then(valueOf),
        putLarge(store, owner, handleOf(20 + index), bytesOf(owner)),
      ]),
    );
    for (const [at, record] of kept.entries()) {
      const own = owners[Math.floor(at / 2)] ?? "";
      for (const owner of owners) {
        const found = valueOf(await store.find(owner, record.handle));
        const read = valueOf(await store.read(owner, record, 0, 9));
        const byHandle = valueOf(await store.read(owner, { handle: record.handle }, 0, 9));
        expect([found, textOf(read)]).toEqual(owner === own ? [record, own] : [null, null]);
        expect(textOf(byHandle)).toBe(owner === own ? own : null);
      }
      // A row that was forged to lead into another's folder leads nowhere.
      const foreign = own === "ada" ? "eve" : "ada";
      for (const storedAs of [
        `d7/../${own}/${record.handle}`,
        `d7/${own}/${record.handle}`,
        `${own}/x`,
        "",
      ]) {
        expect(valueOf(await store.read(foreign, { handle: record.handle, storedAs }, 0, 9))).toBeNull();
      }
    }
    clock.nowMs += 7 * DAY_MS;
    for (const record of kept)
      for (const owner of owners) expect(valueOf(await store.find(owner, record.handle))).toBeNull();
  });

  it("of any text finds nothing and asks nothing, unless it is 27 digits", async () => {
    const { store, operations } = artifactRig();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^\d{1,40}$/)),
        async (text) => {
          expect(valueOf(await store.find("ada", text))).toBeNull();
          expect(operations().length).toBe(/^\d{27}$/.test(text) ? 3 : 0);
          expect(valueOf(await store.read("ada", { handle: text, storedAs: text }, 0, 1))).toBeNull();
          operations();
        },
      ),
    );
  });
});
