import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { z } from "zod";
import type { JsonObject } from "../../src/json.ts";
import { Told } from "../command-line.ts";

/** The SDK's own schema drops what it does not know of a tool. */
const Page = z.object({
  tools: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().optional(),
});

const PAGES_MAX = 100;
const LOG_TAIL_CHARS = 2000;

/** A server's script and how Node starts it. In `args` and `env`, `{folder}` is a temporary folder of its own. */
export interface Launch {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ListOptions {
  /** Ends the listing, and the process with it. */
  readonly signal: AbortSignal;
  /** How long one answer may take. */
  readonly timeout: number;
}

/**
 * Starts a server over stdio in a temporary folder of its own, with little more than the path for an environment, and
 * lists its tools as it gives them, page by page. The process is gone and the folder removed when this settles. Throws
 * `Told` if the server fails, ends or is ended.
 */
export async function listTools(server: Launch, options: ListOptions): Promise<JsonObject[]> {
  const { signal } = options;
  const folder = mkdtempSync(join(tmpdir(), "loomgate-capture-"));
  const fill = (text: string): string => text.replaceAll("{folder}", folder);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server.script, ...server.args.map(fill)],
    // The transport adds a few variables of the person's own; the home must not be one of them.
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      ...Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name, fill(value)])),
    },
    cwd: folder,
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (chunk: unknown) => {
    log = `${log}${String(chunk)}`.slice(-LOG_TAIL_CHARS);
  });
  const client = new Client({ name: "loomgate-capture", version: "1.0.0" });
  try {
    signal.throwIfAborted();
    await client.connect(transport, options);
    return await allPages(client, options);
  } catch (error) {
    const reason = messageOf(signal.aborted ? signal.reason : error);
    throw new Told(`the tools of ${server.name} could not be listed: ${reason}\n${log}`.trimEnd());
  } finally {
    // Ends the process: by its standard input first, at last by force.
    await client.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function allPages(client: Client, options: ListOptions): Promise<JsonObject[]> {
  const tools: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    // Not `client.listTools`: that compiles every output schema, and one it dislikes would end the listing.
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "tools/list", params }, Page, options);
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor !== undefined && cursors.has(cursor)) throw new Error(`cursor ${cursor} came twice`);
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && cursors.size < PAGES_MAX);
  if (cursor !== undefined) throw new Error(`more than ${PAGES_MAX} pages`);
  return tools;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
