import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Told } from "../../command-line.ts";

/** Where a set's tools come from: a file that lists them, or one that names the servers to ask. */
export interface CatalogSource {
  readonly kind: "file" | "capture";
  readonly file: string;
}

/** One query file beside a catalog; the files are not opened yet. */
export interface SetSource {
  /** Folder and query file: `livemcpbench/steps`. */
  readonly name: string;
  readonly catalog: CatalogSource;
  readonly queryFile: string;
}

const LINES = ".jsonl";
const CATALOGS = [
  ["catalog.json", "file"],
  ["catalog.jsonl", "file"],
  ["capture.json", "capture"],
] as const;

/** The sets of a data folder, by name. A folder without queries or without a catalog holds none. */
export function findSets(dataDir: string): SetSource[] {
  const sets = listFolder(dataDir)
    .filter((folder) => statSync(join(dataDir, folder)).isDirectory())
    .flatMap((folder) => setsOfFolder(join(dataDir, folder)));
  if (sets.length === 0) throw new Told(`${dataDir} holds no set: a folder with a catalog and queries`);
  return sets;
}

/** The one set of a catalog and a query file that are given by hand. */
export function pairedSet(catalogFile: string, queryFile: string): SetSource {
  return {
    name: setName(queryFile),
    catalog: { kind: basename(catalogFile) === "capture.json" ? "capture" : "file", file: catalogFile },
    queryFile,
  };
}

/** The sets that are asked for, by name or by folder; all where none is. */
export function chooseSets(sets: readonly SetSource[], names: readonly string[]): readonly SetSource[] {
  const matches = (set: SetSource, name: string): boolean => set.name === name || dirname(set.name) === name;
  const unknown = names.find((name) => !sets.some((set) => matches(set, name)));
  if (unknown !== undefined) {
    throw new Told(`there is no set ${unknown}; there are ${sets.map(({ name }) => name).join(", ")}`);
  }
  return names.length === 0 ? sets : sets.filter((set) => names.some((name) => matches(set, name)));
}

function setsOfFolder(folder: string): SetSource[] {
  const files = listFolder(folder);
  const queryFiles = files.filter((file) => file.endsWith(LINES) && file !== `catalog${LINES}`);
  const found = CATALOGS.find(([file]) => files.includes(file));
  // Lines without a catalog are no claim to be queries: more tools are kept like that, too.
  if (found === undefined) return [];
  const [file, kind] = found;
  const catalog = { kind, file: join(folder, file) };
  return queryFiles.map((name) => {
    const queryFile = join(folder, name);
    return { name: setName(queryFile), catalog, queryFile };
  });
}

function setName(queryFile: string): string {
  return `${basename(dirname(queryFile))}/${basename(queryFile).replace(/\.jsonl?$/, "")}`;
}

function listFolder(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Told(`${folder} is no folder`);
  return readdirSync(folder).sort();
}
