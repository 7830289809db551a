import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDoctorArguments } from "../../../scripts/doctor/arguments.ts";
import { examine } from "../../../scripts/doctor/examine.ts";
import { exitCodeOf } from "../../../scripts/doctor/report.ts";
import { Told } from "../../../scripts/command-line.ts";
import { fakeDeployment, CLIENT_BEARER, NOW_MS, OPERATOR_BEARER } from "./fake-deployment.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** By its place: the command runs in a folder of its own, over which no instance of anybody's runs. */
const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-doctor-"));
  writeFileSync(join(folder, "good.jsonc"), '{ "mcpServers": {} }');
  writeFileSync(join(folder, "warned.jsonc"), '{ "gateway": { "cache": { "shared": ["a:*"] } } }');
  writeFileSync(join(folder, "broken.jsonc"), '{ "gateway": { "tpo_k": 1 } }');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function doctor(...args: readonly string[]) {
  return spawnDoctor(folder, [], args);
}

function spawnDoctor(cwd: string, options: readonly string[], args: readonly string[]) {
  const command = ["--import", TSX, ...options, join(ROOT, "scripts/doctor/main.ts"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("npm run doctor", () => {
  const config = (name: string): readonly string[] => ["--config", join(folder, name)];

  it("ends with 0 where nothing is to mend", () => {
    const { status, stdout, stderr } = doctor(...config("good.jsonc"));
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^\d+ passed, 0 warnings, 0 failed, 1 skipped$/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("ends with 1 on a failure, and names the key", () => {
    const { status, stdout } = doctor(...config("broken.jsonc"));
    expect(stdout).toMatch(/^FAIL {2}config\.keys +gateway\.tpo_k: unknown key/);
    expect(status).toBe(1);
  });

  it("ends with 1 on a warning where that is wanted", () => {
    expect(doctor(...config("warned.jsonc")).status).toBe(0);
    expect(doctor(...config("warned.jsonc"), "--strict").status).toBe(1);
  });

  it("prints JSON alone on request", () => {
    const { status, stdout } = doctor(...config("warned.jsonc"), "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ check: "config.cache", level: "warn", subject: "gateway.cache" }),
      ]) as unknown,
      warnings: 1,
      failed: 0,
      skipped: 1,
    });
    expect(status).toBe(0);
  });

  it("ends with 1 and a finding for a text that nobody could read", () => {
    writeFileSync(join(folder, "deep.jsonc"), "[".repeat(100_000));
    writeFileSync(join(folder, "deep-inside.jsonc"), `{ "gateway": { "policy": ${'{"a":'.repeat(100_000)}`);
    for (const name of ["deep.jsonc", "deep-inside.jsonc"]) {
      const { status, stdout, stderr } = doctor(...config(name));
      expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
      expect(stdout).toMatch(/^FAIL {2}config\.keys /);
    }
  });

  it.each([[[]], [["--json"]]])("ends with 2 and one line on a fault of its own: %j", (more) => {
    // A folder where a file was meant, and a fault that nobody waits for.
    const thrower = `let left = 6_000;
    const t = setInterval(() => {
      left -= 1;
      if (process.listenerCount("uncaughtException") === 0 && left > 0) return;
      clearInterval(t);
      throw new Error("first\\nsecond sk_live_0123456789abcdefghij");
    }, 5);`;
    const broken = mkdtempSync(join(folder, "broken-"));
    mkdirSync(join(broken, ".dev.vars"));
    const runs = [
      spawnDoctor(broken, [], more),
      spawnDoctor(folder, ["--import", `data:text/javascript,${encodeURIComponent(thrower)}`], more),
    ];
    for (const { status, stderr } of runs) {
      expect(status).toBe(2);
      expect(stderr).toMatch(/^the doctor itself failed, and its report is missing: .+\n$/);
      expect(stderr).not.toContain("sk_live");
    }
    expect(runs[0]?.stdout).toBe("");
  });

  it("ends with 2 on wrong use, and says how it is used", () => {
    const { status, stdout, stderr } = doctor("--nope");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("usage: npm run doctor");
  });
});

describe("the command line", () => {
  it.each([
    [["surplus"]],
    [["--url", "ftp://a.example.com"]],
    [["--url", "gateway"]],
    [["--url", "https://a.example.com/mcp"]],
    [["--url", "https://a.example.com/?x=1"]],
    [["--url", "https://a.example.com/#x"]],
    [["--url", "https://someone@a.example.com"]],
    [["--url", "https://a.example.com", "--state", "x"]],
    [["--state", ""]],
    [["--config", ""]],
    [["--url"]],
  ])("%j is wrong use", (argv) => {
    expect(() => readDoctorArguments(argv, "/cwd")).toThrow(Told);
  });

  it("says what to write for an address that names more than a Worker, and repeats no password", () => {
    for (const url of ["https://a.example.com/mcp", "https://u:hunter2hunter2@a.example.com/admin?x#y"]) {
      const read = () => readDoctorArguments(["--url", url], "/cwd");
      expect(read).toThrow(/write --url https:\/\/a\.example\.com$/);
      expect(read).not.toThrow(/hunter2/);
    }
    for (const url of ["https://a.example.com", "https://a.example.com/", "HTTPS://A.example.com:443"]) {
      expect(readDoctorArguments(["--url", url], "/cwd").url).toBe(url);
    }
  });

  it("means the folder of npm start unless another is named", () => {
    expect(readDoctorArguments([], "/cwd")).toMatchObject({ stateDir: "/cwd/.loomgate", named: {} });
    expect(readDoctorArguments(["--state", "x"], "/cwd")).toMatchObject({
      stateDir: "/cwd/x",
      named: { state: "x" },
    });
  });
});

describe("a state folder", () => {
  const examined = async (stateDir: string, argv: readonly string[] = []) => {
    const args = readDoctorArguments(["--state", stateDir, ...argv], folder);
    const report = await examine(args, { cwd: folder, env: {}, lookup: () => undefined, nowMs: NOW_MS });
    return report.checks;
  };
  const stateWith = (name: string, files: Readonly<Record<string, unknown>>): string => {
    const dir = join(folder, name);
    mkdirSync(dir);
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(dir, file), typeof content === "string" ? content : JSON.stringify(content));
    }
    return dir;
  };
  const devFile = (origin: string): object => ({
    gateway: `${origin}/mcp`,
    proxy: `${origin}/mcp/proxy`,
    admin: `${origin}/admin`,
    token: CLIENT_BEARER,
    operator_token: OPERATOR_BEARER,
    pid: process.pid,
  });
  const text = JSON.stringify({
    mcpServers: { a: { url: "http://127.0.0.1:1/mcp", headers: { K: "${env:DEMO_KEY}" } } },
  });
  const worker = { vars: { LOOMGATE_CONFIG: text }, secrets: { required: ["DEMO_KEY"] } };

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["nothing", {}],
    ["broken", { "dev.json": "{" }],
    ["foreign", { "dev.json": { pid: 1 } }],
    ["dead", { "dev.json": { ...devFile("http://127.0.0.1:1"), pid: 2 ** 22 + 1 } }],
    ["odd", { "dev.json": { ...devFile("x"), admin: "no address" } }],
  ])("where nothing runs that can be read is a failure, since it was named: %s", async (name, files) => {
    const checks = await examined(stateWith(name, files));
    expect(checks).toContainEqual(
      expect.objectContaining({
        check: "deployment.health",
        level: "fail",
        what: expect.stringContaining("nothing runs") as unknown,
      }),
    );
  });

  it("lends its instance's own configuration, bearers and variables", async () => {
    const deployment = await fakeDeployment();
    const state = stateWith("running", { "dev.json": devFile(deployment.origin), "wrangler.json": worker });
    const checks = await examined(state);
    expect(checks.filter(({ level }) => level !== "pass")).toEqual([]);
    expect([...deployment.bearers].sort()).toEqual([CLIENT_BEARER, OPERATOR_BEARER].sort());
    await deployment.close();
  });

  it("tells where its instance runs with another configuration than the file", async () => {
    const deployment = await fakeDeployment();
    const state = stateWith("other", { "dev.json": devFile(deployment.origin), "wrangler.json": worker });
    const checks = await examined(state, ["--config", join(folder, "good.jsonc")]);
    expect(checks.filter(({ level }) => level === "warn")).toMatchObject([{ check: "config.current" }]);
    await deployment.close();
  });
});

describe("a deployment that is looked at without an operator's bearer", () => {
  it.each([
    [["--strict"], "warn", 1],
    [[], "skip", 0],
  ] as const)("is clean only where nobody asked for more: %j", async (more, level, code) => {
    const deployment = await fakeDeployment();
    const argv = ["--url", deployment.origin, "--config", join(folder, "good.jsonc"), ...more];
    const args = readDoctorArguments(argv, folder);
    const report = await examine(args, { cwd: folder, env: {}, lookup: () => undefined, nowMs: NOW_MS });
    await deployment.close();
    expect(report.checks).toContainEqual(expect.objectContaining({ check: "operator.bearer", level }));
    expect(exitCodeOf(report, args.strict)).toBe(code);
  });
});

describe("a bearer in the environment", () => {
  it("that no header can carry is told of, and not shown", async () => {
    const deployment = await fakeDeployment();
    const args = readDoctorArguments(
      ["--url", deployment.origin, "--config", join(folder, "good.jsonc")],
      folder,
    );
    const env = { OPERATOR_TOKEN: `${OPERATOR_BEARER}\n`, LOOMGATE_TOKEN: `${CLIENT_BEARER} ` };
    const report = await examine(args, { cwd: folder, env, lookup: () => undefined, nowMs: NOW_MS });
    const failures = report.checks.filter(({ level }) => level === "fail");
    expect(failures.map(({ subject }) => subject)).toEqual(["OPERATOR_TOKEN", "LOOMGATE_TOKEN"]);
    expect(JSON.stringify(report)).not.toContain(OPERATOR_BEARER);
    expect(deployment.bearers.size).toBe(0);
    await deployment.close();
  });
});
