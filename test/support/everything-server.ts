import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort } from "../../scripts/start/ports.ts";

const require = createRequire(import.meta.url);
const READY_MS = 20_000;

/** The official example server with all its primitives, over its own Streamable HTTP: no bridge stands between. */
export interface EverythingServer {
  readonly url: string;
  stop(): void;
}

export async function startEverything(): Promise<EverythingServer> {
  const port = await freePort();
  const root = dirname(require.resolve("@modelcontextprotocol/server-everything/package.json"));
  const child = spawn(process.execPath, [join(root, "dist/index.js"), "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await listening(child);
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.kill("SIGKILL") };
}

/** It says so on its error stream. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    let printed = "";
    const timer = setTimeout(() => {
      failed(new Error(`server-everything does not listen:\n${printed}`));
    }, READY_MS);
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes("listening on port")) return;
      clearTimeout(timer);
      done();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => {
      failed(new Error(`server-everything ended:\n${printed}`));
    });
  });
}
