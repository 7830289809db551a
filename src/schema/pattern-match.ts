import { PATTERN_MAX_VISITED_BITS } from "../limits.ts";
import type { Instruction, PatternProgram } from "./pattern-program.ts";

/** What is left of a validation's matcher steps. Shared by all patterns of one validation. */
export interface StepBudget {
  steps: number;
}

/** `exhausted`: the budget, or the memory that remembering every state at every position would take, does not suffice. */
export type MatchOutcome = "match" | "no_match" | "exhausted";

const WORD = /^\w$/;

/**
 * Whether a pattern matches anywhere in a text. Each state is tried at most once at each position, so the steps are at most
 * states times positions whatever the pattern (a look-ahead that succeeds is forgotten, and costs that again): no
 * catastrophic backtracking. That is
 * sound because only the yes or no is asked, and without back-references a state that failed at a position fails there for ever.
 */
export function matchPattern(program: PatternProgram, text: string, budget: StepBudget): MatchOutcome {
  if (program.instructions.length * (text.length + 1) > PATTERN_MAX_VISITED_BITS) return "exhausted";
  // Clearing the memory is work too: many short matches of a large pattern must not be free.
  budget.steps -= Math.ceil((program.instructions.length * (text.length + 1)) / 1024);
  const matcher = new Matcher(program, text, budget);
  for (let start = 0; start <= text.length; start += 1) {
    const found = matcher.run(program.entry, start);
    if (found === undefined) return "exhausted";
    if (found) return "match";
    if (program.unicode && isPairAt(text, start)) start += 1;
  }
  return "no_match";
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

class Matcher {
  private readonly program: PatternProgram;
  private readonly text: string;
  private readonly budget: StepBudget;
  private readonly visited: Uint32Array;
  /** Answers of look-ahead bodies, by state and position: the visited bits alone would call a second question a failure. */
  private readonly looked = new Map<number, boolean>();

  constructor(program: PatternProgram, text: string, budget: StepBudget) {
    this.program = program;
    this.text = text;
    this.budget = budget;
    this.visited = new Uint32Array(Math.ceil((program.instructions.length * (text.length + 1)) / 32));
  }

  /**
   * Undefined when the budget ends. Recurses only into look-ahead, whose nesting the parser bounds. `trail` receives
   * the bits that were set.
   */
  run(entry: number, start: number, trail?: number[]): boolean | undefined {
    const states: number[] = [entry];
    const positions: number[] = [start];
    for (;;) {
      const state = states.pop();
      const position = positions.pop();
      if (state === undefined || position === undefined) return false;
      if (this.budget.steps <= 0) return undefined;
      this.budget.steps -= 1;
      const bit = state * (this.text.length + 1) + position;
      if (this.seen(bit)) continue;
      trail?.push(bit);
      const instruction = this.program.instructions[state];
      if (instruction === undefined) continue;
      if (instruction.op === "accept") return true;
      if (instruction.op === "split") {
        states.push(instruction.second, instruction.first);
        positions.push(position, position);
        continue;
      }
      const width =
        instruction.op === "look" ? this.look(instruction, position) : this.width(instruction, position);
      if (width === undefined) return undefined;
      if (width < 0) continue;
      states.push(instruction.next);
      positions.push(position + width);
    }
  }

  private seen(bit: number): boolean {
    const word = this.visited[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    this.visited[bit >>> 5] = word | mask;
    return (word & mask) !== 0;
  }

  /** A bit means "failed here", and what a successful look-ahead passed through did not fail: another may pass there too. */
  private forget(trail: readonly number[]): void {
    for (const bit of trail) {
      this.visited[bit >>> 5] = (this.visited[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
    }
  }

  /** How far the text is consumed; -1 where the instruction does not hold. */
  private width(
    instruction: Extract<Instruction, { readonly op: "char" | "assert" }>,
    position: number,
  ): number {
    if (instruction.op === "assert") return this.holds(instruction.at, position) ? 0 : -1;
    if (position >= this.text.length) return -1;
    const wide = this.program.unicode && isPairAt(this.text, position);
    const character = wide ? this.text.slice(position, position + 2) : this.text.charAt(position);
    return instruction.test(character) ? character.length : -1;
  }

  private holds(at: "start" | "end" | "word_boundary" | "not_word_boundary", position: number): boolean {
    if (at === "start") return position === 0;
    if (at === "end") return position === this.text.length;
    const before = position > 0 && WORD.test(this.text.charAt(position - 1));
    const after = position < this.text.length && WORD.test(this.text.charAt(position));
    return (before !== after) === (at === "word_boundary");
  }

  private look(
    instruction: Extract<Instruction, { readonly op: "look" }>,
    position: number,
  ): number | undefined {
    const key = instruction.body * (this.text.length + 1) + position;
    let found = this.looked.get(key);
    if (found === undefined) {
      const trail: number[] = [];
      found = this.run(instruction.body, position, trail);
      if (found === undefined) return undefined;
      if (found) this.forget(trail);
      this.looked.set(key, found);
    }
    return found === instruction.negative ? -1 : 0;
  }
}
