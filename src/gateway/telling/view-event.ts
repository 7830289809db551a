import { type GatewayFailure, toWire } from "../../errors.ts";
import type { Selector } from "../../firewall/view/selector.ts";
import type { View } from "../../firewall/view/plan.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { type CallEventOf, counts, named } from "./call-event.ts";

/** `toolId` is of the tool that brought the artifact. */
export function viewCompleted(
  toolId: string | null,
  selector: Selector,
  shown: View,
): CallEventOf<"view.completed"> {
  return {
    event: "view.completed",
    success: true,
    ...named(toolId),
    attributes: {
      selector_type: selector.type,
      ...counts({ shown_bytes: shownBytes(shown), total_bytes: shown.total.bytes }),
      continues: shown.next !== undefined,
    },
  };
}

/** Null where the artifact was not found, or the arguments could not be read. */
export function viewFailed(
  toolId: string | null,
  selector: Selector | null,
  failure: GatewayFailure,
): CallEventOf<"view.failed"> {
  const { error, retryable } = toWire(failure);
  return {
    event: "view.failed",
    success: false,
    ...named(toolId),
    attributes: {
      error_code: error,
      retryable,
      ...(selector === null ? {} : { selector_type: selector.type }),
    },
  };
}

/** Of the artifact: binary content is shown in base64, four characters for three bytes. */
function shownBytes({ text, blob }: View): number {
  if (text !== undefined) return utf8Length(text);
  const padding = /={0,2}$/.exec(blob)?.[0].length ?? 0;
  return Math.floor((blob.length * 3) / 4) - padding;
}
