import type { OtherKind } from "../../../src/catalog/catalog.ts";
import type { TokenCounter } from "../../../src/tokens/token-counter.ts";
import { type BenchEntry, isTemplate } from "./bench-entry.ts";

/** cl100k tokens of what a client reads that lists everything: the results of MCP's own lists, as one page each. */
export function nativeListTokens(
  kind: OtherKind,
  entries: readonly BenchEntry[],
  counter: TokenCounter,
): number {
  const results =
    kind === "prompt"
      ? [{ prompts: entries.map(({ definition }) => definition) }]
      : [
          { resources: entries.filter((entry) => !isTemplate(entry)).map(({ definition }) => definition) },
          { resourceTemplates: entries.filter(isTemplate).map(({ definition }) => definition) },
        ];
  return results.reduce((sum, result) => sum + counter.count(JSON.stringify(result)), 0);
}
