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
