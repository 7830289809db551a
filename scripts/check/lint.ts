import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runTool, type ToolRun } from "./run-tool.ts";

/** Lints everything git knows or would take, with the layer rules, and fails if a source file was not looked at. */
export function lint(): string[] {
  const run = runTool("oxlint", ["-c", "oxlint.config.mjs", "--format", "json"]);
  const files = sourceFiles();
  return [...judgeLint(run, files.length), ...files.flatMap((path) => dynamicImports(path))];
}

/** What is wrong by a linter's run that should have looked at this many files at least. */
export function judgeLint(run: Pick<ToolRun, "code" | "stdout" | "output">, expectedFiles: number): string[] {
  let report: unknown;
  try {
    report = JSON.parse(run.stdout);
  } catch {
    report = undefined;
  }
  if (!isReport(report)) return ["the linter's report has another shape than expected", run.output];
  const problems = report.diagnostics.map(({ filename, code, message, labels }) => {
    const line = labels[0]?.span.line;
    return `${filename}${line === undefined ? "" : `:${line}`}: ${code}: ${message}`;
  });
  if (report.number_of_files < expectedFiles || expectedFiles === 0) {
    problems.push(`looked at ${report.number_of_files} files of ${expectedFiles}`);
  }
  if (run.code !== 0 && problems.length === 0) problems.push(run.output);
  return problems;
}

/** The layer rules see static imports only, so the Worker's code has no others. */
function dynamicImports(path: string): string[] {
  if (!path.startsWith("src/")) return [];
  const lines = readFileSync(join(ROOT, path), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    /\bimport\(/.test(line) ? [`${path}:${index + 1}: a dynamic import escapes the layer rules`] : [],
  );
}

/** The TypeScript files that have to be linted: tracked, or new and not ignored. */
function sourceFiles(): string[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", ":!*.d.ts"],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  return listed.split("\n").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

interface Report {
  readonly number_of_files: number;
  readonly diagnostics: readonly {
    readonly filename: string;
    readonly code: string;
    readonly message: string;
    readonly labels: readonly { readonly span: { readonly line?: number } }[];
  }[];
}

function isReport(value: unknown): value is Report {
  return (
    typeof value === "object" &&
    value !== null &&
    "diagnostics" in value &&
    Array.isArray(value.diagnostics) &&
    "number_of_files" in value &&
    typeof value.number_of_files === "number"
  );
}
