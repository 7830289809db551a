import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isJsonArray, memberOf } from "../../src/json.ts";

const SHOWN_LINES = 6;
const SHOWN_COLUMNS = 110;

/**
 * Does what a model does with the gateway, as the official client: finds a tool, runs it, and reads a piece of a result
 * that was too large to show. Tells each step to `print`. Throws if the demo servers do not answer as they should.
 */
export async function playDemo(gateway: string, token: string, print: (line: string) => void): Promise<void> {
  const client = new Client({ name: "loomgate-demo", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(gateway), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown>): Promise<string[]> => {
    print(`> ${name} ${JSON.stringify(args)}`);
    const parts = textsOf(await client.callTool({ name, arguments: args }));
    for (const line of excerpt(parts)) print(line);
    print("");
    return parts;
  };
  try {
    const { tools } = await client.listTools();
    print(`The model sees ${tools.length} tools: ${tools.map(({ name }) => name).join(", ")}`);
    print("");
    await call("tool_browse", { path: "/" });
    const found = await call("tool_browse", { query: "read a text file", top_k: 3 });
    const folders = await call("tool_browse", { query: "which folders are allowed", top_k: 1 });
    const [allowed] = await call("tool_execute", {
      tool_id: idOf(folders, "list_allowed_directories"),
      args: {},
    });
    const folder = (allowed ?? "").split("\n").at(-1) ?? "";
    const args = { path: `${folder}/welcome.txt` };
    const large = await call("tool_execute", { tool_id: idOf(found, "read_text_file"), args });
    const handle = /"handle":"(\d{27})"/.exec(large.join("\n"))?.[1];
    await call("tool_view", { handle, selector: { type: "lines", start: 200, end: 203 } });
  } finally {
    await transport.terminateSession();
    await client.close();
  }
}

function textsOf(result: unknown): string[] {
  const content = memberOf(result, "content");
  if (!isJsonArray(content)) return [];
  return content.map((part) => {
    const text = memberOf(part, "text");
    return typeof text === "string" ? text : JSON.stringify(part);
  });
}

/** The id of the card whose tool has this name. */
function idOf(parts: readonly string[], name: string): string {
  const lines = parts.join("\n").split("\n");
  const id = lines
    .map((line) => line.split(" ")[0] ?? "")
    .find((candidate) => candidate.includes(`:${name}#`));
  if (id === undefined) throw new Error(`browse did not find ${name}`);
  return id;
}

/** The first lines of an answer, each cut to a terminal's width. */
function excerpt(parts: readonly string[]): string[] {
  const lines = parts.join("\n").split("\n");
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map((line) => (line.length > SHOWN_COLUMNS ? `${line.slice(0, SHOWN_COLUMNS - 1)}…` : line));
  return lines.length > SHOWN_LINES ? [...shown, `… ${lines.length - SHOWN_LINES} more lines`] : shown;
}
