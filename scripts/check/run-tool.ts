import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/** Runs a command of `node_modules/.bin` with this very Node, from the repository's root unless told otherwise. */
export function runTool(command: string, args: readonly string[], cwd = ROOT): ToolRun {
  const script = realpathSync(join(ROOT, "node_modules/.bin", command));
  const run = spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    env: {
      ...process.env,
      CI: "1",
      NO_COLOR: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
    },
  });
  return { code: run.status ?? 1, stdout: run.stdout, output: `${run.stdout}${run.stderr}` };
}
