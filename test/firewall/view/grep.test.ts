import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Selector } from "../../../src/firewall/view/selector.ts";
import { VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { follow, isWellFormed, look, refused, textArtifact, textsOf } from "./look.ts";

const grep = (pattern: string, more: object = {}): Selector => ({
  type: "grep",
  pattern,
  context: 0,
  ignore_case: false,
  ...more,
});
const LOG = ["start", "error one", "fine", "fine too", "ERROR two", "end"].join("\n");

/** The matching lines of an answer, without its last line. */
const found = (text: string | undefined) => (text ?? "").split("\n").slice(0, -1);

describe("grep", () => {
  it("shows matching lines with their numbers, and what was searched", () => {
    const artifact = textArtifact(LOG);
    expect(look(artifact, grep("error"))).toEqual({
      text: "1: error one\n(lines 0-5 of 6: 1 match)",
      media_type: "text/plain",
      selector: grep("error"),
      total: { bytes: artifact.bytes.length, lines: 6 },
    });
    expect(look(artifact, grep("error", { ignore_case: true })).text).toBe(
      "1: error one\n4: ERROR two\n(lines 0-5 of 6: 2 match)",
    );
    expect(look(artifact, grep("^fine$")).text).toBe("2: fine\n(lines 0-5 of 6: 1 match)");
    expect(look(artifact, grep("nothing")).text).toBe("(lines 0-5 of 6: 0 match)");
    expect(look(textArtifact(""), grep("a")).text).toBe("(no lines)");
  });

  it("numbers lines as the lines selector does, and takes the end of a line for its end", () => {
    const artifact = textArtifact("a\r\nb\r\n\r\nlast");
    expect(look(artifact, grep("[a-z]$")).text).toBe("0: a\n1: b\n3: last\n(lines 0-3 of 4: 3 match)");
    expect(look(artifact, { type: "lines", start: 3 }).text).toBe("last");
  });

  it("shows lines around a match, each once", () => {
    const artifact = textArtifact("0\n1\nx2\n3\nx4\n5\n6\nx7\n");
    expect(look(artifact, grep("x", { context: 1 })).text).toBe(
      "1- 1\n2: x2\n3- 3\n4: x4\n5- 5\n6- 6\n7: x7\n(lines 0-7 of 8: 3 match)",
    );
  });

  it("has searched all lines where nothing follows, however wide the context", () => {
    const artifact = textArtifact("0\n1\nx2\n3\n4\n5\n6\n7\n8\n9\n");
    for (const context of [0, 1, 3, 20]) {
      const { text, next } = look(artifact, grep("x", { context }));
      expect([text?.split("\n").at(-1), next]).toEqual(["(lines 0-9 of 10: 1 match)", undefined]);
    }
  });

  it("begins with any line, from either end", () => {
    const artifact = textArtifact(LOG);
    expect(look(artifact, grep("two", { start: 3 })).text).toContain("(lines 3-5 of 6: 1 match)");
    expect(look(artifact, grep("n", { start: -1 })).text).toBe("5: end\n(lines 5-5 of 6: 1 match)");
    expect(look(artifact, grep("n", { start: 1e300 })).next).toBeUndefined();
  });

  it.each(["(", "a**", "(?=x)", "\\1", "[z-a]", "(a{1000}){1000}", "x{1001}", "\\pL{1000}\\pL{1000}"])(
    "says what is wrong with %j, and offers it as plain text",
    (pattern) => {
      const { problem, try: works } = refused(
        textArtifact(`here: ${pattern}`),
        grep(pattern, { context: 2 }),
      );
      expect(problem.length).toBeLessThan(300);
      const [literal] = works;
      if (typeof literal !== "object") throw new Error("no selector");
      expect(look(textArtifact(`here: ${pattern}`), literal).text).toBe(
        `0: here: ${pattern}\n(lines 0-0 of 1: 1 match)`,
      );
    },
  );

  it("cuts long lines around each match, and never inside a character", () => {
    const line = `${"😀".repeat(1000)}needle${"漢".repeat(1000)}needle and ${"é".repeat(1000)}`;
    const { text } = look(textArtifact(`short needle\n${line}`), grep("needle"));
    const [first, second, third] = found(text);
    expect(first).toBe("0: short needle");
    for (const cut of [second, third]) {
      expect(cut).toMatch(/^1: …[^]*needle[^]*…$/);
      expect(cut?.length).toBeLessThanOrEqual(3 + 402);
      expect(isWellFormed(cut ?? "")).toBe(true);
    }
    expect(text).toContain("(lines 0-1 of 2: 2 match)");
  });

  it("goes on behind a full answer, and says how many match in all", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => (index % 2 === 0 ? `hit ${index}` : "miss"));
    const artifact = textArtifact(lines.join("\n"));
    const views = follow(artifact, grep("^hit"));
    expect(views[0]?.text).toMatch(/\(lines 0-\d+ of 5000: \d+ match; 2500 in all\)$/);
    expect(textsOf(views).flatMap(found)).toEqual(
      lines.flatMap((line, index) => (line === "miss" ? [] : [`${index}: ${line}`])),
    );
    const counted = textsOf(views).map((text) => Number(/: (\d+) match/.exec(text)?.[1]));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(2500);
  });

  it("goes on inside a line that has more matches than an answer holds", () => {
    const artifact = textArtifact(
      `${Array.from({ length: 400 }, (_, index) => `${"x".repeat(500)}<${index}>`).join("")}\nend <e>`,
    );
    const views = follow(artifact, grep("<\\w+>"));
    expect(views.length).toBeGreaterThan(5);
    const marks = textsOf(views)
      .flatMap(found)
      .flatMap((line) => line.match(/<\w+>/g) ?? []);
    expect(new Set(marks)).toEqual(
      new Set([...Array.from({ length: 400 }, (_, index) => `<${index}>`), "<e>"]),
    );
  });

  it("agrees with a plain search of every line, by following next", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "漢", "😀", "\r"), maxLength: 12 });
    const long = fc.tuple(line, fc.integer({ min: 1, max: 400 })).map(([each, times]) => each.repeat(times));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(line, long), { maxLength: 60 }),
        fc.constantFrom("a", "ab", "b 漢"),
        (lines, pattern) => {
          const views = follow(textArtifact(lines.join("\n")), grep(pattern));
          const numbers = textsOf(views)
            .flatMap(found)
            .map((text) => Number(/^\d+/.exec(text)?.[0]));
          const expected = lines.flatMap((text, index) => (text.includes(pattern) ? [index] : []));
          expect([...new Set(numbers)]).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("context", () => {
  const lawful = (lines: readonly string[], pattern: string, context: number) => {
    const artifact = textArtifact(`${lines.join("\n")}\n`);
    const shown = textsOf(follow(artifact, grep(pattern, { context }))).flatMap(found);
    const numbered = (mark: string) =>
      shown
        .filter((line) => line[/^\d+/.exec(line)?.[0].length ?? 0] === mark)
        .map((line) => Number.parseInt(line, 10));
    const matching = lines.flatMap((line, index) => (line.includes(pattern) ? [index] : []));
    const around = lines.flatMap((_, index) =>
      matching.some((match) => Math.abs(match - index) <= context) ? [index] : [],
    );
    return {
      matches: numbered(":"),
      matching,
      all: [...new Set([...numbered(":"), ...numbered("-")])],
      around,
    };
  };

  it("is lost at no end of an answer, and no match comes twice", () => {
    const short = fc.constantFrom("x", "y", "漢字", "").map((each) => each.repeat(3));
    const long = fc.constantFrom("p", "q").map((each) => each.repeat(390));
    const wide = fc.constantFrom("漢", "é").map((each) => each.repeat(390));
    const line = fc.oneof(short, long, wide);
    const hit = fc.tuple(line, fc.nat(11)).map(([each, place]) => (place === 0 ? `N${each}` : each));
    fc.assert(
      fc.property(fc.array(hit, { minLength: 1, maxLength: 200 }), fc.nat(20), (lines, context) => {
        const { matches, matching, all, around } = lawful(lines, "N", context);
        expect(matches).toEqual(matching);
        expect(all.toSorted((left, right) => left - right)).toEqual(around);
      }),
      { numRuns: 150 },
    );
  });

  it("is kept over the ends of reads", () => {
    // So heavy a pattern that one view searches little.
    const pattern = "(?:[a-h].{40}){1,9}NEVER|NEEDLE";
    const lines = Array.from(
      { length: 90_000 },
      (_, index) => `${index} of a log ${index % 11 === 7 ? "NEEDLE" : ""}`,
    );
    const few = lines.map((line, index) => (index % 5000 < 30 ? line : `${index} nothing`));
    const views = follow(textArtifact(few.join("\n")), grep(pattern, { context: 3 }), 200);
    const numbers = textsOf(views)
      .flatMap(found)
      .map((line) => Number.parseInt(line, 10));
    const hits = few.flatMap((line, index) => (line.includes("NEEDLE") ? [index] : []));
    const around = new Set(hits.flatMap((hit) => [-3, -2, -1, 0, 1, 2, 3].map((by) => hit + by)));
    expect(new Set(numbers)).toEqual(around);
    expect(views.length).toBeGreaterThan(1);
  });

  it("of a match before the first line asked for is shown too", () => {
    const artifact = textArtifact("x\n1\n2\n3\nx\n5\n");
    expect(look(artifact, grep("x", { context: 2, start: 1 })).text).toBe(
      "1- 1\n2- 2\n3- 3\n4: x\n5- 5\n(lines 1-5 of 6: 1 match)",
    );
  });
});

describe("the start of a search", () => {
  it("is told as the line that it is", () => {
    const artifact = textArtifact(LOG);
    expect(look(artifact, grep("n", { start: -2 })).selector).toEqual(grep("n", { start: 4 }));
    expect(look(artifact, grep("n", { start: 99_999 }))).toMatchObject({
      text: "(no line 6: there are 6)",
      selector: grep("n", { start: 6 }),
    });
  });
});

describe("grep in what is too large for one read", () => {
  const lines = Array.from(
    { length: 200_000 },
    (_, index) =>
      `${index} some words of a log line that is long enough ${index % 1000 === 7 ? "NEEDLE" : ""}`,
  );
  const artifact = textArtifact(lines.join("\n"));

  it("goes on from the line where the read ended, and misses nothing", () => {
    expect(artifact.bytes.length).toBeGreaterThan(8 * 1_048_576);
    const views = follow(artifact, grep("NEEDLE"), 20);
    expect(textsOf(views).flatMap(found)).toEqual(
      lines.flatMap((line, index) => (line.endsWith("NEEDLE") ? [`${index}: ${line}`] : [])),
    );
    expect(views[0]?.text).not.toContain("in all");
    const ranges = textsOf(views).map((text) => /lines (\d+)-(\d+)/.exec(text)?.slice(1).map(Number) ?? []);
    expect(ranges.at(-1)?.[1]).toBe(199_999);
    for (const [index, [start]] of ranges.entries()) {
      expect(start).toBe(index === 0 ? 0 : (ranges[index - 1]?.[1] ?? 0) + 1);
    }
  });

  it("reads less for a pattern that may cost more", () => {
    const heavy = look(artifact, grep("(?:[a-h].{40}){1,9}NEVER"));
    const last = Number(/lines 0-(\d+)/.exec(heavy.text ?? "")?.[1]);
    expect(last).toBeLessThan(100_000);
    expect(heavy.next).toMatchObject({ type: "grep", start: last + 1 });
  });

  it("searches one endless line, and goes on inside it", () => {
    const item = (index: number) => `{"id":${index},"name":"${index % 20_000 === 5 ? "NEEDLE" : "item"}"},`;
    const endless = textArtifact(`[${Array.from({ length: 500_000 }, (_, index) => item(index)).join("")}0]`);
    expect(endless.bytes.length).toBeGreaterThan(8 * 1_048_576);
    const views = follow(endless, grep('"id":\\d+,"name":"NEEDLE"'), 30);
    const ids = textsOf(views).flatMap((text) =>
      [...text.matchAll(/"id":(\d+),"name":"NEEDLE"/g)].map(([, id]) => Number(id)),
    );
    expect([...new Set(ids)]).toEqual(Array.from({ length: 25 }, (_, index) => index * 20_000 + 5));
    expect(views.length).toBeLessThan(10);
    for (const text of textsOf(views)) expect(text.length).toBeLessThanOrEqual(VIEW_MAX_BYTES);
  });

  it("takes any offset for what it is", () => {
    for (const offset of [1, 7, 8_000_000, artifact.bytes.length]) {
      expect(look(artifact, grep("NEEDLE", { start: 5, offset })).text).toContain("match");
    }
    expect(refused(artifact, grep("a", { offset: 1e300 })).problem).toContain("behind the artifact's end");
    const wide = textArtifact("漢".repeat(10));
    expect(look(wide, grep("漢", { offset: 1 })).text).toBe(
      `0: ${"漢".repeat(9)}\n(lines 0-0 of 1, the first from byte 3: 1 match)`,
    );
  });

  it("says of a line that is longer than a read how much of it was searched", () => {
    const whole = `{"a":"${"x".repeat(20 * 1_048_576)}needle"}`;
    const artifact = textArtifact(whole);
    const first = look(artifact, grep("needle"));
    const [, upTo = ""] =
      /^\(lines 0-0 of 1, the last up to byte (\d+) of \d+: 0 match\)$/.exec(first.text ?? "") ?? [];
    expect(Number(upTo)).toBeGreaterThan(0);
    expect(Number(upTo)).toBeLessThan(whole.length);
    expect(first.next).toMatchObject({ offset: Number(upTo) });
    const views = follow(artifact, grep("needle"), 20);
    expect(views.map(({ text }) => text).join("\n")).toContain(`, the first from byte ${upTo}`);
    expect(views.at(-1)?.text).toContain("needle");
  });
});
