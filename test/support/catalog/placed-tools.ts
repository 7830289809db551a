import { buildCard } from "../../../src/catalog/cards/card.ts";
import type { AcceptedTool } from "../../../src/catalog/refresh/judge-tool.ts";
import type { PlacedTool, SnapshotSources } from "../../../src/catalog/snapshot/pack-snapshot.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import { analyseDocument, type AnalysedDocument } from "../../../src/routing/document/analyse-document.ts";

export interface PlacedItem {
  readonly namespace: string;
  readonly name: string;
  /** Its description. */
  readonly words: string;
}

/** Tools judged and placed in three shards, as a refresh hands them to a snapshot; keys change with what is judged. */
export function placedTools(items: readonly PlacedItem[]): {
  readonly placed: readonly PlacedTool[];
  readonly shards: readonly string[];
  readonly sources: SnapshotSources;
} {
  const judged = new Map<string, AcceptedTool>();
  const analysed = new Map<string, AnalysedDocument>();
  const tools = items.map(({ namespace, name, words }) => {
    const id = `${namespace}:${name}#0a0b0c0d`;
    const key = sha256Hex(JSON.stringify([id, words]));
    const tool: AcceptedTool = {
      kind: "accepted",
      id,
      namespace,
      name,
      upstreamName: name,
      card: buildCard({ id, namespace, upstreamName: name, description: words }),
      line: `${id} — ${words}`,
      tokens: 1,
      findings: [],
      definitionHash: key,
      definitionBytes: 1,
      schemaHash: "",
      schemaBytes: 1,
      entryBytes: 1,
    };
    judged.set(key, tool);
    const parameters = { parameterNames: [], parameterDescriptions: [] };
    analysed.set(key, analyseDocument({ id, name, description: words, ...parameters, server: namespace }));
    return { server: namespace, key, tool };
  });
  const shards = ["0", "1", "2"].map((digit) => digit.repeat(64));
  const sorted = tools.sort((left, right) => compareCodePoints(left.tool.id, right.tool.id));
  return {
    placed: sorted.map(({ server, key, tool }, at) => {
      return { server, key, tool, shard: Math.floor((3 * at) / sorted.length) };
    }),
    shards,
    sources: { judged: (key) => judged.get(key), analysed: (key) => analysed.get(key) },
  };
}
