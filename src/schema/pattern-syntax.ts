import { PATTERN_MAX_CHARS, PATTERN_MAX_GROUP_DEPTH } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";

/** A regular expression as a tree. An atom is the source of something that matches exactly one character. */
export type PatternNode =
  | { readonly kind: "atom"; readonly source: string }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "word_boundary" | "not_word_boundary" }
  | { readonly kind: "look"; readonly negative: boolean; readonly body: PatternNode }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number | null;
    };

export type PatternRefusal = "pattern_invalid" | "pattern_unsupported";

export interface PatternTree {
  readonly root: PatternNode;
  /** Characters are code points (the `u` flag, as JSON Schema recommends) or, for a pattern only legal without it, code units. */
  readonly unicode: boolean;
}

const QUANTIFIER = /[*+?]|\{(\d{1,9})(?:(,)(\d{1,9})?)?\}/uy;
const ESCAPE_UNICODE =
  /\\(?:u\{[0-9a-fA-F]{1,6}\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]{1,64}\}|0(?![0-9])|[^1-9kupPxc0])/suy;
const ESCAPE_LEGACY = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?![0-9])|[^1-9kc0])/sy;

/**
 * Reads an ECMA-262 pattern, first under the `u` flag and, where that refuses it, without. The engine's own compiler
 * decides what is legal, so the parser below only has to find where things end; back-references, look-behind and
 * inline modifiers are legal and unsupported. Compiling runs nothing, so it is safe on hostile text.
 */
export function parsePattern(source: string): Result<PatternTree, PatternRefusal> {
  if (source.length > PATTERN_MAX_CHARS) return fail("pattern_unsupported");
  for (const unicode of [true, false]) {
    if (!compiles(source, unicode)) continue;
    const root = new Parser(source, unicode).parse();
    return root === undefined ? fail("pattern_unsupported") : ok({ root, unicode });
  }
  return fail("pattern_invalid");
}

function compiles(source: string, unicode: boolean): boolean {
  try {
    return new RegExp(source, unicode ? "u" : "") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Recursive descent over text that is known to be legal; undefined means a construct that is not supported. */
class Parser {
  private readonly source: string;
  private readonly unicode: boolean;
  private position = 0;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
  }

  parse(): PatternNode | undefined {
    const root = this.choice(0);
    return this.position === this.source.length ? root : undefined;
  }

  private choice(depth: number): PatternNode | undefined {
    if (depth > PATTERN_MAX_GROUP_DEPTH) return undefined;
    const options: PatternNode[] = [];
    for (;;) {
      const option = this.sequence(depth);
      if (option === undefined) return undefined;
      options.push(option);
      if (this.source[this.position] !== "|") break;
      this.position += 1;
    }
    const [only] = options;
    return options.length === 1 ? only : { kind: "choice", options };
  }

  private sequence(depth: number): PatternNode | undefined {
    const parts: PatternNode[] = [];
    while (this.position < this.source.length && !"|)".includes(this.source.charAt(this.position))) {
      const part = this.term(depth);
      if (part === undefined) return undefined;
      const repeated = this.quantified(part);
      parts.push(repeated);
    }
    return { kind: "sequence", parts };
  }

  private quantified(body: PatternNode): PatternNode {
    const quantifier = this.match(QUANTIFIER);
    if (quantifier === null) return body;
    if (this.source[this.position] === "?") this.position += 1;
    const [text, min, comma, max] = quantifier;
    if (text === "*") return { kind: "repeat", body, min: 0, max: null };
    if (text === "+") return { kind: "repeat", body, min: 1, max: null };
    if (text === "?") return { kind: "repeat", body, min: 0, max: 1 };
    const least = Number(min);
    const most = comma === undefined ? least : max === undefined ? null : Number(max);
    return { kind: "repeat", body, min: least, max: most };
  }

  private term(depth: number): PatternNode | undefined {
    const character = this.source[this.position];
    if (character === "(") return this.group(depth);
    if (character === "[") return this.characterClass();
    if (character === "\\") return this.escape();
    if (character === "^" || character === "$") {
      this.position += 1;
      return { kind: "assert", at: character === "^" ? "start" : "end" };
    }
    const code = this.unicode
      ? this.source.codePointAt(this.position)
      : this.source.charCodeAt(this.position);
    const literal = String.fromCodePoint(code ?? 0);
    this.position += literal.length;
    return { kind: "atom", source: "{}]".includes(literal) ? `\\${literal}` : literal };
  }

  private group(depth: number): PatternNode | undefined {
    const opening = this.match(/\((?:\?(?:([:=!])|<[^=!>][^>]*>))?/uy);
    if (opening === null || (opening[0] === "(" && this.source[this.position] === "?")) return undefined;
    const body = this.choice(depth + 1);
    if (body === undefined || this.source[this.position] !== ")") return undefined;
    this.position += 1;
    const mark = opening[1];
    return mark === "=" || mark === "!" ? { kind: "look", negative: mark === "!", body } : body;
  }

  private characterClass(): PatternNode | undefined {
    const start = this.position;
    for (let index = start + 1; index < this.source.length; index += 1) {
      const character = this.source[index];
      if (character === "\\") index += 1;
      else if (character === "]") {
        this.position = index + 1;
        return { kind: "atom", source: this.source.slice(start, this.position) };
      }
    }
    return undefined;
  }

  private escape(): PatternNode | undefined {
    if (this.source[this.position + 1] === "b" || this.source[this.position + 1] === "B") {
      const at = this.source[this.position + 1] === "b" ? "word_boundary" : "not_word_boundary";
      this.position += 2;
      return { kind: "assert", at };
    }
    const escaped = this.match(this.unicode ? ESCAPE_UNICODE : ESCAPE_LEGACY);
    return escaped === null ? undefined : { kind: "atom", source: escaped[0] };
  }

  private match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.position;
    const found = expression.exec(this.source);
    if (found !== null) this.position += found[0].length;
    return found;
  }
}
