import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArtifactRecord, NewArtifact } from "../../src/firewall/artifacts/artifact.ts";
import { platformDigest, r2ArtifactStore } from "../../src/firewall/artifacts/artifact-store.ts";
import { bucketArtifacts } from "../../src/firewall/artifacts/bucket-artifacts.ts";
import type { Bucket } from "../../src/firewall/artifacts/bucket.ts";
import { createLargeSinks } from "../../src/firewall/artifacts/large-sinks.ts";
import { createRunningDigest } from "../../src/firewall/artifacts/running-digest.ts";
import { ARTIFACT_MAX_BYTES, ARTIFACT_PART_BYTES } from "../../src/limits.ts";
import type { Result } from "../../src/result.ts";
import { freshStorage } from "./fresh-storage.ts";

const HANDLE = "0".repeat(26) + "1";
const DAY_MS = 86_400_000;
const encoder = new TextEncoder();
const clock = { nowMs: 0 };
const storeOf = (classDays: 1 | 7 | 30 = 7) =>
  r2ArtifactStore(env.ARTIFACTS, { classDays, now: () => clock.nowMs });

beforeEach(() => {
  clock.nowMs = Date.now();
});

afterEach(async () => {
  await freshStorage();
});

function valueOf<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.reason)}`);
  return result.value;
}

function artifactOf(bytes: Uint8Array, overrides: Partial<NewArtifact> = {}): NewArtifact {
  return {
    handle: HANDLE,
    toolId: "files:read_file#00000000",
    mediaType: "text/plain",
    sizeBytes: bytes.length,
    lines: 1,
    lineIndex: "",
    ...overrides,
  };
}

async function keys(): Promise<string[]> {
  return (await env.ARTIFACTS.list()).objects.map(({ key }) => key);
}

async function uploaded(bytes: Uint8Array): Promise<string> {
  const upload = storeOf().openUpload("ada");
  valueOf(await upload.finish(bytes));
  return upload.storedAs;
}

async function textOf(record: ArtifactRecord): Promise<string | null> {
  const bytes = valueOf(await storeOf().read("ada", record, 0, 99));
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

describe("what of R2 artifacts rely on", () => {
  const once = { onlyIf: { etagDoesNotMatch: "*" } };

  it("a condition that does not hold gives null and writes nothing", async () => {
    const first = await env.ARTIFACTS.put("k", "one", once);
    expect(first?.etag).toBeDefined();
    expect(await env.ARTIFACTS.put("k", "two", once)).toBeNull();
    expect(await env.ARTIFACTS.put("k", "two", { onlyIf: { etagMatches: "other" } })).toBeNull();
    expect(await (await env.ARTIFACTS.get("k"))?.text()).toBe("one");
    const replaced = await env.ARTIFACTS.put("k", "two", { onlyIf: { etagMatches: first?.etag ?? "" } });
    expect(replaced?.etag).not.toBe(first?.etag);
    expect(await env.ARTIFACTS.put("none", "x", { onlyIf: { etagMatches: first?.etag ?? "" } })).toBeNull();
  });

  it("a range is cut at the end, and one behind it is refused", async () => {
    await env.ARTIFACTS.put("k", "0123456789");
    const read = async (offset: number, length: number) =>
      (await env.ARTIFACTS.get("k", { range: { offset, length } }))?.text();
    expect(await read(8, 30)).toBe("89");
    await expect(read(11, 1)).rejects.toThrow("10039");
    await expect(read(0, 0)).rejects.toThrow("10039");
  });

  it("what is missing is null to heads and reads, and no failure to deletions", async () => {
    expect(await env.ARTIFACTS.head("none")).toBeNull();
    expect(await env.ARTIFACTS.get("none", { range: { offset: 5, length: 1 } })).toBeNull();
    await env.ARTIFACTS.delete(["none", "neither"]);
  });

  it("parts are of one size but for the last, nothing is seen before the end, and giving up leaves nothing", async () => {
    const part = new Uint8Array(ARTIFACT_PART_BYTES);
    const upload = await env.ARTIFACTS.createMultipartUpload("k", { customMetadata: { at: "there" } });
    const parts = [await upload.uploadPart(1, part), await upload.uploadPart(2, new Uint8Array(3))];
    expect(await env.ARTIFACTS.head("k")).toBeNull();
    await upload.complete(parts);
    const object = await env.ARTIFACTS.head("k");
    expect(object?.size).toBe(ARTIFACT_PART_BYTES + 3);
    expect(object?.customMetadata).toEqual({ at: "there" });
    const given = await env.ARTIFACTS.createMultipartUpload("other");
    await given.uploadPart(1, part);
    await given.abort();
    await expect(given.uploadPart(2, part)).rejects.toThrow("10024");
    expect(await keys()).toEqual(["k"]);
  });
});

describe("artifacts in R2", () => {
  it("are put, found and read, and not put again", async () => {
    const bytes = encoder.encode("0123456789");
    const record = valueOf(await storeOf().put("ada", artifactOf(bytes), bytes));
    expect(record).toMatchObject({ expiresAtMs: clock.nowMs + 7 * DAY_MS, storedAs: `d7/${HANDLE}` });
    expect(valueOf(await storeOf().find("ada", HANDLE))).toEqual(record);
    expect(valueOf(await storeOf().find("eve", HANDLE))).toBeNull();
    expect(new TextDecoder().decode(valueOf(await storeOf().read("ada", record, 4, 3)) ?? undefined)).toBe(
      "456",
    );
    clock.nowMs += DAY_MS;
    expect(valueOf(await storeOf().put("ada", artifactOf(bytes), bytes))).toEqual(record);
    clock.nowMs += 3 * DAY_MS;
    const renewed = valueOf(await storeOf().put("ada", artifactOf(bytes), bytes));
    expect(renewed.expiresAtMs).toBe(clock.nowMs + 7 * DAY_MS);
    expect(valueOf(await storeOf(30).find("ada", HANDLE))).toEqual(renewed);
  });

  it("that an earlier version wrote are found and read", async () => {
    await env.ARTIFACTS.put(`d7/ada/${HANDLE}`, "old\n", {
      httpMetadata: { contentType: "text/plain" },
      customMetadata: { tool: "a:b#00000000", expires: String(clock.nowMs + 1000), lines: "1", index: "" },
    });
    const record = valueOf(await storeOf().find("ada", HANDLE));
    expect(record).toMatchObject({ toolId: "a:b#00000000", lines: 1, sizeBytes: 4 });
    expect(await textOf(record ?? { ...artifactOf(encoder.encode("")), expiresAtMs: 0 })).toBe("old\n");
    const { handle } = artifactOf(encoder.encode(""));
    expect(valueOf(await storeOf().read("ada", { handle }, 1, 2))).toEqual(encoder.encode("ld"));
  });

  it("hold the longest metadata there is", async () => {
    const longest = { toolId: "t".repeat(240), lineIndex: "x".repeat(1_300), sizeBytes: ARTIFACT_MAX_BYTES };
    const artifact = {
      ...artifactOf(encoder.encode("x"), longest),
      storedAs: await uploaded(encoder.encode("x")),
    };
    const record = valueOf(await storeOf().adopt("ada", artifact));
    expect(valueOf(await storeOf().find("ada", HANDLE))).toEqual(record);
  });

  it("are adopted once by whoever is first, and readable to all who race, with puts among them", async () => {
    const bytes = encoder.encode("the same");
    for (let round = 0; round < 6; round += 1) {
      const names = await Promise.all([uploaded(bytes), uploaded(bytes), uploaded(bytes)]);
      const race = names.map((storedAs) => () => storeOf().adopt("ada", { ...artifactOf(bytes), storedAs }));
      if (round % 2 === 0) race.push(() => storeOf().put("ada", artifactOf(bytes), bytes));
      const records = (await Promise.all(race.map((run) => run()))).map(valueOf);
      expect(new Set(records.map(({ storedAs }) => storedAs)).size).toBe(1);
      for (const record of records) expect(await textOf(record)).toBe("the same");
      const [record] = records;
      expect(valueOf(await storeOf().find("ada", HANDLE))).toEqual(record);
      expect((await keys()).length).toBe(record?.storedAs === `d7/${HANDLE}` ? 1 : 2);
      await env.ARTIFACTS.delete(await keys());
    }
  });

  it("are adopted though another's pointer comes between the look and the write", async () => {
    const bytes = encoder.encode("the same");
    const [first, second] = [await uploaded(bytes), await uploaded(bytes)];
    let overtaken = false;
    const { ARTIFACTS } = env;
    const bucket: Bucket = {
      head: async (key) => {
        const seen = await ARTIFACTS.head(key);
        if (!overtaken) {
          overtaken = true;
          valueOf(await storeOf().adopt("ada", { ...artifactOf(bytes), storedAs: first }));
        }
        return seen;
      },
      get: (key, options) => ARTIFACTS.get(key, options),
      put: (key, value, options) => ARTIFACTS.put(key, value, options),
      delete: (gone) => ARTIFACTS.delete(gone),
      createMultipartUpload: (key) => ARTIFACTS.createMultipartUpload(key),
    };
    const slowStore = bucketArtifacts(bucket, {
      classDays: 7,
      now: () => clock.nowMs,
      newId: () => crypto.randomUUID(),
      sleep: async () => {},
    });
    const record = valueOf(await slowStore.adopt("ada", { ...artifactOf(bytes), storedAs: second }));
    expect(record.storedAs).toBe(first);
    expect(await textOf(record)).toBe("the same");
    expect((await keys()).length).toBe(2);
  });
});

describe("the large path into R2", () => {
  function sinks() {
    let held = 0;
    let most = 0;
    const made = createLargeSinks({
      openUpload: () => storeOf().openUpload("ada"),
      room: {
        hold: (bytes) => {
          held += bytes;
          most = Math.max(most, held);
          return true;
        },
        free: (bytes) => {
          held -= bytes;
        },
      },
      openSummariser: () => ({ push: () => {}, finish: () => null }),
      openDigest: platformDigest,
    });
    return { made, held: () => held, most: () => most };
  }

  it("holds one part of the longest text at a time, and every byte of it is there in the end", async () => {
    const here = sinks();
    const sink = here.made.open("text", undefined);
    const line = encoder.encode(`${"0123456789abcdef".repeat(4)}ü\n`);
    const piece = new Uint8Array(line.length * 1_000);
    for (let at = 0; at < piece.length; at += line.length) piece.set(line, at);
    const count = Math.floor(ARTIFACT_MAX_BYTES / piece.length);
    for (let turn = 0; turn < count; turn += 1) {
      await sink.write(piece);
    }
    const payload = await sink.close();
    const stored = valueOf(payload.stored);
    expect(stored).toMatchObject({ lines: 1_000 * count });
    expect([here.held(), here.most() <= 1.25 * ARTIFACT_PART_BYTES]).toEqual([0, true]);
    const { sizeBytes } = payload;
    const { lines, lineIndex, storedAs } = stored;
    const artifact = artifactOf(piece, { sizeBytes, lines, lineIndex });
    const record = valueOf(await storeOf().adopt("ada", { ...artifact, storedAs }));
    expect(valueOf(await storeOf().find("ada", HANDLE))).toEqual(record);
    for (let offset = 0; offset < sizeBytes; offset += 8 * piece.length) {
      const bytes = valueOf(await storeOf().read("ada", record, offset, piece.length));
      expect(new TextDecoder().decode(bytes ?? undefined)).toBe(new TextDecoder().decode(piece));
    }
  });

  it("has the platform's digest, which is that of the same bytes in plain code", async () => {
    const [platform, plain] = [platformDigest(), createRunningDigest()];
    for (const length of [0, 1, 63, 64, 65, 70_000]) {
      const piece = new Uint8Array(length).map((_, index) => index);
      await platform.update(piece);
      await plain.update(piece);
    }
    expect(await platform.finish()).toBe(await plain.finish());
  });

  it("leaves nothing of what is given up, at any point", async () => {
    const part = new Uint8Array(ARTIFACT_PART_BYTES + 1);
    const [empty, begun, closed, underWay] = [1, 2, 3, 4].map(() => sinks().made.open("bytes", undefined));
    await empty?.abort();
    await begun?.write(part);
    await begun?.abort();
    await closed?.write(part);
    await closed?.close();
    await closed?.abort();
    const writing = underWay?.write(part);
    await underWay?.abort();
    await writing;
    expect(await keys()).toEqual([]);
    const payload = await underWay?.close();
    expect(payload?.stored.ok).toBe(false);
    expect(await keys()).toEqual([]);
  });
});
