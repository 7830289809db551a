import { describe, expect, it } from "vitest";
import { type Report, reportJson, reportText } from "../../../../scripts/bench/report.ts";
import { makeTexts, wordInShare } from "../../../../scripts/bench/records/mail.ts";
import { documentTerms } from "../../../../src/records/search/terms.ts";

const report: Report = {
  machine: { cores: 2, processor: "P", node: "v20", platform: "linux x64" },
  quick: false,
  records: {
    ingest: { records: 1_000, batch: 500, seconds: 2, records_per_second: 500 },
    sizes: [
      {
        records: 100_000,
        load_s: 7.25,
        reads: [
          { read: "a page", ms: 2, rows_read: 300, plain: { ms: 250, rows_read: 200_000 } },
          { read: "changes", ms: 3.5, rows_read: 400, plain: null },
        ],
      },
    ],
  },
};

describe("the report of records", () => {
  it("tells each read beside the same without columns and index", () => {
    const text = reportText(report);
    expect(text).toMatch(/^ *100000 +a page +2\.00 +300 +250 +200000 +125$/m);
    expect(text).toMatch(/^ *100000 +changes +3\.50 +400 +- +- +-$/m);
  });

  it("tells what ingest takes", () => {
    const text = reportText(report);
    expect(text).toContain("in batches of 500: 1000 letters in 2.00 s, 500 a second.");
    expect(text).toContain("Loading by SQL: 100000 in 7.25 s.");
  });

  it("is there for machines, too", () => {
    expect(JSON.parse(reportJson(report))).toMatchObject({ records: report.records });
  });
});

describe("the letters that are generated", () => {
  const texts = makeTexts();

  it("are the same each time, and have the terms that the index would give them", () => {
    expect(makeTexts()).toEqual(texts);
    for (const { body, bodyTerms } of texts.slice(0, 100)) {
      expect(bodyTerms).toBe(Array.from(documentTerms(body), ({ term }) => term).join(" "));
    }
  });

  it("have words as frequent as is asked for", () => {
    for (const share of [0.1, 0.01, 0.001]) {
      const word = wordInShare(texts, share);
      const found = texts.filter(({ subject, body }) =>
        `${subject} ${body}`.split(" ").includes(word),
      ).length;
      expect(found / texts.length / share).toBeGreaterThan(0.8);
      expect(found / texts.length / share).toBeLessThan(1.25);
    }
  });
});
