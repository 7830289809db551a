import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord } from "../../src/json.ts";
import { freePort } from "../../scripts/start/ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const READY_MS = 90_000;
const STOP_MS = 20_000;
const POLL_MS = 100;

export interface StartedGateway {
  readonly port: number;
  readonly origin: string;
  readonly stateDir: string;
  readonly process: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  devFile(): Record<string, unknown>;
  devFileMode(): number;
  /** Command lines of the processes that belong to this instance and still live. */
  processes(): string[];
  /** Resolves with the exit code of `npm start`. */
  readonly exited: Promise<number | null>;
  /** Signals the process group, as Ctrl-C does, or `npm` alone; resolves when `npm` is gone. */
  stop(signal?: NodeJS.Signals, whom?: "group" | "npm"): Promise<number | null>;
  /** Waits until no process of the instance lives. */
  gone(): Promise<void>;
}

/** Runs `npm start` as a person would, over a state folder of its own, and waits until it says that it answers. */
export async function startGateway(
  options: { readonly config?: string; readonly stateDir?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<StartedGateway> {
  const gateway = await launchGateway(options);
  await poll(READY_MS, () => {
    if (gateway.process.exitCode !== null) throw new Error(`npm start ended:\n${gateway.output()}`);
    return existsSync(join(gateway.stateDir, "dev.json"));
  });
  return gateway;
}

/** Runs `npm start` without waiting for anything, for the runs that are meant to fail. */
export async function launchGateway(
  options: { readonly config?: string; readonly stateDir?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<StartedGateway> {
  const port = await freePort();
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), "loomgate-state-"));
  const args = ["start", "--", "--port", String(port), "--state", stateDir];
  if (options.config !== undefined) {
    const file = configFileOf(stateDir);
    writeFileSync(file, options.config);
    args.push("--config", file);
  }
  // A process group of its own, like a terminal gives it: Ctrl-C there is a signal to the whole group.
  const child = spawn("npm", args, {
    cwd: ROOT,
    env: { ...process.env, ...options.env },
    stdio: "pipe",
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  const processes = (): string[] =>
    execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(stateDir) && !line.startsWith("ps "));
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    stateDir,
    process: child,
    output: () => output,
    devFile: () => readDevFile(stateDir),
    devFileMode: () => statSync(join(stateDir, "dev.json")).mode & 0o777,
    processes,
    exited,
    async stop(signal = "SIGINT", whom = "group") {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        process.kill(whom === "group" ? -child.pid : child.pid, signal);
      }
      return exited;
    },
    gone: () => poll(STOP_MS, () => processes().length === 0),
  };
}

/** Beside the state folder: that one has to be the instance's own. */
function configFileOf(stateDir: string): string {
  return `${stateDir}.jsonc`;
}

/** Removes what an instance left, once it has been stopped. */
export function removeState(gateway: StartedGateway): void {
  rmSync(gateway.stateDir, { recursive: true, force: true });
  rmSync(configFileOf(gateway.stateDir), { force: true });
}

function readDevFile(stateDir: string): Record<string, unknown> {
  const content: unknown = JSON.parse(readFileSync(join(stateDir, "dev.json"), "utf8"));
  if (!isRecord(content)) throw new Error("dev.json is not an object");
  return content;
}

async function poll(timeoutMs: number, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not true after ${timeoutMs} ms`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
