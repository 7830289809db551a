/** A family as it was read. */
export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** What each type's samples may be called behind the family's name. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total"],
  gauge: [""],
  info: ["_info"],
  stateset: [""],
  summary: ["_count", "_sum"],
};
const RESERVED = ["_total", "_created", "_count", "_sum", "_bucket", "_gcount", "_gsum", "_info"];

/**
 * Reads an exposition by OpenMetrics 1.0, and throws at whatever is not in its grammar or against its rules, and at
 * what we never write: timestamps, exemplars, comments. A family is one block, its metadata first.
 */
export function readOpenMetrics(text: string): readonly ReadFamily[] {
  if (/\p{Surrogate}/u.test(text)) throw new Error("not UTF-8");
  if (!text.endsWith("# EOF\n")) throw new Error("no # EOF at the end");
  const lines = text.slice(0, -"# EOF\n".length).split("\n");
  if (lines.pop() !== "") throw new Error("the last line has no end");
  const families: ReadFamily[] = [];
  let at = 0;
  const metadata = (keyword: string, name: string): string | undefined => {
    const beginning = `# ${keyword} ${name} `;
    const line = lines[at];
    if (line?.startsWith(beginning) !== true) return undefined;
    at += 1;
    return line.slice(beginning.length);
  };
  while (at < lines.length) {
    const name = /^# TYPE (\S+) /.exec(lines[at] ?? "")?.[1] ?? "";
    if (!NAME.test(name)) throw new Error(`no family begins at: ${lines[at]}`);
    const type = metadata("TYPE", name) ?? "";
    const suffixes = SUFFIXES[type];
    if (suffixes === undefined) throw new Error(`unknown type ${type}`);
    const unit = metadata("UNIT", name);
    if (unit !== undefined && !name.endsWith(`_${unit}`)) throw new Error(`${name} is not in ${unit}`);
    const help = unescaped(metadata("HELP", name) ?? "");
    if (help === "") throw new Error(`${name} is not documented`);
    const samples: ReadSample[] = [];
    while (at < lines.length && !lines[at]?.startsWith("#")) {
      const sample = readSample(lines[at] ?? "");
      if (!suffixes.some((suffix) => sample.name === name + suffix))
        throw new Error(`${sample.name} in ${name}`);
      samples.push(sample);
      at += 1;
    }
    checkSamples(name, type, samples);
    families.push({ name, type, help, samples, ...(unit === undefined ? {} : { unit }) });
  }
  checkNames(families.map(({ name }) => name));
  return families;
}

function readSample(line: string): ReadSample {
  const name = /^[^{ ]+/.exec(line)?.[0] ?? "";
  if (!NAME.test(name)) throw new Error(`no sample: ${line}`);
  const labels = new Map<string, string>();
  let at = name.length;
  if (line[at] === "{") {
    do {
      const label = /[a-zA-Z_][a-zA-Z0-9_]*/y;
      label.lastIndex = at + 1;
      const key = label.exec(line)?.[0] ?? "";
      at = label.lastIndex;
      const value = /="((?:[^"\\\n]|\\[\\"n])*)"/y;
      value.lastIndex = at;
      const quoted = value.exec(line)?.[1];
      if (!LABEL.test(key) || quoted === undefined || labels.has(key)) throw new Error(`bad labels: ${line}`);
      labels.set(key, unescaped(quoted));
      at = value.lastIndex;
    } while (line[at] === ",");
    if (line[at] !== "}") throw new Error(`labels without end: ${line}`);
    at += 1;
  }
  const value = line.slice(at + 1);
  if (line[at] !== " " || !NUMBER.test(value)) throw new Error(`no value: ${line}`);
  return { name, labels, value };
}

function unescaped(text: string): string {
  if (!/^(?:[^"\\]|\\[\\"n])*$/.test(text)) throw new Error(`badly escaped: ${text}`);
  return text.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
}

function checkSamples(name: string, type: string, samples: readonly ReadSample[]): void {
  const seen = new Set<string>();
  const metrics: string[] = [];
  for (const { name: sample, labels, value } of samples) {
    const key = JSON.stringify([sample, Array.from(labels, (pair) => JSON.stringify(pair)).sort()]);
    if (seen.has(key)) throw new Error(`twice: ${key}`);
    seen.add(key);
    const metric = JSON.stringify(
      Array.from(labels).filter(([label]) => type !== "stateset" || label !== name),
    );
    if (metrics.at(-1) !== metric && metrics.includes(metric)) throw new Error(`interleaved: ${key}`);
    if (metrics.at(-1) !== metric) metrics.push(metric);
    if (type === "stateset" && (!labels.has(name) || !/^[01]$/.test(value)))
      throw new Error(`no state: ${key}`);
    if (type === "info" && value !== "1") throw new Error(`info is ${value}`);
    if (sample.endsWith("_count") && value.includes(".")) throw new Error(`a count of ${value}`);
    if (labels.has("quantile") || labels.has("le")) throw new Error(`reserved label: ${key}`);
  }
}

/** No family may have the name of another one's samples, nor a suffix that is theirs. */
function checkNames(names: readonly string[]): void {
  const taken = new Set<string>();
  for (const name of names) {
    if (taken.has(name)) throw new Error(`two families ${name}`);
    if (RESERVED.some((suffix) => name.endsWith(suffix))) throw new Error(`${name} has a suffix`);
    for (const suffix of ["", ...RESERVED]) taken.add(name + suffix);
  }
}
