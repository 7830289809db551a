import { Told } from "../command-line.ts";
import type { Child } from "./child-process.ts";

const POLL_MS = 100;
const CHECK_EVERY_MS = 5000;
const CHECK_TIMEOUT_MS = 5000;
const SILENT_CHECKS = 3;

/**
 * Waits until an address answers 200. Throws an `Error` that names the log file when the process ends first or the time
 * is up.
 */
export async function waitUntilReady(child: Child, url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await answers(url)) return;
    const code = await Promise.race([child.exited, pause(POLL_MS)]);
    if (code !== undefined) throw new Told(`${child.name} ended with ${code}; its log: ${child.logFile}`);
  }
  throw new Told(`${child.name} did not answer within ${timeoutMs / 1000} s; its log: ${child.logFile}`);
}

/**
 * Resolves when an address has not answered several times in a row: `wrangler` survives the runtime that it has started,
 * so its own exit does not tell.
 */
export async function untilSilent(url: string): Promise<void> {
  for (let silent = 0; silent < SILENT_CHECKS;) {
    await pause(CHECK_EVERY_MS);
    silent = (await answers(url)) ? 0 : silent + 1;
  }
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
