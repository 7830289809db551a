import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

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

const TYPED = `
import { type Fault, createFault, GENESIS, type ReplayContract } from "loomgate/spine";
import { ChurnHarness } from "loomgate/spine/testkit";
const fault: Fault = createFault({ generation: GENESIS, class: "timeout", code: "deadline", detail: "late" });
const contract: ReplayContract = "convergent";
new ChurnHarness({ maxAttempts: 1, pendingCapacity: 1 }).dispatchFirst(fault.code, contract);
// @ts-expect-error: no such class
createFault({ generation: GENESIS, class: "nothing", code: "deadline", detail: "" });
`;

/** The package as npm would ship it, unpacked where another project would have it. */
describe("the packed package", () => {
  const project = mkdtempSync(join(tmpdir(), "loomgate-package-"));
  const installed = join(project, "node_modules", "loomgate");
  const run = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  beforeAll(() => {
    run("npm", ["pack", "--silent", "--pack-destination", project], ROOT);
    const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
    mkdirSync(installed, { recursive: true });
    run("tar", ["xzf", join(project, tarball), "--strip-components=1", "-C", installed]);
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
  }, 60_000);

  afterAll(() => {
    rmSync(project, { recursive: true, force: true });
  });

  it("runs in plain Node, both exports of it", () => {
    writeFileSync(join(project, "program.mjs"), PROGRAM);
    expect(run(process.execPath, ["program.mjs"]).split("\n")).toEqual([
      "reject_ambiguous_outcome",
      "tools: [1, 2]",
      '{"rejected":[{"id":"a","reason":"ambiguous_outcome"}],"heldForProbe":[]} 0',
      "",
    ]);
  });

  it("has types that a project of its own compiles with", () => {
    writeFileSync(join(project, "typed.ts"), TYPED);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "typed.ts"];
    expect(run(join(ROOT, "node_modules/.bin/tsc"), options)).toBe("");
  });

  it("does what docs/spine.md says", () => {
    const text = readFileSync(join(ROOT, "docs/spine.md"), "utf8");
    const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
    expect(blocks.length).toBe(4);
    for (const [index, code] of blocks.entries()) {
      // Each value that a comment promises is printed behind it, as the comment writes it.
      const promised = [
        ...code.matchAll(/^(.*); \/\/ (\{.*\}|"[^"]*"|\[\]).*$|^(\w+\(.*\));\n((?:\/\/ .*\n)+)/gm),
      ];
      const probes = promised.map(([, short, , long]) => `console.log(show(${short ?? long}));`);
      const wanted = promised.map(
        ([, , value, , lines]) => value ?? lines?.replaceAll(/^\/\/ /gm, "").trim(),
      );
      const rest = promised.reduce((left, [statement]) => left.replace(statement, "@"), code);
      const program = rest
        .split("@")
        .map((part, at) => `${part}${probes[at] ?? ""}`)
        .join("\n");
      const show = `import { inspect } from "node:util";
        const show = (value: unknown): string => typeof value === "string" && value.includes("\\n") ? value
          : inspect(value, { breakLength: Infinity, depth: 9 }).replaceAll("'", '"');\n`;
      writeFileSync(join(project, `doc${index}.ts`), show + program);
      expect(wanted).not.toEqual([]);
      const printed = run(join(ROOT, "node_modules/.bin/tsx"), [`doc${index}.ts`]).trimEnd();
      expect(printed).toBe(wanted.join("\n"));
    }
  });

  it("needs nothing: each of its files imports files of its own alone", () => {
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    const scripts = files.filter((name) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(50);
    for (const name of scripts) {
      const text = readFileSync(join(installed, "dist", name), "utf8");
      for (const [, from = ""] of text.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
        expect(from).toMatch(/^\.{1,2}\//);
    }
  });

  it("brings the skill, and nothing of the Worker", () => {
    const names = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(names).toContain(join("skills", "mcp-bootstrap", "SKILL.md"));
    expect(names.filter((name) => /^(?:src|test|scripts|assets|eval)(?:\/|$)/.test(name))).toEqual([]);
  });
});
