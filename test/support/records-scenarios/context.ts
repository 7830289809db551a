import { expect } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { Answer, GatewayClient } from "../mcp-client.ts";

/** One way to read the recorded mailbox: an endpoint, a bearer, and what stands behind them. */
export interface ScenarioContext {
  readonly client: GatewayClient;
  /** Names the mailbox where more than one connection could be meant. */
  readonly connection: Readonly<Record<string, string>>;
  /** Whether the source takes filters, expansions and views. */
  readonly takesFilters: boolean;
  /** How many messages all connections of the bearer have. */
  readonly messages: number;
  /** Writes a message of the mailbox, or takes it away. */
  readonly write: (key: string, data: object | null) => Promise<void>;
  /** What external servers were asked so far. */
  readonly seen: () => readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

export const TOOLS = ["schema", "query_records", "aggregate", "search", "fetch"];
export const TOOLS_MAX_BYTES = 18 * 1024;
export const KEYS = Array.from({ length: 12 }, (_, at) => `testmail-m${at + 1}`);

export function structured(answer: Answer): Readonly<Record<string, unknown>> {
  const content = answer.raw["structuredContent"];
  return isRecord(content) ? content : {};
}

export function codeOf(answer: Answer): unknown {
  return answer.isError ? memberOf(structured(answer)["error"], "code") : "ok";
}

export function rowsOf(answer: Answer): readonly unknown[] {
  const data = memberOf(structured(answer)["data"], "data");
  if (!isJsonArray(data)) throw new Error(`no rows: ${answer.text}`);
  return data;
}

export function idsOf(answer: Answer): readonly string[] {
  return rowsOf(answer).map((row) => String(memberOf(row, "id")));
}

/** `next_cursor="…"` of a text: what a client that sees nothing else goes on with. */
export function inText(answer: Answer, name: string): string | undefined {
  const found = new RegExp(`(?:^|[ \\n])${name}=("(?:[^"\\\\]|\\\\.)*"|[^ \\n]+)`).exec(answer.text)?.[1];
  if (found === undefined) return undefined;
  const text: unknown = found.startsWith('"') ? JSON.parse(found) : found;
  return String(text);
}

export async function pages(
  context: ScenarioContext,
  tool: string,
  args: Record<string, unknown>,
): Promise<readonly Answer[]> {
  const all: Answer[] = [];
  let cursor: string | undefined;
  do {
    const answer = await context.client.call(tool, { ...args, ...(cursor === undefined ? {} : { cursor }) });
    if (answer.isError) throw new Error(answer.text);
    if (all.length > 50) throw new Error("the pages do not end");
    all.push(answer);
    cursor = inText(answer, "next_cursor");
  } while (cursor !== undefined);
  return all;
}

export async function withoutCalls(context: ScenarioContext, work: () => Promise<void>): Promise<void> {
  const before = context.seen().length;
  await work();
  expect(context.seen().slice(before)).toEqual([]);
}
