import { Told } from "../command-line.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Work that started processes and must end them before this one ends: the signal aborts when this process is asked to
 * stop. While the work is on, being asked does nothing else; before and after, it ends the process as usual.
 */
export async function untilStopped<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new Told("stopped"));
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopped.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
