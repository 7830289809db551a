import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../src/json.ts";
import { isAlive, type StateFolder, writePrivateFile } from "./state.ts";

/** What `DIR/dev.json` tells other programs of this machine. A key appears with its surface. */
export interface DevFile {
  readonly gateway: string;
  readonly proxy: string;
  /** Absent where the instance has no records to read. */
  readonly records?: string;
  readonly admin: string;
  readonly token: string;
  readonly records_token?: string;
  readonly operator_token: string;
  readonly pid: number;
}

export function writeDevFile(state: StateFolder, content: DevFile): void {
  writePrivateFile(join(state.dir, "dev.json"), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeDevFile(state: StateFolder): void {
  rmSync(join(state.dir, "dev.json"), { force: true });
}

/** The instance that runs over a state folder; none where its process has died without removing the file. */
export function readDevFile(stateDir: string): DevFile | undefined {
  const path = join(stateDir, "dev.json");
  if (!existsSync(path)) return undefined;
  const content: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isDevFile(content) && isAlive(content.pid) ? content : undefined;
}

function isDevFile(content: unknown): content is DevFile {
  if (!isRecord(content) || typeof content["pid"] !== "number") return false;
  return ["gateway", "proxy", "admin", "token", "operator_token"].every(
    (key) => typeof content[key] === "string",
  );
}
