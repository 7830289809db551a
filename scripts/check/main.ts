import { bundle } from "./bundle.ts";
import { configFile } from "./config-file.ts";
import { lint } from "./lint.ts";
import { runTool } from "./run-tool.ts";

/** A check looks at the repository and tells what is wrong, line by line; nothing means clean. */
type Check = () => string[];

const tool =
  (command: string, ...args: string[]): Check =>
  () => {
    const run = runTool(command, args);
    return run.code === 0 ? [] : [run.output.trim()];
  };

const checks: readonly (readonly [string, Check])[] = [
  ["format", tool("oxfmt", "--check")],
  ["lint and layers", lint],
  ["types of the Worker", tool("tsc", "-p", "src/tsconfig.json")],
  ["types of scripts and tests", tool("tsc", "-p", "tsconfig.json")],
  ["types of binding tests", tool("tsc", "-p", "test/workers/tsconfig.json")],
  ["dead code", tool("knip")],
  ["configuration", configFile],
  ["bundle", bundle],
];

let failed = 0;
for (const [name, check] of checks) {
  const problems = check();
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
  if (problems.length > 0) {
    failed += 1;
    console.log(problems.join("\n"));
  }
}
console.log(failed === 0 ? "all checks are clean" : `${failed} of ${checks.length} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
