#!/usr/bin/env node
import { readArguments, USAGE } from "./arguments.ts";
import { Bridge } from "./bridge.ts";
import { checkCredential } from "./check.ts";
import { readCredential } from "./credential.ts";
import { hiding } from "./hiding.ts";
import { Server } from "./server.ts";
import type { Stop } from "./stop.ts";

/** Standard output carries the protocol alone; everything for people goes here. */
function tell(message: string): void {
  process.stderr.write(`loomgate-records: ${message}
`);
}

function write(line: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(
      `${line}
`,
      () => resolve(),
    );
  });
}

function refuse({ exitCode, reason, message }: Stop): number {
  tell(`${reason}: ${message}`);
  if (reason === "usage") process.stderr.write(`${USAGE}\n`);
  return exitCode;
}

async function run(): Promise<number> {
  const command = readArguments(process.argv.slice(2));
  if (!command.ok) return refuse(command.reason);
  if (command.value.kind === "help") {
    process.stderr.write(`${USAGE}\n`);
    return 0;
  }
  const credential = readCredential(process.env);
  if (!credential.ok) return refuse(credential.reason);
  const { bearer } = credential.value;
  const server = new Server(command.value.endpoint, bearer);
  const hide = hiding(bearer);
  const checked = await checkCredential(server, credential.value, Date.now());
  if (!checked.ok) return refuse({ ...checked.reason, message: hide(checked.reason.message) });
  const bridge = new Bridge({
    server,
    write: (line) => write(hide(line)),
    tell: (message) => tell(hide(message)),
  });
  await bridge.serve(process.stdin);
  return 0;
}

// A client that is gone reads no answers: nothing is left to do. Being asked to stop is no failure either.
process.stdout.on("error", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));

// Connections that are kept open would keep the process, too.
process.exit(await run());
