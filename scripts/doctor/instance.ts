import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { type DevFile, readDevFile } from "../start/dev-file.ts";

/** An instance that `npm start` runs on this machine. */
export interface LocalInstance {
  readonly dev: DevFile;
  /** The text of the configuration that it runs with; undefined where its folder does not tell. */
  readonly configText: string | undefined;
  /** The names of the variables that it was given. */
  readonly variables: ReadonlySet<string>;
}

/** The instance over a state folder; none where none lives, or its files cannot be read. */
export function localInstance(stateDir: string): LocalInstance | undefined {
  const dev = devFileOf(stateDir);
  if (dev === undefined || !URL.canParse(dev.admin)) return undefined;
  const worker = readJsonFile(join(stateDir, "wrangler.json"));
  const configText = memberOf(memberOf(worker, "vars"), "LOOMGATE_CONFIG");
  const names = memberOf(memberOf(worker, "secrets"), "required");
  return {
    dev,
    configText: typeof configText === "string" ? configText : undefined,
    variables: new Set((isJsonArray(names) ? names : []).filter((name) => typeof name === "string")),
  };
}

/** The secrets that a state folder keeps, so that nothing that is printed shows them. */
export function keptSecrets(stateDir: string): readonly string[] {
  const secrets = readJsonFile(join(stateDir, "secrets.json"));
  return Object.values(isRecord(secrets) ? secrets : {}).filter((value) => typeof value === "string");
}

function devFileOf(stateDir: string): DevFile | undefined {
  try {
    return readDevFile(stateDir);
  } catch {
    return undefined;
  }
}

function readJsonFile(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return value;
  } catch {
    return undefined;
  }
}
