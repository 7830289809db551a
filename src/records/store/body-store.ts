import { RECORD_OBJECTS_REMOVED_COUNT } from "../../limits/records.ts";
import type { BodyWriterPort } from "../ingest/ports.ts";
import type { BodyReader } from "../server/ports.ts";

export interface ListedBodies {
  readonly objects: readonly { readonly key: string; readonly uploadedAtMs: number }[];
  /** Null at the end. */
  readonly cursor: string | null;
}

/** Bodies in the bucket that were too large for a row. */
export class BodyStore implements BodyReader, BodyWriterPort {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async read(objectKey: string): Promise<string | undefined> {
    const object = await this.#bucket.get(objectKey);
    return object?.text();
  }

  async put(objectKey: string, text: string): Promise<void> {
    await this.#bucket.put(objectKey, text, { httpMetadata: { contentType: "application/json" } });
  }

  /** Up to `count` objects under a prefix, in the order of their keys, and where the next ones begin. */
  async list(prefix: string, count: number, cursor?: string): Promise<ListedBodies> {
    const listed = await this.#bucket.list({
      prefix,
      limit: count,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return {
      objects: listed.objects.map(({ key, uploaded }) => ({ key, uploadedAtMs: uploaded.getTime() })),
      cursor: listed.truncated ? listed.cursor : null,
    };
  }

  async remove(objectKeys: readonly string[]): Promise<void> {
    for (let start = 0; start < objectKeys.length; start += RECORD_OBJECTS_REMOVED_COUNT)
      await this.#bucket.delete(objectKeys.slice(start, start + RECORD_OBJECTS_REMOVED_COUNT));
  }
}
