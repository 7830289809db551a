import type { Atom } from "./atoms.ts";
import type { Steps } from "./match-slot.ts";
import type { TemplateVariable } from "./parse-template.ts";
import type { UriUnits } from "./uri-units.ts";

type Pairs = Extract<Atom, { kind: "pairs" }>;

/** A named value in a URI, from one unit to before another. */
interface Pair {
  readonly variable: TemplateVariable;
  readonly from: number;
  readonly to: number;
}

/** At which units named values, or none, fit, so that what is behind them fits too. */
export function pairsFit(atom: Pairs, units: UriUnits, behind: Uint8Array, steps: Steps): Uint8Array {
  const fits = new Uint8Array(units.count + 1);
  for (let at = 0; at <= units.count && steps.left >= 0; at += 1) {
    if (behind[at] === 1 || readPairs(atom, units, at, behind, steps) !== undefined) fits[at] = 1;
  }
  steps.left -= units.count;
  return fits;
}

/** The most named values that stand at a unit so that what is behind them fits, and where they end. */
export function readPairs(
  atom: Pairs,
  units: UriUnits,
  start: number,
  behind: Uint8Array,
  steps: Steps,
): { readonly end: number; readonly pairs: readonly Pair[] } | undefined {
  const pairs = pairsAt(atom, units, start, steps);
  for (let last = pairs.length - 1; last >= 0; last -= 1) {
    const pair = pairs[last];
    if (pair === undefined) continue;
    for (let end = pair.to; end >= pair.from; end -= 1) {
      steps.left -= 1;
      if (behind[end] === 1) return { end, pairs: [...pairs.slice(0, last), { ...pair, to: end }] };
    }
  }
  return behind[start] === 1 ? { end: start, pairs: [] } : undefined;
}

/** The named values that stand one after another from a unit on, each as long as it may be. */
function pairsAt(
  { operator, variables }: Pairs,
  units: UriUnits,
  start: number,
  steps: Steps,
): readonly Pair[] {
  const { uri, count, offsets, unitAt } = units;
  const charAt = (unit: number) => uri.charAt(offsets[unit] ?? uri.length);
  const left = new Map(variables.map((variable) => [variable.name, variable]));
  const pairs: Pair[] = [];
  let at = start;
  for (let mark: string = operator; charAt(at) === mark; mark = operator === ";" ? ";" : "&") {
    const nameAt = (offsets[at] ?? 0) + 1;
    const name = nameFrom(uri, nameAt);
    steps.left -= name.length + 1;
    const variable = left.get(name);
    let from = unitAt[nameAt + name.length] ?? -1;
    if (variable === undefined || from === -1) break;
    if (charAt(from) === "=") from += 1;
    else if (operator !== ";") break;
    if (!variable.exploded) left.delete(name);
    let to = from;
    if (charAt(from - 1) === "=") while (to < count && inValue(units, to, operator)) to += 1;
    steps.left -= to - from;
    pairs.push({ variable, from, to });
    at = to;
  }
  return pairs;
}

/** What may be a variable's name, as long as it is. */
function nameFrom(uri: string, start: number): string {
  let end = start;
  while (end < uri.length && /[A-Za-z0-9_.%]/.test(uri.charAt(end))) end += 1;
  return uri.slice(start, end);
}

/** Clients leave more unescaped in a query than RFC 6570 does; only what ends a value ends it. */
function inValue({ uri, offsets, any, plain }: UriUnits, unit: number, operator: Pairs["operator"]): boolean {
  if (operator === ";") return plain[unit] === 1 || uri.charAt(offsets[unit] ?? 0) === ",";
  const mark = uri.charAt(offsets[unit] ?? 0);
  return any[unit] === 1 && mark !== "&" && mark !== "#";
}
