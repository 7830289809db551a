import { cpuMs } from "../../figures/measure.ts";
import type { Framing } from "./large-upstream.ts";
import { takeAnswer, type Way } from "./ways.ts";

const MIB = 1_048_576;
/** Enough to have met all code, and then an answer so small that holding on to it is nothing. */
const WARM_UP_BYTES = [8 * MIB, MIB / 16];
const LIVE_EVERY_BYTES = 4 * MIB;

/** What one answer took, in a process of its own; bytes above what the process had before it. */
export interface AnswerFigures {
  readonly text_bytes: number;
  /** The most that the process occupied. */
  readonly peak_bytes: number;
  /** The most that was left, on the heap and beside it, when garbage was collected: after every 4 MiB, and at the end. */
  readonly live_bytes: number;
  /** The most that the gateway counted as held. */
  readonly counted_bytes: number | null;
  readonly ms: number;
}

/** Takes one answer for time and the peak, then one more for what lives. */
export async function measureAnswer(way: Way, framing: Framing, bodyBytes: number): Promise<AnswerFigures> {
  const take = (onChunk: () => void) => takeAnswer(way, framing, bodyBytes, onChunk);
  for (const bytes of WARM_UP_BYTES) await takeAnswer(way, framing, bytes, () => undefined);
  const before = collected();
  const occupied = process.memoryUsage.rss();
  const highest = maxRss();
  let peak = occupied;
  const {
    value: { textBytes, countedBytes },
    ms,
  } = await cpuMs(() =>
    take(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }),
  );
  // Between two chunks only the process's own record sees a peak; it counts if it was set meanwhile.
  if (maxRss() > highest) peak = Math.max(peak, maxRss());
  return {
    text_bytes: textBytes,
    peak_bytes: peak - occupied,
    live_bytes: (await mostLive(take)) - before,
    counted_bytes: countedBytes,
    ms,
  };
}

async function mostLive(take: (onChunk: () => void) => Promise<unknown>): Promise<number> {
  let most = 0;
  let chunks = 0;
  const taken = await take(() => {
    chunks += 1;
    if (chunks % (LIVE_EVERY_BYTES / 65_536) === 0) most = Math.max(most, collected());
  });
  most = Math.max(most, collected());
  // Still in use, and so alive until here.
  if (taken === undefined) throw new Error("there is no answer");
  return most;
}

function collected(): number {
  if (globalThis.gc === undefined) throw new Error("Node needs --expose-gc");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function maxRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}
