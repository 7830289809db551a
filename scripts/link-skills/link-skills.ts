import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { Told } from "../command-line.ts";

/** What became of one skill in a folder of somebody's skills. */
export interface Linked {
  readonly path: string;
  readonly change: "linked" | "unchanged" | "removed" | "absent";
}

/**
 * Links every skill of this repository into a folder of skills, so that what is read there is what stands here. Links that
 * lead elsewhere, files and folders are somebody's own: nothing is replaced, and all of them are told before anything changes.
 */
export function linkSkills(source: string, target: string, remove = false): Linked[] {
  const skills = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const places = skills.map(({ name }) => ({
    from: resolve(source, name),
    path: join(resolve(target), name),
  }));
  const foreign = places.filter(({ from, path }) => !isAbsent(path) && !isOurs(path, from));
  if (foreign.length > 0) {
    throw new Told(
      foreign.map(({ path }) => `${path} is not a link to this repository: move it away first`).join("\n"),
    );
  }
  if (!remove) mkdirSync(target, { recursive: true });
  return places.map(({ from, path }) => {
    const absent = isAbsent(path);
    if (remove) {
      if (!absent) rmSync(path);
      return { path, change: absent ? "absent" : "removed" };
    }
    if (absent) symlinkSync(from, path, "dir");
    return { path, change: absent ? "linked" : "unchanged" };
  });
}

/** A link that leads nowhere is there all the same. */
function isAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

function isOurs(path: string, from: string): boolean {
  return lstatSync(path).isSymbolicLink() && resolve(path, "..", readlinkSync(path)) === from;
}
