import { Baseline } from "../../eval/methods/bm25.ts";
import { argumentsOf, type BenchEntry, keyOf, placeOf, textOf } from "./bench-entry.ts";

/** Plain BM25 over everything that an entry says: name, title, URI, description, arguments. Its ids are places. */
export function baselineOf(entries: readonly BenchEntry[]): Baseline {
  return new Baseline(
    entries.map((entry) => {
      const names = new Set([keyOf(entry), textOf(entry, "name"), textOf(entry, "title")]);
      const args = argumentsOf(entry).flatMap(({ name, description }) => [name, description]);
      const texts = [textOf(entry, "description"), ...args];
      return {
        id: placeOf(entry.server, keyOf(entry)),
        server: entry.server,
        name: [...names].join(" "),
        description: texts.filter((text) => typeof text === "string").join(" "),
        inputSchema: undefined,
      };
    }),
  );
}
