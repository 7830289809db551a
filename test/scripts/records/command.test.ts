import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-records-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("npm run records -- manifest", () => {
  it.each([
    ["books.ndjson", '{"a":1}\n{"a":2}\n', "is no JSON text. A manifest is one JSON document"],
    ["twice.json", '{"streams":[],"streams":[]}', "has the member /streams twice"],
  ])("names %s and what is wrong with it, and asks no server", (name, text, told) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const args = ["scripts/records/main.ts", "manifest", file, "--url", "http://127.0.0.1:9"];
    const { status, stderr } = spawnSync(process.execPath, ["--import", "tsx", ...args], {
      cwd: ROOT,
      env: { ...process.env, OPERATOR_TOKEN: "operator" },
      encoding: "utf8",
    });
    expect([status, stderr.startsWith(`${file} ${told}`)]).toEqual([1, true]);
  });
});
