import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { memberOf } from "../../src/json.ts";
import { Told } from "../command-line.ts";

/** The folder of one local instance: its bindings, keys and logs. Everything in it is private to its owner. */
export interface StateFolder {
  readonly dir: string;
  readonly bindings: string;
  readonly logs: string;
  readonly demo: string;
}

export function openState(dir: string): StateFolder {
  if (holdsSomethingElse(dir)) {
    throw new Told(`${dir} is no state folder: name one that is empty or does not exist yet`);
  }
  const folder = { dir, bindings: join(dir, "bindings"), logs: join(dir, "logs"), demo: join(dir, "demo") };
  try {
    for (const path of [dir, folder.bindings, folder.logs, folder.demo]) makeFolder(path);
    closeToOthers(dir);
  } catch (error) {
    throw new Told(
      `${dir} cannot be used as a state folder: ${error instanceof Error ? error.message : "?"}`,
    );
  }
  return folder;
}

/** A folder of somebody's own must not be closed to others, nor be given a `.gitignore` that hides all of it. */
function holdsSomethingElse(dir: string): boolean {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) return false;
  const names = readdirSync(dir);
  return names.length > 0 && !names.includes("bindings");
}

function closeToOthers(dir: string): void {
  // Whatever the folder is called, its keys must not be committed by accident.
  writeFileSync(join(dir, ".gitignore"), "*\n");
  // `mkdir` leaves the mode of a folder that was there already.
  chmodSync(dir, 0o700);
}

/** Folder by folder: Node's recursive `mkdir` never ends where a file system lets nobody make one, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

/** Writes a file nobody else can read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}

/** The instance's own secrets: made once, kept, so that tokens and sessions outlive a restart. */
export interface LocalSecrets {
  readonly LOOMGATE_KEY: string;
  readonly OPERATOR_TOKEN: string;
}

export function localSecrets(state: StateFolder, lookup: (name: string) => string | undefined): LocalSecrets {
  const path = join(state.dir, "secrets.json");
  const kept: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const secret = (name: keyof LocalSecrets): string => {
    const stored = memberOf(kept, name);
    return lookup(name) ?? (typeof stored === "string" ? stored : randomBytes(32).toString("base64url"));
  };
  const secrets = { LOOMGATE_KEY: secret("LOOMGATE_KEY"), OPERATOR_TOKEN: secret("OPERATOR_TOKEN") };
  writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/**
 * Takes the folder for this process: two Workers over one set of bindings would corrupt it. Returns how to give it back.
 * Refuses a folder that another living process has.
 */
export function claimState(state: StateFolder): () => void {
  const path = join(state.dir, "pid");
  try {
    writeFileSync(path, String(process.pid), { mode: 0o600, flag: "wx" });
  } catch {
    const holder = Number(readFileSync(path, "utf8"));
    if (isAlive(holder)) {
      throw new Told(
        `${state.dir} is in use by process ${holder}: stop it, or start with another --state and --port ` +
          `(if that process is something else, delete ${path})`,
      );
    }
    rmSync(path, { force: true });
    writeFileSync(path, String(process.pid), { mode: 0o600, flag: "wx" });
  }
  return () => rmSync(path, { force: true });
}

/** Whether a process of this number lives. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
