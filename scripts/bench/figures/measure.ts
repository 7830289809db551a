import { median } from "./percentiles.ts";

/**
 * Milliseconds of CPU that some work takes, all threads of this process counted (hashing and collecting garbage run beside
 * the script's own). What other processes do meanwhile does not count, as the wall's clock would have it.
 */
export async function cpuMs<Value>(
  work: () => Value | Promise<Value>,
): Promise<{ readonly value: Value; readonly ms: number }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

/** The median of some runs, each begun without garbage. */
export async function medianCpuMs(runs: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    globalThis.gc?.();
    times.push((await cpuMs(work)).ms);
  }
  return median(times);
}

/** Bytes that what `make` makes holds, on the heap and beside it; null unless Node was started with `--expose-gc`. */
export async function bytesHeld<Value>(
  make: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly bytes: number | null }> {
  const before = held();
  const value = await make();
  const after = held();
  return { value, bytes: before === undefined || after === undefined ? null : after - before };
}

function held(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  // What a first collection lets go may free what only a second one finds.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
