/** What was done to a selection before it was a candidate. */
export type SelectionRepair = "strip" | "case_fold" | "prefix";

export type SelectionRejection =
  | "empty_selection"
  | "ambiguous_case_fold"
  | "ambiguous_prefix"
  | "not_a_candidate";

/** What became of a selection, with the keys of its wire form. A `selected_id` is always one of the candidates. */
export type SelectionVerdict = { readonly raw_id: string } & (
  | {
      readonly status: "accepted";
      readonly selected_id: string;
      readonly repair: null;
      readonly reason: null;
    }
  | {
      readonly status: "repaired";
      readonly selected_id: string;
      readonly repair: SelectionRepair;
      readonly reason: null;
    }
  | {
      readonly status: "rejected";
      readonly selected_id: null;
      readonly repair: null;
      readonly reason: SelectionRejection;
    }
);

export interface SelectionOptions {
  /** False: nothing is tried after the exact comparison. White space around a selection is overlooked all the same. */
  readonly repair: boolean;
}

/**
 * Judges what a model chose against what it was offered (seed 000 §2.6). The first rule that one candidate satisfies
 * decides, each on the selection without white space around it: the same; the same but for case; its beginning, but for
 * case. Where several candidates satisfy the last two, nobody guesses. `null` is a model that chose nothing.
 *
 * The candidates' order and repetition change nothing. Case is Unicode's simple lower case, so `ß` is not `SS`.
 */
export function validateSelection(
  candidates: readonly string[],
  selected: string | null,
  { repair }: SelectionOptions,
): SelectionVerdict {
  const raw = selected ?? "";
  const stripped = raw.trim();
  if (stripped === "") return rejected(raw, "empty_selection");
  const offered = new Set(candidates);
  if (offered.has(stripped)) {
    return stripped === raw
      ? { status: "accepted", selected_id: raw, raw_id: raw, repair: null, reason: null }
      : repaired(raw, stripped, "strip");
  }
  if (!repair) return rejected(raw, "not_a_candidate");
  const matches = matchesOf(offered, stripped);
  const [same, begun] = [matches.same[0], matches.begun[0]];
  if (same !== undefined) {
    return matches.same.length > 1 ? rejected(raw, "ambiguous_case_fold") : repaired(raw, same, "case_fold");
  }
  if (begun !== undefined) {
    return matches.begun.length > 1 ? rejected(raw, "ambiguous_prefix") : repaired(raw, begun, "prefix");
  }
  return rejected(raw, "not_a_candidate");
}

/** The candidates that equal the selection but for case, and those that begin with it. */
function matchesOf(
  offered: ReadonlySet<string>,
  stripped: string,
): { readonly same: readonly string[]; readonly begun: readonly string[] } {
  const [same, begun]: [string[], string[]] = [[], []];
  let longest = 0;
  for (const candidate of offered) longest = Math.max(longest, candidate.length);
  // Lower case is at most twice as long (`İ`) and never shorter: a selection beyond that equals nothing, and is not folded.
  if (stripped.length > 2 * longest) return { same, begun };
  const wanted = folded(stripped);
  for (const candidate of offered) {
    const own = folded(candidate);
    if (!own.startsWith(wanted)) continue;
    (own.length === wanted.length ? same : begun).push(candidate);
  }
  return { same, begun };
}

/** Lower case that does not hang on what stands around a letter: else a beginning would fold otherwise than its whole. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("ς") ? lower.replaceAll("ς", "σ") : lower;
}

function repaired(raw: string, candidate: string, repair: SelectionRepair): SelectionVerdict {
  return { status: "repaired", selected_id: candidate, raw_id: raw, repair, reason: null };
}

function rejected(raw: string, reason: SelectionRejection): SelectionVerdict {
  return { status: "rejected", selected_id: null, raw_id: raw, repair: null, reason };
}
