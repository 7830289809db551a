import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/check/run-tool.ts";

const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name));

/** The files that a file imports for more than its types. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const imports = text.matchAll(/^(?:import|export)\s+(?!type\s)(?:[^;"']*?\sfrom\s+)?"(\.[^"]+\.ts)"/gm);
  return [...imports].map(([, path = ""]) => join(file, "..", path));
}

function reachedFrom(...starts: readonly string[]): Set<string> {
  const reached = new Set(starts.map((path) => join(ROOT, path)));
  for (const file of reached) for (const next of importsOf(file)) reached.add(next);
  return new Set([...reached].map((file) => relative(ROOT, file)));
}

describe("the tokenizer, whose vocabulary is large", () => {
  it("is no part of the Worker's code: a static file has it, which is read where something is new", () => {
    const readers = sources.filter((file) => readFileSync(file, "utf8").includes('"js-tiktoken'));
    expect(readers).toEqual([]);
  });

  it("is made by the catalog's object and by nothing else", () => {
    const makers = sources.filter((file) => readFileSync(file, "utf8").includes("cl100kCounter("));
    expect(makers.map((file) => relative(ROOT, file)).sort()).toEqual([
      "src/catalog/refresh/catalog-object.ts",
      "src/tokens/cl100k.ts",
    ]);
  });

  it("is out of reach of what reads catalogs, and the object out of reach of every route", () => {
    const reader = reachedFrom("src/catalog/reader/reader.ts", "src/http/admin-catalog.ts");
    expect(reader).toContain("src/catalog/reader/snapshot-catalog.ts");
    expect([...reader].filter((path) => path.startsWith("src/tokens/"))).toEqual([]);
    const app = reachedFrom("src/http/app.ts");
    expect(app).toContain("src/catalog/reader/reader.ts");
    expect(app).not.toContain("src/catalog/refresh/catalog-object.ts");
    expect(reachedFrom("src/worker.ts")).toContain("src/catalog/refresh/catalog-object.ts");
  });
});
