import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { look, textArtifact, tryLook } from "../view/look.ts";
import { TEXTS } from "./texts.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  "json with escapes": "application/json",
};

describe("the views that a summary proposes", () => {
  it.each(Object.entries(TEXTS))("show something of %s", (name, text) => {
    const { views } = summarise(text);
    expect(views.length).toBeGreaterThan(0);
    for (const { selector } of views) {
      const shown = look(textArtifact(text, MEDIA_TYPES[name] ?? "text/plain"), selector);
      expect(shown.text).not.toBe("");
    }
  });

  it("can be shown of JSON that is cut off or changed anywhere, whatever it is said to be", () => {
    const object = '{"a":1,"items":[{"id":1,"name":"x"},{"id":2,"name":"y"}],"m":{"k":{"v":1}}}';
    const text = fc.constantFrom(
      object,
      JSON.stringify(JSON.parse(object), null, 1),
      `${object}\n`.repeat(30),
      `${object}\n\n`.repeat(3) + object,
      `[${`${object},`.repeat(90)}${object}]`,
    );
    const change = fc.constantFrom("", ",", "]", "}", "\n\n", "'", "\ufeff");
    fc.assert(
      fc.property(text, fc.nat({ max: 8_000 }), fc.nat({ max: 9 }), change, (given, at, left, put) => {
        const place = at % (given.length + 1);
        const broken = given.slice(0, place) + put + given.slice(place + left);
        for (const mediaType of ["application/json", "application/x-ndjson", "text/plain"]) {
          // A byte order mark in front is the view's to pass over.
          const views = broken.startsWith("\ufeff") ? [] : summarise(broken, { mediaType }).views;
          const refused = views.filter(
            ({ selector }) => !tryLook(textArtifact(broken, mediaType), selector).ok,
          );
          expect(refused).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("of lines of JSON with empty ones between are by line, and so are the numbers", () => {
    const lines = Array.from({ length: 200 }, (_, id) => JSON.stringify({ id, name: `n${id}` }));
    const dense = summarise(lines.join("\n"));
    expect(dense.text).toContain("value 199: ");
    expect(dense.views[0]?.selector.type).toBe("rows");
    for (const text of [lines.join("\n\n"), `\n${lines.join("\n")}`, `${lines.join("\n")}\n\n\n`]) {
      const summary = summarise(text, { mediaType: "application/x-ndjson" });
      expect(summary.text).toContain("NDJSON: 200 objects, one a line");
      expect(summary.text).not.toMatch(/^value /m);
      expect(summary.views.every(({ selector }) => selector.type !== "rows")).toBe(true);
      const named = [...summary.text.matchAll(/^line (\d+): \{id:(\d+)/gm)];
      expect(named.length).toBeGreaterThan(1);
      for (const [, line, id] of named) expect(text.split("\n")[Number(line)]).toBe(lines[Number(id)]);
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
