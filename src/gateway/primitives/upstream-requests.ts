import type { CatalogTool } from "../../catalog/catalog.ts";
import type { UpstreamRequest } from "../../dispatch/ports.ts";
import type { ArgumentProblem } from "../../errors.ts";
import { fail, ok, type Result } from "../../result.ts";
import { appendToken } from "../../schema/json-pointer.ts";
import { expandTemplate } from "../../uri-template/expand-template.ts";
import { parseTemplate } from "../../uri-template/parse-template.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** `resources/read` (MCP 2025-11-25, "Reading Resources"), by the resource's own URI, or the template's filled in. */
export function readRequest(resource: CatalogTool, args: Arguments): UpstreamRequest {
  const uri = uriOf(resource, args);
  return { method: "resources/read", params: { uri: uri.ok ? uri.value : resource.upstreamName } };
}

/** `prompts/get` (MCP 2025-11-25, "Getting a Prompt"), by the name that its server gave it. */
export function promptRequest(prompt: CatalogTool, args: Arguments): UpstreamRequest {
  return { method: "prompts/get", params: { name: prompt.upstreamName, arguments: args } };
}

/**
 * The URI that a resource is read by: its own, or of a template what it gives with these variables (RFC 6570). Fails for
 * values that no URI can hold, though they are the strings that the schema asks for.
 */
export function uriOf(
  { upstreamName, card }: CatalogTool,
  args: Arguments,
): Result<string, readonly ArgumentProblem[]> {
  const template = card.has_schema ? parseTemplate(upstreamName) : undefined;
  // What cannot be read as a template has no variables: its server gets it as it stands.
  if (template?.ok !== true) return ok(upstreamName);
  const uri = expandTemplate(template.value, args);
  if (uri.ok) return uri;
  return fail(
    uri.reason.reason === "bad_value"
      ? [{ path: appendToken("", uri.reason.variable), keyword: "format" }]
      : [{ path: "", keyword: "maxLength" }],
  );
}
