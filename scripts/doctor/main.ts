import { Told } from "../command-line.ts";
import { environmentLookup } from "../start/configuration.ts";
import { type DoctorArguments, readDoctorArguments } from "./arguments.ts";
import { examine } from "./examine.ts";
import { exitCodeOf, reportLines } from "./report.ts";

const WRONG_USE = 2;

function readOrTell(): DoctorArguments | undefined {
  try {
    return readDoctorArguments(process.argv.slice(2), process.cwd());
  } catch (error) {
    if (!(error instanceof Told)) throw error;
    console.error(error.message);
    process.exitCode = WRONG_USE;
    return undefined;
  }
}

const args = readOrTell();
if (args !== undefined) {
  const cwd = process.cwd();
  const report = await examine(args, {
    cwd,
    env: process.env,
    lookup: environmentLookup(cwd),
    nowMs: Date.now(),
  });
  console.log(args.json ? JSON.stringify(report) : reportLines(report).join("\n"));
  process.exitCode = exitCodeOf(report, args.strict);
}
