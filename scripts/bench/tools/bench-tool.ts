import { isRecord, type JsonObject, memberOf } from "../../../src/json.ts";
import { extractParameters } from "../../../src/routing/document/extract-parameters.ts";

/** A tool to measure with: its server, and its definition as `tools/list` gives it. */
export interface BenchTool {
  readonly server: string;
  readonly definition: JsonObject;
}

export function nameOf({ definition }: BenchTool): string {
  const name = definition["name"];
  return typeof name === "string" ? name : "";
}

export function descriptionOf({ definition }: BenchTool): string {
  const description = definition["description"];
  return typeof description === "string" ? description : "";
}

/** The tools of each server, servers in the order of their first tool. */
export function byServer(tools: readonly BenchTool[]): ReadonlyMap<string, readonly BenchTool[]> {
  const servers = new Map<string, BenchTool[]>();
  for (const tool of tools) {
    const known = servers.get(tool.server);
    if (known === undefined) servers.set(tool.server, [tool]);
    else known.push(tool);
  }
  return servers;
}

/** All that a search may read of a tool, as texts. */
export function textsOf(tool: BenchTool): string[] {
  const { parameterNames, parameterDescriptions } = extractParameters(tool.definition["inputSchema"]);
  return [nameOf(tool), descriptionOf(tool), ...parameterNames, ...parameterDescriptions];
}

/** Whether a call without arguments is a wrong one. */
export function hasRequired({ definition }: BenchTool): boolean {
  const schema = definition["inputSchema"];
  const required = isRecord(schema) ? memberOf(schema, "required") : undefined;
  return Array.isArray(required) && required.length > 0;
}
