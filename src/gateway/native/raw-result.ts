import type { CatalogTool } from "../../catalog/catalog.ts";
import type { CallNotes } from "../../dispatch/ports.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { NO_ANSWER } from "../../no-answer.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { GatewayPorts } from "../ports.ts";
import { cleanListing, CONTENTS, type Listing, MESSAGES } from "../primitives/clean-listing.ts";
import { wantedMeta } from "../wanted-note.ts";

type Members = Readonly<Record<string, unknown>>;

/** A result of `resources/read` or `prompts/get`: the list that it is made of, and what is wrong with it, for the log. */
interface RawShape {
  readonly listing: Listing;
  readonly judge: (result: Members) => string | undefined;
}

/** MCP 2025-11-25, "Resource Contents". */
export const READ_SHAPE: RawShape = {
  listing: CONTENTS,
  judge: (result) => {
    const contents = memberOf(result, "contents");
    if (!isJsonArray(contents)) return "the result has no contents";
    const isWhole = (one: unknown): boolean =>
      typeof memberOf(one, "text") === "string" || typeof memberOf(one, "blob") === "string";
    if (contents.length === 0) return NO_ANSWER.empty;
    return contents.every(isWhole) ? undefined : "a content has neither text nor blob";
  },
};

/** MCP 2025-11-25, "PromptMessage". */
export const PROMPT_SHAPE: RawShape = {
  listing: MESSAGES,
  judge: (result) => {
    const messages = memberOf(result, "messages");
    if (!isJsonArray(messages)) return "the result has no messages";
    const isWhole = (one: unknown): boolean => {
      const content = memberOf(one, "content");
      return typeof memberOf(one, "role") === "string" && (isRecord(content) || isJsonArray(content));
    };
    return messages.every(isWhole) ? undefined : "a message has no role or no content";
  },
};

/** A server's result without secrets, every member of it kept; fails for what is no legal one, with the text for the log. */
export function rawResult(
  { judge, listing }: RawShape,
  result: Members,
  { server }: CatalogTool,
  { wanted }: CallNotes,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
): Result<Members, string> {
  const problem = memberOf(result, "isError") === true ? NO_ANSWER.error : judge(result);
  if (problem !== undefined) return fail(problem);
  const clean = cleanListing(listing, result, server, ports);
  if (!clean.ok) return clean;
  const { _meta: meta, ...others } = clean.value.result;
  const told = { ...(isRecord(meta) ? meta : {}), ...wantedMeta(wanted) };
  return ok(Object.keys(told).length === 0 ? others : { ...others, _meta: told });
}
