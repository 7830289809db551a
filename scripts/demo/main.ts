import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { memberOf } from "../../src/json.ts";
import { startChild } from "../start/child-process.ts";
import { freePort } from "../start/ports.ts";
import { playDemo } from "./transcript.ts";

const READY_MS = 120_000;
const POLL_MS = 200;

interface Running {
  readonly gateway: string;
  readonly token: string;
}

/** The instance over a state folder, if one runs there. */
function runningGateway(stateDir: string): Running | undefined {
  const path = join(stateDir, "dev.json");
  if (!existsSync(path)) return undefined;
  const dev: unknown = JSON.parse(readFileSync(path, "utf8"));
  const gateway = memberOf(dev, "gateway");
  const token = memberOf(dev, "token");
  return typeof gateway === "string" && typeof token === "string" ? { gateway, token } : undefined;
}

/** Starts an instance for this demo alone and removes all trace of it afterwards. */
async function withFreshGateway(use: (running: Running) => Promise<void>): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), "loomgate-demo-"));
  const main = resolve(import.meta.dirname, "../start/main.ts");
  const port = String(await freePort());
  const child = startChild({
    name: "npm start",
    command: [process.execPath, "--import", "tsx", main, "--port", port, "--state", stateDir],
    env: process.env,
    cwd: resolve(import.meta.dirname, "../.."),
    logFile: join(stateDir, "start.log"),
  });
  try {
    const deadline = Date.now() + READY_MS;
    for (;;) {
      const running = runningGateway(stateDir);
      if (running !== undefined) return await use(running);
      const ended = await Promise.race([child.exited, pause()]);
      if (ended !== undefined || Date.now() > deadline) {
        throw new Error(`no gateway came up:\n${readFileSync(child.logFile, "utf8")}`);
      }
    }
  } finally {
    await child.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function pause(): Promise<undefined> {
  return new Promise((done) => setTimeout(() => done(undefined), POLL_MS));
}

const { values } = parseArgs({ options: { state: { type: "string", default: ".loomgate" } } });
const running = runningGateway(resolve(values.state));
const play = ({ gateway, token }: Running): Promise<void> =>
  playDemo(gateway, token, (line) => console.log(line));
await (running === undefined ? withFreshGateway(play) : play(running));
