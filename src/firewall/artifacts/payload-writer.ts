import { ARTIFACT_STORED_MAX_BYTES } from "../../limits.ts";
import type { NotKept, StoredPayload } from "../../large-result.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ArtifactUpload } from "./artifact.ts";
import type { LineIndexer } from "./line-index.ts";
import { type BufferRoom, createPartBuffer } from "./part-buffer.ts";
import type { RunningDigest } from "./running-digest.ts";

export interface PayloadWriterPorts {
  readonly upload: ArtifactUpload;
  readonly room: BufferRoom;
  readonly digest: RunningDigest;
  /** `null` for binary content. */
  readonly lines: LineIndexer | null;
}

/** Brings one payload's bytes into the store. One call after the other; `abort` at any time. Nothing here rejects. */
export interface PayloadWriter {
  /** Ends once the bytes are in the part's memory, behind the part before it. */
  take(bytes: Uint8Array): Promise<void>;
  finish(): Promise<Result<StoredPayload, NotKept>>;
  /** Waits for what is under way and undoes it, after `finish` too. */
  abort(): Promise<void>;
}

/**
 * One part's memory and no second one that fills meanwhile: an isolate's room is for all of its answers, and twice as many
 * of them at a time are worth more than one that ends sooner. After the first failure nothing is hashed or held any more.
 */
export function createPayloadWriter({ upload, room, digest, lines }: PayloadWriterPorts): PayloadWriter {
  const buffer = createPartBuffer(room);
  let sizeBytes = 0;
  let failure: NotKept | undefined;

  const giveUp = async (why: NotKept) => {
    failure ??= why;
    // In this order: a part that is under way is read from that memory.
    await upload.abort();
    buffer.release();
  };
  /** A digest that fails leaves bytes that nothing can name. */
  const hashed = async <Value>(work: () => Value | Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch {
      await giveUp("store_failed");
      return undefined;
    }
  };
  /** An `abort` may come while something is awaited, which narrowing does not see. */
  const isGivenUp = () => failure !== undefined;

  return {
    take: async (bytes) => {
      if (isGivenUp()) return;
      sizeBytes += bytes.length;
      if (sizeBytes > ARTIFACT_STORED_MAX_BYTES) {
        await giveUp("too_long");
        return;
      }
      await hashed(() => digest.update(bytes));
      lines?.push(bytes);
      for (let at = 0; at < bytes.length && !isGivenUp();) {
        if (buffer.left() === 0) {
          const sent = await upload.part(buffer.bytes());
          if (isGivenUp()) return;
          if (!sent.ok) {
            await giveUp("store_failed");
            return;
          }
          buffer.restart();
        }
        const piece = bytes.subarray(at, at + buffer.left());
        if (!buffer.append(piece)) await giveUp("no_room");
        at += piece.length;
      }
    },
    finish: async () => {
      const sha256 = isGivenUp() ? undefined : await hashed(() => digest.finish());
      if (sha256 === undefined || failure !== undefined) return fail(failure ?? "store_failed");
      const sent = await upload.finish(buffer.bytes());
      if (!sent.ok) await giveUp("store_failed");
      if (failure !== undefined) return fail(failure);
      buffer.release();
      const index = lines?.finish();
      return ok({
        storedAs: upload.storedAs,
        sha256,
        lines: index?.lines ?? null,
        lineIndex: index?.index ?? "",
      });
    },
    abort: () => giveUp("store_failed"),
  };
}
