import { isJsonArray, isRecord } from "../../json.ts";
import type { Redactor } from "../../scrub/redactor.ts";
import { decodeBase64 } from "./base64.ts";
import { carriedBy } from "./carried.ts";

/** A result without what looks like a secret, and how many there were. */
export interface RedactedResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly count: number;
}

/**
 * Takes secrets out of every string of a `tools/call` result. Pictures and the like are not text: what three letters of their
 * base64 happen to say means nothing, and a change would break them.
 */
export function redactResult(result: Readonly<Record<string, unknown>>, redactor: Redactor): RedactedResult {
  const { content, ...others } = result;
  if (!isJsonArray(content)) {
    const { value, count } = redactor.value(result);
    return { result: isRecord(value) ? value : result, count };
  }
  const parts = content.map((part) => redactPart(part, redactor));
  const rest = redactor.value(others);
  const count = parts.reduce((sum, part) => sum + part.count, rest.count);
  if (count === 0) return { result, count };
  const members = Object.entries(result).map(([name, value]): [string, unknown] => [
    name,
    name === "content" ? parts.map((part) => part.value) : isRecord(rest.value) ? rest.value[name] : value,
  ]);
  return { result: Object.fromEntries(members), count };
}

function redactPart(part: unknown, redactor: Redactor): { readonly value: unknown; readonly count: number } {
  const carried = isRecord(part) ? carriedBy(part) : undefined;
  if (!isRecord(part) || carried === undefined || carried.isText || !isBinary(carried.payload)) {
    return redactor.value(part);
  }
  const { value, count } = redactor.value(carried.rest);
  if (count === 0 || !isRecord(value)) return { value: part, count: 0 };
  const { data, resource } = part;
  const redacted = value["resource"];
  return isRecord(resource)
    ? {
        value: {
          ...value,
          resource: { ...(isRecord(redacted) ? redacted : resource), blob: resource["blob"] },
        },
        count,
      }
    : { value: { ...value, data }, count };
}

function isBinary(payload: unknown): boolean {
  return typeof payload !== "string" || decodeBase64(payload).ok;
}
