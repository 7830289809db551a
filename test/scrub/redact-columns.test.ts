import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);

describe("a table aligned with spaces whose column is named like a secret", () => {
  it.each([
    [
      "in the middle",
      "NAME     PASSWORD        ROLE\nada      h1              admin\nbob      sword fish 99   dev\n",
      `NAME     PASSWORD        ROLE\nada      ${MARK}              admin\nbob      ${MARK}   dev\n`,
    ],
    ["at the end", "Users:\n\nid  api key\n1   abc\n2   \n", `Users:\n\nid  api key\n1   ${MARK}\n2   \n`],
    ["at the beginning", "token   id\nabc     1\r\n", `token   id\n${MARK}     1\r\n`],
    ["below a line", "id  secret\n--  ------\n1   abc", `id  secret\n--  ------\n1   ${MARK}`],
    ["twice", "token  id  pin\nabc    1   23\n", `token  id  pin\n${MARK}    1   ${MARK}\n`],
    [
      "below a header of 2,000 characters",
      `${"a  ".repeat(700)}PIN\n${"b  ".repeat(700)}h1\n`,
      `${"a  ".repeat(700)}PIN\n${"b  ".repeat(700)}${MARK}\n`,
    ],
    [
      "in a row that names its value, too",
      "NAME      TOKEN  VALUE\napi_key   h1     h2\nuser      h3     ada\n",
      `NAME      TOKEN  VALUE\napi_key   ${MARK}     ${MARK}\nuser      ${MARK}     ada\n`,
    ],
    ["in Spanish", "usuario  contraseña\nada      abc\n", `usuario  contraseña\nada      ${MARK}\n`],
  ])("loses its cells: %s", (_, text, clean) => {
    expect(redactor?.text(text).text).toBe(clean);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
    expect(redactor?.value({ text }).value).toEqual({ text: clean });
  });

  it.each([
    "NAME     PASSWORD",
    "name  password\n\nada   h1",
    "name  age\nada   12",
    "Enter your name,  then your password.\nThanks, then wait",
    "name  token type\nada   bearers",
    "password  is a word that  stands here: often\nand again this is one of those",
    "name    password\nstanding under nothing at all",
  ])("is none, or holds none: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });

  it("is redacted once, whatever stands in it", () => {
    const piece = fc.constantFrom(
      "a",
      "  ",
      "   ",
      " ",
      "\n",
      "id  token  x\n",
      "token",
      "[",
      MARK,
      "12",
      "-",
      "\r\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const once = redactor?.text(`id  token  pin  x\n${pieces.join("")}`).text ?? "";
        expect(redactor?.text(once)).toEqual({ text: once, count: 0 });
      }),
      { numRuns: 500 },
    );
  });

  it("is read in time that grows with its length only", () => {
    for (const unit of ["  ", "a  ", "\n  ", "id  token\n", "  a\n"])
      expect(redactor?.text(unit.repeat(200_000)).text.length).toBeGreaterThan(200_000);
  });
});
