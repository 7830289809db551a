import { isRecord, memberOf } from "../../../src/json.ts";
import type { ResultCase } from "../../fixtures/results/kit/result-case.ts";
import { envelopeOf, listOf, recordOf } from "../../support/fake-gateway.ts";
import { run } from "../../support/tool-results.ts";

const KEPT = /^kept (?<type>\S+) (?<size>\d+) bytes: tool_view (?<call>\{.*\})$/;

/** What the whole gateway made of one case, and the way to look further. */
export interface Outcome {
  readonly content: readonly Record<string, unknown>[];
  readonly isError: boolean;
  readonly envelope: Record<string, unknown>;
  /** Every text part but the `kept` lines. */
  readonly texts: readonly string[];
  readonly keptLines: readonly string[];
  readonly kept: readonly Kept[];
  /** The whole answer as it would be sent. */
  readonly json: string;
  readonly view: (handle: string, selector: unknown) => Promise<ViewAnswer>;
}

export interface Kept {
  readonly handle: string;
  readonly selector: unknown;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** One answer of `tool_view` in porcelain. */
export interface ViewAnswer {
  readonly refused: boolean;
  readonly text: string;
  readonly next: unknown;
}

export async function outcomeOf(each: ResultCase, render = "porcelain"): Promise<Outcome> {
  const { answer, surface, caller } = await run(each.result(), render);
  const content = listOf(answer, "content").map(recordOf);
  const all = content.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  const envelope = envelopeOf(answer);
  const handles = new Set(
    listOf(envelope, "artifacts").map((artifact) => String(memberOf(artifact, "handle"))),
  );
  const keptLines = all.filter((text) => handles.has(keptOf(text)?.handle ?? ""));
  return {
    content,
    isError: memberOf(answer, "isError") === true,
    envelope,
    texts: all.filter((text) => !keptLines.includes(text)),
    keptLines,
    kept: keptLines.flatMap((line) => keptOf(line) ?? []),
    json: JSON.stringify(answer),
    view: async (handle, selector) => {
      const viewed = await surface.call("tool_view", { handle, selector }, caller.context);
      const [text, next] = listOf(viewed, "content").map((part) => String(memberOf(part, "text")));
      const continues = next?.startsWith("next: ") === true ? next.slice("next: ".length) : undefined;
      return {
        refused: memberOf(viewed, "isError") === true,
        text: text ?? "",
        next: continues === undefined ? undefined : (JSON.parse(continues) as unknown),
      };
    },
  };
}

function keptOf(line: string): Kept | undefined {
  const groups = KEPT.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const call: unknown = JSON.parse(groups["call"] ?? "null");
  if (!isRecord(call)) return undefined;
  return {
    handle: String(call["handle"]),
    selector: call["selector"],
    mediaType: groups["type"] ?? "",
    sizeBytes: Number(groups["size"]),
  };
}

/** All bytes of an artifact, by following `next` to the end. */
export async function readWhole(outcome: Outcome, kept: Kept, first: object): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const encoding = isText(kept) ? "utf8" : "base64";
  let selector: unknown = first;
  let size = 0;
  while (selector !== undefined) {
    const { refused, text, next } = await outcome.view(kept.handle, selector);
    if (refused) throw new Error(`${JSON.stringify(selector)} was refused: ${text}`);
    const piece = Buffer.from(text, encoding);
    pieces.push(piece);
    size += piece.length;
    if (next !== undefined && piece.length === 0)
      throw new Error(`${JSON.stringify(selector)} goes on without an end`);
    if (size > kept.sizeBytes) throw new Error(`${JSON.stringify(selector)} repeats bytes`);
    selector = next;
  }
  return Buffer.concat(pieces);
}

/** Text is proposed by lines, binary content by bytes (CONTRACTS "Large result"). */
export function isText({ selector }: Kept): boolean {
  return memberOf(selector, "type") !== "bytes";
}
