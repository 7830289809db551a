import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readQueries } from "../eval/input/queries.ts";
import { parseRows } from "../eval/input/rows.ts";
import { type BenchTool, descriptionOf, nameOf } from "./tools/bench-tool.ts";
import { type Random, seededRandom } from "./tools/random.ts";
import { wordsOf } from "./tools/words.ts";

/** The half of the repository's own queries that may be looked at at any time. */
const TUNING = resolve(import.meta.dirname, "../../eval/everyday/tuning.jsonl");
const SEED = 71;
const MADE_TOOLS = 60;
const SENTENCE_MAX_WORDS = 14;
const TASK_SENTENCES = 6;

/**
 * The mix of queries that everything is measured with: 75 that people wrote (paraphrases, other languages, slips, names, and
 * some that no tool serves), and for 60 tools of the catalog one made from the tool: its name, its name as words, its
 * first sentence, its name with a slip, or a task of six sentences.
 */
export function queryMix(tools: readonly BenchTool[]): string[] {
  const written = readQueries(parseRows(readFileSync(TUNING, "utf8"), TUNING)).map(({ query }) => query);
  return [...written, ...madeQueries(tools.slice(0, MADE_TOOLS))];
}

/** One query a tool, of five kinds in turn. */
export function madeQueries(tools: readonly BenchTool[]): string[] {
  const random = seededRandom(SEED);
  const sentences = tools.map((tool) => sentenceOf(tool));
  return tools.map((tool, at) => {
    const words = wordsOf(nameOf(tool)).join(" ");
    switch (at % 5) {
      case 0:
        return nameOf(tool);
      case 1:
        return words;
      case 2:
        return sentences[at] ?? words;
      case 3:
        return withSlip(words, random);
      default:
        return sentences.slice(Math.max(0, at - TASK_SENTENCES + 1), at + 1).join(". ");
    }
  });
}

function sentenceOf(tool: BenchTool): string {
  const [sentence = ""] = descriptionOf(tool).split(/[.\n]/);
  return sentence.split(/\s+/).slice(0, SENTENCE_MAX_WORDS).join(" ");
}

/** Two neighbouring letters changed about. */
function withSlip(text: string, random: Random): string {
  const at = random.below(Math.max(1, text.length - 1));
  return `${text.slice(0, at)}${text.charAt(at + 1)}${text.charAt(at)}${text.slice(at + 2)}`;
}
