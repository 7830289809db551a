import type { StaticServerConfig } from "../../config.ts";
import type { UpstreamFailure } from "../../errors.ts";
import { isRecord, type JsonObject, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../../spine/frame/rpc-code.ts";

/** A name between double braces; one that is no argument's stays as it is written. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

type Block = Pick<StaticServerConfig, "resources" | "prompts">;
type Answer = Result<JsonObject, UpstreamFailure>;

function rpcError(code: number, detail: string): Answer {
  return fail({ reason: "rpc_error", code, outcome: "completed", detail });
}

function unknown(detail: string): Answer {
  return fail({ reason: "unknown_tool", outcome: "completed", detail });
}

function readResource({ resources }: Block, params: JsonObject): Answer {
  const resource = resources.find(({ uri }) => uri === memberOf(params, "uri"));
  if (resource === undefined) return unknown("the block has no such resource");
  const { uri, mimeType, text, blob } = resource;
  const content = {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(text === undefined ? { blob } : { text }),
  };
  return ok({ contents: [content] });
}

function getPrompt({ prompts }: Block, params: JsonObject): Answer {
  const prompt = prompts.find(({ name }) => name === memberOf(params, "name"));
  if (prompt === undefined) return unknown("the block has no such prompt");
  const given = memberOf(params, "arguments");
  const values = new Map<string, string>();
  for (const { name, required } of prompt.arguments) {
    const value = isRecord(given) ? memberOf(given, name) : undefined;
    if (typeof value !== "string" && (required || value !== undefined)) {
      return rpcError(INVALID_PARAMS, "an argument is missing, or is no text");
    }
    values.set(name, typeof value === "string" ? value : "");
  }
  const messages = prompt.messages.map(({ role, content }) => {
    // One pass: what an argument brings with it is no placeholder.
    const text = content.replace(PLACEHOLDER, (whole, name: string) => values.get(name.trim()) ?? whole);
    return { role, content: { type: "text", text } };
  });
  const { description } = prompt;
  return ok({ ...(description === undefined ? {} : { description }), messages });
}

/**
 * Answers a request of MCP as the server would that a block describes: `resources/read`, `prompts/get`, and `completion/complete`
 * with nothing to complete. Pure; `params` are checked, not trusted. The failures are those of a server reached over the wire.
 */
export function answerStatic(
  block: Block,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Answer {
  switch (method) {
    case "resources/read":
      return readResource(block, params);
    case "prompts/get":
      return getPrompt(block, params);
    case "completion/complete":
      return ok({ completion: { values: [] } });
    default:
      return rpcError(METHOD_NOT_FOUND, `a static block has no ${method}`);
  }
}
