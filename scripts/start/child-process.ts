import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

const LEASH = join(import.meta.dirname, "leash.mjs");
const STOP_GRACE_MS = 5000;

export interface Child {
  readonly name: string;
  readonly logFile: string;
  /** Resolves when the process is gone, with its exit code. */
  readonly exited: Promise<number>;
  /** Asks the whole process group to end, then insists. Resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a command on a leash (`leash.mjs`), in a process group of its own, so that a terminal's Ctrl-C reaches the
 * starter alone and the starter ends its children in order. Output goes to a private log file.
 */
export function startChild(options: {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
}): Child {
  const { name, command, env, cwd, logFile } = options;
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, [LEASH, ...command], {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(127));
  });
  // Writing to a leash that is gone already is no news: `exited` tells it.
  child.stdin?.on("error", () => undefined);
  return { name, logFile, exited, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<number>): Promise<void> {
  child.stdin?.end();
  const timer = setTimeout(() => killGroup(child), STOP_GRACE_MS);
  await exited;
  clearTimeout(timer);
  // The leash can be gone while a grandchild lingers: the group has the last word.
  killGroup(child);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // No such group: all of it has ended.
  }
}
