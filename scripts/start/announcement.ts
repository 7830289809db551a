import { isJsonArray, memberOf } from "../../src/json.ts";

export interface Endpoints {
  readonly origin: string;
  readonly token: string;
  readonly stateDir: string;
}

/** What a person is told once everything runs: where it is, and the lines to paste into a client. */
export function announcement({ origin, token, stateDir }: Endpoints): string {
  const url = `${origin}/mcp`;
  const header = `Authorization: Bearer ${token}`;
  const block = {
    mcpServers: { loomgate: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } },
  };
  return [
    "",
    `Gateway   ${url}`,
    `Token     ${token}`,
    "",
    "Claude Code:",
    `  claude mcp add --transport http loomgate ${url} --header "${header}"`,
    "Other clients, in their mcpServers:",
    `  ${JSON.stringify(block)}`,
    "",
    `State and logs: ${stateDir}. Ctrl-C ends everything.`,
  ].join("\n");
}

/** What a refresh found, one line a server: its status, its tools, and what was left out. */
export function refreshLines(report: unknown): string[] {
  const servers = memberOf(report, "servers");
  if (!isJsonArray(servers)) return [];
  if (servers.length === 0) return ["No server is configured yet: name some under mcpServers."];
  return servers.map((server) => {
    const skipped = memberOf(server, "skipped");
    const left = isJsonArray(skipped) && skipped.length > 0 ? `, ${skipped.length} left out` : "";
    return `${String(memberOf(server, "name"))}: ${String(memberOf(server, "status"))}, ${String(memberOf(server, "tools"))} tools${left}`;
  });
}
