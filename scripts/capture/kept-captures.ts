import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonArray, isRecord, type JsonObject } from "../../src/json.ts";
import { installedVersions, packageFolder } from "./installed-package.ts";
import type { ServerToCapture } from "./server-list.ts";

/** Ignored by git, and gone with the packages that the captures were made from. */
export const CAPTURES_FOLDER = resolve(import.meta.dirname, "../../node_modules/.cache/loomgate-captures");

/** Raise it with any change to how servers are started. */
const CAPTURE_VERSION = 1;

/** The tools captured before from this very server, started in this very way, with the packages as they are now. */
export function keptCapture(folder: string, server: ServerToCapture): readonly JsonObject[] | undefined {
  try {
    const tools: unknown = JSON.parse(readFileSync(fileOf(folder, server), "utf8"));
    return isJsonArray(tools) && tools.every(isRecord) ? tools : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a capture. One that cannot be kept costs the next run some seconds and nothing else. */
export function keepCapture(folder: string, server: ServerToCapture, tools: readonly JsonObject[]): void {
  const file = fileOf(folder, server);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporary, JSON.stringify(tools));
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** A server's tools may come from packages that it depends on, so all versions count. */
function fileOf(folder: string, server: ServerToCapture): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([CAPTURE_VERSION, process.version, server]))
    .update(readFileSync(join(packageFolder(server.package), "package.json")))
    .update(installedVersions());
  return join(folder, `${hash.digest("hex")}.json`);
}
