import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readGroups, readTranslations } from "./word-lists.ts";

const WORDS = join(import.meta.dirname, "words");
const LISTS = join(import.meta.dirname, "lists");
const SYNONYMS = "synonyms.txt";
const EVERYDAY = "everyday.txt";

/** The hand-written word lists that go into the table. */
export interface Sources {
  readonly synonyms: readonly (readonly string[])[];
  /** What people say, and the words of tools for it: one way only. */
  readonly everyday: ReadonlyMap<string, readonly string[]>;
  /** One map a language, in order of the files' names. */
  readonly translations: readonly ReadonlyMap<string, readonly string[]>[];
  /** Classes whose members are no neighbours of each other. */
  readonly apart: readonly (readonly string[])[];
  /** Words that belong in the table though a dictionary does not hold them. */
  readonly computing: ReadonlySet<string>;
  /** SHA-256 over all files, so that a changed list is noticed beside a table that was not made anew. */
  readonly digest: Uint8Array;
}

export function readSources(): Sources {
  const read = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8");
  const languages = textFiles(WORDS).filter((name) => name !== SYNONYMS && name !== EVERYDAY);
  return {
    synonyms: readGroups(read(WORDS, SYNONYMS)),
    everyday: readTranslations(read(WORDS, EVERYDAY)),
    translations: languages.map((name) => readTranslations(read(WORDS, name))),
    apart: readGroups(read(LISTS, "apart.txt")),
    computing: new Set(readGroups(read(LISTS, "computing.txt")).flat()),
    digest: digestOf(
      [WORDS, LISTS].flatMap((folder) => textFiles(folder).map((name) => [name, read(folder, name)])),
    ),
  };
}

function textFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort();
}

function digestOf(files: readonly (readonly string[])[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of files.flat()) hash.update(part).update("\0");
  return new Uint8Array(hash.digest());
}
