import { exactJsonText } from "../../exact-json/write.ts";
import {
  BUNDLED_ARTIFACT_MIN_BYTES,
  BUNDLED_ARTIFACTS_MAX_COUNT,
  BUNDLED_BINARIES_MAX_COUNT,
  PART_REST_MAX_BYTES,
  RESULT_META_MAX_BYTES,
} from "../../limits.ts";
import { carriedBy } from "./carried.ts";
import type { InlineBounds } from "./inline-bounds.ts";
import { type Keepsake, textKeepsake } from "./keepsake.ts";
import { imageBytes, isHeld, type Measured, measure, payloadKeepsake } from "./part-keepsakes.ts";
import { estimateTokensOfAny } from "./token-estimate.ts";
import type { Part } from "./tool-result.ts";

/** A result whose parts are a list of things, of any length: few of them get a line of their own. */
export interface Bundling {
  /** What the things are called. */
  readonly things: string;
  /** What a model reads of one that stays. */
  readonly shown: (part: Part) => readonly Part[];
  /** One as it came, by its place in the result. */
  readonly asItCame: (part: Part, place: number) => unknown;
}

/**
 * Which of the parts that are no text are kept, where the tokens of the answer are bounded whatever their number: what fits
 * one budget with the text is shown as it will be read, a few of the others are kept each by itself, and the rest as one
 * JSON array. Nothing is lost. What was too large to hold is in the store already, and keeps its own line.
 *
 * @param textTokens of the text that is shown with them
 */
export function bundleParts(
  parts: readonly { readonly part: Part; readonly place: number }[],
  textTokens: number,
  bounds: InlineBounds,
  { things, shown, asItCame }: Bundling,
): { readonly keepsakes: readonly Keepsake[]; readonly bytesLeft: number } {
  const shownSoFar = { tokens: textTokens, textBytes: 0, binaries: 0, bytesLeft: bounds.partsBytes };
  const out: { readonly measured: Measured; readonly place: number }[] = [];
  for (const { part, place } of parts) {
    const measured = measure(part);
    const tokens = tokensOf(shown(part));
    const isBinary = measured.carried?.isText === false;
    const stays =
      measured.restBytes <= PART_REST_MAX_BYTES &&
      measured.sizeBytes <= shownSoFar.bytesLeft &&
      shownSoFar.tokens + tokens <= bounds.maxTokens &&
      shownSoFar.textBytes + measured.textBytes <= bounds.textBytes &&
      (!isBinary || shownSoFar.binaries < BUNDLED_BINARIES_MAX_COUNT) &&
      (measured.carried?.isText !== false || imageBytes(measured.carried) <= bounds.imageBytes);
    if (!stays) {
      out.push({ measured, place });
      continue;
    }
    shownSoFar.tokens += tokens;
    shownSoFar.textBytes += measured.textBytes;
    shownSoFar.bytesLeft -= measured.sizeBytes;
    if (isBinary) shownSoFar.binaries += 1;
  }
  const keepsakes: Keepsake[] = [];
  const bundle: { readonly part: Part; readonly place: number }[] = [];
  const rests: Part[] = [];
  let own = 0;
  let restBytes = 0;
  for (const { measured, place } of out) {
    const { part, carried, sizeBytes } = measured;
    const hasRoom = restBytes + measured.restBytes <= RESULT_META_MAX_BYTES;
    const isWorthIt = sizeBytes >= BUNDLED_ARTIFACT_MIN_BYTES || out.length === 1;
    const isOwn = hasRoom && isWorthIt && own < BUNDLED_ARTIFACTS_MAX_COUNT;
    if (carried === undefined || (isHeld(carried) && !isOwn)) {
      bundle.push({ part, place });
      continue;
    }
    if (isHeld(carried)) own += 1;
    if (hasRoom) restBytes += measured.restBytes;
    else rests.push(carried.rest);
    keepsakes.push(payloadKeepsake(carried, part, hasRoom));
  }
  if (bundle.length + rests.length > 0) {
    const label =
      bundle.length === 0 ? "what parts say beside their content" : `more ${things} (${bundle.length})`;
    const text = exactJsonText([...bundle.map(({ part, place }) => asItCame(part, place)), ...rests]);
    const of = { named: true, parts: bundle.map(({ part }) => part) };
    keepsakes.push(textKeepsake("part", label, "application/json", text, of));
  }
  return { keepsakes, bytesLeft: shownSoFar.bytesLeft };
}

/** What is no text is read as JSON, but for what is binary in it. */
function tokensOf(shown: readonly Part[]): number {
  return shown.reduce((sum, part) => {
    const { type, text } = part;
    const carried = carriedBy(part);
    const isText = type === "text" && typeof text === "string";
    const read = isText ? text : exactJsonText(carried?.isText === false ? carried.rest : part);
    return sum + 1 + estimateTokensOfAny(read);
  }, 0);
}
