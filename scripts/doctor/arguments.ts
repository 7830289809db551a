import { resolve } from "node:path";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { readCommandLine, Told } from "../command-line.ts";
import { DEFAULT_STATE, type Named } from "./advice.ts";

export interface DoctorArguments {
  /** Absolute; undefined where the person named none. */
  readonly configFile: string | undefined;
  readonly stateDir: string;
  /** As written; where a state folder was named, something has to run over it. */
  readonly named: Named;
  readonly url: string | undefined;
  readonly json: boolean;
  readonly strict: boolean;
  readonly refresh: boolean;
}

const USAGE = `usage: npm run doctor [-- --config FILE] [--state DIR | --url URL] [--json] [--strict] [--refresh]
  --config FILE  the configuration to judge (the one that runs locally, else loomgate.jsonc)
  --state DIR    the folder of an instance that npm start runs (.loomgate)
  --url URL      a deployed Worker; OPERATOR_TOKEN and LOOMGATE_TOKEN (a client's bearer) let more be looked at
  --json         print {checks, passed, warnings, failed, skipped}
  --strict       exit with 1 on warnings too
  --refresh      have the servers of what runs listed anew first; nothing else that this command does changes anything`;

/** Reads the command line of `npm run doctor`; throws `Told` on wrong use. */
export function readDoctorArguments(argv: readonly string[], cwd: string): DoctorArguments {
  const { values, positionals } = readCommandLine(argv, USAGE, {
    config: { type: "string" },
    state: { type: "string" },
    url: { type: "string" },
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    refresh: { type: "boolean", default: false },
  });
  const [surplus] = positionals;
  const { config, state, url, json, strict, refresh } = values;
  if (surplus !== undefined) throw new Told(`what is ${surplus}?\n${USAGE}`);
  if (state !== undefined && url !== undefined) throw new Told(`--state or --url, not both\n${USAGE}`);
  if (state === "" || config === "") throw new Told(`--state takes a folder, --config a file\n${USAGE}`);
  if (url !== undefined) checkAddress(url);
  return {
    configFile: config === undefined ? undefined : resolve(cwd, config),
    stateDir: resolve(cwd, state ?? DEFAULT_STATE),
    named: { config, state, url },
    url,
    json,
    strict,
    refresh,
  };
}

/** The doctor asks routes by name; what stands behind a host would be left out in silence, a credential among it. */
function checkAddress(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new Told("--url takes the Worker's address, like https://loomgate.example.workers.dev");
  }
  if (parsed.href !== `${parsed.origin}/`) {
    throw new Told(
      `--url takes the Worker's address alone, without a path: write --url ${redactSecrets(parsed.origin).text}`,
    );
  }
}
