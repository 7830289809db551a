import { PATTERN_MATCH_MIN_STEPS, PATTERN_MAX_VISITED_BITS } from "../limits.ts";
import type { Instruction, LookBody, PatternProgram } from "./pattern-program.ts";

/** What is left of a validation's matcher steps. Shared by all patterns of one validation. */
export interface StepBudget {
  steps: number;
}

/** `exhausted`: the budget, or the memory that remembering every state at every position would take, does not suffice. */
export type MatchOutcome = "match" | "no_match" | "exhausted";

type OneCharacter = Extract<Instruction, { readonly op: "char" }>;
type ZeroWidth = Extract<Instruction, { readonly op: "assert" | "look" }>;

const WORD = /^\w$/;

/**
 * Whether a pattern matches anywhere in a text. Each state is looked at a constant number of times at each position, so the
 * steps are linear in states times positions whatever the pattern: no catastrophic backtracking. That is sound because only the
 * yes or no is asked, and without back-references a state that failed at a position fails there for ever.
 */
export function matchPattern(program: PatternProgram, text: string, budget: StepBudget): MatchOutcome {
  if (program.states * (text.length + 1) > PATTERN_MAX_VISITED_BITS) return "exhausted";
  // Setting up is work too: many short matches of a large pattern must not be free.
  budget.steps -= PATTERN_MATCH_MIN_STEPS;
  const matcher = new Matcher(program, text, budget);
  for (let start = 0; start <= text.length; start += 1) {
    const found = matcher.run(start);
    if (found === undefined) return "exhausted";
    if (found) return "match";
    if (program.unicode && isPairAt(text, start)) start += 1;
  }
  return "no_match";
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

/** Which states, counted from `first`, have been reached at which positions. */
class Reached {
  private readonly first: number;
  private readonly width: number;
  private readonly bits: Uint32Array;

  constructor(first: number, states: number, text: string, budget: StepBudget) {
    this.first = first;
    this.width = text.length + 1;
    this.bits = new Uint32Array(Math.ceil((states * this.width) / 32));
    budget.steps -= Math.ceil((states * this.width) / 1024);
  }

  has(state: number, position: number): boolean {
    const bit = (state - this.first) * this.width + position;
    return ((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** False where it was reached before. */
  add(state: number, position: number): boolean {
    const bit = (state - this.first) * this.width + position;
    const word = this.bits[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    this.bits[bit >>> 5] = word | mask;
    return (word & mask) === 0;
  }
}

class Matcher {
  private readonly program: PatternProgram;
  private readonly text: string;
  private readonly budget: StepBudget;
  private readonly tried: Reached;
  private readonly bodies = new Map<LookBody, Reached>();

  constructor(program: PatternProgram, text: string, budget: StepBudget) {
    this.program = program;
    this.text = text;
    this.budget = budget;
    this.tried = new Reached(0, program.instructions.length, text, budget);
  }

  /** Whether the pattern matches from `start` on; undefined when the budget ends. */
  run(start: number): boolean | undefined {
    const states: number[] = [this.program.entry];
    const positions: number[] = [start];
    for (;;) {
      const state = states.pop();
      const position = positions.pop();
      if (state === undefined || position === undefined) return false;
      if (!this.step()) return undefined;
      const instruction = this.program.instructions[state];
      if (!this.tried.add(state, position) || instruction === undefined) continue;
      if (instruction.op === "accept") return true;
      if (instruction.op === "split") {
        states.push(instruction.second, instruction.first);
        positions.push(position, position);
        continue;
      }
      const character = instruction.op === "char" ? this.characterAfter(position) : "";
      const passes =
        instruction.op === "char" ? isOne(instruction, character) : this.holds(instruction, position);
      if (passes === undefined) return undefined;
      if (!passes) continue;
      states.push(instruction.next);
      positions.push(position + character.length);
    }
  }

  private step(): boolean {
    this.budget.steps -= 1;
    return this.budget.steps >= 0;
  }

  /** Whether what consumes nothing holds at a position; undefined when the budget ends. */
  private holds(instruction: ZeroWidth, position: number): boolean | undefined {
    if (instruction.op === "look") {
      const accepted = this.acceptedBy(instruction.body);
      return accepted && accepted.has(instruction.body.entry, position) !== instruction.negative;
    }
    if (instruction.at === "start") return position === 0;
    if (instruction.at === "end") return position === this.text.length;
    const before = position > 0 && WORD.test(this.text.charAt(position - 1));
    const after = position < this.text.length && WORD.test(this.text.charAt(position));
    return (before !== after) === (instruction.at === "word_boundary");
  }

  /**
   * From where a look-ahead's body gets to its end, found backwards and for all positions at once: asked from each position
   * anew, it would cost the text's length every time. Recurses into look-aheads inside it, whose nesting the parser bounds.
   */
  private acceptedBy(body: LookBody): Reached | undefined {
    const known = this.bodies.get(body);
    if (known !== undefined) return known;
    const { accept, before } = body;
    const reached = new Reached(accept, before.length, this.text, this.budget);
    const states: number[] = [];
    const positions: number[] = [];
    const reach = (state: number, position: number): void => {
      if (!reached.add(state, position)) return;
      states.push(state);
      positions.push(position);
    };
    for (let end = 0; end <= this.text.length; end += 1) reach(accept, end);
    for (;;) {
      const state = states.pop();
      const position = positions.pop();
      if (state === undefined || position === undefined) break;
      const character = this.characterBefore(position);
      for (const earlier of before[state - accept] ?? []) {
        if (!this.step()) return undefined;
        const instruction = this.program.instructions[earlier];
        if (instruction === undefined || instruction.op === "accept") continue;
        if (instruction.op === "split") {
          reach(earlier, position);
        } else if (instruction.op === "char") {
          if (isOne(instruction, character)) reach(earlier, position - character.length);
        } else {
          const passes = this.holds(instruction, position);
          if (passes === undefined) return undefined;
          if (passes) reach(earlier, position);
        }
      }
    }
    this.bodies.set(body, reached);
    return reached;
  }

  /** The character at a position; empty at the end. */
  private characterAfter(position: number): string {
    if (this.program.unicode && isPairAt(this.text, position)) return this.text.slice(position, position + 2);
    return this.text.charAt(position);
  }

  /** The character that ends at a position; empty at the beginning, and between the halves of a pair, where nothing ends. */
  private characterBefore(position: number): string {
    if (position === 0) return "";
    if (!this.program.unicode) return this.text.charAt(position - 1);
    if (isPairAt(this.text, position - 1)) return "";
    if (position > 1 && isPairAt(this.text, position - 2)) return this.text.slice(position - 2, position);
    return this.text.charAt(position - 1);
  }
}

function isOne(instruction: OneCharacter, character: string): boolean {
  return character !== "" && instruction.test(character);
}
