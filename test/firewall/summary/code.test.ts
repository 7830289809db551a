import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grouped } from "../../../src/firewall/summary/cut.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";

describe("the summary of a diff", () => {
  const change = fc.constantFrom(
    " same",
    "+added",
    "-removed",
    "+++ looks like a file",
    "--- looks like one",
    "-@@ -1 +1 @@",
    "",
  );
  const hunk = fc.array(change, { minLength: 1, maxLength: 12 });
  const file = fc.array(hunk, { minLength: 1, maxLength: 4 });

  it("has the true numbers of files, hunks and lines", () => {
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 8 }), fc.boolean(), (files, git) => {
        const count = (hunks: readonly (readonly string[])[], sign: string): number =>
          hunks.flat().filter((line) => line.startsWith(sign)).length;
        const lines = files.flatMap((hunks, index) => [
          ...(git ? [`diff --git a/src/f${index}.ts b/src/f${index}.ts`, "index 1..2 100644"] : []),
          `--- a/src/f${index}.ts${git ? "" : "\t2026-01-02"}`,
          `+++ b/src/f${index}.ts`,
          ...hunks.flatMap((changes) => {
            const [old, fresh] = ["-", "+"].map(
              (sign) => changes.filter((line) => !line.startsWith(sign === "-" ? "+" : "-")).length,
            );
            return [`@@ -1,${old} +1,${fresh} @@ fn`, ...changes];
          }),
        ]);
        const { kind, text } = summarise(`${lines.join("\n")}\n`);
        const all = files.flat();
        expect(kind).toBe("diff");
        expect(text).toContain(
          `Diff of ${files.length} file${files.length === 1 ? "" : "s"}: +${count(all, "+")} -${count(all, "-")} in ${all.length} hunk${all.length === 1 ? "" : "s"}; ${grouped(lines.length)} lines`,
        );
        for (const [index, hunks] of files.entries()) {
          expect(text).toContain(
            ` src/f${index}.ts +${count(hunks, "+")} -${count(hunks, "-")}, ${hunks.length} hunk`,
          );
        }
        expect(text).not.toContain("cut off");
      }),
      { numRuns: 80 },
    );
  });

  it("tells new, deleted, renamed and binary files, and a last hunk that is not complete", () => {
    const text = summarise(
      "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\ndiff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/o b/r\nsimilarity index 100%\nrename from o\nrename to r\ndiff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\ndiff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1,9 +1,9 @@\n-y\n",
    ).text;
    expect(text).toContain("Diff of 5 files: +1 -2 in 3 hunks");
    expect(text).toContain("0 n +1 -0, 1 hunk (new)");
    expect(text).toContain("6 d +0 -1, 1 hunk (deleted)");
    expect(text).toContain("12 r (renamed from o)");
    expect(text).toContain("16 p.png (binary)");
    expect(text).toContain("cut off: its last hunk is not complete");
  });

  it("names the largest file where there is no room for all", () => {
    const one = (id: number, lines: number): string =>
      `diff --git a/src/some/long/path/file-${id}.ts b/src/some/long/path/file-${id}.ts\n--- a/x\n+++ b/src/some/long/path/file-${id}.ts\n@@ -0,0 +1,${lines} @@\n${"+l\n".repeat(lines)}`;
    const files = Array.from({ length: 90 }, (_, id) => one(id, id === 80 ? 70 : 2));
    const { text, views } = summarise(files.join(""));
    expect(text).toContain("Diff of 90 files: +248 -0 in 90 hunks");
    expect(text).toMatch(/…\d+ more files\nlargest: \d+ src\/some\/long\/path\/file-80\.ts \+70 -0, 1 hunk/);
    expect(views[0]).toMatchObject({ selector: { type: "lines", start: 480, end: 554 } });
  });
});

describe("the summary of code", () => {
  const texts: readonly [string, string, string][] = [
    [
      "TypeScript",
      'import type { A } from "./a.ts";\nexport interface B {\n  c: string;\n}\nexport function d(e: string): void {}\nexport const f = 1;\n',
      "3 definitions, with their lines: 1 interface B, 4 function d, 5 const f",
    ],
    [
      "Python",
      "import os\nfrom a import b\n\nclass C:\n    def d(self):\n        pass\n\nasync def e():\n    pass\n",
      "3 definitions, with their lines: 3 class C, 4     def d, 7 def e",
    ],
    [
      "Go",
      'package main\n\nimport (\n\t"fmt"\n)\n\ntype A struct {\n}\n\nfunc (a *A) B() {\n}\nfunc main() {}\n',
      "6 type A, 9 func B, 11 func main",
    ],
    [
      "Rust",
      "use std::fmt;\nmod a;\npub struct B;\nimpl B {\n    pub fn c() {}\n}\nfn main() {}\n",
      "2 struct B, 3 impl B, 4     fn c, 6 fn main",
    ],
    [
      "YAML",
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: b\n",
      "4 definitions, with their lines: 0 apiVersion, 1 kind, 2 metadata, 4 spec",
    ],
    ["Shell", "#!/bin/sh\nset -e\nbuild() {\n  true\n}\nbuild\n", "1 definition, with their lines: 2 build"],
    [
      "SQL",
      "CREATE TABLE a (\n  id int\n);\nINSERT INTO a VALUES (1);\nSELECT id FROM a;\ncreate index b on a (id);\n",
      "0 CREATE TABLE a, 5 create index b",
    ],
  ];
  it.each(texts)("%s", (language, text, definitions) => {
    const { kind, text: summary } = summarise(text);
    expect(kind).toBe("code");
    expect(summary).toContain(`${language} of ${text.split("\n").length - 1} lines, numbered from 0`);
    expect(summary.replaceAll(/ +/g, " ")).toContain(definitions.replaceAll(/ +/g, " "));
  });

  it("is of the language that is said, by media type or by name", () => {
    expect(summarise("x = 1\n", { mediaType: "text/x-python; charset=utf-8" }).text).toContain(
      "Python of 1 line",
    );
    expect(summarise("x = 1\n", { name: "https://a.b/c/d.rb?raw=1" }).text).toContain("Ruby of 1 line");
  });

  it("of Python counts no definition that stands in a string", () => {
    const string = fc.constantFrom(
      '"""One."""',
      '"""\ndef no(): pass\nclass No:\n"""',
      "r'''x\ndef no(): \"\"\"\n'''",
      '"""a \\""" b\ndef no():\n"""',
      `"""${"l".repeat(2_000)}"""`,
      '# don\'t """ begin',
      "x = 'it\\'s' + \"'''\"",
      'y = """a""" + """b\ndef no():\n"""',
    );
    fc.assert(
      fc.property(fc.array(string, { minLength: 1, maxLength: 8 }), (strings) => {
        const text = strings.map((each, id) => `def yes_${id}():\n${each}\n`).join("\n");
        expect(summarise(text, { name: "a.py" }).text).toMatch(
          new RegExp(`^${strings.length} definitions?, `, "m"),
        );
      }),
    );
  });

  it("counts all definitions though it shows some", () => {
    const text = Array.from({ length: 700 }, (_, id) => `export function aFunction${id}(): void {}\n`).join(
      "\n",
    );
    const { text: summary } = summarise(text);
    expect(summary).toContain(
      "700 definitions, with their lines: 0 function aFunction0, 2 function aFunction1",
    );
    const shown = summary.match(/function aFunction/g)?.length ?? 0;
    expect(summary).toContain(`…${700 - shown} more`);
  });
});
