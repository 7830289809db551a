import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linkSkills } from "../../../scripts/link-skills/link-skills.ts";

const SKILLS = resolve(import.meta.dirname, "../../../skills");

describe("linking the skills", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "loomgate-skills-"));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it("makes a link that reads what stands in the repository, once, and takes it out again", () => {
    const target = join(home, "deep", "skills");
    const path = join(target, "mcp-bootstrap");
    expect(linkSkills(SKILLS, target)).toEqual([{ path, change: "linked" }]);
    expect(readFileSync(join(path, "SKILL.md"), "utf8")).toContain("name: mcp-bootstrap");
    expect(linkSkills(SKILLS, target)).toEqual([{ path, change: "unchanged" }]);
    expect(linkSkills(SKILLS, target, true)).toEqual([{ path, change: "removed" }]);
    expect([existsSync(path), existsSync(SKILLS)]).toEqual([false, true]);
    expect(linkSkills(SKILLS, target, true)).toEqual([{ path, change: "absent" }]);
  });

  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    [
      "a file",
      (path: string) => {
        writeFileSync(path, "mine");
      },
    ],
    [
      "a link elsewhere",
      (path: string) => {
        symlinkSync("/nowhere", path);
      },
    ],
  ])("replaces %s of somebody's own neither with a link nor by removing it", (_, make) => {
    make(join(home, "mcp-bootstrap"));
    for (const remove of [false, true]) {
      expect(() => linkSkills(SKILLS, home, remove)).toThrow("is not a link to this repository");
    }
  });

  it("is a command that says what it did", () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ["--import", "tsx", "scripts/link-skills/main.ts", ...args], {
        cwd: resolve(SKILLS, ".."),
        env: { ...process.env, HOME: home },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
    expect(() => run(join(home, "elsewhere"))).toThrow(`what is ${join(home, "elsewhere")}?`);
    expect(readdirSync(home)).toEqual([]);
    expect(run()).toBe(`linked: ${join(home, ".claude/skills/mcp-bootstrap")}\n`);
    expect(run()).toBe(`unchanged: ${join(home, ".claude/skills/mcp-bootstrap")}\n`);
    expect(run("--remove")).toBe(`removed: ${join(home, ".claude/skills/mcp-bootstrap")}\n`);
  });
});
