import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactResult } from "../../src/firewall/result/redact-result.ts";
import { REDACT_HEADER_MAX_CHARS, REDACT_STREAM_STEP_CHARS } from "../../src/limits.ts";
import { redactText } from "../../src/scrub/redact-text.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);

function inPieces(text: string, sizes: readonly number[]): { readonly text: string; readonly count: number } {
  const stream = redactor?.stream();
  if (stream === undefined) throw new Error("redaction is on");
  let clean = "";
  let at = 0;
  for (let turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    clean += stream.push(text.slice(at, at + size));
    at += size;
  }
  clean += stream.end();
  return { text: clean, count: stream.count() };
}

const LINES = [
  "user,password",
  'ada,"hunter22',
  'and more",x',
  'ada,"a ""b"", c"',
  "ada,h1",
  "| user | password |",
  "|---|---|",
  "| ada | h1 |",
  "name,value",
  "api_key,h1",
  " token ",
  "-------",
  " h1",
  "(1 row)",
  "-[ RECORD 1 ]---",
  "password | h1",
  "NAME     PASSWORD",
  "ada      h1",
  "",
  "---",
  "kind: Secret",
  "kind: ConfigMap",
  "- data:",
  "  d: see token=abcdefgh12&password=hunter22x",
  `  e: ${MARK} or ${MARK}`,
  "ada,token=abcdefgh12&password=hunter22x",
  `ada,${MARK} or ${MARK}`,
  `  ${MARK} ${MARK}`,
  "data:",
  "  a: YWRh",
  "  b: |",
  "    x",
  "- kind: Secret",
  "  stringData:",
  "    c: d",
  "password: |",
  "credentials:",
  "  db: hunt3r22",
  "  - hunt3r22",
  "{",
  '{"password": "h1"}',
  '{"password": ["h1", oops',
  "[1]",
  "words and words",
  "x".repeat(REDACT_HEADER_MAX_CHARS),
  " ".repeat(REDACT_STREAM_STEP_CHARS),
];

describe("what lines say of one another", () => {
  it("is taken out of a text in pieces as out of the whole, and once, whatever the lines and the pieces", () => {
    const lines = fc.array(fc.constantFrom(...LINES), { maxLength: 16 });
    const sizes = fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lines, sizes, fc.constantFrom("\n", "\r\n"), (parts, cut, end) => {
        const text = parts.join(end);
        const whole = redactText(text);
        expect(inPieces(text, cut)).toEqual(whole);
        expect(redactText(whole.text)).toEqual({ text: whole.text, count: 0 });
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ["CSV", "id,user,password\n", "1,ada,unknown\n", "2,bob,h1\n"],
    ["a table that is drawn", " user | token \n------+-------\n", " ada  | unknown\n", " bob  | h1\n"],
    ["columns", "NAME     PASSWORD\n", "ada      unknown\n", "bob      h1\n"],
    ["a manifest", "kind: Secret\ndata:\n", "  a: unknown\n", "  b: h1\n"],
    [
      "a manifest whose kind comes late",
      "",
      "---\nkind: ConfigMap\ndata:\n  a: b\n",
      "---\ndata:\n  b: h1\nkind: Secret\n",
    ],
  ])("is taken out of 5 MiB: %s", (_, header, row, last) => {
    const text = header + row.repeat(Math.ceil(5_242_880 / row.length)) + last;
    const clean = text.replace("h1", MARK);
    const made = inPieces(text, [65_537]);
    expect(made.count).toBe(1);
    expect(made.text === clean).toBe(true);
  });

  it.each([
    ["dashes and bars", "a\n", "-|"],
    ["dashes and plus signs", "a,password\n", "+-"],
    ["lines and crossings", "a,password\n", "\u2500\u253c"],
    ["a bar and dashes", "| a | password |\n|---|---|\n|", "- "],
    ["space in a column", "NAME  PASSWORD\n", " "],
    ["space in a cell", "a,password\nb,", " "],
  ])("is looked for in time that grows with the text: a line of %s that ends as none", (_, before, piece) => {
    const text = `${before}${piece.repeat(50_000)}x\ny\n`;
    expect(redactText(text).text.startsWith(before)).toBe(true);
  });

  it.each([
    ["a secret", "token=abcdefgh12"],
    ["two secrets", "token=abcdefgh12&password=hunter22x"],
    ["three secrets", "token=abcdefgh12&password=hunter22x&pin=1&api_key=hunter23x"],
    ["a mark", MARK],
    ["two marks", `${MARK} or ${MARK}`],
    ["three marks", `${MARK} ${MARK} ${MARK}`],
  ])("is taken out beside a value that holds %s, and is at least one", (_, value) => {
    const hidden = `x ${value}`;
    for (const [text, clean] of [
      [`kind: Secret\ndata:\n  a: ${hidden}\n  b: h1\n`, `kind: Secret\ndata:\n  a: ${MARK}\n  b: ${MARK}\n`],
      [`kind: Secret\ndata:\n  a: ${hidden}\n`, `kind: Secret\ndata:\n  a: ${MARK}\n`],
      [`user,password\nada,${hidden}\nbob,h1\n`, `user,password\nada,${MARK}\nbob,${MARK}\n`],
      [`user,password\nada,${hidden}\n`, `user,password\nada,${MARK}\n`],
      [`NAME  PASSWORD\nada   ${hidden}\nbob   h1\n`, `NAME  PASSWORD\nada   ${MARK}\nbob   ${MARK}\n`],
      [`password: |\n  ${hidden}\n  h1\n`, `password: |\n  ${MARK}\n  ${MARK}\n`],
    ] as const) {
      const whole = redactText(text);
      expect(whole.text).toBe(clean);
      expect(whole.count).toBeGreaterThan(0);
      expect(inPieces(text, [7])).toEqual(whole);
      expect(redactor?.value([text])).toEqual({ value: [clean], count: whole.count });
      expect(inPieces(JSON.stringify([text]), [7])).toEqual({
        text: JSON.stringify([clean]),
        count: whole.count,
      });
    }
  });

  it.each([
    ["a JWT's column", "user,jwt\nbob,h1\n"],
    ["a PIN's column", "NAME     PIN\nbob      h1\n"],
    ["a PIN alone", " pin \n-----\n h1\n"],
    ["cookies", "user,cookie\nbob,h1\n"],
    ["credentials", "| user | credential |\n|---|---|\n| bob | h1 |\n"],
    ["what is beside its name", "name,value\nrecovery code,h1\n"],
    ["what is below its name", "credentials:\n  main: h1nter22zwei\n"],
    ["a manifest's data", "kind: Secret\ndata:\n  a: h1\n"],
  ])("is taken out of a string of JSON and a part of a result, too: %s", (_, text) => {
    const clean = text.replace(/h1\S*/, () => MARK);
    expect(redactText(text)).toEqual({ text: clean, count: 1 });
    expect(redactor?.value({ text })).toEqual({ value: { text: clean }, count: 1 });
    expect(redactText(JSON.stringify({ text }))).toEqual({ text: JSON.stringify({ text: clean }), count: 1 });
    if (redactor === undefined) throw new Error("redaction is on");
    const content = [{ type: "text", text }];
    expect(redactResult({ content }, redactor)).toEqual({
      result: { content: [{ type: "text", text: clean }] },
      count: 1,
    });
    const rows = JSON.stringify([text.repeat(5_000)]);
    expect(inPieces(rows, [65_537])).toEqual(redactText(rows));
  });

  it("is taken out below a rule whose line ends in two characters", () => {
    const rows = ["text", "", "| a | password |", "|---|---|", "| b | h1 |", ""].join("\r\n");
    expect(redactText(rows).text).toBe(rows.replace("h1", MARK));
    const drawn = ["text", "a | password", "--+---------", "b | h1", ""].join("\r\n");
    expect(redactText(drawn).text).toBe(drawn.replace("h1", MARK));
  });

  it("is taken out of records over several lines, but not where a quote stands in a word or nobody closes it", () => {
    const clean = (text: string): string => redactText(text).text;
    expect(clean('a,password\n"x\ny",h1\n5" disk,h2\n')).toBe(
      `a,password\n"x\ny",${MARK}\n5" disk,${MARK}\n`,
    );
    expect(clean('a,password\n"x,h1\ny,h2\n')).toBe(`a,password\n"x,${MARK}\ny,${MARK}\n`);
  });

  it("is taken out of what the cell before names", () => {
    expect(redactText("| Setting | Value |\n|---|---|\n| user | ada |\n| API key | h1 |\n").text).toBe(
      `| Setting | Value |\n|---|---|\n| user | ada |\n| API key | ${MARK} |\n`,
    );
    expect(redactText("NAME         VALUE\nDB_PASSWORD  h1\nDB_USER      ada\n").text).toBe(
      `NAME         VALUE\nDB_PASSWORD  ${MARK}\nDB_USER      ada\n`,
    );
  });

  it("is taken out below the name of an only column, and not below a heading", () => {
    expect(redactText(" token \n-------\n abc\n d e\n(2 rows)\n").text).toBe(
      ` token \n-------\n ${MARK}\n ${MARK}\n(2 rows)\n`,
    );
    const heading = "Password\n--------\nThe password is a word.\n";
    expect(redactText(heading)).toEqual({ text: heading, count: 0 });
  });

  it("is taken out of what YAML has below a name that says secret", () => {
    expect(redactText("password: |-\n  two words\n  more\nb: 1\n").text).toBe(
      `password: |-\n  ${MARK}\n  ${MARK}\nb: 1\n`,
    );
    expect(
      redactText("credentials:\n  user: ada99x\n  main: hunt3r22\n  list:\n  - 'hunt3r22'\nc: d3f4g5\n").text,
    ).toBe(`credentials:\n  user: ada99x\n  main: ${MARK}\n  list:\n  - '${MARK}'\nc: d3f4g5\n`);
    for (const text of [
      "secrets:\n  - db_password\n  - source: api_token\n",
      "password:\n  type: string\n  minLength: 8\n",
      "Enter your password:\n  it has eight letters\n",
      "token:\n  expiresAt: 2024-01-01T00:00:00Z\n",
      "volumes:\n- secret:\n    secretName: db-1a2b3c\n    defaultMode: 420\n",
    ])
      expect(redactText(text)).toEqual({ text, count: 0 });
  });
});
