import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface StartArguments {
  readonly port: number;
  readonly configFile: string | undefined;
  readonly stateDir: string;
}

export const USAGE = "usage: npm start -- [--port N] [--config FILE] [--state DIR]";

const PORT_DEFAULT = 8787;

/** Reads the command line of `npm start`; paths become absolute. Throws an `Error` whose message is for the person. */
export function readArguments(argv: readonly string[], cwd: string): StartArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      port: { type: "string", default: String(PORT_DEFAULT) },
      config: { type: "string" },
      state: { type: "string", default: ".loomgate" },
    },
  });
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535) {
    throw new Error(`--port takes a number from 1 to 65535, not "${values.port}"`);
  }
  if (values.state === "") throw new Error("--state takes a folder");
  return {
    port,
    configFile: values.config === undefined ? undefined : resolve(cwd, values.config),
    stateDir: resolve(cwd, values.state),
  };
}
