import { RECORD_OBJECTS_REMOVED_COUNT } from "../../limits/records.ts";
import type { BodyWriterPort } from "../ingest/ports.ts";
import type { BodyReader } from "../server/ports.ts";

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

  async remove(objectKeys: readonly string[]): Promise<void> {
    for (let start = 0; start < objectKeys.length; start += RECORD_OBJECTS_REMOVED_COUNT)
      await this.#bucket.delete(objectKeys.slice(start, start + RECORD_OBJECTS_REMOVED_COUNT));
  }
}
