import type { ReplayContract } from "./contract.ts";

/** MCP's reading requests, which run again as often as anyone likes. */
export const CONVERGENT_METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;

/** A request's contract, or `by_tool`: a call has the contract of the tool that it names. */
export type MethodContract = ReplayContract | "by_tool";

/** The contract of an MCP request that declares none. Whoever does not know a method does not know what it does twice. */
export function requestMethodContract(method: string): MethodContract {
  if (method === "tools/call") return "by_tool";
  return CONVERGENT_METHODS.some((known) => known === method) ? "convergent" : "never_replay";
}

/** Every notification's: none has an answer that could tell whether it arrived. */
export const NOTIFICATION_CONTRACT: ReplayContract = "never_replay";
