import { VIEW_CONTENT_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { encodeBase64 } from "../result/base64.ts";
import { type Shape, type View, type ViewPlan, viewProblem, type ViewProblem } from "./plan.ts";

/** An image, a sound or any other binary content whole, to be handed on as what it is. Text is read in pieces. */
export function planContent(shape: Shape): Result<ViewPlan, ViewProblem> {
  if (shape.lines !== null) {
    return viewProblem("content is for images, audio and other binary artifacts; this is text", [
      "lines",
      "grep",
      "head",
    ]);
  }
  if (shape.sizeBytes > VIEW_CONTENT_MAX_BYTES) {
    return viewProblem(`content shows at most ${VIEW_CONTENT_MAX_BYTES} bytes; this has ${shape.sizeBytes}`, [
      "bytes",
    ]);
  }
  return ok({
    offset: 0,
    length: shape.sizeBytes,
    finish: (bytes) => {
      const view: View = {
        blob: encodeBase64(bytes),
        media_type: shape.mediaType,
        selector: { type: "content" },
        total: { bytes: shape.sizeBytes },
      };
      return ok(view);
    },
  });
}
