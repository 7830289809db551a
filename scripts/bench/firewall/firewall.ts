import { committedCounter } from "../../committed-ranks.ts";
import type { ResultCase } from "../../../test/fixtures/results/kit/result-case.ts";
import { type MemoryFigures, measureMemory } from "./memory/memory.ts";
import { type KindFigures, measureKinds } from "./reading/kind-figures.ts";
import { type PresentFigures, measurePresenting } from "./speed/present.ts";
import { measureStreaming, type StreamFigures } from "./speed/stream.ts";

export interface FirewallFigures {
  /** What results cost a model and what it can answer, by kind. */
  readonly reading: readonly KindFigures[];
  /** Milliseconds of CPU. */
  readonly presenting: readonly PresentFigures[];
  readonly streaming: readonly StreamFigures[];
  readonly memory: readonly MemoryFigures[];
}

export interface FirewallEffort {
  readonly runs: number;
  /** Of each payload that goes by. */
  readonly streamBytes: number;
  /** Of the answer that is taken for its memory. */
  readonly bodyBytes: number;
}

/** Measures what becomes of the corpus's results, how fast, and in how much memory. */
export async function measureFirewall(
  cases: readonly ResultCase[],
  { runs, streamBytes, bodyBytes }: FirewallEffort,
  progress: (line: string) => void,
): Promise<FirewallFigures> {
  progress(`firewall: reading ${cases.length} results`);
  const reading = await measureKinds(cases, committedCounter());
  progress("firewall: presenting");
  const presenting = await measurePresenting(cases, runs);
  progress("firewall: streaming");
  const streaming = await measureStreaming(cases, streamBytes, runs);
  return { reading, presenting, streaming, memory: await measureMemory(bodyBytes, progress) };
}
