import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PATTERN_MAX_STATES, PATTERN_MAX_VISITED_BITS } from "../../src/limits.ts";
import { matchPattern, type MatchOutcome } from "../../src/schema/pattern-match.ts";
import { compilePattern } from "../../src/schema/pattern-program.ts";

function run(source: string, text: string): { outcome: MatchOutcome; steps: number; bound: number } {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.reason}`);
  const budget = { steps: 1e9 };
  const outcome = matchPattern(compiled.value, text, budget);
  return {
    outcome,
    steps: 1e9 - budget.steps,
    bound: compiled.value.instructions.length * (text.length + 1),
  };
}

function isLegal(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Patterns that stop backtracking engines, each with the text that does it. */
const EVIL: readonly (readonly [string, string])[] = [
  ["^(a+)+$", "a"],
  ["^(a*)*$", "a"],
  ["^(a|a)*$", "a"],
  ["^(a|aa)+$", "a"],
  ["^(a?){30}a{30}$", "a"],
  ["^(.*a){20}$", "a"],
  ["(x+x+)+y", "x"],
  ["^([a-zA-Z]+)*$", "a"],
  ["^(\\d+)*$", "1"],
  ["^(\\w+\\s?)*$", "a "],
  ["^\\d+\\d+\\d+$", "1"],
  ["\\s+$", " "],
  ["a+b", "a"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["^([a-z0-9]+([-_.]?[a-z0-9]+)*)+@$", "a"],
  ["^(?:[a-z0-9]+\\.?)*@example$", "a."],
  ["^(([a-z]*)|(\\d*))*$", "a"],
  ["^((ab)*)+c$", "ab"],
  ["^(a|b|ab)*c$", "ab"],
  ["(.*)*=", "x"],
  ["^(0|[1-9]\\d*)*\\.$", "1"],
  ["^(\\/[^/]*)*\\/$x?", "/a"],
  ["^([^,]*,)*[^,]*;$", "a,"],
  ["^(?:(?:a{0,10}){0,10}){0,10}$", "a"],
  ["(?:\\w|\\d|_)+\\.", "a"],
  ["^(?=(a+)+$)b", "a"],
  ["^(?!(a+)+$)", "a"],
  ["<!--.*-->.*<!--.*-->$", "<!--"],
  ["^(\\u0061+)+$", "a"],
  ["^(\\p{L}+)+$", "é"],
  ["^(?<word>\\w+\\W?)+$", "a"],
  ["((a|b)+)+((c|d)+)+e", "ac"],
  ["^(a+)+(b+)+(c+)+$", "abc"],
];

describe("matchPattern", () => {
  it.each(EVIL)("takes at most states times positions steps for %s", (source, unit) => {
    for (const text of [unit.repeat(200), `${unit.repeat(200)}!`, `${unit.repeat(200)}\n`]) {
      const { outcome, steps, bound } = run(source, text);
      expect(outcome).not.toBe("exhausted");
      // Splits push each state twice at most; memory is charged beside the steps, one for a thousand bits.
      expect(steps).toBeLessThanOrEqual(3 * bound + 16);
    }
  });

  it("grows with the text and not with its square, when the text doubles", () => {
    for (const [source, unit] of EVIL) {
      const once = run(source, `${unit.repeat(100)}!`).steps;
      const twice = run(source, `${unit.repeat(200)}!`).steps;
      expect(twice).toBeLessThanOrEqual(2.2 * once + 64);
    }
  });

  it("keeps attacks made from parts within the bound", () => {
    const atom = fc.constantFrom("a", "b", "[ab]", "\\w", ".", "\\d", "(?:a|b)", "(a|ab)");
    const quantifier = fc.constantFrom("", "*", "+", "?", "{2,5}", "{3}");
    const piece = fc.tuple(atom, quantifier).map((parts) => parts.join(""));
    const group = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .chain((pieces) => quantifier.map((q) => `(${pieces.join("")})${q}`));
    const source = fc
      .array(group, { minLength: 1, maxLength: 3 })
      .chain((groups) => quantifier.map((q) => `^(${groups.join("|")})${q}$`));
    fc.assert(
      fc.property(source, fc.constantFrom("a", "ab", "aab", "a1"), (pattern, unit) => {
        const text = `${unit.repeat(40)}!`;
        const { steps, bound } = run(pattern, text);
        expect(steps).toBeLessThanOrEqual(3 * bound + 16);
      }),
      { numRuns: 300 },
    );
  });

  it("answers as the engine's own matcher does", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "1",
      "[ab]",
      "[^a]",
      "\\w",
      ".",
      "\\d",
      "\\s",
      "é",
      "\\u{1F600}",
      "[\\u{1F600}-\\u{1F64F}]",
      "\\x61",
      "\\-",
      "\\/",
      "\\b",
      "\\B",
      "^",
      "$",
      "(?=a)",
      "(?!a.)",
      "(?=.*b)",
      "\\p{Lu}",
      "-",
      "\\.",
    );
    const quantifier = fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "??");
    const term = fc
      .tuple(atom, quantifier)
      .map(([a, q]) => (/^(?:[\^$]|\\[bB]|\(\?[=!])/.test(a) ? a : a + q));
    const sequence = fc.array(term, { maxLength: 5 }).map((terms) => terms.join(""));
    const source = fc
      .tuple(sequence, sequence, sequence, quantifier)
      .map(([a, b, c, q]) => `${a}(${b}|${c})${q}`);
    const text = fc
      .array(fc.constantFrom("a", "b", "A", "1", " ", "\n", "é", "😀", "-", ".", "/", "\ud83d"), {
        maxLength: 8,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        // V8 finds an empty match of `\B` between the halves of a pair, where ECMA-262 never looks.
        fc.pre(!(pattern.includes("\\B") && subject.includes("😀")));
        const compiled = compilePattern(pattern);
        expect(compiled.ok || compiled.reason).not.toBe("pattern_unsupported");
        expect(compiled.ok || isLegal(pattern)).toBe(compiled.ok);
        fc.pre(compiled.ok);
        const native = new RegExp(pattern, compiled.value.unicode ? "u" : "").test(subject);
        expect(matchPattern(compiled.value, subject, { steps: 1e6 })).toBe(native ? "match" : "no_match");
      }),
      { numRuns: 1500 },
    );
  });

  it("forgets a look-ahead that succeeded, so that the next may pass where it passed", () => {
    expect(run("(?=.*c)b", "abc").outcome).toBe("match");
    expect(run("^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$", "abcDEF123").outcome).toBe("match");
    expect(run("^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$", "abcdef123").outcome).toBe("no_match");
    expect(run("^(?!\\.)(?!.*\\.\\.)[\\w.]+@[a-z]+$", "a.b@x").outcome).toBe("match");
    expect(run("^(?!\\.)(?!.*\\.\\.)[\\w.]+@[a-z]+$", "a..b@x").outcome).toBe("no_match");
  });

  it("stops when the budget ends, and before it would need too much memory", () => {
    const compiled = compilePattern("^(a+)+$");
    if (!compiled.ok) throw new Error("does not compile");
    const budget = { steps: 50 };
    expect(matchPattern(compiled.value, "a".repeat(100), budget)).toBe("exhausted");
    const huge = "a".repeat(Math.ceil(PATTERN_MAX_VISITED_BITS / compiled.value.instructions.length));
    const untouched = { steps: 50 };
    expect(matchPattern(compiled.value, huge, untouched)).toBe("exhausted");
    expect(untouched.steps).toBe(50);
  });
});

describe("compilePattern", () => {
  it.each(["(", "[", "a{2,1}", "*", "\\", "(?<n>a)(?<n>b)"])("calls %s invalid", (source) => {
    expect(compilePattern(source)).toEqual({ ok: false, reason: "pattern_invalid" });
  });

  it.each([
    "(a)\\1",
    "(?<=a)b",
    "(?<!a)b",
    "(?<n>a)\\k<n>",
    "(?:(?:a{1000}){1000}){1000}",
    "a{999999999}",
    `a${"b".repeat(5000)}`,
  ])("calls %.40s unsupported", (source) => {
    expect(compilePattern(source)).toEqual({ ok: false, reason: "pattern_unsupported" });
  });

  it("takes what is only legal without the u flag, as code units", () => {
    const compiled = compilePattern("^[\\w-.]+\\@x{,2}$");
    expect(compiled).toMatchObject({ ok: true, value: { unicode: false } });
  });

  it("never writes more states than it may, nor throws on anything", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("ab01{}[]()*+?|^$\\,.-dwsBbpuxkc<>=!:/😀\ud800")) }),
        (source) => {
          const compiled = compilePattern(source);
          expect(compiled.ok ? compiled.value.instructions.length : 0).toBeLessThanOrEqual(
            PATTERN_MAX_STATES,
          );
          expect(["ok", "pattern_invalid", "pattern_unsupported"]).toContain(
            compiled.ok ? "ok" : compiled.reason,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("writes a repeated nothing once, however often it is asked for", () => {
    const compiled = compilePattern("^(?:){999999999}a$");
    expect(compiled.ok && compiled.value.instructions.length).toBeLessThan(10);
  });
});
