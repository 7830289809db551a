import { ok, type Result } from "../result.ts";
import { memberOf } from "../json.ts";
import { deriveName, inferNamespace, type NamespaceMode } from "./namespace.ts";
import { legalName } from "./legal-name.ts";
import { toolHash8 } from "./shape-hash.ts";
import { formatToolId, isToolName, isToolVersion, type ToolIdParts, type ToolIdReason } from "./tool-id.ts";
import { TOOL_NAME_MAX_CHARS } from "../limits.ts";

/** The parts of an upstream's tool definition that identity depends on; all but the name as the wire gave them. */
export interface UpstreamToolShape {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly meta: unknown;
}

/** A tool's canonical id with its parts, and the name to call it by upstream. */
export interface ToolIdentity extends ToolIdParts {
  readonly id: string;
  readonly upstreamName: string;
}

/**
 * The identity of an upstream's tool (seed 000 §1), or the rule that keeps it from having one. A declared version
 * replaces the hash; one that is not a legal version string counts as none. Under a configured server a `/` in the
 * name becomes `.`, and what else the grammar does not take is made legal, in a name that MCP allows: the hash is then
 * there too, since it alone tells `2fa` from `_2fa`. Under inferred names such names are refused, as in the original.
 */
export function identifyTool(
  mode: NamespaceMode,
  tool: UpstreamToolShape,
): Result<ToolIdentity, ToolIdReason> {
  const version = declaredVersion(tool.meta);
  const { isMade, ...named } = place(mode, tool.name);
  const parts: ToolIdParts = {
    ...named,
    version,
    hash8: version === null || isMade ? toolHash8(tool.name, tool.inputSchema) : null,
  };
  const id = formatToolId(parts);
  return id.ok ? ok({ ...parts, id: id.value, upstreamName: tool.name }) : id;
}

interface Place extends Pick<ToolIdParts, "namespace" | "name"> {
  /** Other names may have been made the same. */
  readonly isMade: boolean;
}

function place(mode: NamespaceMode, upstreamName: string): Place {
  if (mode.source === "infer") {
    return { namespace: inferNamespace(upstreamName), name: deriveName(upstreamName), isMade: false };
  }
  const { namespace } = mode;
  const name = withoutServerPrefix(mode, upstreamName).replaceAll("/", ".");
  if (isToolName(name) || !isVisible(upstreamName)) return { namespace, name, isMade: false };
  return { namespace, name: legalName(name, "_"), isMade: true };
}

/** No control, no lone surrogate, nothing that is not seen, and no longer than MCP advises: what people call a tool. */
function isVisible(name: string): boolean {
  return (
    name.length <= TOOL_NAME_MAX_CHARS && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name) && name.trim() !== ""
  );
}

/**
 * Drops `server.` or `server/` once, where something is left. The server's name as configured is tried first, then
 * its namespace: a server configured as `GitHub` names its tools `github.…` as a rule.
 */
function withoutServerPrefix(mode: { server: string; namespace: string }, upstreamName: string): string {
  for (const prefix of [mode.server, mode.namespace]) {
    const separator = upstreamName.charAt(prefix.length);
    if (separator !== "." && separator !== "/") continue;
    const rest = upstreamName.slice(prefix.length + 1);
    if (rest !== "" && upstreamName.startsWith(prefix)) return rest;
  }
  return upstreamName;
}

function declaredVersion(meta: unknown): string | null {
  const version = memberOf(meta, "version");
  return typeof version === "string" && isToolVersion(version) ? version : null;
}
