import { createLargeSinks } from "../../../../src/firewall/artifacts/large-sinks.ts";
import { openSummariser } from "../../../../src/firewall/summary/summariser.ts";
import type { LargeForm } from "../../../../src/large-result.ts";
import type { ResultCase } from "../../../../test/fixtures/results/kit/result-case.ts";
import { seeded } from "../../../../test/fixtures/results/kit/seeded.ts";
import { medianCpuMs } from "../../figures/measure.ts";
import { modelText } from "../reading/model-text.ts";
import { droppingUpload } from "../../gateway/dropping-store.ts";
import { nodeDigest } from "../../gateway/node-digest.ts";

const CHUNK_BYTES = 65_536;
const BINARY_BYTES = 1_048_576;

/** How fast a payload goes by that is too large to hold: CPU of decoding, summing up, hashing and indexing. */
export interface StreamFigures {
  readonly what: string;
  readonly form: LargeForm;
  readonly bytes: number;
  readonly ms: number;
}

interface Source {
  readonly what: string;
  readonly form: LargeForm;
  /** The payload is this, a block over and over, and that. */
  readonly first: string;
  readonly block: Uint8Array;
  readonly last: string;
}

/** By the corpus's names: one of each kind that has a summary of its own. */
const STREAMED: ReadonlySet<string> = new Set([
  "application-log",
  "orders-csv",
  "invoices-markdown-table",
  "github-issues",
  "encyclopedia-html",
  "handbook-markdown",
  "typescript-source",
  "git-diff",
  "story",
]);

/** Passes about so many bytes of each kind through the sinks of the large path, in chunks as a network brings them. */
export async function measureStreaming(
  cases: readonly ResultCase[],
  bytes: number,
  runs: number,
): Promise<StreamFigures[]> {
  const figures: StreamFigures[] = [];
  for (const source of sources(cases)) {
    const { what, form } = source;
    const blocks = Math.floor((bytes - source.first.length - source.last.length) / source.block.length);
    const ms = await medianCpuMs(runs, () => pass(source, blocks));
    figures.push({ what, form, bytes: blocks * source.block.length, ms });
  }
  return figures;
}

function sources(cases: readonly ResultCase[]): Source[] {
  const encoder = new TextEncoder();
  const texts = cases.flatMap(({ name, kind, result }): Source[] => {
    if (!STREAMED.has(name)) return [];
    const text = modelText(result()["content"]);
    return kind === "json array"
      ? [{ what: kind, form: "json", first: "[0", block: encoder.encode(`,${text}`), last: "]" }]
      : [{ what: kind, form: "text", first: "", block: encoder.encode(`${text}\n`), last: "" }];
  });
  const block = seeded(64).bytes(BINARY_BYTES);
  return [...texts, { what: "binary", form: "bytes", first: "", block, last: "" }];
}

async function pass({ form, first, block, last }: Source, blocks: number): Promise<void> {
  const sink = createLargeSinks({
    openUpload: droppingUpload,
    openDigest: nodeDigest,
    room: { hold: () => true, free: () => undefined },
    openSummariser,
  }).open(form, undefined);
  const encoder = new TextEncoder();
  if (first !== "") await sink.write(encoder.encode(first));
  for (let passed = 0; passed < blocks; passed += 1) {
    for (let at = 0; at < block.length; at += CHUNK_BYTES) {
      await sink.write(block.subarray(at, at + CHUNK_BYTES));
    }
  }
  if (last !== "") await sink.write(encoder.encode(last));
  const { stored } = await sink.close();
  if (!stored.ok) throw new Error(`the sink kept nothing: ${stored.reason}`);
}
