import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchPattern, type MatchOutcome } from "../../src/schema/pattern-match.ts";
import { compilePattern, type PatternProgram } from "../../src/schema/pattern-program.ts";

const words = (text: string): string[] => text.split(" ");

/** One character of a pattern, written in every way there is. */
const unicodeAtom = fc.constantFrom(
  " ",
  ...words(
    String.raw`a b A 1 - é 😀 \n \t \. \/ \\ \$ \x61 \u0062 \u{62} \u{1F600} \uD83D\uDE00 \uD83D \uDE00`,
  ),
  ...words(
    String.raw`\cJ \0 . \w \W \d \D \s \S \p{Lu} \P{L} \p{Script=Latin} [ab] [^ab] [a-c1] [^\d] [\w-]`,
  ),
  ...words(
    String.raw`[\s\S] [] [^] [\]a] [.*+?] [\u{1F600}-\u{1F64F}] [😀é] [^😀] [\uD83D] [\b] [\-a] [\p{L}\d]`,
  ),
);
/** Legal only without the `u` flag. */
const legacyAtom = fc.constantFrom(
  ...words(String.raw`\- \_ \é \a \u \x \p{L} { } ] x{,2} a{ [\-\_] [\w-a] [a\1] \u{2}`),
);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B");
const quantifier = fc.constantFrom("", "", ...words("* + ? {0} {2} {0,1} {1,3} {2,} *? +? ?? {1,2}?"));

function patterns(atom: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ choice: string; sequence: string; term: string }>((tie) => ({
    choice: fc
      .array(tie("sequence"), { minLength: 1, maxLength: 3, depthIdentifier: "pattern" })
      .map((options) => options.join("|")),
    sequence: fc
      .array(tie("term"), { maxLength: 3, depthIdentifier: "pattern" })
      .map((terms) => terms.join("")),
    term: fc.oneof(
      { depthSize: "small", maxDepth: 4, depthIdentifier: "pattern", withCrossShrink: true },
      { weight: 6, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join("")) },
      { weight: 2, arbitrary: assertion },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom("(", "(?:", "(?<n>"), tie("choice"), quantifier)
          .map(([open, body, q]) => `${open}${body})${q}`),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("(?=", "(?!"), tie("choice"))
          .map(([open, body]) => `${open}${body})`),
      },
    ),
  })).choice;
}

const text = fc
  .array(
    fc.constantFrom(..." aabbA1\n\u2028\uFEFFé-./_\0{}\\]uxp".split(""), "😀", "😀", "\uD83D", "\uDE00"),
    {
      maxLength: 7,
    },
  )
  .map((parts) => parts.join(""));

function native(source: string, unicode: boolean, subject: string): MatchOutcome {
  return new RegExp(source, unicode ? "u" : "").test(subject) ? "match" : "no_match";
}

function isLegal(source: string, unicode: boolean): boolean {
  try {
    return new RegExp(source, unicode ? "u" : "") instanceof RegExp;
  } catch {
    return false;
  }
}

/** V8 also looks, and finds empty matches, between the halves of a pair, where ECMA-262 (22.2.7.2) never looks. */
function isDisputed(source: string, subject: string): boolean {
  if (!isLegal(source, true)) return false;
  const at = new RegExp(source, "u").exec(subject)?.index ?? 0;
  return at > 0 && (subject.codePointAt(at - 1) ?? 0) > 0xffff;
}

const seen = { match: 0, no_match: 0, exhausted: 0, pattern_invalid: 0, pattern_unsupported: 0 };

/** What the two say of a pattern and of each text, alike if all is well. */
function answers(source: string, subjects: readonly string[]): { ours: unknown; theirs: unknown } {
  const compiled = compilePattern(source);
  const [modern, older] = [isLegal(source, true), isLegal(source, false)];
  if (!compiled.ok) {
    seen[compiled.reason] += 1;
    const theirs = modern || older ? "pattern_unsupported" : "pattern_invalid";
    return { ours: compiled.reason, theirs };
  }
  const compared = subjects.filter((subject) => !isDisputed(source, subject));
  const outcomes = compared.map((subject) => matchPattern(compiled.value, subject, { steps: 1e7 }));
  for (const outcome of outcomes) seen[outcome] += 1;
  return {
    ours: { unicode: compiled.value.unicode, outcomes },
    theirs: { unicode: modern, outcomes: compared.map((subject) => native(source, modern, subject)) },
  };
}

describe("matchPattern beside the engine's own matcher", () => {
  const subjects = fc.array(text, { minLength: 4, maxLength: 4 });

  it("answers alike for patterns that are legal under the u flag", () => {
    fc.assert(
      fc.property(patterns(unicodeAtom), subjects, (source, texts) => {
        const { ours, theirs } = answers(source, texts);
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 4000 },
    );
    // A generator whose patterns never matched, or always, would compare nothing; one that was refused would be untested.
    expect(Math.min(seen.match, seen.no_match)).toBeGreaterThan(1000);
    expect(seen.pattern_unsupported + seen.exhausted).toBeLessThan(40);
  });

  it("answers alike for patterns that need the older grammar", () => {
    const atom = fc.oneof({ weight: 2, arbitrary: unicodeAtom }, { weight: 1, arbitrary: legacyAtom });
    const before = { ...seen };
    fc.assert(
      fc.property(patterns(atom), subjects, (source, texts) => {
        const { ours, theirs } = answers(source, texts);
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(seen.match - before.match, seen.no_match - before.no_match)).toBeGreaterThan(500);
  });

  it("answers alike on look-aheads inside and beside each other, with loops around them", () => {
    const small = fc.constantFrom("a", "b", "ab", ".", "[ab]", "a|b", "", "\\b", "$");
    const piece = fc
      .tuple(small, quantifier)
      .map(([body, q]) => (/^[\\$]/u.test(body) ? body : `(?:${body})${q}`));
    const look = fc.letrec<{ look: string }>((tie) => ({
      look: fc
        .tuple(fc.constantFrom("(?=", "(?!"), piece, fc.oneof({ maxDepth: 3 }, piece, tie("look")), piece)
        .map(([open, before, middle, after]) => `${open}${before}${middle}${after})`),
    })).look;
    const source = fc
      .tuple(piece, look, piece, look, quantifier, fc.constantFrom("", "^"), fc.constantFrom("", "$"))
      .map(([a, one, b, other, q, start, end]) => `${start}${a}(?:${one}${b}${other}.)${q}${a}${end}`);
    const short = fc
      .array(fc.constantFrom("a", "b", " ", "😀"), { maxLength: 8 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(source, fc.array(short, { minLength: 4, maxLength: 4 }), (pattern, texts) => {
        const { ours, theirs } = answers(pattern, texts);
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("matchPattern's steps", () => {
  const stepsOf = (program: PatternProgram, subject: string): number => {
    const budget = { steps: 1e9 };
    expect(matchPattern(program, subject, budget)).not.toBe("exhausted");
    return 1e9 - budget.steps;
  };

  it.each([
    ["^(?:(?=.*b).)*c$", "b"],
    ["^(?:(?!.*c).)*c$", "b"],
    ["(?:(?=(?:(?=.*b).)*x).)*y", "b"],
    ["(?=(a+)+b)(?=(a+)+c)", "a"],
    ["^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z])(?!.*\\s).{8,64}$", "aB1"],
    ["(?:a|(?=a*b)a|(?!a*b)a)*z", "a"],
  ])("grow with the text and not with its square, look-aheads included: %s", (source, unit) => {
    const compiled = compilePattern(source);
    if (!compiled.ok) throw new Error(compiled.reason);
    const once = stepsOf(compiled.value, unit.repeat(300));
    const fourTimes = stepsOf(compiled.value, unit.repeat(1200));
    expect(fourTimes).toBeLessThanOrEqual(4.2 * once + 64);
  });

  it("are at most three for each state and position, whatever the pattern", () => {
    const repeated = fc.tuple(
      fc.constantFrom("a", "ab", "aab", "a1 ", "😀", "\n"),
      fc.integer({ min: 1, max: 30 }),
    );
    fc.assert(
      fc.property(patterns(unicodeAtom), repeated, (source, [unit, times]) => {
        const compiled = compilePattern(source);
        fc.pre(compiled.ok);
        const subject = `${unit.repeat(times)}!`;
        const bound = compiled.value.states * (subject.length + 1);
        expect(stepsOf(compiled.value, subject)).toBeLessThanOrEqual(3 * bound + 32);
      }),
      { numRuns: 1500 },
    );
  });
});
