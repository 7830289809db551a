import { memberOf } from "../../json.ts";
import type { ReplayContract } from "./contract.ts";

/** What is known of a tool when its contract is decided. */
export interface ToolEvidence {
  /** The name that the operator's rules speak of. */
  readonly name: string;
  /** The tool's `annotations`, as its server sent them. */
  readonly annotations: unknown;
  /** Whether the operator believes this server's hints. */
  readonly trusted: boolean;
}

/**
 * A tool's contract: the operator's rule, where one speaks of it; else, of a trusted server, its hints (MCP
 * "ToolAnnotations"); else it may not run again. `rule` gives the first matching rule's contract.
 */
export function toolContract(
  { name, annotations, trusted }: ToolEvidence,
  rule: (name: string) => ReplayContract | undefined,
): ReplayContract {
  return rule(name) ?? (trusted && hintsAtConvergence(annotations) ? "convergent" : "never_replay");
}

/**
 * Only JSON's `true` is a hint. A tool that calls itself read-only and destructive, or destructive in words that are no
 * boolean, contradicts itself and is believed in nothing. Deleting twice is no contradiction: idempotent and destructive.
 */
function hintsAtConvergence(annotations: unknown): boolean {
  const readOnly = memberOf(annotations, "readOnlyHint") === true;
  const destructive = memberOf(annotations, "destructiveHint");
  if (readOnly && destructive !== undefined && destructive !== false) return false;
  return readOnly || memberOf(annotations, "idempotentHint") === true;
}
