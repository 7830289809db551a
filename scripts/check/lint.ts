import { execFileSync } from "node:child_process";
import { ROOT, runTool } from "./run-tool.ts";

/** Lints everything git knows or would take, with the layer rules, and fails if a source file was not looked at. */
export function lint(): string[] {
  const run = runTool("oxlint", ["-c", "oxlint.config.mjs", "--format", "json"]);
  const report: unknown = JSON.parse(run.stdout);
  if (!isReport(report)) return ["the linter's report has another shape than expected", run.output];
  const expected = sourceFiles().length;
  const problems = report.diagnostics.map(({ filename, code, message, labels }) => {
    const line = labels[0]?.span.line;
    return `${filename}${line === undefined ? "" : `:${line}`}: ${code}: ${message}`;
  });
  if (report.number_of_files < expected || expected === 0) {
    problems.push(`looked at ${report.number_of_files} files of ${expected}`);
  }
  if (run.code !== 0 && problems.length === 0) problems.push(run.output);
  return problems;
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
  return listed.split("\n").filter((path) => path !== "");
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
