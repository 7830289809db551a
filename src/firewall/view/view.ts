import { ok, type Result } from "../../result.ts";
import { planBytes } from "./bytes.ts";
import { planContent } from "./content.ts";
import { planGrep } from "./grep.ts";
import { planHead } from "./head.ts";
import { planJsonKeys } from "./json-keys.ts";
import { planJsonPath } from "./json-path.ts";
import { planLines } from "./lines.ts";
import type { Shape, TextShape, ViewPlan, ViewProblem } from "./plan.ts";
import { viewProblem } from "./plan.ts";
import { planRows } from "./rows.ts";
import type { Selector } from "./selector.ts";

/**
 * Plans one view: one range read of at most `VIEW_SCAN_MAX_BYTES`, and what to make of it. Fails, or the plan does, where
 * the selector does not read the artifact, and says what would. Never throws.
 */
export function planView(shape: Shape, selector: Selector): Result<ViewPlan, ViewProblem> {
  if (selector.type === "bytes") return planBytes(shape, selector);
  if (selector.type === "content") return planContent(shape);
  if (!isText(shape)) {
    return viewProblem(`${selector.type} reads text, and the artifact is binary`, ["bytes", "content"]);
  }
  switch (selector.type) {
    case "head":
      return ok(planHead(shape, selector));
    case "lines":
      return planLines(shape, selector);
    case "rows":
      return planRows(shape, selector);
    case "json_keys":
      return planJsonKeys(shape, selector);
    case "json_path":
      return planJsonPath(shape, selector);
    case "grep":
      return planGrep(shape, selector);
  }
}

function isText(shape: Shape): shape is TextShape {
  return shape.lines !== null;
}
