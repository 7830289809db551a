import type { ToolDefinition } from "../../surface.ts";
import { HYDRATE_SCHEMA } from "../hydrate.ts";

export type ProxyToolName = "tool_hydrate" | "tool_execute";

/** As on `/mcp`, but for `render`: a result is handed on as it came, and has no other form. */
export const PROXY_EXECUTE_SCHEMA: ToolDefinition["inputSchema"] = {
  type: "object",
  properties: {
    tool_id: { type: "string" },
    args: { type: "object" },
    dry_run: { type: "boolean" },
  },
  required: ["tool_id"],
  additionalProperties: false,
};

/** The tools that are called by their own names; they stand before all others, the same bytes for every catalog. */
export const PROXY_TOOLS: readonly (ToolDefinition & { readonly name: ProxyToolName })[] = [
  {
    name: "tool_hydrate",
    description: "The whole definition of a listed tool, with its input schema, by its name or its title.",
    inputSchema: HYDRATE_SCHEMA,
    annotations: { readOnlyHint: true },
  },
  {
    name: "tool_execute",
    description:
      "Run a listed tool, by its name or its title. args are checked against the tool's schema before anything runs; if " +
      "they do not fit, the answer shows the schema. dry_run checks only. Answers with the tool's own result.",
    inputSchema: PROXY_EXECUTE_SCHEMA,
  },
];
