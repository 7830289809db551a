import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";

// A process of its own, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

const MAIN = resolve(import.meta.dirname, "../../../scripts/bench/main.ts");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-test-"));
  const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const tools = ["read_file", "list_folders", "send_letter", "find_route", "read_file"].map((name, at) => ({
    id: `${at}`,
    server: "own",
    name,
    description: `Does ${name.replace("_", " a ")}.`,
    inputSchema,
  }));
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(tools));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", MAIN, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("npm run bench", () => {
  it("prints one JSON document of what was asked for, over a catalog grown from a file", () => {
    const catalog = join(folder, "catalog.json");
    const { status, stdout, stderr } = run("--only", "tokens", "--quick", "--json", "--catalog", catalog);
    expect(stderr).toMatch(/^(tokens: \d+ tools\n){4}$/);
    expect(status).toBe(0);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ catalog: { real_tools: 4 }, quick: true });
    const rows = memberOf(report, "tokens");
    if (!isJsonArray(rows)) throw new Error(stdout);
    expect(rows.map((row) => memberOf(row, "tools"))).toEqual([22, 100, 500, 1000]);
    const [small, , , large] = rows;
    const paid = (row: unknown, key: string): number => Number(memberOf(memberOf(row, key), "median"));
    // What a model pays grows with the catalog where every tool is listed, and does not where one is found.
    expect(paid(large, "list_and_run")).toBeGreaterThan(20 * paid(small, "list_and_run"));
    expect(paid(large, "find_and_run")).toBeLessThan(2 * paid(small, "find_and_run"));
    expect(paid(large, "args_invalid")).toBeGreaterThan(0);
  });

  it("ends with one line and a failure on a catalog that is none", () => {
    writeFileSync(join(folder, "empty.json"), "[]");
    const { status, stdout, stderr } = run("--only", "tokens", "--catalog", join(folder, "empty.json"));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/empty\.json has no tools\n$/);
  });
});
