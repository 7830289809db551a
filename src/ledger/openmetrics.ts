/** One metric family in the making (OpenMetrics 1.0 "MetricFamily"). */
export interface Family {
  /** With the unit at its end, and without the suffixes of its samples. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "info" | "stateset" | "summary";
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Behind the family's name: `_total`, `_count`, `_sum`, `_info`, or nothing. */
  readonly suffix: string;
  readonly labels: Labels;
  /** A number as it is written. */
  readonly value: string;
}

export type Labels = Readonly<Record<string, string>>;

export const OPENMETRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** The exposition: each family's metadata and samples together, and the mark of its end. */
export function renderOpenMetrics(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, unit, help, samples }) => [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samples.map(({ suffix, labels, value }) => `${name}${suffix}${labelText(labels)} ${value}`),
  ]);
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

export function counter(labels: Labels, value: number): Sample {
  return { suffix: "_total", labels, value: String(value) };
}

export function gauge(labels: Labels, value: number): Sample {
  return { suffix: "", labels, value: String(value) };
}

/** None of a figure that is not there. */
export function gauges(labels: Labels, value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [gauge(labels, value)];
}

/** One sample for each state there is, 1 for the one that holds. The label has the family's name. */
export function states(
  family: string,
  labels: Labels,
  known: readonly string[],
  current: string,
): readonly Sample[] {
  return known.map((state) => gauge({ ...labels, [family]: state }, state === current ? 1 : 0));
}

/** Whole milliseconds as seconds: moved by three digits, since a division would round what a double holds exactly. */
export function secondsOf(ms: number): string {
  const digits = String(ms).padStart(4, "0");
  const [whole, rest] = [digits.slice(0, -3), digits.slice(-3)];
  return rest === "000" ? whole : `${whole}.${rest}`;
}

/**
 * Texts as values of one label, all different: halves of surrogate pairs, which UTF-8 has no bytes for, are replaced, and
 * what has become equal by that, or by having its secrets taken out, gets a number.
 */
export function distinctLabels(texts: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return texts.map((text) => {
    const base = wellFormed(text);
    let label = base;
    for (let number = 2; taken.has(label); number += 1) label = `${base} (${number})`;
    taken.add(label);
    return label;
  });
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return wellFormed(text)
    .replaceAll("\\", String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`);
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
