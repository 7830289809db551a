import {
  PATTERN_CLASS_STATES,
  PATTERN_COMPILE_MAX_STATES,
  PATTERN_MAX_STATES,
  PATTERN_PROPERTY_ESCAPE_STATES,
} from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { parsePattern, type PatternNode, type PatternRefusal } from "./pattern-syntax.ts";

/** One state of the matcher. Numbers are the states that follow. */
export type Instruction =
  | { readonly op: "char"; readonly test: (character: string) => boolean; readonly next: number }
  | { readonly op: "split"; readonly first: number; readonly second: number }
  | {
      readonly op: "assert";
      readonly at: "start" | "end" | "word_boundary" | "not_word_boundary";
      readonly next: number;
    }
  | { readonly op: "look"; readonly negative: boolean; readonly body: LookBody; readonly next: number }
  | { readonly op: "accept" };

/** The states of a look-ahead's body, bodies of others inside it included. They follow each other, `accept` first. */
export interface LookBody {
  readonly entry: number;
  readonly accept: number;
  /** For each of them, counted from `accept`, those that lead to it. */
  readonly before: readonly (readonly number[])[];
}

export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly entry: number;
  readonly unicode: boolean;
  /** What it takes in memory: its states, and what classes count as. */
  readonly states: number;
}

/** States that may still be written; shared by all patterns of one schema, and charged for those that are refused as well. */
export interface CompileBudget {
  states: number;
}

/**
 * Turns a pattern into states. They are written from the end to the beginning, each knowing what follows it; counted
 * repetition is written out, so that a pattern's size says what it can cost.
 */
export function compilePattern(
  source: string,
  budget: CompileBudget = { states: PATTERN_COMPILE_MAX_STATES },
): Result<PatternProgram, PatternRefusal> {
  budget.states -= PATTERN_PROPERTY_ESCAPE_STATES * (source.split(/\\[pP]/u).length - 1);
  if (budget.states <= 0) return fail("pattern_unsupported");
  const tree = parsePattern(source);
  if (!tree.ok) return tree;
  const writer = new Writer(tree.value.unicode, budget);
  const entry = writer.write(tree.value.root, writer.add({ op: "accept" }));
  if (writer.overflowed) return fail("pattern_unsupported");
  const { instructions, states } = writer;
  return ok({ instructions, entry, unicode: tree.value.unicode, states });
}

class Writer {
  readonly instructions: Instruction[] = [];
  overflowed = false;
  states = 0;
  private readonly unicode: boolean;
  private readonly budget: CompileBudget;
  private readonly tests = new Map<string, (character: string) => boolean>();

  constructor(unicode: boolean, budget: CompileBudget) {
    this.unicode = unicode;
    this.budget = budget;
  }

  add(instruction: Instruction): number {
    this.charge(1);
    if (this.overflowed) return 0;
    this.instructions.push(instruction);
    return this.instructions.length - 1;
  }

  private charge(states: number): void {
    this.states += states;
    this.budget.states -= states;
    if (this.states > PATTERN_MAX_STATES || this.budget.states < 0) this.overflowed = true;
  }

  /** Writes what matches `node` and then goes on to `next`; returns where that begins. Recursion is bounded by the parser's group depth. */
  write(node: PatternNode, next: number): number {
    if (this.overflowed) return 0;
    let entry = next;
    switch (node.kind) {
      case "atom":
        entry = this.add({ op: "char", test: this.testFor(node.source), next });
        break;
      case "assert":
        entry = this.add({ op: "assert", at: node.at, next });
        break;
      case "look": {
        const accept = this.add({ op: "accept" });
        const body = this.lookBody(this.write(node.body, accept), accept);
        entry = this.add({ op: "look", negative: node.negative, body, next });
        break;
      }
      case "sequence":
        for (const part of node.parts.toReversed()) entry = this.write(part, entry);
        break;
      case "choice":
        entry = this.choice(node.options, next);
        break;
      case "repeat":
        entry = this.repeat(node.body, node.min, node.max, next);
        break;
    }
    return entry;
  }

  private lookBody(entry: number, accept: number): LookBody {
    const states = this.instructions.slice(accept);
    this.charge(states.length);
    const before: number[][] = states.map(() => []);
    for (const [index, instruction] of states.entries()) {
      for (const next of followers(instruction)) before[next - accept]?.push(accept + index);
    }
    return { entry, accept, before };
  }

  private choice(options: readonly PatternNode[], next: number): number {
    const entries = options.map((option) => this.write(option, next));
    return entries.reduceRight((second, first) => this.add({ op: "split", first, second }));
  }

  private repeat(body: PatternNode, min: number, max: number | null, next: number): number {
    let entry = next;
    if (max === null) {
      // The loop's split is written before its body, which has to lead back to it.
      const loop = this.add({ op: "split", first: next, second: next });
      if (this.overflowed) return 0;
      const first = this.write(body, loop);
      this.instructions[loop] = { op: "split", first, second: next };
      entry = loop;
    } else {
      for (let count = min; count < max && !this.overflowed; count += 1) {
        const first = this.write(body, entry);
        entry = this.add({ op: "split", first, second: next });
      }
    }
    for (let count = 0; count < min && !this.overflowed; count += 1) {
      const before = this.instructions.length;
      entry = this.write(body, entry);
      // A body of no states (`(?:){1000000000}`) leads nowhere else however often it stands there.
      if (this.instructions.length === before) break;
    }
    return entry;
  }

  /** One character against the atom's own source, by the engine: classes and escapes mean exactly what they mean natively. */
  private testFor(source: string): (character: string) => boolean {
    const known = this.tests.get(source);
    if (known !== undefined) return known;
    const literal = literalOf(source);
    if (literal === undefined) this.charge(PATTERN_CLASS_STATES);
    const test =
      literal === undefined
        ? classTest(source, this.unicode)
        : (character: string): boolean => character === literal;
    this.tests.set(source, test);
    return test;
  }
}

function followers(instruction: Instruction): readonly number[] {
  if (instruction.op === "accept") return [];
  return instruction.op === "split" ? [instruction.first, instruction.second] : [instruction.next];
}

const ESCAPED = /^\\(?:([$()*+./?[\\\]^{|}-])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))$/u;

/** The one character that an atom matches, where that can be read off: most atoms are such, and need no expression. */
function literalOf(source: string): string | undefined {
  if (source !== "." && /^.$/su.test(source)) return source;
  const [, itself, two, four] = ESCAPED.exec(source) ?? [];
  const hex = two ?? four;
  return hex === undefined ? itself : String.fromCharCode(Number.parseInt(hex, 16));
}

function classTest(source: string, unicode: boolean): (character: string) => boolean {
  const expression = new RegExp(`^(?:${source})$`, unicode ? "u" : "");
  // Asked once for each ASCII character: 1 for no, 2 for yes.
  const ascii = new Uint8Array(128);
  return (character) => {
    const unit = character.charCodeAt(0);
    if (unit >= 128) return expression.test(character);
    if (ascii[unit] === 0) ascii[unit] = expression.test(character) ? 2 : 1;
    return ascii[unit] === 2;
  };
}
