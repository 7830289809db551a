import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/firewall/result/token-estimate.ts";
import type { Summary, SummaryHint } from "../../../src/firewall/summary/analyser.ts";
import { unlikeGateway } from "../../../src/firewall/summary/neutral.ts";
import { openSummariser, summarise } from "../../../src/firewall/summary/summariser.ts";
import { readSelector } from "../../../src/firewall/view/selector.ts";
import {
  SUMMARY_MAX_CODE_POINTS,
  SUMMARY_SNIFF_CHARS,
  SUMMARY_STATE_MAX_BYTES,
  SUMMARY_STRUCTURED_MAX_CODE_POINTS,
  SUMMARY_STRUCTURED_MAX_TOKENS,
  SUMMARY_VIEWS_MAX_COUNT,
} from "../../../src/limits.ts";
import { anything, cutText, HINTS, TEXTS } from "./texts.ts";

const hint = fc.constantFrom(...HINTS);

function inPieces(text: string, cuts: readonly number[], given: SummaryHint): Summary {
  const summariser = openSummariser(given);
  let from = 0;
  for (const cut of [...cuts].sort((left, right) => left - right)) {
    summariser.push(text.slice(from, cut));
    from = Math.max(from, cut);
  }
  summariser.push(text.slice(from));
  return summariser.finish();
}

describe("however a text is cut into pieces, its summary is the same", () => {
  it.each(Object.entries(TEXTS))("%s, one UTF-16 unit at a time", (_, text) => {
    for (const given of HINTS) {
      const summariser = openSummariser(given);
      for (let at = 0; at < text.length; at += 1) summariser.push(text.charAt(at));
      expect(summariser.finish()).toEqual(summarise(text, given));
    }
  });

  it("anything at all, in any pieces", () => {
    const cuts = fc.array(fc.nat({ max: 1_500 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(anything, cutText), cuts, hint, (text, places, given) => {
        expect(inPieces(text, places, given)).toEqual(summarise(text, given));
      }),
      { numRuns: 400 },
    );
  });

  it("a text longer than what the kind is judged by, cut around that place", () => {
    const kinds = fc.constantFrom(...Object.values(TEXTS).filter((text) => text.length > 60));
    const cut = fc.integer({ min: SUMMARY_SNIFF_CHARS - 3, max: SUMMARY_SNIFF_CHARS + 3 });
    fc.assert(
      fc.property(kinds, fc.array(cut, { maxLength: 3 }), hint, (text, places, given) => {
        const long = text.repeat(Math.ceil((SUMMARY_SNIFF_CHARS + 500) / text.length));
        expect(inPieces(long, places, given)).toEqual(summarise(long, given));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a summary of anything", () => {
  const LONE = /\p{Surrogate}/u;
  const UNSEEN = /(?![\n\t\u{200c}\u{200d}])[\p{Cc}\p{Cf}]/u;
  const GATEWAY_LINE = /^(?:(?:not)?[\p{Z}\t]*kept[\p{Z}\t,]|next:)/imu;

  /** What of a summary is not as it must be. */
  const faultsOf = ({ kind, text, views }: Summary): string[] => {
    const points = Array.from(text).length;
    const faults = {
      "too long": points > (kind === "text" ? SUMMARY_MAX_CODE_POINTS : SUMMARY_STRUCTURED_MAX_CODE_POINTS),
      "too many tokens": kind !== "text" && estimateTokens(text) > SUMMARY_STRUCTURED_MAX_TOKENS,
      empty: kind !== "text" && text === "",
      "a lone surrogate": LONE.test(text),
      "something unseen": UNSEEN.test(text),
      "a line of the gateway's": GATEWAY_LINE.test(
        text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, ""),
      ),
      "too many views": views.length > SUMMARY_VIEWS_MAX_COUNT,
      "a view that is refused": views.some(({ selector }) => {
        const read = readSelector(JSON.parse(JSON.stringify(selector)));
        return !read.ok || JSON.stringify(read.value) !== JSON.stringify(selector);
      }),
      "a label that is no line": views.some(
        ({ label }) => /\p{C}/u.test(label) || Array.from(label).length > 120,
      ),
    };
    return Object.entries(faults).flatMap(([fault, there]) => (there ? [`${fault}: ${text}`] : []));
  };

  it("is within its bounds, well-formed, without anything unseen, and no line of it is the gateway's", () => {
    fc.assert(
      fc.property(anything, hint, (text, given) => {
        expect(faultsOf(summarise(text, given))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("whose every name and value is hostile is within its bounds", () => {
    const name = fc.constantFrom(
      "\u202e",
      "漢".repeat(60),
      "😀".repeat(40),
      "\ud83d",
      "k".repeat(10_000),
      "kept x",
      "\n",
      "__proto__",
      "<|endoftext|>",
    );
    const value = fc.oneof(
      name,
      fc.double(),
      fc.constantFrom(null, true, 1e300),
      fc.array(name, { maxLength: 4 }),
    );
    const record = fc
      .array(fc.tuple(name, value), { minLength: 1, maxLength: 40 })
      .map(
        (members) =>
          `{${members.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join(",")}}`,
      );
    const cells = fc.array(fc.array(name, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 9 });
    const quotedRow = (row: readonly string[]) => row.map((cell) => `"${cell}"`).join(",");
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
        const texts = [`[${records.join(",")}]`, records.join("\n"), records[0] ?? ""];
        expect(texts.flatMap((text) => faultsOf(summarise(text)))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(cells, (rows) => {
        const summary = summarise(rows.map(quotedRow).join("\n"), { mediaType: "text/csv" });
        expect(faultsOf(summary)).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 4, maxLength: 90 }), (names) => {
        const summaries = [
          summarise(names.map((each) => `## ${each}`).join("\n\n"), { mediaType: "text/markdown" }),
          summarise(`<html>${names.map((each) => `<h2>${each}</h2><p>${each}`).join("")}`),
          summarise(names.map((each) => `2026-01-02T03:04:05Z ERROR ${each}`).join("\n")),
          summarise(names.map((each) => `diff --git a/${each} b/${each}\n@@ -1 +1 @@\n-a\n+b`).join("\n")),
          summarise(names.map((each) => `<${each}>${each}</${each}>`).join(""), { mediaType: "text/xml" }),
        ];
        expect(summaries.flatMap(faultsOf)).toEqual([]);
      }),
    );
  });
});

describe("a line that seems to begin as the gateway's own do", () => {
  const begin = fc.constantFrom(
    "kept ",
    "not kept ",
    "next:",
    "kept,",
    "Kept text/plain",
    "ｋｅｐｔ ",
    "𝐧𝐞𝐱𝐭:",
    "kept\u00a0",
    "ⓝⓔⓧⓣ：",
  );
  const noise = fc.constantFrom(
    ...Array.from(
      " \u00a0\u2009\u3000\u200b\u200c\u200d\u2060\ufeff\ufe0f\u00ad\u034f\u115f\u3164\u180e\u{e0100}\u202e\u0301",
    ),
  );
  const places = fc.array(fc.tuple(fc.nat({ max: 12 }), noise), { maxLength: 6 });

  it("is marked as quoted, whatever unseen or spacing characters are put into it", () => {
    fc.assert(
      fc.property(
        begin,
        places,
        fc.constantFrom("", "\t", "before\n", "a\r", "b\u2028"),
        (word, put, before) => {
          const points = Array.from(word);
          for (const [at, sign] of put) points.splice(Math.min(at, points.length), 0, sign);
          const { text } = summarise(`${before}${points.join("")} text/plain 3 bytes`);
          expect(text.split("\n").at(-1)?.startsWith("> ")).toBe(true);
          expect(unlikeGateway(`${points.join("")} x`).startsWith("> ")).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(unlikeGateway("kept\ttext/plain")).toBe("> kept\ttext/plain");
  });

  it.each(["кept x", "kеpt x", "Κερτ x", "kept, x", "nоt kept x", "nехt: {}", "ᴋᴇᴘᴛ x", "κерτ x"])(
    "are marked in letters of other alphabets that look so: %s",
    (line) => {
      expect(unlikeGateway(line)).toBe(`> ${line}`);
    },
  );

  it.each(["кот спит", "ключ найден", "нет: да", "κείμενο εδώ", "тект x"])(
    "leave words alone: %s",
    (line) => {
      expect(unlikeGateway(line)).toBe(line);
    },
  );

  it.each([
    "keeping",
    "nextly: x",
    "unkept x",
    "keptical x",
    "what is kept, is kept",
    "knot kept",
    "",
    "next to it",
  ])("but %j is not", (line) => {
    expect(unlikeGateway(line)).toBe(line);
  });
});

describe("the state of a summariser", () => {
  const long = "w".repeat(400);
  const wide = (id: number): string =>
    `{${Array.from({ length: 120 }, (_, field) => `"${`key${field}`.padEnd(64, "k")}":{"${`a${id % 7}`.padEnd(40, "v")}":"${`${id % 6}`.padEnd(40, "s")}","n":${id}${"1".repeat(36)},"d":"2026-01-02T03:04:05.123456789+00:00"}`).join(",")}}`;
  const endless: Readonly<Record<string, (index: number) => string>> = {
    "wide records": (index) => (index === 0 ? `[${wide(0)}` : `,${wide(index)}`),
    "arrays in an object": (index) =>
      `${index === 0 ? "{" : ","}"${`k${index}`.padEnd(60, "x")}":[{"${long}":"${long}"},{"a":"${long}","b":["${long}","${long}"]}]`,
    "deep brackets": () => "[".repeat(400),
    "one string": (index) => (index === 0 ? '["' : long),
    "lines of json": (index) => `${wide(index)}\n`,
    "a wide table": (index) =>
      `${Array.from({ length: 200 }, (_, column) => `"${`c${column} ${index % 6}`.padEnd(60, "c")}"`).join(",")}\n`,
    "one field": (index) => (index < 20 ? "a,b,c\n" : index === 20 ? 'x,"' : long),
    headings: (index) => `# ${index} ${long}\n\n`,
    "html headings": (index) =>
      `${index === 0 ? "<html>" : ""}<h2 id="${long}">${index} ${long}</h2><p>${long}<table><tr>`,
    "xml names": (index) =>
      `${index === 0 ? "<?xml ?>" : ""}<n${index}${long.slice(0, 50)}>${long}</n${index}>`,
    "diff of files": (index) =>
      `diff --git a/${long}${index} b/${long}${index}\nrename from ${long}\n@@ -1 +1 @@\n-a\n+b\n`,
    "a log": (index) => `2026-01-02T03:04:05Z ERROR ${index} ${long}${long}\n`,
    traces: (index) => `java.lang.Error: ${index} ${long}\n\tat a.b(${long})\n`,
    code: (index) => `export function f${index}${long}() {\n`,
    "one line": () => long,
    "spaced columns": (index) => (index === 0 ? "NAME  READY  STATUS\n" : `a${index}  ${long}  ${index}\n`),
  };

  it.each(Object.entries(endless))("is bounded for %s", (_, piece) => {
    const summariser = openSummariser();
    let most = 0;
    for (let index = 0; index < 300; index += 1) {
      summariser.push(piece(index));
      most = Math.max(most, summariser.retainedChars);
    }
    expect(most).toBeGreaterThan(100);
    expect(2 * most).toBeLessThanOrEqual(SUMMARY_STATE_MAX_BYTES);
    expect(summariser.finish().text).not.toBe("");
  });
});
