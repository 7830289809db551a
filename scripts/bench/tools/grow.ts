import { type BenchTool, byServer, nameOf, textsOf } from "./bench-tool.ts";
import { type Random, seededRandom, shuffled } from "./random.ts";
import { replaceInTool } from "./replace-in-tool.ts";
import { Vocabulary } from "./vocabulary.ts";
import { singularOf, wordsOf } from "./words.ts";

const SEED = 20_251_127;
/** A word of so many servers is everybody's: those stay. */
const COMMON_SERVERS = 3;
const SHORTEST_REPLACED = 4;
/** Share of a server's other own words that are replaced, too, beside what its tools' names are about. */
const REPLACED_SHARE = 0.6;
/** Grown servers have 1 to so many tools: 7 in the mean, as in real catalogs. */
const SERVER_MAX_TOOLS = 13;
const DRAWS_PER_WORD = 20;

/**
 * So many tools, always the same: the real ones, whole servers in chance order, and, where those are too few, servers grown
 * from them. A grown server has some tools of a real one in which its own words (what the tools' names are about, and most
 * others that no two more servers have) are replaced by words of the list, the same one in the same place throughout the
 * server. Verbs and what all servers say stay. No tool is like another in name, description and schema. A smaller catalog
 * is the beginning of a larger one.
 */
export function growCatalog(
  real: readonly BenchTool[],
  count: number,
  words: readonly string[],
): BenchTool[] {
  const random = seededRandom(SEED);
  const servers = shuffled([...byServer(real).values()], random);
  const tools = servers.flat().slice(0, count);
  if (tools.length === 0 || tools.length === count) return tools;
  const vocabulary = new Vocabulary(words, random);
  for (const tool of tools) vocabulary.note(textsOf(tool).flatMap(wordsOf));
  const common = commonWords(servers);
  const taken = { servers: new Set(byServer(real).keys()), tools: new Set(real.map(likenessOf)) };
  for (let turn = 0; tools.length < count; turn += 1) {
    const source = servers[turn % servers.length] ?? [];
    const grown = growServer(someOf(source, random), { common, vocabulary, random, taken });
    for (const tool of grown) vocabulary.note(textsOf(tool).flatMap(wordsOf));
    tools.push(...grown.slice(0, count - tools.length));
  }
  return tools;
}

interface Growing {
  readonly common: ReadonlySet<string>;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
  readonly taken: { readonly servers: Set<string>; readonly tools: Set<string> };
}

/** Two tools are alike if a model could not tell them apart but for their servers. */
export function likenessOf({ definition }: BenchTool): string {
  return JSON.stringify([definition["name"], definition["description"], definition["inputSchema"]]);
}

function commonWords(servers: readonly (readonly BenchTool[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const tools of servers) {
    for (const word of new Set(tools.flatMap(singulars))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([word, count]) => (count >= COMMON_SERVERS ? [word] : [])));
}

function singulars(tool: BenchTool): string[] {
  return textsOf(tool).flatMap(wordsOf).map(singularOf);
}

/** Some tools of a server, in its order. */
function someOf(tools: readonly BenchTool[], random: Random): BenchTool[] {
  const count = 1 + random.below(Math.min(tools.length, SERVER_MAX_TOOLS));
  const places = shuffled([...tools.keys()], random).slice(0, count);
  return places.sort((left, right) => left - right).flatMap((place) => tools[place] ?? []);
}

function growServer(source: readonly BenchTool[], growing: Growing): BenchTool[] {
  const server = nameServer(growing);
  const others = otherWords(source, growing);
  return source.map((tool) => {
    const definition = replaceInTool(tool.definition, others);
    return distinct({ server, definition }, growing);
  });
}

function nameServer({ vocabulary, taken }: Growing): string {
  let name = vocabulary.draw();
  while (taken.servers.has(name)) name = `${name}-${vocabulary.draw()}`;
  taken.servers.add(name);
  return name;
}

/** What each of the server's own words becomes. Two never become one. */
function otherWords(source: readonly BenchTool[], growing: Growing): ReadonlyMap<string, string> {
  const { common, vocabulary, random } = growing;
  const objects = new Set(source.flatMap((tool) => wordsOf(nameOf(tool)).slice(1).map(singularOf)));
  const verbs = new Set(source.flatMap((tool) => wordsOf(nameOf(tool)).slice(0, 1).map(singularOf)));
  const own = [...new Set(source.flatMap(singulars))];
  const used = new Set(own);
  const others = new Map<string, string>();
  for (const word of own) {
    if (word.length < SHORTEST_REPLACED || verbs.has(word)) continue;
    if (!objects.has(word) && (common.has(word) || random.next() >= REPLACED_SHARE)) continue;
    for (let draw = 0; draw < DRAWS_PER_WORD; draw += 1) {
      const other = singularOf(vocabulary.draw());
      if (used.has(other)) continue;
      used.add(other);
      others.set(word, other);
      break;
    }
  }
  return others;
}

/** The tool, with more in its name if there is one like it. */
function distinct(tool: BenchTool, { vocabulary, taken }: Growing): BenchTool {
  const definition = { ...tool.definition };
  const made = { server: tool.server, definition };
  while (taken.tools.has(likenessOf(made))) definition["name"] = `${nameOf(made)}_${vocabulary.draw()}`;
  taken.tools.add(likenessOf(made));
  return made;
}
