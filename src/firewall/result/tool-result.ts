import { isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import { RESULT_MAX_DEPTH } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";

/** One content part as it came; only its `type` is known. A payload too large to hold stands in it as a {@link LargePayload}. */
export type Part = Readonly<Record<string, unknown>>;

/** A `tools/call` result (MCP 2025-11-25, Tools) whose shape was judged. */
export interface ToolResult {
  readonly content: readonly Part[];
  /** `undefined` where there is none; `null` is a value like any other, and a {@link LargePayload} too. */
  readonly structured: unknown;
  readonly isError: boolean;
  /** A {@link LargePayload} where it was too large to hold. */
  readonly meta: Readonly<Record<string, unknown>> | LargePayload | undefined;
  /** Top-level members that MCP does not name (yet); one too large to hold is a {@link LargePayload}. */
  readonly foreign: Readonly<Record<string, unknown>>;
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "_meta"]);

/**
 * Judges an upstream's result as far as clients have to rely on it: an array of typed parts, texts that are texts, and a
 * nesting that serialisers survive. Everything else in it is handed on: types and members this version does not know, and
 * the `toolResult` of MCP 2024-10-07, which is structured content under its old name. Only an `isError` that is no boolean
 * and a `_meta` that is no object say nothing and are dropped.
 */
export function readToolResult(result: Readonly<Record<string, unknown>>): Result<ToolResult, string> {
  if (isTooDeep(result)) return fail(`the result is nested deeper than ${RESULT_MAX_DEPTH} levels`);
  const content = memberOf(result, "content") ?? [];
  if (!Array.isArray(content)) return fail("content is not an array");
  const parts: Part[] = [];
  for (const part of content as readonly unknown[]) {
    if (!isRecord(part) || typeof part["type"] !== "string") return fail("a content part has no type");
    if (part["type"] === "text" && !isText(part["text"])) return fail("a text part has no text");
    parts.push(part);
  }
  const isOld = !Object.hasOwn(result, "content") && !Object.hasOwn(result, "structuredContent");
  const structured = memberOf(result, isOld ? "toolResult" : "structuredContent");
  const foreign = Object.entries(result).filter(
    ([name]) => !KNOWN_MEMBERS.has(name) && !(isOld && name === "toolResult"),
  );
  const meta = memberOf(result, "_meta");
  return ok({
    content: parts,
    structured,
    isError: memberOf(result, "isError") === true,
    meta: isRecord(meta) || meta instanceof LargePayload ? meta : undefined,
    foreign: Object.fromEntries(foreign),
  });
}

function isText(value: unknown): boolean {
  return typeof value === "string" || value instanceof LargePayload;
}

function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > RESULT_MAX_DEPTH) return true;
    const below: unknown[] = [];
    for (const value of level) {
      if (!isRecord(value) && !Array.isArray(value)) continue;
      for (const member of Object.values(value)) if (typeof member === "object") below.push(member);
    }
    level = below;
  }
  return false;
}
