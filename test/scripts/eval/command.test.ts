import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

// Every test is a process of its own, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const MAIN = resolve(import.meta.dirname, "../../../scripts/eval/main.ts");
const tool = (id: string, name: string, description: string) => ({ id, server: "s", name, description });
const lines = (...values: readonly object[]): string =>
  values.map((value) => JSON.stringify(value)).join("\r\n");

let folder = "";

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", MAIN, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-test-"));
  for (const name of ["small", "more"]) mkdirSync(join(folder, name));
  const catalog = [tool("s::read", "read", "Reads a file."), tool("s::send", "send", "Sends a letter.")];
  writeFileSync(join(folder, "small/catalog.json"), JSON.stringify(catalog, null, 1));
  writeFileSync(
    join(folder, "small/plain.jsonl"),
    `\uFEFF${lines(
      { id: "q1", query: "read a file", gold: [{ tool: "read", any_of: ["s::read"] }], note: "ignored" },
      { id: "q2", query: "send", gold: [{ tool: "gone", any_of: ["s::gone"] }] },
      { id: "q3", query: "zebra", gold: [] },
    )}\r\n`,
  );
  writeFileSync(join(folder, "small/broken.jsonl"), `${lines({ id: "b", query: "x", gold: [] })}\n{"id":`);
  writeFileSync(
    join(folder, "more/tools.jsonl"),
    lines(
      tool("m::1", "READ", "Reads more."),
      tool("m::2", "open", "Opens a file."),
      tool("m::2", "open", "Again."),
    ),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("npm run eval", () => {
  it("prints one JSON document and nothing else, and warns beside it", () => {
    const { status, stdout, stderr } = run("--data", folder, "--set", "small/plain", "--json");
    expect(status).toBe(0);
    const figures = { "recall@1": 0.5, "recall@3": 0.5, "recall@5": 0.5, "recall@10": 0.5 };
    const all = { ...figures, "hit@5": 0.5, mrr: 0.5, "ndcg@5": 0.5 };
    expect(JSON.parse(stdout)).toEqual({
      sets: [
        {
          name: "small/plain",
          tools: 2,
          queries: 3,
          ranking: { ...all, answerable: 2, flagged: 0, declined: 1, unanswerable: 1, ambiguous: 0 },
          bm25: all,
        },
      ],
      all: { answerable: 2, flagged: 0, unanswerable: 1, declined: 1 },
    });
    expect(stderr).toBe("small/plain: q2: no tool of the catalog is gone, so it counts as missed\n");
  });

  it("takes a pair of files, with distractors around them, and prints a table", () => {
    const catalog = ["--catalog", join(folder, "small/catalog.json")];
    const queries = ["--queries", join(folder, "small/plain.jsonl")];
    const distractors = ["--distractors", join(folder, "more/tools.jsonl")];
    const { status, stdout } = run(...catalog, ...queries, ...distractors);
    expect(status).toBe(0);
    expect(stdout.split("\n")[1]).toMatch(/^small\/plain +3 +3 +ranking +0\.500 .* 1 of 1$/);
  });

  it("explains one query, as text and as JSON", () => {
    const args = ["--data", folder, "--set", "small/plain", "--explain", "q1"];
    expect(run(...args).stdout).toMatch(/^1\. \d\.\d{4} s::read {2}<- needed$/m);
    const parsed: unknown = JSON.parse(run(...args, "--json").stdout);
    expect(parsed).toMatchObject({ explained: [{ set: "small/plain", id: "q1", gold: [{ rank: 1 }] }] });
  });

  it.each([
    [["--set", "small/none"], /^there is no set small\/none; there are small\/broken, small\/plain\n$/],
    [["--set", "small/broken"], /broken\.jsonl:2: is no JSON\n$/],
    [["--set", "small/plain", "--explain", "q9"], /^no query of the chosen sets has the id q9\n$/m],
    [["--catalog", "x"], /^--catalog and --queries go together\n$/],
    [["--distractors", "/nowhere/x.jsonl", "--set", "small/plain"], /^\/nowhere\/x\.jsonl: cannot be read/],
  ])("ends with one line and a failure on %j", (args, problem) => {
    const { status, stdout, stderr } = run(...(args[0] === "--catalog" ? [] : ["--data", folder]), ...args);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(problem);
    expect(stderr).not.toContain("    at ");
  });
});
