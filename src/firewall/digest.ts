import { SUMMARIES_MAX_COUNT, UNKEPT_TEXT_MAX_CODE_POINTS } from "../limits.ts";
import { isRecord } from "../json.ts";
import type { EnvelopeView } from "./envelope.ts";
import type { Kept } from "./present.ts";
import { isTextual } from "./result/keepsake.ts";
import type { Sorted } from "./result/keepsakes.ts";
import { cutWithin } from "./summary/cut.ts";
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
  { text, keepText, wraps }: Sorted,
  kept: readonly Kept[],
  projection: string | undefined,
): Digested {
  const isShown = keepText === undefined && text !== "";
  const isMain = ({ keepsake: { role } }: Kept): boolean =>
    role === "text" || (role === "structured" && text === "" && keepText === undefined);
  const main = isShown ? undefined : kept.find(isMain);
  const others = kept.filter(
    (each) =>
      each !== main &&
      isTextual(each.keepsake) &&
      each.record !== undefined &&
      isContent(each) &&
      !(wraps && each.keepsake.role === "structured"),
  );
  const summaries = [
    ...(main === undefined ? [] : [{ kept: main, summary: projection ?? summaryOf(main) }]),
    ...others.slice(0, SUMMARIES_MAX_COUNT - 1).map((each) => ({ kept: each, summary: summaryOf(each) })),
  ];
  const shown = summaries.map(({ summary }) => (typeof summary === "string" ? summary : summary.text));
  const labelled = summaries.map(
    ({ kept: { keepsake } }, index) => `${keepsake.label}: ${shown[index] ?? ""}`,
  );
  const views = summaries.flatMap(({ kept: { record }, summary }) =>
    record === undefined || typeof summary === "string"
      ? []
      : summary.views.map(({ selector, label }) => ({ handle: record.handle, selector, label })),
  );
  if (main !== undefined) return { summary: shown[0] ?? "", more: labelled.slice(1), views };
  return { summary: isShown ? text : NO_TEXT, more: labelled, views };
}

/** Not what parts say beside their content, and no list of parts. */
function isContent({ keepsake: { role, rests, parts, large } }: Kept): boolean {
  return role !== "part" || rests.length > 0 || (large !== undefined && parts.length > 0);
}

function summaryOf({ keepsake, record }: Kept): Pick<Summary, "text" | "views"> {
  const { text, large, mediaType, label } = keepsake;
  if (record === undefined) {
    return { text: cutWithin(text ?? large?.head ?? "", UNKEPT_TEXT_MAX_CODE_POINTS), views: [] };
  }
  if (large !== undefined && isSummary(large.summary)) return large.summary;
  return summarise(text ?? large?.head ?? "", { mediaType, name: label });
}

/** What a summariser of ours made while the payload went by; nothing of an upstream's gets into its place. */
function isSummary(value: unknown): value is Summary {
  return isRecord(value) && typeof value["text"] === "string" && Array.isArray(value["views"]);
}
