import fc from "fast-check";
import type { SummaryHint } from "../../../src/firewall/summary/analyser.ts";

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** One text of each kind, small enough to be cut into single characters. */
export const TEXTS: Readonly<Record<string, string>> = {
  json: JSON.stringify({
    total: 40123,
    items: Array.from({ length: 12 }, (_, id) => ({
      id,
      name: `né ${id} 😀`,
      "a\nb": null,
      tags: ["x", "\ud83d"],
    })),
  }),
  "json with escapes": String.raw`[{"a":"\ud83d\ude00\ud83d","b":-1.50e+3},{"a":"\u202e","b":12345678901234567890}]`,
  "json cut off": '{"items":[{"id":1},{"id":2},{"id":',
  "json that breaks": `{"items":[${"1,".repeat(80)}oops]}`,
  ndjson: lines(9, (id) => JSON.stringify({ id, at: `2026-01-0${id + 1}`, ok: id % 2 === 0 })),
  "json log": lines(9, (id) => JSON.stringify({ level: id === 4 ? "error" : "info", msg: `m${id}` })),
  csv: `id,name,note\r\n${lines(9, (id) => `${id},"Smith, ${id}","two\r\nlines ""quoted"" 😀"\r`)}`,
  "csv that breaks": `id,name,note\n${lines(6, (id) => `${id},a,b`)}\n7,"x"y,b\n8,a,b\n`,
  tsv: `gene\tstart\n${lines(9, (id) => `G${id}\t${id * 1000}`)}\n`,
  table: `NAME   READY   STATUS\n${lines(6, (id) => `web-${id}   1/1     Running`)}\n`,
  grid: ` id |  name  \n----+--------\n${lines(6, (id) => `  ${id} | né ${id} 😀`)}\n(6 rows)\n`,
  frame: `+----+------+\r\n| id | name |\r\n+----+------+\r\n${lines(6, (id) => `|  ${id} | n${id}   |\r`)}\n+----+------+\r\n`,
  markdown:
    "# Title 😀\r\n\r\nWords here.\r\n\r\n```sh\r\n# no heading\r\n```\r\n\r\nSecond\r\n---\r\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
  html: `<!DOCTYPE html><html><head><title>T &amp; &eacute;</title><script>if(a<b){"</p>"}</script></head><body><!-- <h1>no</h1> --><h1>One <i>😀</i></h1><p>${"Words of a paragraph. ".repeat(5)}</p><h2>Two</h2><a href="x>y">z</a><table><tr><td>1</td></tr></table></body></html>`,
  xml: '<?xml version="1.0"?>\n<rss><item><title>A 😀</title><body><![CDATA[<p>x</p>]] ]]></body></item><item/></rss>',
  diff: "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,3 @@ fn\n a\n--- b\n+++ c\n+d 😀\ndiff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+z\n",
  log: `${lines(12, (id) => `2026-01-02T03:04:${String(id).padStart(2, "0")}Z ${id % 5 === 4 ? "ERROR" : "INFO"} work ${id} 😀\r`)}\n`,
  commits: lines(
    6,
    (id) =>
      `* commit ${String(id).repeat(40)}\r\n| Author: né 😀 <a@b.c>\r\n| Date:   Mon Jun ${id + 1} 10:00:00 2025 +0200\r\n| \r\n|     fix: thing ${id} 😀\r\n| \r\n|  2 files changed, ${id + 1} insertions(+)\r\n`,
  ),
  "commits, one a line": lines(8, (id) => `${String(id).repeat(3)}abc${id} fix: thing ${id} 😀`),
  plan: `\u001b[1mTerraform will perform the following actions:\u001b[0m\n\n${lines(6, (id) => `\u001b[1m  # aws_s3_bucket.b${id}\u001b[0m will be created\r\n  + resource "aws_s3_bucket" "b${id}" {\r\n    }`)}\n\nPlan: 6 to add, 0 to change, 0 to destroy.\n│ Error: bad 😀\n`,
  trace: `Traceback (most recent call last):\n${lines(5, (id) => `  File "/app/m${id}.py", line ${id}, in f\n    g()`)}\nValueError: bad 😀\n`,
  words: `USER   PID %CPU COMMAND\r\n${lines(6, (id) => `root   ${id * 7} 0.${id} né --x ${id} 😀\r`)}\n`,
  described: `${lines(3, (id) => `Name:    né ${id} 😀\r\nKind:    Pod\r\nState:   up\nLabels:  a=b\n         c=d\nSpec:\n  x: ${id}\n`)}\n`,
  expanded: lines(5, (id) => `-[ RECORD ${id + 1} ]-\nid   | ${id}\nname | né ${id} 😀\r`),
  starred: lines(5, (id) => `*********** ${id + 1}. row ***********\n  id: ${id}\nname: né ${id} 😀\r`),
  run: `\u001b[1mrunning 6 tests\u001b[0m\r\n${lines(6, (id) => `text ${id} 😀\nerror[E038${id}]: bad ${id}\r`)}\ntest result: FAILED. 3 passed; 3 failed;\n`,
  code: 'import type { A } from "./a.ts";\n\n/** What it does. */\nexport function one(a: string): void {\n  two(a);\n}\n\nexport interface Two {\n  three: string;\n}\nexport const four = 4;\nexport type Five = string;\n',
  text: "A first sentence. Another 😀 one!\r\n\r\nA second paragraph.",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".repeat(20),
};

export const HINTS: readonly SummaryHint[] = [
  {},
  ...[
    "application/json",
    "text/csv",
    "text/tab-separated-values",
    "text/markdown",
    "text/html",
    "application/xml",
    "text/x-diff",
    "text/x-log",
    "text/x-python",
    "application/x-ndjson",
  ].map((mediaType) => ({ mediaType })),
  { name: "notes/a.ts?x#y" },
  { name: "a.yaml" },
];

/** What means something to some reader, in any order. */
const FRAGMENTS = [
  ...Array.from("{}[]:,\"\\|<>&;#=`~@+-*._ \t\n\r/!?'"),
  "\r\n",
  "\n\n",
  '{"a":1',
  '"},{"',
  "null",
  "-0.5e+10",
  "1e999999999",
  "\\ud83d",
  "\ud83d",
  "\ude00",
  "😀",
  "\u202e",
  "\u0000",
  "\u001b[31m",
  "\u001b]8;;",
  "\ufeff",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<h1>",
  "</h1>",
  "<script>",
  "</script",
  "<table><tr>",
  "```\n",
  "\n# ",
  "\n---\n",
  "|---|---|\n",
  "diff --git a/x b/x\n",
  "--- a/x\n+++ b/x\n",
  "@@ -1,3 +1,999999 @@\n",
  "2026-01-02T03:04:05Z ERROR ",
  "\n\tat a.b(C.java:1)",
  "Caused by: ",
  "kept text/plain 3 bytes: tool_view {}",
  "\nkept ",
  "\nnot kept ",
  "\nnext: ",
  "<|endoftext|>",
  "__proto__",
  "漢字。",
  "a,b,c\n",
  '1,"x\ny",z\n',
  "x\ty\tz\n",
  "word ",
  "x".repeat(600),
  "漢".repeat(300),
];

const salad = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 120 }).map((parts) => parts.join(""));

/** Salads of what means something, begun like something. */
export const anything: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.constantFrom("", ...Object.values(TEXTS)), salad).map(([begin, rest]) => begin + rest),
  fc
    .tuple(fc.constantFrom("{", "[", "<html>", "# a\n\n# b\n\n# c\n\n", "a,b,c\n1,2,3\n4,5,6\n"), salad)
    .map((all) => all.join("")),
  fc.tuple(salad, fc.constantFrom(...Object.values(TEXTS)), salad).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.json({ maxDepth: 6 }),
  fc.array(fc.jsonValue(), { maxLength: 30 }).map((values) => JSON.stringify(values, null, 1)),
  fc.uint8Array({ maxLength: 600 }).map((bytes) => new TextDecoder().decode(bytes)),
);

/** Some text of a kind, cut somewhere. */
export const cutText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...Object.values(TEXTS)), fc.nat({ max: 1_000 }), fc.nat({ max: 1_000 }))
  .map(([text, from, length]) => text.slice(Math.min(from, 40) % 3, from + length));
