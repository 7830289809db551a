import { memberOf } from "../json.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { factsOfRead, factsOfTool, type ToolFacts } from "./policy/facts.ts";
import type { Controls, DispatchDefinition, DispatchTool } from "./ports.ts";
import { toolReplay } from "./tool-facts.ts";
import type { Verb } from "./verb.ts";

/** What the operator's words and, where believed, the server's own make of a tool. */
export interface ToolStanding {
  readonly facts: ToolFacts;
  readonly replay: ReplayContract;
}

/**
 * Reading is all that reads do, whatever their servers say: the protocol's own word (MCP 2025-11-25, "Resources",
 * "Prompts"), so that it is believed of any server.
 */
export function standingOf(
  { kind }: Verb,
  tool: DispatchTool,
  definition: DispatchDefinition,
  controls: Controls,
): ToolStanding {
  if (kind === "tool") return toolStanding(tool, definition, controls);
  return { facts: factsOfRead(tool), replay: "convergent" };
}

/** A tool of a server that has no block any more is believed nothing and may not run again. */
function toolStanding(
  tool: DispatchTool,
  { definition }: DispatchDefinition,
  controls: Controls,
): ToolStanding {
  const server = controls.server(tool.server) ?? { replay: {}, trust_hints: false };
  return {
    facts: withDoubts(factsOfTool(tool, server.trust_hints), memberOf(definition, "annotations")),
    replay: toolReplay(server, tool.upstreamName, definition),
  };
}

/** A tool whose word on destruction is anything but `false` or silence is not believed to be harmless. */
function withDoubts(facts: ToolFacts, annotations: unknown): ToolFacts {
  const destructive = memberOf(annotations, "destructiveHint");
  if (destructive === undefined || destructive === false) return facts;
  return { ...facts, readOnly: false, destructive: true };
}
