import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { capture, catalogRows } from "../../../scripts/capture/capture.ts";
import { readServerList } from "../../../scripts/capture/server-list.ts";
import { Told } from "../../../scripts/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "loomgate-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const memory = {
  name: "notes",
  package: "@modelcontextprotocol/server-memory",
  bin: "dist/index.js",
  args: [],
  env: { MEMORY_FILE_PATH: "{folder}/memory.jsonl" },
};

function listFile(text: string): string {
  const file = join(folder, "capture.json");
  writeFileSync(file, text);
  return file;
}

// A process starts in its own time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("capturing catalogs", () => {
  it("lists a real server's tools once and knows them the next time", async () => {
    const keepIn = join(folder, "kept");
    const first = await capture([memory], { keepIn });
    expect(first[0]?.tools.map(({ name }) => name)).toContain("create_entities");
    const [kept = ""] = readdirSync(keepIn);
    writeFileSync(join(keepIn, kept), JSON.stringify([{ name: "kept" }]));
    expect(await capture([memory], { keepIn })).toEqual([{ name: "notes", tools: [{ name: "kept" }] }]);
  });

  it("starts the server where what was kept cannot be read, or was started otherwise", async () => {
    const keepIn = join(folder, "spoilt");
    await capture([memory], { keepIn });
    const [kept = ""] = readdirSync(keepIn);
    writeFileSync(join(keepIn, kept), "[1");
    const other = { ...memory, env: {} };
    const [again, another] = await capture([memory, other], { keepIn });
    expect(again?.tools.length).toBeGreaterThan(5);
    expect(another?.tools).toEqual(again?.tools);
    expect(readdirSync(keepIn)).toHaveLength(2);
  });

  it.each([
    [{ ...memory, package: "@loomgate/none" }, /@loomgate\/none is not installed/],
    [{ ...memory, bin: "dist/none.js" }, /has no dist\/none.js/],
  ])("fails as a whole where one server cannot be started", async (broken, problem) => {
    const failure = capture([broken, memory]);
    await expect(failure).rejects.toThrow(problem);
    await expect(failure).rejects.toThrow(Told);
  });

  it("names a tool after its server and itself, whatever the tool says its id is", () => {
    const tools = [{ name: "read", id: "x", server: "y", title: "Read" }];
    expect(catalogRows([{ name: "files", tools }])).toEqual([
      { id: "files::read", server: "files", name: "read", title: "Read" },
    ]);
  });
});

describe("a capture.json", () => {
  it("of the repository names six servers", () => {
    const own = readServerList(resolve(import.meta.dirname, "../../../eval/everyday/capture.json"));
    expect(own.map(({ name }) => name)).toEqual([
      "everything",
      "filesystem",
      "memory",
      "playwright",
      "github",
      "git",
    ]);
  });

  it.each([
    "",
    "[]",
    "{}",
    `{"servers": []}`,
    `{"servers": [1]}`,
    `{"servers": [{"name": "a", "package": "p"}]}`,
    `{"servers": [{"name": "a", "package": "p", "bin": "b", "args": [1]}]}`,
    `{"servers": [{"name": "a", "package": "p", "bin": "b", "env": {"A": null}}]}`,
    `{"servers": [{"name": "a", "package": "p", "bin": "b"}, {"name": "a", "package": "p", "bin": "b"}]}`,
  ])("that is malformed is told: %s", (text) => {
    expect(() => readServerList(listFile(text))).toThrow(Told);
  });
});
