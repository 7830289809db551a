import { isJsonArray, isRecord } from "./json.ts";
import { LargePayload } from "./large-result.ts";

/** Every payload that stands in a JSON value in place of what was too large to hold. Any depth. */
export function largePayloadsIn(value: unknown): LargePayload[] {
  const found: LargePayload[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (next instanceof LargePayload) found.push(next);
    else if (isJsonArray(next)) for (const item of next) open.push(item);
    else if (isRecord(next)) for (const member of Object.values(next)) open.push(member);
  }
  return found;
}
