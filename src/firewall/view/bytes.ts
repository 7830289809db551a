import { VIEW_BINARY_MAX_BYTES, VIEW_BYTES_DEFAULT_BYTES, VIEW_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { encodeBase64 } from "../result/base64.ts";
import { atBoundary, characterLength } from "../result/utf8.ts";
import {
  bytesFrom,
  type Shape,
  textView,
  type View,
  type ViewPlan,
  viewProblem,
  type ViewProblem,
} from "./plan.ts";
import type { SelectorOf } from "./selector.ts";

/** The bytes of the longest UTF-8 character but one: what may stand before or behind a cut. */
export const SPILL_BYTES = 3;

/** A range: of text moved to the boundaries of characters, of binary content in base64. */
export function planBytes(shape: Shape, selector: SelectorOf<"bytes">): Result<ViewPlan, ViewProblem> {
  const { sizeBytes, lines } = shape;
  if (sizeBytes > 0 && selector.offset >= sizeBytes) {
    const offset = Math.max(0, sizeBytes - VIEW_BYTES_DEFAULT_BYTES);
    return viewProblem(`the artifact has ${sizeBytes} bytes, numbered from 0`, [
      { type: "bytes", offset, length: sizeBytes - offset },
    ]);
  }
  return ok(lines === null ? planBlob(shape, selector) : planText(shape, selector));
}

function planText(shape: Shape, selector: SelectorOf<"bytes">): ViewPlan {
  const asked = Math.min(selector.offset, shape.sizeBytes);
  const wanted = Math.min(selector.length, VIEW_MAX_BYTES);
  const offset = Math.max(0, asked - SPILL_BYTES);
  return {
    offset,
    length: asked === shape.sizeBytes ? 0 : Math.min(shape.sizeBytes, asked + wanted + SPILL_BYTES) - offset,
    finish: (bytes) => {
      if (bytes.length === 0) {
        return ok(textView(shape, bytes, { type: "bytes", offset: asked, length: 0 }, undefined));
      }
      const start = atBoundary(bytes, asked - offset);
      let end = atBoundary(bytes, Math.min(asked - offset + wanted, start + VIEW_MAX_BYTES, bytes.length));
      // Fewer bytes than the next character has: show it whole, or there would be no going on.
      if (end <= start) end = Math.min(start + characterLength(bytes, start), bytes.length);
      // Only where the text is none: there is going on all the same.
      end = Math.max(end, Math.min(asked - offset + 1, bytes.length));
      const applied = { type: "bytes", offset: offset + start, length: end - start } as const;
      return ok(textView(shape, bytes.subarray(start, end), applied, bytesFrom(shape, offset + end, wanted)));
    },
  };
}

function planBlob(shape: Shape, selector: SelectorOf<"bytes">): ViewPlan {
  const offset = Math.min(selector.offset, shape.sizeBytes);
  const wanted = Math.min(selector.length, VIEW_BINARY_MAX_BYTES);
  return {
    offset,
    length: Math.min(wanted, shape.sizeBytes - offset),
    finish: (bytes) => {
      const next = bytesFrom(shape, offset + bytes.length, wanted);
      const view: View = {
        blob: encodeBase64(bytes),
        media_type: shape.mediaType,
        selector: { type: "bytes", offset, length: bytes.length },
        ...(next === undefined || bytes.length === 0 ? {} : { next }),
        total: { bytes: shape.sizeBytes },
      };
      return ok(view);
    },
  };
}
