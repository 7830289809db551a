import type { GatewayFailure } from "../errors.ts";
import { isJsonArray, memberOf } from "../json.ts";
import { SELECTION_CANDIDATE_MAX_CHARS, SELECTION_CANDIDATES_MAX_COUNT } from "../limits.ts";
import { ok, type Result } from "../result.ts";
import { type SelectionVerdict, validateSelection } from "../routing/selection/validate-selection.ts";
import { judgeArguments, refuseArguments } from "./judge-arguments.ts";

const SELECTION_SCHEMA = {
  type: "object",
  properties: {
    candidates: {
      type: "array",
      items: { type: "string", maxLength: SELECTION_CANDIDATE_MAX_CHARS },
      maxItems: SELECTION_CANDIDATES_MAX_COUNT,
    },
    // Whatever a model wrote, of any length; null where it chose nothing.
    selected: { type: ["string", "null"] },
    repair: { type: "boolean" },
  },
  required: ["candidates", "selected"],
  additionalProperties: false,
};

/**
 * Judges what a model chose, for the program that asked it (`POST /api/validate-selection`). The candidates are the
 * program's: they need not be in any catalog, and being accepted lets nobody run anything.
 */
export function judgeSelection(body: unknown): Result<SelectionVerdict, GatewayFailure> {
  const problems = judgeArguments(SELECTION_SCHEMA, body);
  if (problems.length > 0) {
    const message = "the body does not satisfy the schema of /api/validate-selection";
    return refuseArguments(SELECTION_SCHEMA, problems, message);
  }
  const candidates = memberOf(body, "candidates");
  const selected = memberOf(body, "selected");
  return ok(
    validateSelection(
      isJsonArray(candidates) ? candidates.filter((candidate) => typeof candidate === "string") : [],
      typeof selected === "string" ? selected : null,
      { repair: memberOf(body, "repair") !== false },
    ),
  );
}
