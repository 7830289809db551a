import { BUNDLED_SUMMARIES_MAX_TOKENS, SUMMARY_STRUCTURED_MAX_CODE_POINTS } from "../limits.ts";
import { SUMMARIES_MAX_COUNT, UNKEPT_TEXT_MAX_CODE_POINTS, VIEW_CONTENT_MAX_BYTES } from "../limits.ts";
import { isRecord } from "../json.ts";
import type { EnvelopeView } from "./envelope.ts";
import { shownName } from "./kept-lines.ts";
import type { Kept } from "./present.ts";
import type { Projected } from "./projection.ts";
import { isTextual } from "./result/keepsake.ts";
import type { Sorted } from "./result/keepsakes.ts";
import { estimateTokens } from "./result/token-estimate.ts";
import { cutWithin } from "./summary/cut.ts";
import { cutWithinTokens } from "./summary/fit.ts";
import { summarise, type Summary } from "./summary/summariser.ts";

/** What stands for a large result, and the looks into what was kept that are worth a call. */
export interface Digested {
  readonly summary: string;
  /** Of the other artifacts that can be read. */
  readonly more: readonly string[];
  readonly views: readonly EnvelopeView[];
}

const NO_TEXT = "(no text)";

/**
 * The text where it is small, else what stands for it: the projection that the operator asked for, or a summary; as much of
 * it as fits where it could not be kept. Then what the other artifacts are that can be read, as far as there is room.
 */
export function digestOf(
  { text, keepText, wraps, isBundled }: Sorted,
  kept: readonly Kept[],
  projected: Projected | undefined,
): Digested {
  const isShown = keepText === undefined && text !== "";
  const isMain = ({ keepsake: { role } }: Kept): boolean =>
    role === "text" || (role === "structured" && text === "" && keepText === undefined);
  const main = isShown ? undefined : kept.find(isMain);
  const others = kept
    .filter((each) => each !== main && isTextual(each.keepsake) && isContent(each))
    .filter(({ keepsake }) => !(wraps && keepsake.role === "structured"))
    // What the operator wants in sight goes first.
    .toSorted((left, right) => Number(isProjected(right, projected)) - Number(isProjected(left, projected)));
  const shown = [...(main === undefined ? [] : [main]), ...others.slice(0, SUMMARIES_MAX_COUNT - 1)];
  const all = shown.map((each) => ({ each, summary: summaryOf(each, each === main) }));
  const summaries = isBundled ? withinBudget(all) : all;
  const texts = summaries.map(({ each, summary }) =>
    isProjected(each, projected) ? (projected?.text ?? summary.text) : summary.text,
  );
  const views = summaries.flatMap(({ each: { record }, summary }) =>
    record === undefined
      ? []
      : summary.views.map(({ selector, label }) => ({ handle: record.handle, selector, label })),
  );
  const pictures = kept.filter(({ keepsake }) => !isTextual(keepsake)).flatMap(wholeView);
  // Begins with a word of ours: a label is a text of the upstream's.
  const labelled = texts.map((each, index) => {
    const label = shown[index]?.keepsake.label ?? "";
    return `summary of ${isBundled ? shownName(label) : label}: ${each}`;
  });
  const looks = [...views, ...pictures];
  if (main !== undefined) return { summary: texts[0] ?? "", more: labelled.slice(1), views: looks };
  return { summary: isShown ? text : NO_TEXT, more: labelled, views: looks };
}

interface Summarised {
  readonly each: Kept;
  readonly summary: Pick<Summary, "text" | "views">;
}

/** The first ones within one bound for all; of the first what fits. What could not be kept has no bound but its own. */
function withinBudget(all: readonly Summarised[]): Summarised[] {
  let left = BUNDLED_SUMMARIES_MAX_TOKENS;
  const within: Summarised[] = [];
  for (const { each, summary } of all) {
    const isFirst = within.length === 0;
    const text =
      isFirst && each.record !== undefined
        ? cutWithinTokens(summary.text, SUMMARY_STRUCTURED_MAX_CODE_POINTS, left)
        : summary.text;
    left -= estimateTokens(text);
    if (left < 0 && !isFirst) break;
    within.push({ each, summary: { ...summary, text } });
  }
  return within;
}

function isProjected({ keepsake: { role } }: Kept, projected: Projected | undefined): boolean {
  return projected !== undefined && role === projected.of;
}

/** A picture or a sound as itself. */
function wholeView({ record }: Kept): EnvelopeView[] {
  if (record === undefined || record.sizeBytes > VIEW_CONTENT_MAX_BYTES) return [];
  if (!/^(?:image|audio)\//.test(record.mediaType)) return [];
  return [{ handle: record.handle, selector: { type: "content" }, label: "the content itself" }];
}

/** Not what parts say beside their content, and no list of parts. */
function isContent({ keepsake: { role, rests, parts, large } }: Kept): boolean {
  return role !== "part" || rests.length > 0 || (large !== undefined && parts.length > 0);
}

/** Of the main one that could not be kept, as much as fits; of others no more than if it could. */
function summaryOf({ keepsake, record }: Kept, isMain: boolean): Pick<Summary, "text" | "views"> {
  const { text, large, mediaType, label, about } = keepsake;
  const here = text ?? large?.head ?? "";
  if (record === undefined && isMain)
    return { text: cutWithin(here, UNKEPT_TEXT_MAX_CODE_POINTS), views: [] };
  const summary =
    large !== undefined && isSummary(large.summary)
      ? large.summary
      : summarise(here, { mediaType, name: label, isPlain: about !== undefined });
  return about === undefined ? summary : { ...summary, text: `${about}\n\n${summary.text}` };
}

/** What a summariser of ours made while the payload went by; nothing of an upstream's gets into its place. */
function isSummary(value: unknown): value is Summary {
  return isRecord(value) && typeof value["text"] === "string" && Array.isArray(value["views"]);
}
