import { parseArgs, type ParseArgsConfig } from "node:util";

/** A message for the person at the terminal; anything else that is thrown is a fault of ours and shows its stack. */
export class Told extends Error {}

/**
 * Reads a command line; `tokens` has its words in their order. `--help` prints the usage and ends; an option that is not known is told together with the usage.
 */
export function readCommandLine<Options extends NonNullable<ParseArgsConfig["options"]>>(
  argv: readonly string[],
  usage: string,
  options: Options,
) {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options, tokens: true });
  } catch (error) {
    const [problem = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new Told(`${problem}\n${usage}`);
  }
}

/** Runs a command's work; what it has to tell the person goes to standard error, and the exit code is 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Told ? error.message : error);
    process.exitCode = 1;
  }
}
