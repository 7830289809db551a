import { SELECTOR_TYPES } from "../firewall/view/selector.ts";
import type { PrimitiveKind } from "../identity/primitive-id.ts";
import { BROWSE_TOP_K_MAX, TOOLS_LIST_NAMESPACES_MAX_TOKENS } from "../limits.ts";
import type { ToolDefinition } from "../surface.ts";
import { tokenBound } from "../schema/token-bound.ts";

const STRING = { type: "string" };
const INTEGER = { type: "integer" };
const STRINGS = { type: "array", items: STRING };
const RENDER = { type: "string", enum: ["porcelain", "json"] };
const READ_ONLY = { readOnlyHint: true };

export type BrowseName = "tool_browse" | "resource_browse" | "prompt_browse";

export type MetaToolName = BrowseName | "tool_execute" | "tool_view" | "resource_read" | "prompt_get";

/** By what each kind is browsed. */
export const BROWSE_OF: Readonly<Record<PrimitiveKind, BrowseName>> = {
  tool: "tool_browse",
  resource: "resource_browse",
  prompt: "prompt_browse",
};

const BROWSE_SCHEMA: ToolDefinition["inputSchema"] = {
  type: "object",
  properties: {
    query: STRING,
    path: STRING,
    top_k: { type: "integer", minimum: 1, maximum: BROWSE_TOP_K_MAX },
    render: RENDER,
  },
  additionalProperties: false,
};

/** The argument schemas (CONTRACTS "Wire text"), in the order in which their members are written. */
export const INPUT_SCHEMAS: Readonly<Record<MetaToolName, ToolDefinition["inputSchema"]>> = {
  tool_browse: BROWSE_SCHEMA,
  tool_execute: {
    type: "object",
    properties: {
      tool_id: STRING,
      args: { type: "object" },
      dry_run: { type: "boolean" },
      render: RENDER,
    },
    required: ["tool_id"],
    additionalProperties: false,
  },
  tool_view: {
    type: "object",
    properties: {
      handle: STRING,
      selector: {
        type: "object",
        properties: {
          type: { type: "string", enum: SELECTOR_TYPES },
          chars: INTEGER,
          start: INTEGER,
          end: INTEGER,
          offset: INTEGER,
          length: INTEGER,
          columns: STRINGS,
          keys: STRINGS,
          path: STRING,
          pattern: STRING,
          context: INTEGER,
          ignore_case: { type: "boolean" },
          resume: STRING,
        },
        required: ["type"],
      },
      render: RENDER,
    },
    required: ["handle", "selector"],
    additionalProperties: false,
  },
  resource_browse: BROWSE_SCHEMA,
  resource_read: {
    type: "object",
    properties: { resource_id: STRING, args: { type: "object" }, render: RENDER },
    required: ["resource_id"],
    additionalProperties: false,
  },
  prompt_browse: BROWSE_SCHEMA,
  prompt_get: {
    type: "object",
    properties: { prompt_id: STRING, args: { type: "object" }, render: RENDER },
    required: ["prompt_id"],
    additionalProperties: false,
  },
};

const BROWSE =
  "Find tools. Give either query (what you want to do, in a few words) or path (/ lists the namespaces, " +
  "/namespace what is in one). Answers one line a tool: id — description.";
const EXECUTE =
  "Run a tool by its id from tool_browse. args are checked against the tool's schema before anything runs; " +
  "if they do not fit, the answer shows the schema. dry_run checks only.";
const VIEW =
  "Read what a large result kept back, by its handle. Selectors: head (chars), lines and rows (start, end: 0-based, end " +
  "exclusive, negatives from the end; rows of CSV or JSON arrays, with columns), json_keys (keys), json_path (path), " +
  "grep (pattern, context, ignore_case), bytes (offset, length), content (an image itself).";
const RESOURCE_BROWSE =
  "Find resources: files, records and other content to read. query or path, as in tool_browse; a template's line names " +
  "its args.";
const RESOURCE_READ =
  "Read a resource by its id from resource_browse, or by its URI. args fill in a template's variables.";
const PROMPT_BROWSE =
  "Find prompts: ready-made instructions for a task. query or path, as in tool_browse; a line names the prompt's args.";
const PROMPT_GET = "Get a prompt's messages by its id from prompt_browse, with its args.";

/** Which kinds besides tools a catalog has any of. */
export interface OfferedKinds {
  readonly resource: boolean;
  readonly prompt: boolean;
}

/** The meta-tools, the same bytes for the same namespaces and kinds, whatever their number. */
export function metaTools(
  namespaces: readonly string[],
  { resource, prompt }: OfferedKinds = { resource: false, prompt: false },
): readonly ToolDefinition[] {
  return [...toolVerbs(namespaces), ...(resource ? RESOURCE_VERBS : []), ...(prompt ? PROMPT_VERBS : [])];
}

const RESOURCE_VERBS: readonly ToolDefinition[] = [
  readOnly("resource_browse", RESOURCE_BROWSE),
  readOnly("resource_read", RESOURCE_READ),
];

const PROMPT_VERBS: readonly ToolDefinition[] = [
  readOnly("prompt_browse", PROMPT_BROWSE),
  readOnly("prompt_get", PROMPT_GET),
];

function readOnly(name: MetaToolName, description: string): ToolDefinition {
  return { name, description, inputSchema: INPUT_SCHEMAS[name], annotations: READ_ONLY };
}

function toolVerbs(namespaces: readonly string[]): readonly ToolDefinition[] {
  return [
    {
      name: "tool_browse",
      description: `${BROWSE}${namespaceNote(namespaces)}`,
      inputSchema: INPUT_SCHEMAS.tool_browse,
      annotations: READ_ONLY,
    },
    { name: "tool_execute", description: EXECUTE, inputSchema: INPUT_SCHEMAS.tool_execute },
    { name: "tool_view", description: VIEW, inputSchema: INPUT_SCHEMAS.tool_view, annotations: READ_ONLY },
  ];
}

/** As many namespaces as the budget takes, in their order, and the number of the rest. */
function namespaceNote(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return "";
  // The words around the names, and the longest count of a rest.
  let left = TOOLS_LIST_NAMESPACES_MAX_TOKENS - tokenBound(" Namespaces: . +99999 more");
  const named: string[] = [];
  for (const namespace of namespaces) {
    left -= tokenBound(`, ${namespace}`);
    if (left < 0) break;
    named.push(namespace);
  }
  const rest = namespaces.length - named.length;
  const more = rest === 0 ? "" : ` +${rest} more`;
  return ` Namespaces: ${named.join(", ")}${more}.`;
}
