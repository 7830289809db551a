import { memberOf } from "../json.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { factsOfTool, type ToolFacts } from "./policy/facts.ts";
import type { Controls, DispatchDefinition, DispatchTool } from "./ports.ts";
import { toolReplay } from "./tool-facts.ts";

/** What the operator's words and, where believed, the server's own make of a tool. */
export interface ToolStanding {
  readonly facts: ToolFacts;
  readonly replay: ReplayContract;
}

/** A tool of a server that has no block any more is believed nothing and may not run again. */
export function toolStanding(
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
