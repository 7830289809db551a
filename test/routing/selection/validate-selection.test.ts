import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type SelectionVerdict,
  validateSelection,
} from "../../../src/routing/selection/validate-selection.ts";

const CANDIDATES = ["github:create_issue#aea9ce2a", "github:Create_Issue#aea9ce2a", "slack:post#00000000"];
const [LOWER = "", UPPER = "", POST = ""] = CANDIDATES;
const REPAIR = { repair: true };

function chosen(raw: string, id: string, repair: SelectionVerdict["repair"]) {
  return {
    status: repair === null ? "accepted" : "repaired",
    selected_id: id,
    raw_id: raw,
    repair,
    reason: null,
  };
}

function refused(raw: string, reason: SelectionVerdict["reason"]) {
  return { status: "rejected", selected_id: null, raw_id: raw, repair: null, reason };
}

describe("a selection", () => {
  it.each([
    [POST, chosen(POST, POST, null)],
    [` ${POST} `, chosen(` ${POST} `, POST, "strip")],
    ["SLACK:POST#00000000", chosen("SLACK:POST#00000000", POST, "case_fold")],
    ["slack:", chosen("slack:", POST, "prefix")],
    ["github:create", refused("github:create", "ambiguous_prefix")],
    ["GITHUB:CREATE_ISSUE#AEA9CE2A", refused("GITHUB:CREATE_ISSUE#AEA9CE2A", "ambiguous_case_fold")],
    ["nope", refused("nope", "not_a_candidate")],
    ["", refused("", "empty_selection")],
    [null, refused("", "empty_selection")],
  ])("%j is judged by the reference's values", (selected, verdict) => {
    const judged = validateSelection(CANDIDATES, selected, REPAIR);
    expect(judged).toEqual(verdict);
    expect(Object.keys(judged)).toEqual(["status", "selected_id", "raw_id", "repair", "reason"]);
  });

  it.each([
    // Exact wins over what else it could be.
    [LOWER, chosen(LOWER, LOWER, null)],
    [`\t${UPPER}\n`, chosen(`\t${UPPER}\n`, UPPER, "strip")],
    // White space goes first, then case, then what is missing.
    ["  SLACK:Post ", chosen("  SLACK:Post ", POST, "prefix")],
    [" \n\u00a0\ufeff", refused(" \n\u00a0\ufeff", "empty_selection")],
    [`${POST}x`, refused(`${POST}x`, "not_a_candidate")],
    ["post#00000000", refused("post#00000000", "not_a_candidate")],
  ])("%j is judged in the fixed order", (selected, verdict) => {
    expect(validateSelection(CANDIDATES, selected, REPAIR)).toEqual(verdict);
  });

  it("equal to one candidate but for case is that one, though others begin with it", () => {
    const candidates = ["a:Read@1", "a:read@12"];
    expect(validateSelection(candidates, "A:READ@1", REPAIR)).toEqual(
      chosen("A:READ@1", "a:Read@1", "case_fold"),
    );
  });

  it("among candidates that repeat is not ambiguous for that", () => {
    expect(validateSelection([POST, POST], "slack", REPAIR)).toEqual(chosen("slack", POST, "prefix"));
    expect(validateSelection([POST, POST], "SLACK:POST#00000000", REPAIR).status).toBe("repaired");
  });

  it("without repair is compared once, white space aside", () => {
    const judge = (selected: string | null) => validateSelection(CANDIDATES, selected, { repair: false });
    expect(judge(POST)).toEqual(chosen(POST, POST, null));
    expect(judge(` ${POST}`)).toEqual(chosen(` ${POST}`, POST, "strip"));
    expect(judge("slack:")).toEqual(refused("slack:", "not_a_candidate"));
    expect(judge("SLACK:POST#00000000")).toEqual(refused("SLACK:POST#00000000", "not_a_candidate"));
    expect(judge("GITHUB:CREATE_ISSUE#AEA9CE2A")).toMatchObject({ reason: "not_a_candidate" });
    expect(judge(" ")).toEqual(refused(" ", "empty_selection"));
  });

  it.each([
    ["İstanbul", "i̇STANBUL", "case_fold"],
    ["ΣΊΣΥΦΟΣ", "σίσυφος", "case_fold"],
    // A word's last sigma looks otherwise in its middle.
    ["ΣΟΣΟΣ", "σοσ", "prefix"],
    ["ΣΟΣΟΣ", "ΣΟΣ", "prefix"],
    ["İİİİ", "i̇i̇i̇i̇", "case_fold"],
    ["STRASSE", "straße", null],
    ["I", "ı", null],
  ])("of %j by %j folds case by letters", (candidate, selected, repair) => {
    const verdict = validateSelection([candidate], selected, REPAIR);
    expect(verdict.repair).toBe(repair);
    expect(verdict.status).toBe(repair === null ? "rejected" : "repaired");
  });

  it("a million letters long is refused like any other", () => {
    const long = "A".repeat(1_000_000);
    expect(validateSelection(CANDIDATES, long, REPAIR)).toEqual(refused(long, "not_a_candidate"));
    expect(validateSelection([long], long.toLowerCase(), REPAIR)).toMatchObject({ selected_id: long });
    expect(validateSelection([], "x", REPAIR)).toEqual(refused("x", "not_a_candidate"));
  });
});

const unit = fc.constantFrom(
  "a",
  "A",
  "b",
  ":",
  "#",
  " ",
  "\0",
  "\ud800",
  "\udc00",
  "😀",
  "İ",
  "ß",
  "Σ",
  "ς",
  "ı",
);
const hostile = fc.oneof(
  fc.string({ unit, maxLength: 5 }),
  fc.constantFrom("__proto__", "constructor", "<|endoftext|>"),
);
const candidates = fc.array(hostile, { maxLength: 6 });
const selection = fc.option(hostile, { nil: null });

const fold = (text: string) =>
  Array.from(text, (letter) => letter.toLowerCase())
    .join("")
    .replaceAll("ς", "σ");

/** The rules again, letter by letter and one after another. */
function slowly(offered: readonly string[], selected: string | null, repair: boolean) {
  const raw = selected ?? "";
  const stripped = raw.trim();
  const wanted = fold(stripped);
  const distinct = [...new Set(offered)];
  const rules = [
    { repair: raw === stripped ? null : "strip", matches: distinct.filter((id) => id === stripped) },
    { repair: "case_fold", matches: repair ? distinct.filter((id) => fold(id) === wanted) : [] },
    { repair: "prefix", matches: repair ? distinct.filter((id) => fold(id).startsWith(wanted)) : [] },
  ] as const;
  const first = rules.find(({ matches }) => matches.length > 0);
  if (stripped === "") return refused(raw, "empty_selection");
  if (first === undefined) return refused(raw, "not_a_candidate");
  return first.matches.length === 1
    ? chosen(raw, first.matches[0] ?? "", first.repair)
    : refused(raw, first.repair === "prefix" ? "ambiguous_prefix" : "ambiguous_case_fold");
}

describe("any selection among any candidates", () => {
  it("is one of them by the first rule that one alone satisfies, or is refused", () => {
    fc.assert(
      fc.property(candidates, selection, fc.boolean(), (offered, selected, repair) => {
        const verdict = validateSelection(offered, selected, { repair });
        expect(verdict).toEqual(slowly(offered, selected, repair));
        expect([null, ...offered]).toContain(verdict.selected_id);
        expect(verdict.selected_id === null).toBe(verdict.status === "rejected");
      }),
      { numRuns: 3_000 },
    );
  });

  it("is judged alike in whatever order they come", () => {
    const shuffled = candidates.chain((offered) =>
      fc.tuple(
        fc.constant(offered),
        fc.shuffledSubarray(offered, { minLength: offered.length, maxLength: offered.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, selection, fc.boolean(), ([offered, other], selected, repair) => {
        expect(validateSelection(other, selected, { repair })).toEqual(
          validateSelection(offered, selected, { repair }),
        );
      }),
    );
  });
});
