import { environmentLookup } from "../start/configuration.ts";
import { examine } from "./examine.ts";
import { faultLine, runDoctor } from "./run.ts";

// What nobody waits for may fail too, behind the back of the run: that is no other fault.
process.on("uncaughtException", (error) => {
  console.error(faultLine(error));
  process.exit(2);
});

const { stdout, stderr, exitCode } = await runDoctor(
  process.argv.slice(2),
  () => process.cwd(),
  async (args, cwd) =>
    examine(args, { cwd, env: process.env, lookup: environmentLookup(cwd), nowMs: Date.now() }),
);
if (stdout !== "") console.log(stdout);
if (stderr !== "") console.error(stderr);
process.exitCode = exitCode;
