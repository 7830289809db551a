import type { CatalogTool } from "../catalog/catalog.ts";
import type { FirstAnswer } from "../dispatch/admission.ts";
import type { Executed } from "../dispatch/execute.ts";
import type { KeptAnswer } from "../dispatch/ports.ts";
import { parseExactJson } from "../exact-json/parse.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { textKeepsake } from "../firewall/result/keepsake.ts";
import type { Keep } from "../firewall/present.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { JOURNAL_ANSWER_MAX_BYTES, VIEW_LINES_PROPOSED_COUNT } from "../limits.ts";
import { utf8Length } from "../schema/utf8-length.ts";
import type { ToolAnswer } from "../surface.ts";
import { errorAnswer, textPart } from "./answers.ts";

/**
 * A call's answer for whoever makes the same call again: as JSON, or, over `JOURNAL_ANSWER_MAX_BYTES`, as an artifact of the
 * tool. Where that cannot be kept either the journal remembers that the call ran, which counts for more than what it said.
 */
export async function keepAnswer(executed: Executed<ToolAnswer>, keep: Keep): Promise<KeptAnswer> {
  const answer = answerOf(executed);
  if (answer === undefined) return { answer: null, kept: [] };
  const text = exactJsonText(answer);
  if (utf8Length(text) <= JOURNAL_ANSWER_MAX_BYTES) return { answer: { text }, kept: [] };
  try {
    const written = await keep(textKeepsake("part", "first answer", "application/json", text));
    if (written.ok) return { answer: { handle: written.value.handle }, kept: [written.value] };
  } catch {
    // The answer itself is on its way to its caller; only a repetition goes without it.
  }
  return { answer: null, kept: [] };
}

function answerOf(executed: Executed<ToolAnswer>): ToolAnswer | undefined {
  if (executed.kind === "answer") return executed.answer;
  return executed.kind === "failed" ? errorAnswer(executed.failure) : undefined;
}

/** An answer that was written down; `undefined` for a text that is none. */
export function readAnswer(text: string): ToolAnswer | undefined {
  const read = parseExactJson(text, { duplicates: "last" });
  const value = read.ok ? read.value : undefined;
  const content = memberOf(value, "content");
  if (!isRecord(value) || !isJsonArray(content)) return undefined;
  const { isError, ...answer } = value;
  return { ...answer, content, ...(typeof isError === "boolean" ? { isError } : {}) };
}

/** The first answer again: as it was, or the way to it. */
export function firstAnswer(first: FirstAnswer, toolId: CatalogTool["id"]): ToolAnswer {
  if (first !== null && "text" in first) {
    const answer = readAnswer(first.text);
    if (answer !== undefined) return answer;
  }
  if (first !== null && "handle" in first) {
    const selector = { type: "lines", start: 0, end: VIEW_LINES_PROPOSED_COUNT };
    const view = JSON.stringify({ handle: first.handle, selector });
    return { content: [textPart(`the same call ran before; its answer is kept: tool_view ${view}`)] };
  }
  return errorAnswer({ reason: "answer_gone", path: toolId });
}
