import { parseConfig } from "../../../../src/config.ts";
import { exactJsonText } from "../../../../src/exact-json/write.ts";
import { createKeeper } from "../../../../src/firewall/artifacts/keeper.ts";
import { presentResult } from "../../../../src/firewall/present.ts";
import { readToolResult, type ToolResult } from "../../../../src/firewall/result/tool-result.ts";
import { presentationFor } from "../../../../src/gateway/tool-artifacts.ts";
import { UPSTREAM_ANSWER_MAX_BYTES } from "../../../../src/limits.ts";
import type { ResultCase } from "../../../../test/fixtures/results/kit/result-case.ts";
import { cpuMs, medianCpuMs } from "../../figures/measure.ts";
import { artifactKeys } from "../../gateway/open-gateway.ts";
import { kindOf, SMALL_KIND } from "../reading/kind-figures.ts";
import { DROPPING_STORE } from "../../gateway/dropping-store.ts";

/** The code is at its usual speed by then. */
const WARM_UP_MS = 500;
/** A run shorter than this measures the clock. */
const RUN_MIN_MS = 100;
const TOOL = { id: "bench:tool#00000000", server: "bench" };

/** How fast results are made fit that are in memory whole: CPU of summing up, hashing, indexing and putting together. */
export interface PresentFigures {
  readonly kind: string;
  readonly results: number;
  /** Of the results' JSON. */
  readonly bytes: number;
  readonly ms: number;
}

/** Presents the large results of each kind, all of a kind after each other; those past the answer cap are never whole. */
export async function measurePresenting(
  cases: readonly ResultCase[],
  runs: number,
): Promise<PresentFigures[]> {
  const kinds = new Map<string, { readonly result: ToolResult; readonly bytes: number }[]>();
  for (const each of cases) {
    const kind = kindOf(each);
    const json = each.result();
    const result = readToolResult(json);
    const bytes = Buffer.byteLength(exactJsonText(json));
    if (kind === SMALL_KIND || bytes > UPSTREAM_ANSWER_MAX_BYTES || !result.ok) continue;
    kinds.set(kind, [...(kinds.get(kind) ?? []), { result: result.value, bytes }]);
  }
  const present = await presenter();
  const figures: PresentFigures[] = [];
  for (const [kind, results] of kinds) {
    const all = async (): Promise<void> => {
      for (const { result } of results) await present(result);
    };
    const times = Math.ceil(RUN_MIN_MS / (await warmUp(all)));
    const run = async (): Promise<void> => {
      for (let time = 0; time < times; time += 1) await all();
    };
    figures.push({
      kind,
      results: results.length,
      bytes: results.reduce((sum, { bytes }) => sum + bytes, 0),
      ms: (await medianCpuMs(runs, run)) / times,
    });
  }
  return figures;
}

/** Milliseconds that the last time took. */
async function warmUp(work: () => Promise<void>): Promise<number> {
  let spent = 0;
  let last = 0;
  while (spent < WARM_UP_MS) {
    last = (await cpuMs(work)).ms;
    spent += last;
  }
  return last;
}

async function presenter(): Promise<(result: ToolResult) => Promise<unknown>> {
  const config = parseConfig("{}");
  if (!config.ok) throw new Error("the defaults are no configuration");
  const presentation = presentationFor(config.value.gateway.artifacts, TOOL.id);
  const ring = await artifactKeys();
  const keep = createKeeper({
    store: DROPPING_STORE,
    ring,
    principal: "bench",
    owner: "bench",
    toolId: TOOL.id,
  });
  return (result) => presentResult(result, TOOL, {}, keep, presentation);
}
