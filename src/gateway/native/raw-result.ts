import type { CatalogTool } from "../../catalog/catalog.ts";
import type { ResultFigures } from "../../dispatch/call-account.ts";
import type { CallNotes } from "../../dispatch/ports.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { redactResult } from "../../firewall/result/redact-result.ts";
import { estimateTokensOfAny } from "../../firewall/result/token-estimate.ts";
import { readToolResult } from "../../firewall/result/tool-result.ts";
import { utf8Bytes } from "../../firewall/result/utf8.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { NO_ANSWER } from "../../no-answer.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { Redactor } from "../../scrub/redactor.ts";
import type { GatewayPorts } from "../ports.ts";
import { wantedMeta } from "../wanted-note.ts";

type Members = Readonly<Record<string, unknown>>;

/** A result of `resources/read` or `prompts/get` as a list of parts, so that each is redacted as what it is, and back. */
interface RawShape {
  /** What is wrong with it, for the log. */
  readonly judge: (result: Members) => string | undefined;
  readonly redact: (result: Members, redactor: Redactor) => Members;
}

/** MCP 2025-11-25, "Resource Contents". */
export const READ_SHAPE: RawShape = {
  judge: (result) => {
    const contents = memberOf(result, "contents");
    if (!isJsonArray(contents)) return "the result has no contents";
    const isWhole = (one: unknown): boolean =>
      typeof memberOf(one, "text") === "string" || typeof memberOf(one, "blob") === "string";
    if (contents.length === 0) return NO_ANSWER.empty;
    return contents.every(isWhole) ? undefined : "a content has neither text nor blob";
  },
  redact: (result, redactor) => {
    const contents = listOf(result, "contents");
    const parts = contents.map((resource) => ({ type: "resource", resource }));
    const clean = redactResult({ ...without(result, "contents"), content: parts }, redactor).result;
    const redacted = listOf(clean, "content").map((part) => memberOf(part, "resource"));
    return { ...without(clean, "content"), contents: redacted };
  },
};

/** MCP 2025-11-25, "PromptMessage". */
export const PROMPT_SHAPE: RawShape = {
  judge: (result) => {
    const messages = memberOf(result, "messages");
    if (!isJsonArray(messages)) return "the result has no messages";
    const isWhole = (one: unknown): boolean => {
      const content = memberOf(one, "content");
      return typeof memberOf(one, "role") === "string" && (isRecord(content) || isJsonArray(content));
    };
    return messages.every(isWhole) ? undefined : "a message has no role or no content";
  },
  redact: (result, redactor) => {
    const rest = redactor.value(without(result, "messages")).value;
    const redacted = (message: unknown): unknown => {
      if (!isRecord(message)) return message;
      const content = memberOf(message, "content");
      const parts = isJsonArray(content) ? content : [content];
      const { result: clean } = redactResult({ ...without(message, "content"), content: parts }, redactor);
      return isJsonArray(content) ? clean : { ...clean, content: listOf(clean, "content")[0] };
    };
    return { ...(isRecord(rest) ? rest : {}), messages: listOf(result, "messages").map(redacted) };
  },
};

/** A server's result without secrets, every member of it kept; fails for what is no legal one, with the text for the log. */
export function rawResult(
  { judge, redact }: RawShape,
  result: Members,
  { server }: CatalogTool,
  { wanted }: CallNotes,
  { scrubber, redactor }: Pick<GatewayPorts, "scrubber" | "redactor">,
): Result<Members, string> {
  // Judged first for its nesting, which everything below walks.
  const nesting = readToolResult({ result });
  if (!nesting.ok) return nesting;
  const problem = memberOf(result, "isError") === true ? NO_ANSWER.error : judge(result);
  if (problem !== undefined) return fail(problem);
  const scrubbed = scrubber.record(result);
  const redacting = redactor(server);
  const clean = redacting === undefined ? scrubbed : redact(scrubbed, redacting);
  const { _meta: meta, ...others } = clean;
  const told = { ...(isRecord(meta) ? meta : {}), ...wantedMeta(wanted) };
  return ok(Object.keys(told).length === 0 ? others : { ...others, _meta: told });
}

/** All of it is shown. */
export function figuresOf(result: Members): ResultFigures {
  const text = exactJsonText(result);
  const bytes = utf8Bytes(text);
  const tokens = estimateTokensOfAny(text);
  return {
    status: "ok",
    rawBytes: bytes,
    rawTokens: tokens,
    shownBytes: bytes,
    shownTokens: tokens,
    artifactCount: 0,
    artifactBytes: 0,
  };
}

function listOf(value: Members, key: string): readonly unknown[] {
  const list = memberOf(value, key);
  return isJsonArray(list) ? list : [];
}

function without(object: Members, name: string): Members {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
