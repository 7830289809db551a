// Runs one command and ends with whoever started it: its standard input is a pipe that the starter holds, and when that
// breaks, however the starter died, the whole process group goes. A signal to the starter alone could not promise that.
import { spawn } from "node:child_process";

const KILL_AFTER_MS = 3000;
const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
let ending = false;

/** Takes this process with it, too: the group is all that this leash started. */
function killGroup() {
  process.kill(-process.pid, "SIGKILL");
}

function end() {
  if (ending) return;
  ending = true;
  process.on("SIGTERM", () => {});
  process.kill(-process.pid, "SIGTERM");
  setTimeout(killGroup, KILL_AFTER_MS);
}

process.stdin.on("end", end).on("error", end).resume();
child.on("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on("exit", (code) => {
  if (ending) killGroup();
  else process.exit(code ?? 1);
});
