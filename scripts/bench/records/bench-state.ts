import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { Child } from "../../start/child-process.ts";
import { freePort } from "../../start/ports.ts";
import { localSecrets, openState, type StateFolder, writePrivateFile } from "../../start/state.ts";
import { waitUntilReady } from "../../start/wait-until-ready.ts";
import { migrate, startWorker, writeWranglerConfig } from "../../start/worker-process.ts";
import type { Admin } from "../../token/admin-client.ts";
import { Told } from "../../command-line.ts";

const WORKER_READY_MS = 60_000;
const UNLIMITED = 1_000_000_000;
const NO_SERVERS = '{"mcpServers":{}}';
const MEASURING_WORKER = fileURLToPath(new URL("worker/main.ts", import.meta.url));

/** A Worker that answers on this machine, until it is stopped. */
export interface Running {
  readonly origin: string;
  stop(): Promise<void>;
}

/** One database, with one Worker at a time over it: the deployed one, or the one that measures. Gone when this settles. */
export async function withBenchState<Value>(
  signal: AbortSignal,
  use: (state: BenchState) => Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-bench-"));
  const state = new BenchState(openState(join(folder, "state")));
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const working = use(state);
  try {
    return await Promise.race([working, stopped]);
  } finally {
    await state.end();
    // Whatever it was at has lost its Worker by now, and fails at that.
    await working.catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

export class BenchState {
  readonly #state: StateFolder;
  #child: Child | undefined;
  #ended = false;

  constructor(state: StateFolder) {
    this.#state = state;
  }

  /** The Worker as it is deployed, over a new database and no servers, without limits on requests. */
  async startDeployed(): Promise<Running & { readonly admin: Admin }> {
    const own = localSecrets(this.#state, () => undefined);
    const settings = { port: await freePort(), configText: NO_SERVERS, secrets: { ...own } };
    writeWranglerConfig(this.#state, settings);
    this.#rewriteConfig((config) => {
      const limits = config["ratelimits"];
      for (const limit of isJsonArray(limits) ? limits : []) {
        if (isRecord(limit) && isRecord(limit["simple"])) limit["simple"]["limit"] = UNLIMITED;
      }
      return config;
    });
    await migrate(this.#state);
    const running = await this.#start(settings, "/health");
    return { ...running, admin: { url: `${running.origin}/admin`, operatorToken: own.OPERATOR_TOKEN } };
  }

  /** The Worker that measures, over the same database. */
  async startMeasuring(): Promise<Running> {
    this.#rewriteConfig((config) => ({
      name: config["name"],
      main: MEASURING_WORKER,
      compatibility_date: config["compatibility_date"],
      d1_databases: config["d1_databases"],
    }));
    return this.#start({ port: await freePort(), configText: "", secrets: {} }, "/");
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#child?.stop();
  }

  async #start(settings: Parameters<typeof startWorker>[1], path: string): Promise<Running> {
    if (this.#ended) throw new Told("stopped");
    const child = startWorker(this.#state, settings);
    this.#child = child;
    const origin = `http://127.0.0.1:${settings.port}`;
    await waitUntilReady(child, `${origin}${path}`, WORKER_READY_MS);
    return { origin, stop: () => child.stop() };
  }

  #rewriteConfig(change: (config: Record<string, unknown>) => object): void {
    const file = join(this.#state.dir, "wrangler.json");
    const config: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isRecord(config)) throw new Told(`${file} is no object`);
    writePrivateFile(file, JSON.stringify(change(config)));
  }
}

/** Posts JSON to a Worker and gives its answer; what is no success is told. */
export async function postJson(url: string, body: object | string, bearer?: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": typeof body === "string" ? "application/x-ndjson" : "application/json",
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) {
    const fault: unknown = text.startsWith("{") ? memberOf(JSON.parse(text), "fault") : undefined;
    throw new Told(
      `${new URL(url).pathname}: ${response.status} ${typeof fault === "string" ? fault : text.slice(0, 1_000)}`,
    );
  }
  return JSON.parse(text);
}
