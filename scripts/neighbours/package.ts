import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What is read out of a package of the registry that npm is set up with. */
export interface PackedFile {
  /** `name@version`. */
  readonly spec: string;
  readonly paths: readonly string[];
}

/** Fetches a package into a temporary folder, reads the files as text in order, and removes the folder. */
export function readPacked({ spec, paths }: PackedFile): string[] {
  const folder = mkdtempSync(join(tmpdir(), "loomgate-pack-"));
  try {
    const packed = run("npm", ["pack", spec, "--silent", "--pack-destination", folder]).trim();
    run("tar", ["-xzf", join(folder, packed), "-C", folder]);
    return paths.map((path) => readFileSync(join(folder, "package", path), "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stderr}`);
  return stdout;
}
