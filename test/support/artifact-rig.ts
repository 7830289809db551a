import type { NewArtifact } from "../../src/firewall/artifacts/artifact.ts";
import { bucketArtifacts } from "../../src/firewall/artifacts/bucket-artifacts.ts";
import type { ClassDays } from "../../src/firewall/artifacts/stored-name.ts";
import type { Result } from "../../src/result.ts";
import { memoryBucket } from "./memory-bucket.ts";

export const DAY_MS = 86_400_000;

/** A store over a bucket in memory, with a clock that waiting moves on. */
export function artifactRig(startMs = Date.parse("2026-11-27T00:00:00Z")) {
  const clock = { nowMs: startMs };
  const bucket = memoryBucket(() => clock.nowMs);
  let ids = 0;
  const storeOf = (classDays: ClassDays) =>
    bucketArtifacts(bucket, {
      classDays,
      now: () => clock.nowMs,
      newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`,
      sleep: async (delayMs) => {
        clock.nowMs += delayMs;
      },
    });
  /** What was asked of the bucket since the last time. */
  const operations = () => bucket.operations.splice(0);
  return { clock, bucket, storeOf, store: storeOf(7), operations };
}

export function handleOf(digit: number): string {
  return String(digit).padStart(27, "0");
}

export function artifactOf(
  handle: string,
  bytes: Uint8Array,
  overrides: Partial<NewArtifact> = {},
): NewArtifact {
  return {
    handle,
    toolId: "files:read_file#00000000",
    mediaType: "text/plain",
    sizeBytes: bytes.length,
    lines: 1,
    lineIndex: "",
    ...overrides,
  };
}

export function valueOf<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.reason)}`);
  return result.value;
}
