import { resolve } from "node:path";
import { readCommandLine, Told } from "../command-line.ts";

export interface EvalArguments {
  readonly source:
    | { readonly kind: "folder"; readonly dir: string }
    | { readonly kind: "pair"; readonly catalog: string; readonly queries: string };
  readonly distractors: string | undefined;
  readonly sets: readonly string[];
  readonly json: boolean;
  readonly explain: string | undefined;
}

const USAGE = `usage: npm run eval -- [--data DIR | --catalog FILE --queries FILE] [--distractors FILE] [--set NAME]… [--explain ID] [--json]
  --data DIR          a folder of sets (the repository's eval/)
  --catalog FILE      one catalog, or a capture.json that names the servers to ask for theirs
  --queries FILE      the queries for it
  --distractors FILE  more tools, to make every set harder
  --set NAME          folder/file or folder; may be repeated (all)
  --explain ID        how the first ten of one query came about, instead of the figures
  --json              for machines`;

/** Reads the command line of `npm run eval`; paths become absolute. */
export function readArguments(argv: readonly string[], cwd: string, ownData: string): EvalArguments {
  const { values, positionals } = readCommandLine(argv, USAGE, {
    data: { type: "string" },
    catalog: { type: "string" },
    queries: { type: "string" },
    distractors: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    explain: { type: "string" },
    json: { type: "boolean", default: false },
  });
  const [surplus] = positionals;
  if (surplus !== undefined) throw new Told(`what is ${surplus}?\n${USAGE}`);
  const { data, catalog, queries, distractors, set: sets, explain, json } = values;
  if ((catalog === undefined) !== (queries === undefined)) {
    throw new Told("--catalog and --queries go together");
  }
  if (data !== undefined && catalog !== undefined) throw new Told("--data or --catalog, not both");
  return {
    source:
      catalog === undefined || queries === undefined
        ? { kind: "folder", dir: data === undefined ? ownData : resolve(cwd, data) }
        : { kind: "pair", catalog: resolve(cwd, catalog), queries: resolve(cwd, queries) },
    distractors: distractors === undefined ? undefined : resolve(cwd, distractors),
    sets,
    explain,
    json,
  };
}
