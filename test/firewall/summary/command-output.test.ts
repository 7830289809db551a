import { describe, expect, it } from "vitest";
import { ResultLines } from "../../../src/firewall/summary/lines/result-lines.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { look, textArtifact } from "../view/look.ts";

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const PROSE = lines(60, (id) => `This is line ${id} of a text with 12 words in it, and it goes on.`);

describe("a table whose columns are one space apart", () => {
  it("of processes: the command is one cell, whatever is in it", () => {
    const row = (id: number): string =>
      `root     ${String(id * 37 + 1).padStart(7)}  0.${id % 10} ?        Ss   Nov28   0:0${id % 9} /usr/bin/d --arg ${id}`;
    const { kind, text } = summarise(
      `USER         PID %CPU TTY      STAT START   TIME COMMAND\n${lines(80, row)}\n`,
    );
    expect(kind).toBe("table");
    expect(text).toMatch(/^Table: 80 rows of 8 columns, below a header\n/);
    expect(text).toContain("PID: 1–2924");
    expect(text).toContain('row 79: root | 2924 | 0.9 | ? | Ss | Nov28 | 0:07 | "/usr/bin/d --arg 79"');
  });

  it("of file systems: the last name has two words", () => {
    const row = (id: number): string => `/dev/sda${id}       ${50 + id}G   20G   30G  40% /mnt/d${id}`;
    const { text } = summarise(`Filesystem      Size  Used Avail Use% Mounted on\n${lines(9, row)}\n`);
    expect(text).toMatch(/^Table: 9 rows of 6 columns, below a header\n/);
    expect(text).toContain('"Mounted on": text');
    expect(text).toContain("row 8: /dev/sda8 | 58G | 20G | 30G | 40% | /mnt/d8");
  });

  it("of files, below their total", () => {
    const row = (id: number): string =>
      `-rw-r--r-- 1 ada  staff ${String(id * 1_003).padStart(6)} Jan  2 12:0${id} file name ${id}.txt`;
    const { text } = summarise(`total 480\n${lines(9, row)}\n`);
    expect(text).toMatch(
      /^Table: 9 rows of 9 columns, the first is no header, below a line with the total\n/,
    );
    expect(text).toContain("column 4: 0–8024");
  });

  it("is none where words do not stand below one another", () => {
    for (const text of [
      PROSE,
      lines(40, (id) => `word${id} and then some`),
      lines(40, () => "a 1 b 2\nc d e f"),
    ])
      expect(summarise(text).kind).toBe("text");
  });

  it("says how many rows are not as the others, and is a text where many are not", () => {
    const row = (id: number): string => `ada   ${String(id).padStart(4)} 0.1 x`;
    const head = `USER   PID %CPU CMD\n${lines(2_000, row)}\n`;
    expect(summarise(`${head}oops\n`).text).toContain("1 of them with more or fewer fields");
    expect(summarise(`${head}${"oops\n".repeat(900)}`).kind).toBe("text");
  });
});

describe("blocks of names and values", () => {
  it.each([
    ["psql's", (id: number) => `-[ RECORD ${id + 1} ]-----\nid   | ${id}\nname | Ada ${id}`, 3],
    [
      "mysql's",
      (id: number) => `**************** ${id + 1}. row ****************\n  id: ${id}\nname: Ada ${id}`,
      3,
    ],
    [
      "what kubectl describes",
      (id: number) => `id:      ${id}\nname:    Ada ${id}\nKind:    Pod\nState:   up\nSpec:\n  a:  b\n`,
      7,
    ],
  ])("%s are counted, and the first is shown", (_, block, size) => {
    const { kind, text } = summarise(lines(40, block));
    expect(kind).toBe("blocks");
    expect(text).toContain("40 blocks of names and values");
    expect(text).toContain(`the last begins in line ${39 * size}`);
    expect(text).toContain("the first:\nid: 0\nname: Ada 0");
    expect(text).not.toContain("Ada 1");
  });

  it("are none where anything else stands at the beginning of a line", () => {
    expect(summarise(`Name:  a\nKind:  b\nSize:  1\nDate:  2\n${"x".repeat(20_000)}\nand words\n`).kind).toBe(
      "text",
    );
    expect(summarise(lines(40, (id) => `key${id}: value`)).kind).toBe("text");
  });
});

describe("the output of a run", () => {
  const RUNS: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "pytest",
      `${"=".repeat(20)} test session starts ${"=".repeat(20)}\ncollected 9 items\n\n${lines(40, (id) => `tests/test_${id}.py ..F.\nE       assert 1 == ${id}`)}\n===== 40 failed, 3 passed in 1.20s =====\n`,
      ["of a failure or an error: 40", "result, 83: ===== 40 failed, 3 passed in 1.20s ====="],
    ],
    [
      "cargo",
      `   Compiling app v0.1.0 (/app)\n\nrunning 60 tests\n${lines(60, (id) => `test t_${id} ... ${id === 7 ? "FAILED" : "ok"}`)}\n\ntest result: FAILED. 59 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass \`--lib\`\n`,
      [
        "of a failure or an error: 2;",
        "first failure, 10: test t_7 ... FAILED",
        "test result: FAILED. 59 passed; 1 failed; 0 ignored",
        "error: test failed",
      ],
    ],
    [
      "tsc",
      `${lines(90, (id) => `src/m${id}.ts(${id + 1},5): error TS2345: Bad ${id}.`)}\n\nFound 90 errors in 90 files.\n`,
      [
        "of a failure or an error: 90",
        "last failure, 89: src/m89.ts(90,5): error TS2345: Bad 89.",
        "Found 90 errors",
      ],
    ],
    [
      "eslint",
      `${lines(30, (id) => `/app/f${id}.js\n  1:10  error    'x' is unused  no-unused\n  5:1   warning  No console  no-console\n`)}\n✖ 60 problems (30 errors, 30 warnings)\n`,
      ["of a failure or an error: 31", "✖ 60 problems (30 errors, 30 warnings)"],
    ],
    [
      "npm",
      `${lines(60, (id) => `npm warn deprecated p${id}@1.0.0: old`)}\n\nadded 1200 packages, and audited 1201 packages in 30s\n\nfound 0 vulnerabilities\n`,
      ["of a failure or an error: 0", "added 1200 packages", "found 0 vulnerabilities"],
    ],
    [
      "make",
      `${lines(60, (id) => `a${id}.c:${id + 1}:5: error: 'x' undeclared\n   ${id} |   x = 1;`)}\nmake: *** [Makefile:10: all] Error 1\n`,
      ["of a failure or an error: 60", "make: *** [Makefile:10: all] Error 1"],
    ],
    [
      "TAP",
      `TAP version 13\n${lines(60, (id) => `${id === 7 ? "not ok" : "ok"} ${id + 1} - does ${id}`)}\n1..60\n# tests 60\n# pass 59\n# fail 1\n`,
      ["passed 59, failed 1", "# pass 59", "# fail 1"],
    ],
    [
      "Maven",
      `[INFO] Scanning for projects...\n${lines(60, (id) => `[INFO] Running T${id}`)}\n[ERROR] Tests run: 60, Failures: 1\n[INFO] BUILD FAILURE\n[INFO] Total time: 1 s\n`,
      ["[ERROR] Tests run: 60, Failures: 1", "[INFO] BUILD FAILURE"],
    ],
  ];

  it.each(RUNS)("of %s says what became of it", (_, text, told) => {
    const { text: summary } = summarise(text);
    for (const each of told) expect(summary).toContain(each);
  });

  it("finds again by its view what it counts", () => {
    for (const [, text] of RUNS) {
      const { kind, views, text: summary } = summarise(text);
      const count = /of a failure or an error: (\d+)/.exec(summary)?.[1];
      if (kind !== "run" || count === "0") continue;
      const grep = views.map(({ selector }) => selector).find(({ type }) => type === "grep");
      const pattern = new RegExp(grep?.type === "grep" ? grep.pattern : "never", "u");
      expect(text.split("\n").filter((line) => pattern.test(line))).toHaveLength(Number(count));
    }
  });

  it("finds the same in colours", () => {
    const told = [
      "<31>FAILED<0> tests/a.py::<1>test_a<0>",
      "<1><31>E       assert 1 == 2<0>",
      "<31>not ok 1 - a<0>",
      "<31>--- FAIL: TestA (0.00s)<0>",
      "test a ... <31>FAILED<0>",
      "<31>  ✗<39> a",
      "  <31>1) a<0>",
      "<0>  <31>×<39><2> a<22>",
      "<1><38;5;9>error[E0308]<0><1>: mismatched types<0>",
      "<1><31>error<0><1>:<0> could not",
      "[<1;31>ERROR<m>] Tests failed",
      "<1>npm<22> <31>error<39> <94>code<39> E1",
      "<96>src/a.ts<0>:<93>7<0>:<93>5<0> - <91>error<0><90> TS2345: <0>Bad.",
      "<01><K>a.c:1:2:<m><K> <01;31><K>error: <m><K>undeclared",
      "<01><K>a.c:1:2:<m><K> <01;31><K>fatal error: <m><K>none",
      "  <2>1:10<22>  <31>error<39>  unused",
    ];
    const others = [
      "<32>tests/a.py<0> ..F.",
      "<1>an error<0> of 12 FAILED words",
      "<31>errors<0> in words",
      "<2>more<22>",
    ];
    const coloured = (line: string): string =>
      line.replaceAll(
        /<([\d;]*)([mK]?)>/g,
        (_, codes: string, end: string) => `\u001b[${codes}${end || "m"}`,
      );
    for (const each of told) {
      const text = [...others, each, ...others].map(coloured);
      const results = new ResultLines();
      for (const [index, line] of text.entries()) results.add(line, index);
      expect(results.failures).toBe(1);
      const found = look(textArtifact(text.join("\n")), {
        type: "grep",
        pattern: results.failurePattern,
        context: 0,
        ignore_case: false,
      });
      expect(found.text?.match(/^\d+: /gm)).toEqual([`${others.length}: `]);
    }
  });

  it("is shown without a word of colours where it has none", () => {
    const text = RUNS.find(([name]) => name === "eslint")?.[1] ?? "";
    const views = (shown: string): string => JSON.stringify(summarise(shown).views);
    expect(views(text)).toContain("error");
    expect(views(text)).not.toContain("x1b");
    expect(views(text.replaceAll("error  ", "\u001b[31merror\u001b[39m  "))).toContain("x1b");
  });

  it("is read in time that grows with its lines", () => {
    const results = new ResultLines();
    for (const unit of [" ", "=", "(", "\t", "1 "])
      for (const before of ["", "tests", "tests OK"]) {
        const line = `${before}${unit.repeat(4_000)}x1`;
        for (let turn = 0; turn < 2_000; turn += 1) results.add(line, turn);
      }
    expect(results.count).toBe(0);
  });

  it("is a text where nothing says what became of it", () => {
    expect(summarise(`> app@1.0.0 start\n${PROSE}`).kind).toBe("text");
  });
});
