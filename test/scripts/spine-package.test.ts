import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const PROGRAM = `
import { FRESH_ALLOWANCE, renderJsonPorcelain, requestDisposition } from "loomgate/spine";
import { ChurnHarness, dispositionViolations } from "loomgate/spine/testkit";
const host = new ChurnHarness({ maxAttempts: 1, pendingCapacity: 4 });
host.dispatchFirst("a", "never_replay");
console.log(requestDisposition("outcome_unknown", "never_replay", undefined, FRESH_ALLOWANCE));
console.log(renderJsonPorcelain({ tools: [1, 2] }));
console.log(JSON.stringify(host.killWorker()), dispositionViolations(requestDisposition).length);
`;

const PRINTED = [
  "reject_ambiguous_outcome",
  "tools: [1, 2]",
  '{"rejected":[{"id":"a","reason":"ambiguous_outcome"}],"heldForProbe":[]} 0',
  "",
];

const TYPED = `
import { type Fault, createFault, GENESIS, type ReplayContract } from "loomgate/spine";
import { ChurnHarness } from "loomgate/spine/testkit";
const fault: Fault = createFault({ generation: GENESIS, class: "timeout", code: "deadline", detail: "late" });
const contract: ReplayContract = "convergent";
new ChurnHarness({ maxAttempts: 1, pendingCapacity: 1 }).dispatchFirst(fault.code, contract);
// @ts-expect-error: no such class
createFault({ generation: GENESIS, class: "nothing", code: "deadline", detail: "" });
`;

const FRESH = "skills/mcp-bootstrap/references/bootstrap-fresh.md";

const DRIVE = `
import { call } from "./call.ts";
import type { ReplayContract } from "loomgate/spine";
async function drive(name: string, contract: ReplayContract, lost: number, disk = true) {
  const stored: string[] = [];
  let sent = 0;
  const store = async ({ knowledge }: { knowledge: string }) => {
    if (!disk) throw new Error("disk");
    stored.push(knowledge);
  };
  const send = async () => {
    sent += 1;
    if (sent <= lost) throw new Error("gone");
    return "done";
  };
  const end = await call(contract, store, send).catch(String);
  console.log(\`\${contract}, \${name}: \${sent} sent, \${stored.join(" ")}, \${end}\`);
}
await drive("answered", "convergent", 0);
await drive("lost once", "convergent", 1);
await drive("lost", "convergent", 9);
await drive("lost", "probe_required", 9);
await drive("lost", "never_replay", 9);
await drive("not written down", "convergent", 0, false);
`;

function codeIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return Array.from(text.matchAll(/```ts\n([\s\S]*?)```/g), ([, code = ""]) => code);
}

const SHOW = `import { inspect } from "node:util";
  const show = (value: unknown): string => typeof value === "string" && value.includes("\\n") ? value
    : inspect(value, { breakLength: Infinity, depth: 9 }).replaceAll("'", '"');\n`;

/**
 * The code with each statement printed whose value a comment promises, behind it or on the lines below, and what the
 * comments say. A comment may go on after a comma.
 */
function printing(code: string): { readonly program: string; readonly promised: readonly string[] } {
  const promised: string[] = [];
  const program = code.replaceAll(
    /^(if \(.*?\) )?(.*); \/\/ (\{.*\}|"[^"]*"|\[\]|\d+)(?:,.*)?$|^(\w+\(.*\));\n((?:\/\/ .*\n)+)/gm,
    (_, condition = "", short?: string, value?: string, long?: string, lines?: string) => {
      promised.push(value ?? lines?.replaceAll(/^\/\/ /gm, "").trim() ?? "");
      return `${condition}console.log(show(${short ?? long}));\n`;
    },
  );
  return { program: SHOW + program, promised };
}

/** What a clone has of the package; the rest of the repository has no part in it. */
const CLONED = [
  "package.json",
  "tsconfig.base.json",
  "README.md",
  "LICENSE",
  "src",
  "skills",
  "scripts/records-stdio",
];

/** What npm would look up on the network is not there. */
const quiet = (cwd: string) => ({
  cwd,
  env: { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" },
});

/** The package as npm would ship it from a clean clone, unpacked where another project would have it. */
describe("the packed package", () => {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-package-"));
  const clone = join(folder, "clone");
  const project = join(folder, "project");
  const installed = join(project, "node_modules", "loomgate");
  const run = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { ...quiet(cwd), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  beforeAll(() => {
    for (const name of CLONED) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
    mkdirSync(join(clone, "dist"));
    writeFileSync(join(clone, "dist", "renamed-since.js"), "");
    mkdirSync(installed, { recursive: true });
    run("npm", ["pack", "--silent", "--pack-destination", project], clone);
    const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
    run("tar", ["xzf", join(project, tarball), "--strip-components=1", "-C", installed]);
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
  }, 60_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("runs in plain Node, both exports of it", () => {
    writeFileSync(join(project, "program.mjs"), PROGRAM);
    expect(run(process.execPath, ["program.mjs"]).split("\n")).toEqual(PRINTED);
  });

  it("runs in the clone it is built in, by its own name", () => {
    writeFileSync(join(clone, "program.mjs"), PROGRAM);
    expect(run(process.execPath, ["program.mjs"], clone).split("\n")).toEqual(PRINTED);
  });

  it("has types that a project of its own compiles with, and so do the documents' examples", () => {
    writeFileSync(join(project, "typed.ts"), TYPED);
    const examples = [...codeIn("docs/spine.md"), ...codeIn(FRESH)];
    for (const [index, code] of examples.entries()) writeFileSync(join(project, `example${index}.ts`), code);
    const sources = ["typed.ts", ...examples.map((_, index) => `example${index}.ts`)];
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", ...sources];
    expect(run(join(ROOT, "node_modules/.bin/tsc"), options)).toBe("");
  });

  it("does what docs/spine.md says", () => {
    const examples = codeIn("docs/spine.md").map(printing);
    expect(examples.length).toBe(6);
    expect(examples.filter(({ promised }) => promised.length === 0)).toEqual([]);
    for (const [index, { program }] of examples.entries())
      writeFileSync(join(project, `doc${index}.ts`), program);
    const all = examples.map((_, index) => `await import("./doc${index}.ts");`);
    writeFileSync(join(project, "docs.ts"), `${all.join("\n")}\nexport {};`);
    const printed = run(join(ROOT, "node_modules/.bin/tsx"), ["docs.ts"]).trimEnd();
    expect(printed).toBe(examples.flatMap(({ promised }) => promised).join("\n"));
  });

  it("repeats in the skill's own example what may be repeated, and nothing else", () => {
    const blocks = codeIn(FRESH);
    expect(blocks.length).toBe(1);
    writeFileSync(join(project, "call.ts"), blocks.join("\n"));
    writeFileSync(join(project, "drive.ts"), DRIVE);
    expect(run(join(ROOT, "node_modules/.bin/tsx"), ["drive.ts"]).trimEnd().split("\n")).toEqual([
      "convergent, answered: 1 sent, in_flight completed, done",
      "convergent, lost once: 2 sent, in_flight outcome_unknown in_flight completed, done",
      "convergent, lost: 2 sent, in_flight outcome_unknown in_flight outcome_unknown, Error: reject_replay_exhausted",
      "probe_required, lost: 1 sent, in_flight outcome_unknown, Error: hold_for_probe",
      "never_replay, lost: 1 sent, in_flight outcome_unknown, Error: reject_ambiguous_outcome",
      "convergent, not written down: 0 sent, , Error: disk",
    ]);
  });

  it("needs nothing: each of its files and of their types imports files of its own alone", () => {
    const names = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    const modules = names.filter((name) => /\.(?:js|d\.ts)$/.test(name));
    expect(modules.length).toBeGreaterThan(100);
    const imported = modules.flatMap((name) => {
      const text = readFileSync(join(installed, "dist", name), "utf8");
      expect(text).not.toContain("/// <reference");
      return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*(["'])([^"']+)\1/g), ([, , from = ""]) =>
        // Declarations name their modules as the sources do; the compiler finds `x.d.ts` behind `x.ts`.
        from.startsWith(".") ? join(dirname(name), from.replace(/\.ts$/, ".d.ts")) : from,
      );
    });
    expect(imported.length).toBeGreaterThan(100);
    const outside = imported.filter((target) => !modules.includes(target));
    // The stdio adapter is a program of Node's; the exports stand on nothing.
    expect(outside.filter((target) => !target.startsWith("node:"))).toEqual([]);
    const spine = names.filter((name) => /^spine\/.*\.js$/.test(name));
    expect(spine.length).toBeGreaterThan(50);
    const texts = spine.map((name) => readFileSync(join(installed, "dist", name), "utf8"));
    expect(texts.filter((text) => text.includes("node:"))).toEqual([]);
  });

  it("keeps the stdio adapter runnable by its name when it is built again", () => {
    // npx links the clone once and looks at it no more.
    for (let build = 0; build < 2; build += 1) {
      run("npm", ["run", "build", "--silent"], clone);
      const { status, stderr } = spawnSync("npx", ["loomgate-records", "--help"], {
        ...quiet(clone),
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([0, expect.stringMatching(/^usage: /)]);
    }
  }, 60_000);

  it("brings the stdio adapter, which runs where it is installed, and by its name where it was built", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const program = String(memberOf(memberOf(manifest, "bin"), "loomgate-records"));
    const runs = [
      ["npx", ["loomgate-records"], clone],
      [process.execPath, [join(installed, program)], project],
    ] as const;
    for (const [command, args, cwd] of runs) {
      const { status, stdout, stderr } = spawnSync(command, args, { ...quiet(cwd), encoding: "utf8" });
      expect([status, stdout]).toEqual([64, ""]);
      expect(stderr).toContain("--url is missing");
    }
  });

  it("brings what its exports name and the skill, and nothing else", () => {
    expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json", "skills"]);
    expect(readdirSync(join(installed, "skills", "mcp-bootstrap"))).toContain("SKILL.md");
    const dist = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    // What was built of files that are gone since is not in it.
    expect(dist).not.toContain("renamed-since.js");
    expect(dist.filter((name) => name.includes(".") && !/\.(?:js|d\.ts)$/.test(name))).toEqual([]);
  });
});
