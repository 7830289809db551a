import { PATTERN_MAX_STATES } from "../limits.ts";
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
  | { readonly op: "look"; readonly negative: boolean; readonly body: number; readonly next: number }
  | { readonly op: "accept" };

export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly entry: number;
  readonly unicode: boolean;
}

/**
 * Turns a pattern into states. They are written from the end to the beginning, each knowing what follows it; counted
 * repetition is written out, so that a pattern's size says what it can cost.
 */
export function compilePattern(source: string): Result<PatternProgram, PatternRefusal> {
  const tree = parsePattern(source);
  if (!tree.ok) return tree;
  const writer = new Writer(tree.value.unicode);
  const entry = writer.write(tree.value.root, writer.add({ op: "accept" }));
  if (writer.overflowed) return fail("pattern_unsupported");
  return ok({ instructions: writer.instructions, entry, unicode: tree.value.unicode });
}

class Writer {
  readonly instructions: Instruction[] = [];
  overflowed = false;
  private readonly unicode: boolean;
  private readonly tests = new Map<string, (character: string) => boolean>();

  constructor(unicode: boolean) {
    this.unicode = unicode;
  }

  add(instruction: Instruction): number {
    if (this.instructions.length >= PATTERN_MAX_STATES) {
      this.overflowed = true;
      return 0;
    }
    this.instructions.push(instruction);
    return this.instructions.length - 1;
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
        const body = this.write(node.body, this.add({ op: "accept" }));
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
    const expression = new RegExp(`^(?:${source})$`, this.unicode ? "u" : "");
    const ascii: (boolean | undefined)[] = Array.from({ length: 128 });
    const test = (character: string): boolean => {
      const unit = character.charCodeAt(0);
      if (unit >= 128) return expression.test(character);
      const remembered = ascii[unit];
      if (remembered !== undefined) return remembered;
      const answer = expression.test(character);
      ascii[unit] = answer;
      return answer;
    };
    this.tests.set(source, test);
    return test;
  }
}
