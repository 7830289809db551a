import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TagScanner } from "../../../src/firewall/summary/markup/tag-scanner.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";

describe("the summary of Markdown", () => {
  const block = fc.constantFrom("heading", "setext", "code", "tilde code", "words", "table", "list");

  it("has the true number of headings, code blocks and tables, and their lines", () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 40 }), (blocks) => {
        const lines = ["# The title", "", "First words.", ""];
        const headings = [[0, "# The title"]];
        for (const [index, each] of blocks.entries()) {
          const at = lines.length;
          if (each === "heading") {
            headings.push([at, `## Part ${index}`]);
            lines.push(`## Part ${index}`);
          } else if (each === "setext") {
            headings.push([at, `## Under ${index}`]);
            lines.push(`Under ${index}`, "---");
          } else if (each === "code")
            lines.push("```js", "# no heading", "| a | b |", "|---|---|", "```` no end", "```");
          else if (each === "tilde code") lines.push("~~~", "## none", "```", "~~~");
          else if (each === "table") lines.push("| a | b |", "|---|:-:|", `| ${index} | 1 |`, "| last | 2 |");
          else if (each === "list") lines.push("- an item", "---");
          else lines.push("Some words #notag", "and more.");
          lines.push("");
        }
        const count = (kind: string): number => blocks.filter((each) => each.endsWith(kind)).length;
        const { kind, text } = summarise(lines.join("\n"), { mediaType: "text/markdown" });
        expect(kind).toBe("markdown");
        const said = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
        const counts = [
          said(headings.length, "heading"),
          ...(count("code") > 0 ? [said(count("code"), "code block")] : []),
          ...(count("table") > 0 ? [said(count("table"), "table")] : []),
        ];
        expect(text.split("\n")[0]).toBe(
          `Markdown of ${lines.length - 1} lines, numbered from 0: ${counts.join(", ")}`,
        );
        expect(text).toContain("begins: First words.");
        for (const [line, heading] of headings.slice(0, 5)) expect(text).toContain(`\n${line} ${heading}`);
      }),
      { numRuns: 60 },
    );
  });

  it("shows the largest table with its header, its first and its last row", () => {
    const rows = Array.from({ length: 300 }, (_, id) => `| ${id} | Item ${id} |`);
    const { kind, text, views } = summarise(`| id | name |\n|----|------|\n${rows.join("\n")}\n`);
    expect(kind).toBe("markdown");
    expect(text).toBe(
      "Markdown of 302 lines, numbered from 0: 1 table\ntable, line 0, 300 rows: | id | name |\n  first: | 0 | Item 0 |\n  last: | 299 | Item 299 |",
    );
    expect(views[0]?.selector).toEqual({ type: "lines", start: 0, end: 302 });
  });

  it("has no heading and no table that stands in a comment", () => {
    const inner = fc.array(fc.constantFrom("# no", "", "| a | b |", "|---|---|", "words", "no\n==="), {
      maxLength: 5,
    });
    const comment = fc.oneof(
      inner.map((lines) => `<!-- ${["x", ...lines].join("\n")}\n-->`),
      fc.constantFrom("<!-- short -->", `<!-- ${"l".repeat(2_000)} -->`, `<!-- ${"l".repeat(10_000)} -->`),
    );
    fc.assert(
      fc.property(fc.array(comment, { minLength: 1, maxLength: 8 }), (comments) => {
        const text = comments.map((each, id) => `# yes ${id}\n\n${each}\n\nWords.\n`).join("\n");
        const first = summarise(text, { mediaType: "text/markdown" }).text.split("\n")[0] ?? "";
        expect(first).toMatch(new RegExp(`: ${comments.length} headings?$`));
      }),
      { numRuns: 60 },
    );
  });

  it("is not taken from comments of code", () => {
    const python = `#!/usr/bin/env python3\n# A tool\n\n# that does things\n\nimport os\n\ndef main():\n    # * a list\n    # * of things\n    return os.name\n`;
    expect(summarise(python).kind).toBe("code");
  });

  it("proposes its sections by their lines", () => {
    const text = "# T\n\nWords.\n\n## One\n\na\n\n### In one\n\nb\n\n## Two\n\n[x](y) **c**\n";
    expect(
      summarise(text)
        .views.map(({ selector }) => selector)
        .slice(0, 2),
    ).toEqual([
      { type: "lines", start: 4, end: 12 },
      { type: "lines", start: 12, end: 15 },
    ]);
  });
});

describe("the summary of HTML", () => {
  it("has the true numbers of headings, links and tables; what scripts and comments say is none", () => {
    const size = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(size, size, size, (headings, links, tables) => {
        const parts = [
          "<title>A &amp; B</title><style>h1 > a { }</style>",
          "<script>if (a < b && '</p>' > x) { '<h1>no</h1><a href=x>' } // </ script></script>",
          "<!-- <h2>hidden</h2> <table> -->",
          `<p>${"Words of a paragraph that is long enough. ".repeat(3)}</p>`,
          ...Array.from({ length: headings }, (_, id) => `<H2 class="x > y">Part <b>${id}</b></H2>`),
          ...Array.from(
            { length: links },
            (_, id) => `<a\nhref='/${id}' title="a > b">link</a><a name=x></a>`,
          ),
          ...Array.from({ length: tables }, () => "<table><tr><td>1 < 2</td></tr></table>"),
        ];
        const { kind, text } = summarise(`<!DOCTYPE html>\n<html><body>${parts.join("\n")}</body></html>`);
        const said = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
        expect(kind).toBe("html");
        expect(text).toContain("title: A & B\n");
        expect(text).toContain("text: Words of a paragraph that is long enough.");
        const counts = [
          [headings, "heading"],
          [links, "link"],
          [tables, "table"],
        ] as const;
        const told = counts.filter(([number]) => number > 0).map(([number, noun]) => said(number, noun));
        const first = text.split("\n")[0];
        expect(first).toBe(
          `HTML of ${5 + headings + 2 * links + tables} lines, numbered from 0: ${[...told, "1 paragraph"].join(", ")}`,
        );
        expect(text.match(/^\d+ ## Part \d+$/gm)?.[0]?.endsWith("## Part 0") ?? true).toBe(true);
        expect(text).not.toMatch(/\bno\b|hidden/);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ["<a>x</a>", ["+a", "x", "-a"]],
    ["1 < 2 <3 <<b>", ["1 ", "< ", "2 ", "<3", " ", "<", "+b"]],
    ["<br/><x-y z='>'>", ["+br/", "+x-y"]],
    ["<!-- a -- > --->t", ["t"]],
    ["<!DOCTYPE x><?y?>t", ["t"]],
    ["<script></scripty></script >t", ["+script", "-script", "t"]],
    ["<title>a<b</title>", ["+title", "a", "<b", "-title"]],
    ["<a href", []],
  ])("%s is read as %j", (text, heard) => {
    const events: string[] = [];
    const scanner = new TagScanner(
      {
        text: (piece) => events.push(piece),
        open: (name, _, selfClosing) => events.push(`+${name}${selfClosing ? "/" : ""}`),
        close: (name) => events.push(`-${name}`),
      },
      true,
    );
    scanner.push(text);
    expect(events).toEqual(heard);
  });
});

describe("the summary of XML", () => {
  it("counts its elements by name and shows the first texts", () => {
    const items = Array.from(
      { length: 40 },
      (_, id) => `<item><title>Story ${id}</title><body><![CDATA[<p>${id}]]]></body><e/></item>`,
    );
    const { kind, text } = summarise(`<?xml version="1.0"?>\n<rss><!-- <no/> -->${items.join("\n")}</rss>`);
    expect(kind).toBe("xml");
    expect(text).toContain(
      "XML of 41 lines: root rss, 161 elements\nelements by name: body 40, e 40, item 40, title 40, rss 1",
    );
    expect(text).toContain('title "Story 0"');
  });
});
