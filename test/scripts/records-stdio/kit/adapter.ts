import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../../../../scripts/check/run-tool.ts";

/** The adapter's entry, as Node runs it out of the sources. */
export const ENTRY = ["--import", "tsx", join(ROOT, "scripts/records-stdio/main.ts")];
export const BEARER = "lg_client_eyJ2IjoxLCJlIjo5OTk5OTk5OTk5fQ_a-secret/nobody+may.see";

/** One run of the adapter, with what it wrote so far. */
export class Adapter {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  out = "";
  err = "";
  readonly #listeners = new Set<() => void>();

  constructor(
    args: readonly string[],
    environment: Record<string, string> = { LOOMGATE_RECORDS_TOKEN: BEARER },
  ) {
    const env = { PATH: process.env["PATH"] ?? "", ...environment };
    this.child = spawn(process.execPath, [...ENTRY, ...args], { cwd: ROOT, env });
    this.child.stdin.on("error", () => undefined);
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
      for (const listener of this.#listeners) listener();
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
      for (const listener of this.#listeners) listener();
    });
    this.exited = new Promise((resolve) => {
      this.child.once("close", (code) => resolve(code));
    });
  }

  send(...messages: readonly unknown[]): this {
    for (const message of messages) {
      this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    }
    return this;
  }

  /** Ends its input, and waits for its end. */
  async finish(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }

  /** Waits until it has written something. */
  until(isThere: (adapter: Adapter) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        if (!isThere(this)) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
      listener();
    });
  }

  /** Everything on standard output. Each line must be JSON-RPC: that is the protocol of this channel, and all that may be there. */
  get lines(): unknown[] {
    return this.out
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  }
}
