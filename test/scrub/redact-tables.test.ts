import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactDefinition } from "../../src/scrub/redact-definition.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);

describe("a table with a column that is named like a secret", () => {
  it.each([
    ["CSV", "user,password\nada,h1\nbob,two words\n", `user,password\nada,${MARK}\nbob,${MARK}\n`],
    ["with quotes", '"API key","a"\r\n"x,""1""","b"\r\n', `"API key","a"\r\n"${MARK}","b"\r\n`],
    ["TSV", "password\tuser\nh1\tada", `password\tuser\n${MARK}\tada`],
    ["semicolons", "user;access_token;x\na;b;c", `user;access_token;x\na;${MARK};c`],
    [
      "Markdown",
      "Users:\n\n| user | password |\n|---|:--|\n| ada | h1 |\n\n| a | b |",
      `Users:\n\n| user | password |\n|---|:--|\n| ada | ${MARK} |\n\n| a | b |`,
    ],
    ["Markdown without bars around", "a | token\n- | -\nb | c", `a | token\n- | -\nb | ${MARK}`],
    [
      "psql",
      " user | password \n------+----------\n ada  | h1\n(1 row)\n",
      ` user | password \n------+----------\n ada  | ${MARK}\n(1 row)\n`,
    ],
    [
      "mysql",
      "+------+-------+\n| user | token |\n+------+-------+\n| ada  | h1    |\n+------+-------+\n| bob  | h2    |\n+------+-------+\n",
      `+------+-------+\n| user | token |\n+------+-------+\n| ada  | ${MARK}    |\n+------+-------+\n| bob  | ${MARK}    |\n+------+-------+\n`,
    ],
    [
      "boxes",
      "┌──────┬───────┐\n│ user │ token │\n├──────┼───────┤\n│ ada  │ h1    │\n└──────┴───────┘\n│ b │ c │\n",
      `┌──────┬───────┐\n│ user │ token │\n├──────┼───────┤\n│ ada  │ ${MARK}    │\n└──────┴───────┘\n│ b │ c │\n`,
    ],
    [
      "psql with a column that is no plain name",
      " ?column? | count(*) | password\n----------+----------+---------\n 1 | 2 | h1\n",
      ` ?column? | count(*) | password\n----------+----------+---------\n 1 | 2 | ${MARK}\n`,
    ],
    [
      "Markdown in another script",
      "| 名前 | password |\n|---|---|\n| x | h1 |\n",
      `| 名前 | password |\n|---|---|\n| x | ${MARK} |\n`,
    ],
    [
      "a bar in a cell",
      " id | note | password\n----+------+---------\n 1 | a|b | h1\n",
      ` id | note | password\n----+------+---------\n 1 | a|${MARK} | ${MARK}\n`,
    ],
    [
      "mysql with one column",
      "+----------+\n| password |\n+----------+\n| h1       |\n+----------+\n",
      `+----------+\n| password |\n+----------+\n| ${MARK}       |\n+----------+\n`,
    ],
    [
      "psql's rows in lines",
      "-[ RECORD 1 ]---\nid       | 1\npassword | h1  +\n         | h2\n-[ RECORD 2 ]-+-\npassword | h3\n(2 rows)\na | b\n",
      `-[ RECORD 1 ]---\nid       | 1\npassword | ${MARK}\n         | ${MARK}\n-[ RECORD 2 ]-+-\npassword | ${MARK}\n(2 rows)\na | b\n`,
    ],
    [
      "rows in lines between boxes' bars",
      "─[ RECORD 1 ]─┬──\nid       │ 1\npassword │ h1|h2\n",
      `─[ RECORD 1 ]─┬──\nid       │ 1\npassword │ ${MARK}\n`,
    ],
    [
      "two columns and a bar in a cell",
      " password | id | token\n----------+----+------\n h1 | y|z | h2\n",
      ` password | id | token\n----------+----+------\n ${MARK} | ${MARK}|${MARK} | ${MARK}\n`,
    ],
    [
      "a row that names its value, beside a column that is named so",
      "name,value,token\ndb_password,h1,h2\nuser,ada,h3\n",
      `name,value,token\ndb_password,${MARK},${MARK}\nuser,ada,${MARK}\n`,
    ],
    [
      "the same the other way around",
      "| PIN | Value | Setting |\n|---|---|---|\n| h1 | h2 | API key |\n",
      `| PIN | Value | Setting |\n|---|---|---|\n| ${MARK} | ${MARK} | API key |\n`,
    ],
    [
      "a line under each row, of which some name secrets",
      "+---+---+\n| setting | value |\n+---+---+\n| password | h1 |\n+---+---+\n| api_key | h2 |\n+---+---+\n| pin | unknown |\n+---+---+\n| token | a|b |\n+---+---+\n| token | h3 |\n+---+---+\n| timeout | 30 |\n+---+---+\n",
      `+---+---+\n| setting | value |\n+---+---+\n| password | ${MARK} |\n+---+---+\n| api_key | ${MARK} |\n+---+---+\n| pin | unknown |\n+---+---+\n| token | ${MARK}|${MARK} |\n+---+---+\n| token | ${MARK} |\n+---+---+\n| timeout | 30 |\n+---+---+\n`,
    ],
    [
      "two tables without a line between",
      "+---+---+\n| id | token |\n+---+---+\n| 1 | h1 |\n+---+---+\n+---+---+\n| password | id |\n+---+---+\n| h2 | 2 |\n+---+---+\n",
      `+---+---+\n| id | token |\n+---+---+\n| 1 | ${MARK} |\n+---+---+\n+---+---+\n| password | ${MARK} |\n+---+---+\n| ${MARK} | 2 |\n+---+---+\n`,
    ],
    [
      "a narrower table right below",
      "+---+---+\n| id | token |\n+---+---+\n| 1 | h1 |\n+---+---+\n| password |\n+---+\n| h2 |\n",
      `+---+---+\n| id | token |\n+---+---+\n| 1 | ${MARK} |\n+---+---+\n| password |\n+---+\n| ${MARK} |\n`,
    ],
    [
      "two lines below a header",
      "| id | token |\n+---+---+\n+---+---+\n| 1 | h1 |\n",
      `| id | token |\n+---+---+\n+---+---+\n| 1 | ${MARK} |\n`,
    ],
    [
      "dashes in all cells of a row",
      "| user | password |\n|---|---|\n| - | - |\n| ada | h1 |\n",
      `| user | password |\n|---|---|\n| - | - |\n| ada | ${MARK} |\n`,
    ],
    [
      "dashes in all cells of a row, behind one that names a secret",
      "| setting | value |\n|---|---|\n| password | h1 |\n| - | - |\n| token | h2 |\n",
      `| setting | value |\n|---|---|\n| password | ${MARK} |\n| - | - |\n| token | ${MARK} |\n`,
    ],
    [
      "Markdown below a line of cells",
      "user,password\n| a | b |\n|---|---|\nx,y\n",
      "user,password\n| a | b |\n|---|---|\nx,y\n",
    ],
    [
      "quotes in a row",
      'user,password\n"Lovelace, Ada",h1\nbob,"h2, h3"\n',
      `user,password\n"Lovelace, Ada",${MARK}\nbob,"${MARK}"\n`,
    ],
    ["rows of another length", "user,password\na,b,c\nd,e", `user,password\na,b,c\nd,${MARK}`],
  ])("loses its cells: %s", (_, text, clean) => {
    expect(redactor?.text(text).text).toBe(clean);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
    expect(redactor?.value({ text }).value).toEqual({ text: clean });
  });

  it.each([
    "user,password",
    "user,password_policy\na,b",
    "Enter your name, then your password.\nGood, thanks",
    "user,password\na,\nb,unknown\nc,********",
    "a\nuser,password\na,b",
    "| password |\nis a word | here",
  ])("is none, or holds none: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });

  it("loses its cells also far behind its header", () => {
    const text = `user,password\n${"a,unknown\n".repeat(600_000)}ada,h1\n`;
    expect(redactor?.text(text)).toEqual({ text: text.replace("h1", MARK), count: 1 });
  });

  it("is redacted once, whatever stands in it", () => {
    const piece = fc.constantFrom(
      ...'user,password|;\t\n|"| |,a|--|token=abcdefgh|password|\n|---|\n|hunter22|Bearer abcdefghijkl|[REDACTED-SECRET]| | |'.split(
        "|",
      ),
      "|",
      "\n|-|-|\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        for (const text of [pieces.join(""), `user,password\n${pieces.join("")}`]) {
          const once = redactor?.text(text).text ?? "";
          expect(redactor?.text(once)).toEqual({ text: once, count: 0 });
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is read in time that grows with its length only", () => {
    for (const unit of ["a ", '"', '""', "\t", " ", "|", "-|", "a,", "|-\n", '" '])
      expect(redactor?.text(`user,password\n${unit.repeat(100_000)}`).text).toContain("user,password");
  });
});

describe("a definition in a schema", () => {
  it("loses its default where it is named like a secret", () => {
    const schema = (secret: object) => ({
      inputSchema: { type: "object", $defs: { secret: { type: "string", title: "Secret", ...secret } } },
    });
    expect(redactDefinition(schema({ default: "hunter22" })).value).toEqual(schema({}));
  });
});
