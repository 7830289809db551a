import { VIEW_MAX_BYTES } from "../../limits.ts";
import { ok } from "../../result.ts";
import { characterLength } from "../result/utf8.ts";
import { bytesFrom, type TextShape, textView, type ViewPlan } from "./plan.ts";
import type { SelectorOf } from "./selector.ts";

/** The first so many code points; `bytes` goes on. */
export function planHead(shape: TextShape, { chars }: SelectorOf<"head">): ViewPlan {
  return {
    offset: 0,
    length: Math.min(shape.sizeBytes, VIEW_MAX_BYTES, Math.ceil(chars) * 4),
    finish: (bytes) => {
      let end = 0;
      let shown = 0;
      while (shown < chars && end < bytes.length) {
        const character = characterLength(bytes, end);
        if (end + character > bytes.length) break;
        end += character;
        shown += 1;
      }
      return ok(
        textView(shape, bytes.subarray(0, end), { type: "head", chars: shown }, bytesFrom(shape, end)),
      );
    },
  };
}
