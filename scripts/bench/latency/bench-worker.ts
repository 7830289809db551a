import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { clientToken } from "../../start/client-token.ts";
import { demoConfig, demoEnv, startDemoServers } from "../../start/demo-servers.ts";
import { freePort } from "../../start/ports.ts";
import { localSecrets, openState, type StateFolder, writePrivateFile } from "../../start/state.ts";
import { waitUntilReady } from "../../start/wait-until-ready.ts";
import { migrate, startWorker, writeWranglerConfig } from "../../start/worker-process.ts";
import { callAdmin } from "../../token/admin-client.ts";
import { Told } from "../../command-line.ts";

const SERVER_READY_MS = 30_000;
const WORKER_READY_MS = 60_000;
/** More than any machine answers in a minute. */
const UNLIMITED = 1_000_000_000;

/** A Worker under `wrangler dev` over the demo's servers, and one of those servers by itself. */
export interface BenchWorker {
  readonly gatewayUrl: string;
  readonly token: string;
  readonly server: { readonly name: string; readonly url: string; readonly key: string };
}

/** What has to end with an instance, last started first ended; what comes to it after the end is ended at once. */
class Endings {
  readonly #endings: (() => Promise<void>)[] = [];
  #ended = false;

  async add(ending: () => Promise<void>): Promise<void> {
    if (this.#ended) await ending();
    else this.#endings.push(ending);
  }

  async end(): Promise<void> {
    this.#ended = true;
    for (let next = this.#endings.pop(); next !== undefined; next = this.#endings.pop()) await next();
  }
}

/** Starts a Worker as `npm start` does, in a folder of its own; all of it is gone when this settles. */
export async function withBenchWorker<Value>(
  signal: AbortSignal,
  use: (worker: BenchWorker) => Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-bench-"));
  const endings = new Endings();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const working = (async () => use(await start(openState(join(folder, "state")), endings)))();
  try {
    return await Promise.race([working, stopped]);
  } finally {
    await endings.end();
    // Whatever it was at has lost its processes by now, and fails at that.
    await working.catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function start(state: StateFolder, endings: Endings): Promise<BenchWorker> {
  const key = randomBytes(24).toString("base64url");
  const servers = await startDemoServers(state, key);
  for (const { child } of servers) await endings.add(() => child.stop());
  for (const { url, child } of servers) {
    await waitUntilReady(child, new URL("/ping", url).href, SERVER_READY_MS);
  }
  const own = localSecrets(state, () => undefined);
  const configText = demoConfig(servers);
  const settings = { port: await freePort(), configText, secrets: { ...demoEnv(key), ...own } };
  writeWranglerConfig(state, settings);
  liftRateLimits(join(state.dir, "wrangler.json"));
  await migrate(state);
  const worker = startWorker(state, settings);
  await endings.add(() => worker.stop());
  const origin = `http://127.0.0.1:${settings.port}`;
  await waitUntilReady(worker, `${origin}/health`, WORKER_READY_MS);
  const admin = { url: `${origin}/admin`, operatorToken: own.OPERATOR_TOKEN };
  const token = await clientToken(state, own, admin);
  await callAdmin(admin, "POST", "/refresh");
  const [server] = servers;
  if (server === undefined) throw new Told("there is no server to measure with");
  return { gatewayUrl: `${origin}/mcp`, token, server: { name: server.name, url: server.url, key } };
}

/** The outer limits keep a flood away; a bench is one. Only this instance's settings know of it. */
function liftRateLimits(configFile: string): void {
  const config: unknown = JSON.parse(readFileSync(configFile, "utf8"));
  const limits = memberOf(config, "ratelimits");
  if (!isRecord(config) || !isJsonArray(limits)) throw new Told(`${configFile} has no rate limits to lift`);
  for (const limit of limits) {
    if (isRecord(limit) && isRecord(limit["simple"])) limit["simple"]["limit"] = UNLIMITED;
  }
  writePrivateFile(configFile, JSON.stringify(config));
}
