import { describe, expect, it } from "vitest";
import type { KindAtSize, PrimitiveFigures } from "../../../../scripts/bench/primitives/primitives.ts";
import { type Report, reportJson, reportText } from "../../../../scripts/bench/report.ts";

const written: KindAtSize = {
  kind: "prompt",
  entries: 80,
  servers: 5,
  grown: false,
  tokens: { native: 3_000, pair: 100, browse_5: { median: 200, max: 260 } },
  recall: {
    queries: 80,
    loomgate: { "recall@5": 0.75, "hit@5": 0.8125, mrr: 0.5 },
    bm25: { "recall@5": 0.5, "hit@5": 0.5, mrr: 0.25 },
    by_how: [{ how: "slip", queries: 8, loomgate: 1, bm25: null }],
    flagged: 0.125,
    unanswerable: 8,
    declined: 6,
  },
};
const primitives: PrimitiveFigures = {
  kinds: [written, { ...written, entries: 1_000, servers: 150, grown: true }],
  reading: [
    { kind: "csv", resources: 2, whole: 9_000, shown: 300 },
    { kind: "log", resources: 1, whole: 1_000, shown: 200 },
  ],
  proxy_list: { tools: 7, mean: 60.5, median: 64, max: 81, beyond: 1, list: 500, full_list: 2_000 },
};
const report: Report = {
  machine: { cores: 2, processor: "P", node: "v20", platform: "linux x64" },
  quick: false,
  primitives,
};

describe("the report of resources and prompts", () => {
  const text = reportText(report);

  it("tells what finding one costs either way", () => {
    expect(text).toMatch(/^prompt +80 +5 +3000 +100 +200 \(260\) +10\.0$/m);
    expect(text).toMatch(/^prompt +1000 grown +150 /m);
  });

  it("tells what is found beside plain BM25, and of what was written by what is hard", () => {
    expect(text).toMatch(/^prompt +80 +80 +loomgate +0\.750 +0\.813 +0\.500 +0\.125 +6 of 8$/m);
    expect(text).toMatch(/^ +bm25 +0\.500 +0\.500 +0\.250 +- +-$/m);
    expect(text.match(/^prompt +slip +8 +1\.000 +-$/gm)).toHaveLength(1);
  });

  it("tells what reading costs, by kind and all together", () => {
    expect(text).toMatch(/^csv +2 +9000 +300 +30\.0$/m);
    expect(text).toMatch(/^all +3 +10000 +500 +20\.0$/m);
  });

  it("tells the proxy's list by the tool", () => {
    expect(text).toMatch(/^ +7 +60\.5 +64 +81 +1 +500 +2000 +4\.0$/m);
    expect(text).toMatch(/tools +mean +median +most +over 80/);
  });

  it("is the same for machines, to three digits", () => {
    const rounded = { ...written.recall, loomgate: { "recall@5": 0.75, "hit@5": 0.813, mrr: 0.5 } };
    expect(JSON.parse(reportJson(report))).toMatchObject({
      primitives: { ...primitives, kinds: [{ ...written, recall: rounded }, { entries: 1_000 }] },
    });
  });
});
