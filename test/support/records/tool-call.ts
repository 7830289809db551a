import type { RecordsContext } from "../../../src/records/adapter/context.ts";
import { recordsSurface } from "../../../src/records/adapter/surface.ts";
import type { ReadSource } from "../../../src/records/source/read-source.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { isRecord, memberOf } from "../../../src/json.ts";

/** A tool's answer, taken apart. */
export interface ToolResult {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly error: unknown;
  readonly code: unknown;
}

export const BASE_URL = "https://gate.example/v1";

/** Calls one of the five tools. Every answer has one part of text and structured output; a fault says which it was. */
export async function callTool(
  name: string,
  args: unknown,
  source: ReadSource,
  context: Partial<RecordsContext> = {},
): Promise<ToolResult> {
  const answer = await recordsSurface().call(name, args, { source, baseUrl: BASE_URL, ...context });
  const [part, ...others] = answer?.content ?? [];
  const text = memberOf(part, "text");
  const structured = answer?.structuredContent;
  if (typeof text !== "string" || others.length > 0 || !isRecord(structured)) {
    throw new Error(`${name} answered ${JSON.stringify(answer)}`);
  }
  const error = memberOf(structured, "error");
  return { text, structured, isError: answer?.isError === true, error, code: memberOf(error, "code") };
}

export function bytes(value: unknown): number {
  return new TextEncoder().encode(typeof value === "string" ? value : exactJsonText(value)).length;
}

/** What a path of members leads to. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      Array.isArray(inner) && typeof key === "number" ? inner[key] : memberOf(inner, String(key)),
    value,
  );
}

/** The members of an object; of anything else none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
