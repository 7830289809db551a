import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { startForwarder } from "../support/bearer-forwarder.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const RUNNER = realpathSync(join(resolve(import.meta.dirname, "../.."), "node_modules/.bin/conformance"));

/** The runner's other scenarios call tools, resources and prompts with names of its own, which a gateway does not have. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

describe("the official conformance runner", () => {
  let forwarder: Awaited<ReturnType<typeof startForwarder>>;
  let gateway: StartedGateway;

  beforeAll(async () => {
    forwarder = await startForwarder();
    // The runner sends the address it was given as its origin, and expects to be let in with it.
    const origins = ["localhost", "127.0.0.1"].map((host) => `http://${host}:${forwarder.port}`);
    gateway = await startGateway({ config: JSON.stringify({ gateway: { allowed_origins: origins } }) });
    forwarder.target(gateway.port, String(gateway.devFile()["token"]));
  });

  afterAll(async () => {
    await gateway.stop();
    await forwarder.close();
    removeState(gateway);
  });

  it.each(SCENARIOS)("%s", async (scenario) => {
    const url = `http://localhost:${forwarder.port}/mcp`;
    const run = await runToEnd([RUNNER, "server", "--url", url, "--scenario", scenario], gateway.stateDir);
    expect(run.output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
    expect(run.code).toBe(0);
  });
});

function runToEnd(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` });
    });
  });
}
