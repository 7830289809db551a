import { resolve } from "node:path";
import { readCommandLine, Told } from "../command-line.ts";

export interface StartArguments {
  readonly port: number;
  readonly configFile: string | undefined;
  readonly stateDir: string;
}

const USAGE = `usage: npm start -- [--port N] [--config FILE] [--state DIR]
  --port N       the port on 127.0.0.1 (8787)
  --config FILE  your own servers, like loomgate.jsonc; without it three demo servers run
  --state DIR    where bindings, keys and logs are kept (.loomgate)`;

const PORT_DEFAULT = "8787";

/** Reads the command line of `npm start`; paths become absolute. */
export function readArguments(argv: readonly string[], cwd: string): StartArguments {
  const { values, positionals } = readCommandLine(argv, USAGE, {
    port: { type: "string", default: PORT_DEFAULT },
    config: { type: "string" },
    state: { type: "string", default: ".loomgate" },
  });
  const [surplus] = positionals;
  if (surplus !== undefined) throw new Told(`what is ${surplus}?\n${USAGE}`);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535) {
    throw new Told(`--port takes a number from 1 to 65535, not "${values.port}"`);
  }
  if (values.state === "") throw new Told("--state takes a folder");
  return {
    port,
    configFile: values.config === undefined ? undefined : resolve(cwd, values.config),
    stateDir: resolve(cwd, values.state),
  };
}
