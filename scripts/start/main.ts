import { randomBytes } from "node:crypto";
import { Told } from "../command-line.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";
import { announcement, refreshLines } from "./announcement.ts";
import { loadDemoRecords } from "./demo-records.ts";
import { recordsToken } from "./records-token.ts";
import { readArguments, type StartArguments } from "./arguments.ts";
import type { Child } from "./child-process.ts";
import { clientToken } from "./client-token.ts";
import { environmentLookup, readConfigFile, referencedVariables } from "./configuration.ts";
import { demoConfig, demoEnv, type DemoServer, startDemoServers } from "./demo-servers.ts";
import { isFree } from "./ports.ts";
import { removeDevFile, writeDevFile } from "./dev-file.ts";
import { claimState, localSecrets, openState, type StateFolder } from "./state.ts";
import { untilSilent, waitUntilReady } from "./wait-until-ready.ts";
import { migrate, startWorker, writeWranglerConfig } from "./worker-process.ts";

const SERVER_READY_MS = 30_000;
const WORKER_READY_MS = 60_000;
const PARENT_POLL_MS = 1000;
/** Longer than a server's usual deadline, so that the report as a rule is there. */
const REFRESH_WAIT_MS = 40_000;

/** Everything that has to end when this process ends, last started first ended. */
const cleanups: (() => Promise<void> | void)[] = [];
let stopping: Promise<void> | undefined;

async function run(args: StartArguments): Promise<Child> {
  if (!(await isFree(args.port))) {
    throw new Told(`port ${args.port} is taken: stop what listens there, or choose another with --port`);
  }
  const state = openState(args.stateDir);
  cleanups.push(claimState(state));
  const lookup = environmentLookup(process.cwd());
  const source =
    args.configFile === undefined
      ? await demo(state)
      : { text: readConfigFile(args.configFile, process.cwd(), lookup), secrets: {} };
  const own = localSecrets(state, lookup);
  const secrets = { ...referencedVariables(source.text, lookup), ...source.secrets, ...own };
  const workerSettings = { port: args.port, configText: source.text, secrets };
  writeWranglerConfig(state, workerSettings);
  await migrate(state);
  const worker = startWorker(state, workerSettings);
  cleanups.push(() => worker.stop());
  const origin = `http://127.0.0.1:${args.port}`;
  await waitUntilReady(worker, `${origin}/health`, WORKER_READY_MS);
  const admin = { url: `${origin}/admin`, operatorToken: own.OPERATOR_TOKEN };
  const token = await clientToken(state, own, admin);
  for (const line of await loadDemoRecords(admin, source.text)) console.log(line);
  const readerToken = await recordsToken(state, own, admin, source.text);
  for (const line of await firstRefresh(admin)) console.log(line);
  console.log(announcement({ origin, token, recordsToken: readerToken, stateDir: state.dir }));
  cleanups.push(() => removeDevFile(state));
  writeDevFile(state, {
    gateway: `${origin}/mcp`,
    proxy: `${origin}/mcp/proxy`,
    ...(readerToken === undefined ? {} : { records: `${origin}/mcp/records` }),
    admin: admin.url,
    token,
    ...(readerToken === undefined ? {} : { records_token: readerToken }),
    operator_token: own.OPERATOR_TOKEN,
    pid: process.pid,
  });
  return worker;
}

/** What the servers offer. One that hangs must not keep the rest from being used: the refresh goes on without us. */
async function firstRefresh(admin: Admin): Promise<string[]> {
  const later = new Promise<string[]>((resolve) => {
    setTimeout(
      () => resolve(["The servers are still being listed; their tools come when they answer."]),
      REFRESH_WAIT_MS,
    ).unref();
  });
  const refreshed = callAdmin(admin, "POST", "/refresh").then(refreshLines, (error: unknown) => [
    messageOf(error),
  ]);
  return Promise.race([refreshed, later]);
}

/** Starts the demo servers; one that fails is told and left out, the others go on. */
async function demo(
  state: StateFolder,
): Promise<{ text: string; secrets: Readonly<Record<string, string>> }> {
  const key = randomBytes(24).toString("base64url");
  const servers = await startDemoServers(state, key);
  for (const { child } of servers) cleanups.push(() => child.stop());
  const ready = await Promise.all(servers.map((server) => isReady(server)));
  const running = servers.filter((_, index) => ready[index]);
  for (const { name, child } of running) {
    void tellOfEnd(name, child);
  }
  console.log("These are the demo's servers; --config FILE runs over your own.");
  return { text: demoConfig(running), secrets: demoEnv(key) };
}

/** A server that dies later takes nothing with it, but the person should know. */
async function tellOfEnd(name: string, child: Child): Promise<void> {
  const code = await child.exited;
  if (stopping === undefined) console.error(`${name} ended with ${code}; its log: ${child.logFile}`);
}

async function isReady({ name, url, child }: DemoServer): Promise<boolean> {
  try {
    await waitUntilReady(child, new URL("/ping", url).href, SERVER_READY_MS);
    console.log(`${name}: running`);
    return true;
  } catch (error) {
    console.error(`${name}: left out: ${messageOf(error)}`);
    return false;
  }
}

function stop(): Promise<void> {
  stopping ??= (async () => {
    for (const cleanup of cleanups.toReversed()) {
      try {
        await cleanup();
      } catch (error) {
        console.error(messageOf(error));
      }
    }
  })();
  return stopping;
}

async function exit(code: number): Promise<void> {
  await stop();
  process.exit(code);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => void exit(0));
}

// `npm` in between may die without passing its signal on; then this process has a new parent.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void exit(0);
}, PARENT_POLL_MS).unref();

try {
  const args = readArguments(process.argv.slice(2), process.cwd());
  const worker = await run(args);
  const end = await Promise.race([
    worker.exited.then((code) => `ended with ${code}`),
    untilSilent(`http://127.0.0.1:${args.port}/health`).then(() => "does not answer any more"),
  ]);
  if (stopping === undefined) {
    console.error(`the Worker ${end}; its log: ${worker.logFile}`);
    await exit(1);
  }
} catch (error) {
  console.error(error instanceof Told ? error.message : error);
  await exit(1);
}
