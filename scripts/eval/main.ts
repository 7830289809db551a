import { resolve } from "node:path";
import { runCommand, Told } from "../command-line.ts";
import { readArguments } from "./arguments.ts";
import { type Corpus, openCorpus } from "./corpus.ts";
import { type ExplainedQuery, explainedJson, explainedText, explainQuery } from "./explain/report.ts";
import { evaluate, evaluateJudged } from "./figures/evaluate.ts";
import { reportJson, reportTable, type SetReport } from "./figures/report.ts";
import { chooseSets, findSets, pairedSet, type SetSource } from "./input/find-sets.ts";
import { type Query, readQueries, unsatisfiable } from "./input/queries.ts";
import { readRows } from "./input/rows.ts";
import { searchIndex } from "./methods/ranking.ts";

const OWN_DATA = resolve(import.meta.dirname, "../../eval");
const WARNINGS_SHOWN = 5;

interface OpenSet {
  readonly name: string;
  readonly queries: readonly Query[];
  readonly corpus: Corpus;
}

function warn(line: string): void {
  console.error(line);
}

function readSet({ name, queryFile }: SetSource, corpus: Corpus): OpenSet {
  const queries = readQueries(readRows(queryFile));
  const lost = unsatisfiable(queries, corpus.ids);
  for (const { query, tool } of lost.slice(0, WARNINGS_SHOWN)) {
    warn(`${name}: ${query}: no tool of the catalog is ${tool}, so it counts as missed`);
  }
  if (lost.length > WARNINGS_SHOWN) warn(`${name}: ${lost.length - WARNINGS_SHOWN} more like that`);
  return { name, queries, corpus };
}

/** The sets one after another, each catalog opened once for all its query files. */
async function* openSets(
  sets: readonly SetSource[],
  distractorFile: string | undefined,
): AsyncGenerator<OpenSet> {
  const distractors = distractorFile === undefined ? [] : readRows(distractorFile);
  let last: { readonly file: string; readonly corpus: Corpus } | undefined;
  for (const set of sets) {
    const { file } = set.catalog;
    if (last?.file !== file) last = { file, corpus: await openCorpus(set.catalog, distractors) };
    yield readSet(set, last.corpus);
  }
}

function report({ name, queries, corpus }: OpenSet): SetReport {
  return {
    name,
    tools: corpus.documents.length,
    queries: queries.length,
    ranking: evaluateJudged(queries, (query) => searchIndex(corpus.index, query)),
    bm25: evaluate(queries, (query) => corpus.baseline.search(query)),
  };
}

await runCommand(async () => {
  const args = readArguments(process.argv.slice(2), process.cwd(), OWN_DATA);
  const { source, explain } = args;
  const found = source.kind === "folder" ? findSets(source.dir) : [pairedSet(source.catalog, source.queries)];
  const sets = openSets(chooseSets(found, args.sets), args.distractors);
  if (explain !== undefined) {
    const explained: ExplainedQuery[] = [];
    for await (const { name, queries, corpus } of sets) {
      for (const query of queries.filter(({ id }) => id === explain)) {
        explained.push(explainQuery(name, query, corpus));
      }
    }
    if (explained.length === 0) throw new Told(`no query of the chosen sets has the id ${explain}`);
    console.log(args.json ? explainedJson(explained) : explainedText(explained));
    return;
  }
  const reports: SetReport[] = [];
  for await (const set of sets) reports.push(report(set));
  console.log(args.json ? reportJson(reports) : reportTable(reports));
});
