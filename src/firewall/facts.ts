import { isExactNumber } from "../exact-json/exact-number.ts";
import { isRecord } from "../json.ts";
import { FACTS_MAX_COUNT, FACT_MAX_CHARS } from "../limits.ts";
import { oneSeenLine } from "./result/label.ts";

/**
 * Seed 001: the top-level members of a JSON object that are short enough to be read at a glance. What the summary shows
 * already, name and value, is no fact worth paying for twice.
 */
export function factsOf(value: unknown, summary: string): string[] {
  if (!isRecord(value)) return [];
  const facts: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (facts.length >= FACTS_MAX_COUNT) break;
    const text = typeof member === "string" ? member : scalar(member);
    if (text === undefined || key.length + text.length + 2 > FACT_MAX_CHARS || /[\r\n]/.test(text)) continue;
    const name = oneSeenLine(key);
    if (name === "" || (summary.includes(name) && summary.includes(text))) continue;
    facts.push(oneSeenLine(`${name}: ${text}`));
  }
  return facts;
}

function scalar(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.text;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
