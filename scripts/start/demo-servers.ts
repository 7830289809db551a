import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Child, startChild } from "./child-process.ts";
import { freePort } from "./ports.ts";
import type { StateFolder } from "./state.ts";

const require = createRequire(import.meta.url);

/** The variable that carries the bridges' random key into the configuration. */
const KEY_VARIABLE = "LOOMGATE_DEMO_KEY";

export interface DemoServer {
  readonly name: string;
  readonly url: string;
  readonly child: Child;
}

/**
 * The three official example servers, each behind `mcp-proxy` on a free loopback port. The bridge refuses whoever lacks
 * the key, since every program on the machine can reach the port.
 */
export async function startDemoServers(state: StateFolder, key: string): Promise<DemoServer[]> {
  const files = join(state.demo, "files");
  mkdirSync(files, { recursive: true, mode: 0o700 });
  writeFileSync(join(files, "welcome.txt"), welcomeText(), { mode: 0o600 });
  const servers = [
    { name: "everything", args: [serverScript("everything"), "stdio"], env: {} },
    { name: "filesystem", args: [serverScript("filesystem"), files], env: {} },
    {
      name: "memory",
      args: [serverScript("memory")],
      env: { MEMORY_FILE_PATH: join(state.demo, "memory.jsonl") },
    },
  ];
  const started: DemoServer[] = [];
  for (const { name, args, env } of servers) {
    const port = await freePort();
    const bridge = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream"];
    const child = startChild({
      name,
      // A server of the demo prints its whole environment on request, so it gets neither the key nor the person's own.
      command: [
        process.execPath,
        packageFile("mcp-proxy", "dist/bin/mcp-proxy.mjs"),
        ...bridge,
        "--",
        "env",
        "-u",
        "MCP_PROXY_API_KEY",
        process.execPath,
        ...args,
      ],
      env: { PATH: process.env["PATH"], HOME: state.demo, MCP_PROXY_API_KEY: key, ...env },
      cwd: state.demo,
      logFile: join(state.logs, `${name}.log`),
    });
    started.push({ name, url: `http://127.0.0.1:${port}/mcp`, child });
  }
  return started;
}

/** The configuration that reaches the demo servers, as a person would write it. */
export function demoConfig(servers: readonly DemoServer[]): string {
  const blocks = servers.map(({ name, url }): [string, object] => [
    name,
    { type: "http", url, headers: { "X-API-Key": `\${env:${KEY_VARIABLE}}` } },
  ]);
  const mcpServers: Record<string, object> = Object.fromEntries(blocks);
  return JSON.stringify({ mcpServers }, null, 2);
}

export function demoEnv(key: string): Readonly<Record<string, string>> {
  return { [KEY_VARIABLE]: key };
}

function serverScript(name: string): string {
  return packageFile(`@modelcontextprotocol/server-${name}`, "dist/index.js");
}

function packageFile(name: string, file: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), file);
}

/** A text of some pages, so that the first look at a large result has one to look at. */
function welcomeText(): string {
  const lines = Array.from(
    { length: 400 },
    (_, index) =>
      `${index + 1}. A line of the demo's text: long enough in all to be kept back and read in pieces.`,
  );
  return `Welcome to Loomgate's scratch folder.\n\n${lines.join("\n")}\n`;
}
