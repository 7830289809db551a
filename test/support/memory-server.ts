import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../../scripts/start/ports.ts";

const require = createRequire(import.meta.url);
const READY_MS = 60_000;
const POLL_MS = 100;

/** One running instance of the official memory server, with a memory of its own, reached over HTTP. */
export interface MemoryServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one behind `mcp-proxy`, and waits until it listens. */
export async function startMemoryServer(): Promise<MemoryServer> {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-memory-"));
  const port = await freePort();
  const fileOf = (name: string, path: string) => join(dirname(require.resolve(`${name}/package.json`)), path);
  const bridge = [
    fileOf("mcp-proxy", "dist/bin/mcp-proxy.mjs"),
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
  ];
  const server = [process.execPath, fileOf("@modelcontextprotocol/server-memory", "dist/index.js")];
  const child = spawn(process.execPath, [...bridge, "--server", "stream", "--", ...server], {
    env: { PATH: process.env["PATH"], HOME: folder, MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    stdio: "ignore",
    // A group of its own: the bridge is not the only process.
    detached: true,
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const url = `http://127.0.0.1:${port}/mcp`;
  for (const until = Date.now() + READY_MS; !(await answers(url));) {
    if (child.exitCode !== null || Date.now() > until) throw new Error("the memory server does not start");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {
    url,
    stop: async () => {
      const isAlive = child.exitCode === null && child.signalCode === null;
      if (isAlive && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
