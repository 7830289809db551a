import { createHash } from "node:crypto";
import type {
  Bucket,
  MultipartUpload,
  PutOptions,
  StoredObject,
  UploadedPart,
} from "../../src/firewall/artifacts/bucket.ts";

/** R2's own bounds; of what may stand beside an object, the lower one of its local stand-in. */
const PART_MIN_BYTES = 5 * 1024 * 1024;
const METADATA_MAX_BYTES = 2_048;
const KEY_MAX_BYTES = 1_024;
const DELETED_MAX_KEYS = 1_000;
const WRITE_INTERVAL_MS = 1_000;

interface Kept extends StoredObject {
  readonly bytes: Buffer;
}

/** What a test may do to an operation before it happens, or once it has: fail it, wait, or let something else happen. */
type Around = (operation: string, key: string) => unknown;

export interface MemoryBucket extends Bucket {
  readonly objects: Map<string, Kept>;
  /** Every operation that was asked for, refused ones too. */
  readonly operations: string[];
  /** Multipart uploads that were neither completed nor aborted. */
  readonly unfinished: Set<string>;
  before: Around;
  after: Around;
}

/**
 * A bucket in memory that refuses what R2 refuses: writes of one key within a second, conditions that do not hold, parts that
 * are too small or of several sizes, what is too long beside an object, long keys, ranges that hold nothing.
 */
export function memoryBucket(now: () => number): MemoryBucket {
  const objects: MemoryBucket["objects"] = new Map();
  const writtenAt = new Map<string, number>();
  const unfinished: MemoryBucket["unfinished"] = new Set();
  let uploads = 0;

  const asked = async (operation: string, key: string) => {
    bucket.operations.push(operation);
    if (Buffer.byteLength(key) > KEY_MAX_BYTES)
      throw new Error(`${operation}: The specified key is too long. (10020)`);
    await bucket.before(operation, key);
  };
  const write = (
    key: string,
    bytes: Buffer,
    etag: string,
    { httpMetadata, customMetadata }: PutOptions,
  ): Kept => {
    const last = writtenAt.get(key);
    if (last !== undefined && now() - last < WRITE_INTERVAL_MS) {
      throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
    }
    const beside = Object.entries(customMetadata ?? {})
      .flat()
      .join("");
    if (Buffer.byteLength(beside) > METADATA_MAX_BYTES) {
      throw new Error("put: Your metadata headers exceed the maximum allowed metadata size. (10012)");
    }
    writtenAt.set(key, now());
    const kept: Kept = {
      bytes,
      etag,
      size: bytes.length,
      uploaded: new Date(now()),
      ...(httpMetadata === undefined ? {} : { httpMetadata }),
      ...(customMetadata === undefined ? {} : { customMetadata: { ...customMetadata } }),
    };
    objects.set(key, kept);
    return kept;
  };
  const bucket: MemoryBucket = {
    objects,
    operations: [],
    unfinished,
    before: () => undefined,
    after: () => undefined,
    head: async (key) => {
      await asked("head", key);
      return objects.get(key) ?? null;
    },
    get: async (key, { range: { offset, length } }) => {
      await asked("get", key);
      const object = objects.get(key);
      if (object === undefined) return null;
      if (length < 1 || offset > object.size)
        throw new Error("get: The requested range is not satisfiable (10039)");
      const part = Uint8Array.from(object.bytes.subarray(offset, offset + length));
      return { ...object, arrayBuffer: async () => part.buffer };
    },
    put: async (key, value, options) => {
      const bytes = Buffer.from(value);
      await asked("put", key);
      if (!holds(options.onlyIf, objects.get(key))) return null;
      const kept = write(key, bytes, md5(bytes), options);
      await bucket.after("put", key);
      return kept;
    },
    delete: async (keys) => {
      bucket.operations.push("delete");
      for (const key of keys) await bucket.before("delete", key);
      if (keys.length > DELETED_MAX_KEYS) throw new Error("delete: too many keys (10001)");
      for (const key of keys) objects.delete(key);
    },
    createMultipartUpload: async (key) => {
      await asked("create", key);
      const id = `${key}#${(uploads += 1)}`;
      unfinished.add(id);
      return multipart(key, id);
    },
  };
  const multipart = (key: string, id: string): MultipartUpload => {
    const parts = new Map<number, Buffer>();
    const known = () => {
      if (!unfinished.has(id)) throw new Error("The specified multipart upload does not exist. (10024)");
    };
    return {
      uploadPart: async (partNumber, value) => {
        await asked("part", key);
        known();
        const bytes = Buffer.from(value);
        parts.set(partNumber, bytes);
        return { partNumber, etag: md5(bytes) };
      },
      complete: async (told: UploadedPart[]) => {
        await asked("complete", key);
        known();
        const pieces = told.map(({ partNumber, etag }) => {
          const piece = parts.get(partNumber);
          if (piece === undefined || md5(piece) !== etag)
            throw new Error("One or more parts not found (10025)");
          return piece;
        });
        const [first] = pieces;
        const last = pieces.at(-1);
        if (first === undefined || last === undefined) throw new Error("no parts (10025)");
        for (const piece of pieces.slice(0, -1)) {
          if (piece.length < PART_MIN_BYTES) throw new Error("a part is too small (10011)");
          if (piece.length !== first.length) throw new Error("parts have several sizes (10048)");
        }
        if (last.length > first.length) throw new Error("the last part is the largest (10048)");
        unfinished.delete(id);
        const whole = Buffer.concat(pieces);
        const kept = write(key, whole, `${md5(whole)}-${pieces.length}`, {});
        await bucket.after("complete", key);
        return kept;
      },
      abort: async () => {
        await asked("abort", key);
        unfinished.delete(id);
      },
    };
  };
  return bucket;
}

function holds(condition: PutOptions["onlyIf"], object: Kept | undefined): boolean {
  if (condition === undefined) return true;
  if ("etagMatches" in condition) return object?.etag === condition.etagMatches;
  if ("uploadedBefore" in condition)
    return object === undefined || object.uploaded < condition.uploadedBefore;
  return (
    object === undefined || (condition.etagDoesNotMatch !== "*" && object.etag !== condition.etagDoesNotMatch)
  );
}

function md5(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}
