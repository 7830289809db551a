import { oneLine } from "../../src/scrub/log-line.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { Told } from "../command-line.ts";
import { type DoctorArguments, readDoctorArguments } from "./arguments.ts";
import { exitCodeOf, type Report, reportLines } from "./report.ts";
import { cut, shown } from "./shown.ts";

/** What a run prints, where, and what it ends with. */
interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1 | 2;
}

const FAULT_MAX_CHARS = 240;

/**
 * One run of the doctor. Never throws: wrong use, and whatever was not foreseen, is an `Outcome` of exit code 2 with nothing
 * on standard output, so that whoever reads JSON there never gets half of something.
 */
export async function runDoctor(
  argv: readonly string[],
  cwd: () => string,
  examine: (args: DoctorArguments, cwd: string) => Promise<Report>,
): Promise<Outcome> {
  try {
    const folder = cwd();
    const args = readDoctorArguments(argv, folder);
    const report = await examine(args, folder);
    const stdout = args.json ? JSON.stringify(report) : reportLines(report).join("\n");
    return { stdout, stderr: "", exitCode: exitCodeOf(report, args.strict) };
  } catch (error) {
    const stderr = error instanceof Told ? redactSecrets(error.message).text : faultLine(error);
    return { stdout: "", stderr, exitCode: 2 };
  }
}

/** A fault of ours in one line: no stack, and nothing in it of what the fault's text may quote. */
export function faultLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : shown(error);
  const words = cut(oneLine(redactSecrets(text).text), FAULT_MAX_CHARS);
  return `the doctor itself failed, and its report is missing: ${words}`;
}
