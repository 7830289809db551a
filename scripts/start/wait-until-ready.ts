import { Told } from "../command-line.ts";
import type { Child } from "./child-process.ts";

const POLL_MS = 100;

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

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
