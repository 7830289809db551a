import { beforeEach, describe, expect, it } from "vitest";
import { answered, browsed, entry, executed } from "../../ledger/entries.ts";
import { readOpenMetrics } from "../../ledger/openmetrics-grammar.ts";
import { deliver, evict, sql } from "../ledger-client.ts";
import { recordLog } from "../recorded-log.ts";
import { answersByCaller, ask, OPERATOR_ALONE, textOf } from "./operator.ts";
import { freshStorage } from "../fresh-storage.ts";

const log = recordLog();

beforeEach(async () => {
  await freshStorage();
});

const SECRET = "sk-live-51H8xY2eZvKYlo2C";
const hostile = 'quo"te\\ and\nline';
const bindings = {
  LOOMGATE_CONFIG: JSON.stringify({
    mcpServers: {
      [hostile]: { type: "http", url: "https://h.example/mcp" },
      [`a-${SECRET}`]: {
        type: "http",
        url: "https://a.example/mcp",
        headers: { "X-Key": "${env:A_KEY}" },
      },
    },
  }),
  A_KEY: SECRET,
};

/** The samples of a family by their labels. */
function samplesOf(text: string, name: string): readonly (readonly [string, string])[] {
  const family = readOpenMetrics(text).find((known) => known.name === name);
  if (family === undefined) throw new Error(`no ${name}`);
  return family.samples.map(({ labels, value }) => [Array.from(labels.values()).join(" "), value]);
}

describe("GET /metrics", () => {
  it("is the operator's alone", async () => {
    expect(await answersByCaller("/metrics")).toEqual(OPERATOR_ALONE);
  });

  it("is OpenMetrics, from the first moment on", async () => {
    const response = await ask("/metrics");
    expect(response.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    expect(samplesOf(await textOf(response), "loomgate_ledger_sources")).toEqual([["", "0"]]);
  });

  it("has every server of the configuration, whatever it is called, without its secrets", async () => {
    await deliver({ entries: [entry(executed(), [answered(hostile), answered(`a-${SECRET}`)])] });
    const response = await ask("/metrics", bindings);
    const text = await textOf(response);
    expect(text).not.toContain(SECRET);
    expect(samplesOf(text, "loomgate_upstream_requests")).toEqual([
      [`${hostile} tools/call`, "1"],
      ["a-[REDACTED-SECRET] tools/call", "1"],
    ]);
  });

  it("counts on where the object was evicted", async () => {
    await deliver({ entries: [entry(browsed())] });
    await evict();
    await deliver({ from: 2, entries: [entry(browsed())] });
    expect(samplesOf(await textOf(await ask("/metrics")), "loomgate_requests")).toEqual([["browse", "2"]]);
  });

  it("is unavailable where the ledger's object fails, and says why in the log", async () => {
    await deliver({ entries: [entry(browsed())] });
    await sql("DROP TABLE counters");
    const response = await ask("/metrics");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ error: "unavailable" });
    expect(log.lines.join("\n")).toContain("no such table");
  });
});
