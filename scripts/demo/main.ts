import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { startChild } from "../start/child-process.ts";
import { type DevFile, readDevFile } from "../start/dev-file.ts";
import { freePort } from "../start/ports.ts";
import { callAdmin } from "../token/admin-client.ts";
import { playDemo } from "./transcript.ts";

const READY_MS = 120_000;
const POLL_MS = 200;
const DEMO_NAMESPACES = ["everything", "filesystem", "memory"];
const USAGE = `usage: npm run demo -- [--state DIR]
Plays against the instance over DIR (.loomgate) if it runs the demo's servers, else against a fresh one.`;

/** Whether an instance runs over the demo's servers: one over other servers has nothing to play with. */
async function hasDemoServers({ admin, operator_token: operatorToken }: DevFile): Promise<boolean> {
  const report = await callAdmin({ url: admin, operatorToken }, "GET", "/catalog?limit=1");
  const namespaces = memberOf(report, "namespaces");
  const names = isJsonArray(namespaces) ? namespaces.map((entry) => memberOf(entry, "namespace")) : [];
  return DEMO_NAMESPACES.every((name) => names.includes(name));
}

/** Starts an instance for this demo alone and removes all trace of it afterwards. */
async function withFreshGateway(use: (running: DevFile) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-demo-"));
  const stateDir = join(folder, "state");
  const main = resolve(import.meta.dirname, "../start/main.ts");
  const port = String(await freePort());
  const child = startChild({
    name: "npm start",
    command: [process.execPath, "--import", "tsx", main, "--port", port, "--state", stateDir],
    env: process.env,
    cwd: resolve(import.meta.dirname, "../.."),
    logFile: join(folder, "start.log"),
  });
  const cleanUp = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  }
  try {
    const deadline = Date.now() + READY_MS;
    for (;;) {
      const running = readDevFile(stateDir);
      if (running !== undefined) return await use(running);
      const ended = await Promise.race([child.exited, pause()]);
      if (ended !== undefined || Date.now() > deadline) {
        throw new Told(`no gateway came up:\n${readFileSync(child.logFile, "utf8")}`);
      }
    }
  } finally {
    await cleanUp();
  }
}

function pause(): Promise<undefined> {
  return new Promise((done) => setTimeout(() => done(undefined), POLL_MS));
}

await runCommand(async () => {
  const { values } = readCommandLine(process.argv.slice(2), USAGE, {
    state: { type: "string", default: ".loomgate" },
  });
  const running = readDevFile(resolve(values.state));
  const play = ({ gateway, token }: DevFile): Promise<void> =>
    playDemo(gateway, token, (line) => console.log(line));
  if (running !== undefined && (await hasDemoServers(running))) await play(running);
  else await withFreshGateway(play);
});
