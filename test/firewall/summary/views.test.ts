import { describe, expect, it } from "vitest";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { look, textArtifact } from "../view/look.ts";
import { TEXTS } from "./texts.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  "json with escapes": "application/json",
};

describe("the views that a summary proposes", () => {
  const whole = Object.entries(TEXTS).filter(([name]) => !/cut off|breaks/.test(name));
  it.each(whole)("show something of %s", (name, text) => {
    const { views } = summarise(text);
    expect(views.length).toBeGreaterThan(0);
    for (const { selector } of views) {
      const shown = look(textArtifact(text, MEDIA_TYPES[name] ?? "text/plain"), selector);
      expect(shown.text).not.toBe("");
    }
  });

  it("find each thing where the summary says it is", () => {
    const log = Array.from(
      { length: 300 },
      (_, id) => `2026-01-02T03:04:05Z ${id === 211 ? "ERROR" : "INFO"} work ${id}`,
    ).join("\n");
    const { text, views } = summarise(log);
    expect(text).toContain("first error, 211: ");
    expect(look(textArtifact(log), { type: "lines", start: 211, end: 212 }).text).toContain("ERROR work 211");
    const grep = views.find(({ selector }) => selector.type === "grep");
    expect(grep === undefined ? "" : look(textArtifact(log), grep.selector).text).toContain("211: 2026");

    const csv = `id,name,city\n${Array.from({ length: 80 }, (_, id) => `${id},"a\n${id}",x${id % 9}`).join("\n")}\n`;
    const table = summarise(csv, { mediaType: "text/csv" });
    expect(table.text).toContain('row 79: 79,"a\\n79",x7');
    const last = look(textArtifact(csv, "text/csv"), { type: "rows", start: 79, end: 80 });
    expect(last.text).toBe('id,name,city\n79,"a\n79",x7\n');
    expect(last.total.rows).toBe(80);

    const json = JSON.stringify({
      data: { rows: Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id}` })) },
    });
    const names = summarise(json).views.find(
      ({ selector }) => selector.type === "json_path" && selector.path.endsWith("[*].name"),
    );
    expect(
      names === undefined ? "" : look(textArtifact(json, "application/json"), names.selector).text,
    ).toContain("n39");
  });
});
