import { isRecord, memberOf } from "../json.ts";
import { RESULT_MAX_DEPTH } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";

/** One content part as it came; only its `type` is known. */
export type Part = Readonly<Record<string, unknown>>;

/** A `tools/call` result (MCP 2025-11-25, Tools) whose shape was judged. */
export interface ToolResult {
  readonly content: readonly Part[];
  /** `undefined` where there is none. */
  readonly structured: unknown;
  readonly isError: boolean;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Judges an upstream's result as far as clients have to rely on it: an array of typed parts, texts that are texts, and a
 * nesting that serialisers survive. Everything else in it is passed on, types this version does not know included.
 */
export function readToolResult(result: Readonly<Record<string, unknown>>): Result<ToolResult, string> {
  if (isTooDeep(result)) return fail(`the result is nested deeper than ${RESULT_MAX_DEPTH} levels`);
  const content = memberOf(result, "content") ?? [];
  if (!Array.isArray(content)) return fail("content is not an array");
  const parts: Part[] = [];
  for (const part of content as readonly unknown[]) {
    if (!isRecord(part) || typeof part["type"] !== "string") return fail("a content part has no type");
    if (part["type"] === "text" && typeof part["text"] !== "string") return fail("a text part has no text");
    parts.push(part);
  }
  const structured = memberOf(result, "structuredContent") ?? undefined;
  const meta = memberOf(result, "_meta");
  return ok({
    content: parts,
    structured,
    isError: memberOf(result, "isError") === true,
    meta: isRecord(meta) ? meta : undefined,
  });
}

function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > RESULT_MAX_DEPTH) return true;
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const member of Object.values(value)) if (typeof member === "object") below.push(member);
    }
    level = below;
  }
  return false;
}
