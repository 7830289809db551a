import { ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS, ARTIFACT_STORED_MAX_BYTES } from "../limits.ts";
import { BUNDLED_NAME_MAX_TOKENS } from "../limits.ts";
import { VIEW_BYTES_DEFAULT_BYTES, VIEW_LINES_PROPOSED_COUNT } from "../limits.ts";
import type { ArtifactRecord } from "./artifacts/artifact.ts";
import type { KeepFailure, Kept } from "./present.ts";
import { sizeOf } from "./result/keepsake.ts";
import { cutWithin } from "./summary/cut.ts";
import { cutWithinTokens } from "./summary/fit.ts";
import type { Selector } from "./view/selector.ts";

/**
 * What stands below a summary: a line for each artifact, and their names where the lines do not say enough; `isTight`:
 * bounded in tokens too.
 */
export function keptLines(kept: readonly Kept[], summary: string, isTight = false): string[] {
  return [...kept.flatMap((each) => lineOf(each, summary)), ...namesOf(kept, isTight)];
}

/** A label as a model reads it. */
export function shownName(label: string): string {
  return cutWithinTokens(label, ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS, BUNDLED_NAME_MAX_TOKENS);
}

/** The first look at an artifact that its line proposes (CONTRACTS "Large result"). */
export function proposedView({ lines }: Pick<ArtifactRecord, "lines">): Selector {
  return lines === null
    ? { type: "bytes", offset: 0, length: VIEW_BYTES_DEFAULT_BYTES }
    : { type: "lines", start: 0, end: VIEW_LINES_PROPOSED_COUNT };
}

/** The line by which a model finds an artifact again (CONTRACTS "Large result"), or learns that it cannot. */
function lineOf({ keepsake, record, failure, lost }: Kept, summary: string): string[] {
  if (record !== undefined) {
    const call = JSON.stringify({ handle: record.handle, selector: proposedView(record) });
    return [`kept ${record.mediaType} ${record.sizeBytes} bytes: tool_view ${call}`];
  }
  if (!lost || failure === undefined || keepsake.text === summary) return [];
  return [`not kept ${keepsake.mediaType} ${sizeOf(keepsake)} bytes: ${whyNot(failure)}`];
}

function whyNot(failure: KeepFailure): string {
  if (failure.reason === "artifacts_unreachable") return STORE_SILENT;
  switch (failure.why) {
    case "store_failed":
      return STORE_SILENT;
    case "too_long":
      return `an artifact holds ${ARTIFACT_STORED_MAX_BYTES} bytes at most`;
    case "no_room":
      return "too many large results were read at once";
    case "too_many":
      return "the result has too many large parts";
    case "quota":
      return "the quota for kept results has no room for it";
  }
}

const STORE_SILENT = "the artifact store did not answer";

/** The lines have a fixed form without a place for names; where there are any, one more text gives them in the same order. */
function namesOf(kept: readonly Kept[], isTight: boolean): string[] {
  const found = kept.filter(({ record }) => record !== undefined).map(({ keepsake }) => keepsake);
  if (!found.some(({ named }) => named)) return [];
  const names = found.map(({ label }) =>
    isTight ? shownName(label) : cutWithin(label, ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS),
  );
  return [`kept, in this order: ${names.join(", ")}`];
}
