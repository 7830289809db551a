/** What an English dictionary knows of words, as far as the neighbour table asks. */
export interface Dictionary {
  /** Whether the word, or what it is a regular form of, is a common word; names of persons and places are none. */
  readonly isCommon: (word: string) => boolean;
  /** Whether the word is known as a name only. */
  readonly isName: (word: string) => boolean;
  readonly areAntonyms: (left: string, right: string) => boolean;
  /** Pairs of words of which one is made from the other: `deploy` and `deployment`. */
  readonly derivations: readonly (readonly [string, string])[];
  /** Synonyms share a sense, of a `kind` one names a kind of the other, siblings are kinds of one thing. */
  readonly relationOf: (left: string, right: string) => "synonyms" | "kind" | "siblings" | "none";
}

interface Synset {
  readonly id: string;
  readonly words: readonly string[];
  readonly pointers: readonly Pointer[];
}

interface Pointer {
  readonly symbol: string;
  readonly target: string;
  /** Index of the words the pointer joins, -1 where it joins the synsets whole. */
  readonly from: number;
  readonly to: number;
}

const ANTONYM = "!";
const DERIVED = "+";
/** Hypernyms of nouns and verbs, and the adjective at the centre of a satellite's cluster. */
const BROADER: ReadonlySet<string> = new Set(["@", "@i", "&"]);

/** Reads the `data.*` files of a WordNet database (wndb(5WN)), given with their part of speech: n, v, a or r. */
export function readDictionary(files: ReadonlyMap<string, string>): Dictionary {
  const synsets = new Map<string, Synset>();
  for (const [part, text] of files) {
    for (const line of text.split("\n")) {
      const synset = /^\d/.test(line) ? readSynset(part, line) : undefined;
      if (synset !== undefined) synsets.set(synset.id, synset);
    }
  }
  const common = new Set<string>();
  const names = new Set<string>();
  const senses = new Map<string, Set<string>>();
  const antonyms = new Set<string>();
  const derivations: (readonly [string, string])[] = [];
  for (const synset of synsets.values()) {
    for (const [index, word] of synset.words.entries()) {
      const lower = word.toLowerCase();
      (word === lower ? common : names).add(lower);
      senses.set(lower, (senses.get(lower) ?? new Set()).add(synset.id));
      for (const pointer of synset.pointers) {
        if (pointer.from !== index) continue;
        const other = synsets.get(pointer.target)?.words[pointer.to]?.toLowerCase();
        if (other === undefined) continue;
        if (pointer.symbol === ANTONYM) antonyms.add(`${lower} ${other}`);
        if (pointer.symbol === DERIVED) derivations.push([lower, other]);
      }
    }
  }
  const sensesOf = memoised(
    (word) => new Set(baseForms(word).flatMap((base) => Array.from(senses.get(base) ?? []))),
  );
  const broader = (ids: ReadonlySet<string>): Set<string> =>
    new Set(
      [...ids]
        .flatMap((id) => synsets.get(id)?.pointers ?? [])
        .filter(({ symbol }) => BROADER.has(symbol))
        .map(({ target }) => target),
    );
  return {
    derivations,
    isCommon: (word) => baseForms(word).some((base) => common.has(base)),
    isName: (word) => names.has(word) && !common.has(word),
    areAntonyms: (left, right) =>
      baseForms(left).some((a) => baseForms(right).some((b) => antonyms.has(`${a} ${b}`))),
    relationOf: (left, right) => {
      const [own, other] = [sensesOf(left), sensesOf(right)];
      if (overlap(own, other)) return "synonyms";
      const [above, otherAbove] = [broader(own), broader(other)];
      if (overlap(above, other) || overlap(own, otherAbove)) return "kind";
      return overlap(above, otherAbove) ? "siblings" : "none";
    },
  };
}

/** `offset lexfile type count(hex) {word lexid} pointers {symbol offset part sourcetarget(hex)} …`. */
function readSynset(part: string, line: string): Synset | undefined {
  const fields = line.split(" ");
  const count = Number.parseInt(fields[3] ?? "", 16);
  const words = Array.from({ length: count }, (_, at) => (fields[4 + 2 * at] ?? "").replace(/\(\w+\)$/, ""));
  const first = 4 + 2 * count;
  const pointers = Array.from({ length: Number(fields[first]) }, (_, index): Pointer => {
    const [symbol = "", offset = "", kind = "", joins = "0000"] = fields.slice(first + 1 + 4 * index);
    return {
      symbol,
      target: `${kind === "s" ? "a" : kind}${offset}`,
      from: Number.parseInt(joins.slice(0, 2), 16) - 1,
      to: Number.parseInt(joins.slice(2), 16) - 1,
    };
  });
  return { id: `${part}${fields[0] ?? ""}`, words, pointers };
}

/** The word and what it may be a regular form of: `folders`, `copied`, `fetching`, `stopped`. */
function baseForms(word: string): string[] {
  const bases = [word];
  for (const [ending, replacements] of [
    ["ies", ["y"]],
    ["es", ["", "e"]],
    ["s", [""]],
    ["ied", ["y"]],
    ["ed", ["", "e"]],
    ["ing", ["", "e"]],
  ] as const) {
    if (!word.endsWith(ending) || word.length - ending.length < 2) continue;
    const root = word.slice(0, -ending.length);
    bases.push(...replacements.map((replacement) => root + replacement));
    if (/([bdfgklmnprt])\1$/.test(root)) bases.push(root.slice(0, -1));
  }
  return bases;
}

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return [...left].some((id) => right.has(id));
}

function memoised<Value>(compute: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    const value = known.get(word) ?? compute(word);
    known.set(word, value);
    return value;
  };
}
