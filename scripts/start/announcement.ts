import { isJsonArray, memberOf } from "../../src/json.ts";

export interface Endpoints {
  readonly origin: string;
  readonly token: string;
  /** Absent where there are no records to read. */
  readonly recordsToken: string | undefined;
  readonly stateDir: string;
}

/** What a person is told once everything runs: where it is, and the lines to paste into a client. */
export function announcement({ origin, token, recordsToken, stateDir }: Endpoints): string {
  const url = `${origin}/mcp`;
  const header = `Authorization: Bearer ${token}`;
  const block = {
    mcpServers: { loomgate: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } },
  };
  return [
    "",
    `Gateway   ${url}`,
    `Proxy     ${url}/proxy`,
    `Token     ${token}`,
    "",
    "Claude Code:",
    `  claude mcp add --transport http loomgate ${url} --header "${header}"`,
    "Other clients, in their mcpServers:",
    `  ${JSON.stringify(block)}`,
    ...(recordsToken === undefined ? [] : recordsLines(`${url}/records`, recordsToken)),
    "",
    `State and logs: ${stateDir}. Ctrl-C ends everything.`,
  ].join("\n");
}

/** The one way to the records: an address and a bearer that reads within its grant. */
function recordsLines(url: string, token: string): string[] {
  return [
    "",
    "Records, five tools that read within a grant:",
    `  ${url}`,
    `  Authorization: Bearer ${token}`,
  ];
}

/** What a refresh found, one line a server: its status and tools, why it failed, and what was left out. */
export function refreshLines(report: unknown): string[] {
  const servers = memberOf(report, "servers");
  if (!isJsonArray(servers)) return [];
  if (servers.length === 0) return ["No server is configured yet: name some under mcpServers."];
  const failure = memberOf(report, "failure");
  return servers
    .flatMap((server) => serverLines(server))
    .concat(
      pinLines(memberOf(report, "pin")),
      typeof failure === "string" ? [`The catalog is as it was before, or empty: ${failure}.`] : [],
    );
}

function pinLines(pin: unknown): string[] {
  if (memberOf(pin, "matches") !== false) return [];
  const found = memberOf(pin, "actual");
  return [
    `gateway.pin (${named(pin, "mode")}) expects ${named(pin, "expected")}`,
    `  the servers' catalog ${typeof found === "string" ? `is ${found}` : "could not be made: a required server is missing"}`,
  ];
}

function serverLines(server: unknown): string[] {
  const text = (key: string): string => String(memberOf(server, key));
  const reason = memberOf(server, "reason");
  const head = `${text("name")}: ${text("status")}, ${countsOf(server)}`;
  const left = entriesOf(
    server,
    "skipped",
    (entry) => `left out ${named(entry, "name")}: ${named(entry, "reason")}`,
  );
  const found = entriesOf(server, "findings", (entry) => `${named(entry, "tool")}: ${named(entry, "code")}`);
  const candidate = memberOf(server, "candidate");
  const other =
    memberOf(candidate, "status") === "rejected"
      ? [`  its other target was rejected: ${named(candidate, "reason")}`]
      : [];
  return [typeof reason === "string" ? `${head} (${reason})` : head].concat(left, found, other);
}

/** How many it has of each kind that it has any of; where that is none, no tools. */
function countsOf(server: unknown): string {
  const counted = ["tool", "resource", "prompt"].flatMap((kind) => {
    const count = Number(memberOf(server, `${kind}s`) ?? 0);
    return count === 0 ? [] : [`${count} ${count === 1 ? kind : `${kind}s`}`];
  });
  return counted.length === 0 ? "0 tools" : counted.join(", ");
}

const SHOWN_ENTRIES = 5;

function entriesOf(server: unknown, key: string, line: (entry: unknown) => string): string[] {
  const entries = memberOf(server, key);
  if (!isJsonArray(entries)) return [];
  const shown = entries.slice(0, SHOWN_ENTRIES).map((entry) => `  ${line(entry)}`);
  return entries.length > SHOWN_ENTRIES
    ? [...shown, `  … and ${entries.length - SHOWN_ENTRIES} more`]
    : shown;
}

function named(entry: unknown, key: string): string {
  return String(memberOf(entry, key));
}
