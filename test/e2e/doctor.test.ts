import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const ROOT = resolve(import.meta.dirname, "../..");

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function doctor(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const command = ["--import", "tsx", join(ROOT, "scripts/doctor/main.ts"), ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env } });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code, output })));
}

describe("the doctor and a real instance", () => {
  let gateway: StartedGateway;

  beforeAll(async () => {
    gateway = await startGateway();
  });

  afterAll(async () => {
    await gateway.stop();
    removeState(gateway);
  });

  it("finds nothing to mend, and looks at everything", async () => {
    const { code, output } = await doctor(["--state", gateway.stateDir, "--strict", "--json"]);
    const report: unknown = JSON.parse(output);
    const checks = memberOf(report, "checks");
    const others = (isJsonArray(checks) ? checks : []).filter((check) => memberOf(check, "level") !== "pass");
    expect(others).toEqual([]);
    expect(report).toMatchObject({ warnings: 0, failed: 0 });
    expect(memberOf(report, "passed")).toBeGreaterThan(25);
    expect(code).toBe(0);
  });

  it("shows none of its bearers and keys", async () => {
    const dev = gateway.devFile();
    const swapped = { OPERATOR_TOKEN: String(dev["token"]), LOOMGATE_TOKEN: String(dev["operator_token"]) };
    const { code, output } = await doctor(["--url", gateway.origin, "--refresh"], swapped);
    expect(code).toBe(1);
    expect(output).toMatch(/^FAIL {2}operator\.bearer +403/m);
    expect(output).toMatch(/^FAIL {2}client\.session +initialize: 403/m);
    for (const secret of Object.values(swapped)) expect(output).not.toContain(secret);
  });

  it("refreshes on request, through the address that a deployment has", async () => {
    const dev = gateway.devFile();
    const bearers = { OPERATOR_TOKEN: String(dev["operator_token"]), LOOMGATE_TOKEN: String(dev["token"]) };
    const { code, output } = await doctor(["--url", gateway.origin, "--refresh"], bearers);
    expect(output).toMatch(/^pass {2}operator\.refresh +3 servers listed anew: nothing changed/m);
    expect(output).toMatch(/^warn {2}config\.current +the deployment's servers are not the configuration's/m);
    expect(code).toBe(0);
  });

  it("names the key of a configuration that is broken", async () => {
    const file = `${gateway.stateDir}.jsonc`;
    writeFileSync(file, '{ "gateway": { "retry": { "max_atempts": 2 } } }');
    const { code, output } = await doctor(["--state", gateway.stateDir, "--config", file]);
    expect(output).toMatch(/^FAIL {2}config\.keys +gateway\.retry\.max_atempts: unknown key/m);
    expect(code).toBe(1);
  });
});
