import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Told } from "../command-line.ts";

const require = createRequire(import.meta.url);

/** The folder of an installed package; packages need not export their `package.json`. */
export function packageFolder(name: string): string {
  const folders = (require.resolve.paths(name) ?? []).map((modules) => join(modules, name));
  const found = folders.find((folder) => existsSync(join(folder, "package.json")));
  if (found === undefined) throw new Told(`${name} is not installed: run npm install`);
  return found;
}

/** What is installed, with every version; it changes whenever any package does. */
export function installedVersions(): string {
  const file = resolve(import.meta.dirname, "../../node_modules/.package-lock.json");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
