import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grouped } from "../../../src/firewall/summary/cut.ts";
import { levelOf, timeOf } from "../../../src/firewall/summary/lines/log-line.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { look, textArtifact } from "../view/look.ts";
import { SUMMARY_MAX_CODE_POINTS } from "../../../src/limits.ts";

describe("a log line", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z ERROR [main] c.a.B - x", "ERROR", "2026-01-02T03:04:05.678Z"],
    ["2026-01-02 03:04:05,678 - root - WARNING - ERROR of old", "WARN", "2026-01-02 03:04:05,678"],
    ["[2026/01/02 03:04:05] [error] [client 1.2.3.4] x", "ERROR", "2026/01/02 03:04:05"],
    ["[Thu Jan 02 2026] [core:crit] x", "FATAL", undefined],
    ["E0102 15:04:05.678901 1 a.go:7] failed", "ERROR", "0102 15:04:05.678901"],
    ['time=2026-01-02T03:04:05Z level=warn msg="x"', "WARN", "2026-01-02T03:04:05Z"],
    ['{"level":50,"time":1767312245000,"msg":"x"}', "ERROR", "1767312245000"],
    ['{"severity": "CRITICAL", "message": "x"}', "FATAL", undefined],
    ["Jan  2 03:04:05 host app[1]: error: x", "ERROR", "Jan  2 03:04:05"],
    ["error: x", "ERROR", undefined],
    ["INFO:root:started", "INFO", undefined],
    [
      '1.2.3.4 - - [02/Jan/2026:03:04:05 +0000] "GET / HTTP/1.1" 500 1',
      undefined,
      "02/Jan/2026:03:04:05 +0000",
    ],
    ["no errors here, for your information", undefined, undefined],
    ["2026-01-02T03:04:05Z INFO retry, level=error was handled", "INFO", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05Z app level=warn ERROR was handled", "WARN", "2026-01-02T03:04:05Z"],
    ['ts=1 msg="an ERROR, level=error" level=info', "INFO", undefined],
    ["[info] [client] ERROR typed", "INFO", undefined],
    ['{"msg":"user said, level=error please","level":"info"}', "INFO", undefined],
    ['{"log":{"level":"warn"},"message":"ERROR"}', "WARN", undefined],
    ['{"a":{"level":"error"},"b":["level","error"]}', undefined, undefined],
    ["{thread-1} ERROR x", "ERROR", undefined],
    ["", undefined, undefined],
  ])("%s", (line, level, time) => {
    expect(levelOf(line)).toBe(level);
    expect(timeOf(line)).toBe(time);
  });
});

describe("the summary of a log", () => {
  const level = fc.constantFrom("INFO", "DEBUG", "WARN", "ERROR", "FATAL");

  it("has the true number of lines of each level, and the lines of the first and the last error", () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 5, maxLength: 400 }), (levels) => {
        const lines = levels.map(
          (each, id) =>
            `2026-01-02T03:${String(Math.floor(id / 60)).padStart(2, "0")}:${String(id % 60).padStart(2, "0")}Z ${each} [w] request ${id}: no ERROR in words`,
        );
        const { kind, text, views } = summarise(`${lines.join("\n")}\n`);
        expect(kind).toBe("log");
        expect(text).toContain(`Log of ${grouped(lines.length)} lines, numbered from 0`);
        const counts = ["FATAL", "ERROR", "WARN", "INFO", "DEBUG"]
          .map((each) => ({ each, count: levels.filter((one) => one === each).length }))
          .filter(({ count }) => count > 0)
          .map(({ each, count }) => `${each} ${grouped(count)}`);
        expect(text.split("\n")[1]).toBe(`lines by level: ${counts.join(", ")}`);
        const isBad = (one: string): boolean => one === "ERROR" || one === "FATAL";
        const bad = [levels.findIndex(isBad), levels.findLastIndex(isBad)];
        const shown = Array.from(text.matchAll(/^(?:first|last) error, (\d+): (.{40})/gm), (match) =>
          match.slice(1),
        );
        const told = [...new Set(bad)].filter((line) => line >= 0);
        expect(shown).toEqual(told.map((line) => [String(line), lines[line]?.slice(0, 40)]));
        expect(text).toContain(`first line, 0: 2026-01-02T03:00:00Z ${levels[0]}`);
        expect(text).toContain(`last line, ${lines.length - 1}: `);
        expect(text).toContain("times: from 2026-01-02T03:00:00Z (first) to 2026-01-02T03:");
        expect(views.some(({ selector }) => selector.type === "grep")).toBe(
          levels.some((one) => isBad(one) || one === "WARN"),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("counts stack traces in it as lines without a level", () => {
    const line = (id: number): string =>
      `2026-01-02 03:04:05 ERROR boom ${id}\njava.lang.Error: x\n\tat a.b(C.java:1)\n\tat a.c(C.java:2)`;
    const { kind, text } = summarise([0, 1, 2, 3].map(line).join("\n\n"));
    expect(kind).toBe("log");
    expect(text).toContain("lines by level: ERROR 4, without a level 12, empty 3");
  });

  it("of JSON has the levels that the objects have, wherever the member stands and whatever the message says", () => {
    const names = fc.constantFrom("info", "ERROR", "warn", "debug", "fatal");
    const line = fc.record({
      level: names,
      before: fc.nat({ max: 12_000 }),
      said: fc.constantFrom("level=error", 'a "level":"error" b', "FATAL ERROR", "x"),
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 4, maxLength: 12 }), fc.boolean(), (all, number) => {
        const numbers = { debug: 20, info: 30, warn: 40, ERROR: 50, fatal: 60 };
        const short = `${JSON.stringify({ level: "info", msg: "x" })}\n`.repeat(9);
        const lines = all.map(({ level: each, before, said }) =>
          JSON.stringify({
            msg: `${said}${"m".repeat(before)}`,
            level: number ? numbers[each] : each,
          }),
        );
        const { text } = summarise(short + lines.join("\n"));
        const levels = [
          ...all.map((each) => each.level.toUpperCase()),
          ..."INFO ".repeat(9).trim().split(" "),
        ];
        const counts = ["FATAL", "ERROR", "WARN", "INFO", "DEBUG"]
          .map((each) => [each, levels.filter((one) => one === each).length] as const)
          .filter(([, count]) => count > 0);
        expect(text).toContain(
          `lines by level: ${counts.map(([each, count]) => `${each} ${count}`).join(", ")}\n`,
        );
      }),
      { numRuns: 60 },
    );
  });

  it("finds a status behind a long address, and says what it could not judge", () => {
    const line = (length: number, status: number): string =>
      `10.0.0.1 - - [02/Jan/2026:03:04:05 +0000] "GET /${"u".repeat(length)} HTTP/1.1" ${status} 12 "-" "curl"`;
    expect(summarise(Array.from({ length: 60 }, () => line(600, 503)).join("\n")).text).toContain(
      "by status: 5xx 60",
    );
    const { text } = summarise(
      [...Array.from({ length: 60 }, () => line(6, 200)), line(9_000, 500)].join("\n"),
    );
    expect(text).toContain("by status: 2xx 60; at least, as 1 line of more than 8,192 characters");
  });

  it.each([
    ["TAP", (id: number) => `${id % 10 === 9 ? "not ok" : "ok"} ${id} - test ${id} ERROR handling`],
    ["ticks", (id: number) => ` \u001b[32m${id % 10 === 9 ? "✗" : "✓"}\u001b[0m handles FATAL ERROR ${id}`],
    ["go test", (id: number) => `--- ${id % 10 === 9 ? "FAIL" : "PASS"}: TestError${id} (0.00s)`],
    [
      "pytest",
      (id: number) => `t.py::test_${id} ${id % 10 === 9 ? "FAILED" : "PASSED"} [ ${10 + (id % 80)}%]`,
    ],
  ])("of a run of tests (%s) counts what passed and what failed", (_, line) => {
    const lines = Array.from({ length: 200 }, (__, id) => line(id));
    const { kind, text, views } = summarise(lines.join("\n"));
    expect(kind).toBe("log");
    expect(text).toContain("lines that say what became of a test: passed 180, failed 20\n");
    expect(text).toContain("first error, 9: ");
    const [first] = views;
    if (first === undefined) throw new Error("no view");
    expect(look(textArtifact(lines.join("\n")), first.selector).text?.split("\n")[0]).toMatch(/^9[:-]/);
  });

  it("counts the statuses of a web server", () => {
    const line = (status: number, id: number): string =>
      `10.0.0.${id} - - [02/Jan/2026:03:04:05 +0000] "GET /${id} HTTP/1.1" ${status} 12 "-" "curl"`;
    const { text, views } = summarise([200, 200, 404, 500, 503, 301].map(line).join("\n"));
    expect(text).toContain("by status: 2xx 2, 3xx 1, 4xx 1, 5xx 2");
    expect(text).toContain('first error, 3: 10.0.0.3 - - [02/Jan/2026:03:04:05 +0000] "GET /3 HTTP/1.1" 500');
    expect(views[0]?.selector).toMatchObject({ type: "grep" });
  });

  it("of lines of JSON tells their fields as well", () => {
    const lines = Array.from({ length: 60 }, (_, id) =>
      JSON.stringify({ level: id === 7 ? 50 : 30, msg: `m${id}`, ms: id }),
    );
    const { kind, text } = summarise(lines.join("\n"));
    expect(kind).toBe("log");
    expect(text).toContain("lines by level: ERROR 1, INFO 59");
    expect(text).toContain("each line: {level: 30×59 50×1, ms: 0–59; strings: msg}");
    expect(text).toContain('first error, 7: {"level":50,"msg":"m7","ms":7}');
  });

  it("has no escape sequence and nothing unseen in it", () => {
    const line = "2026-01-02T03:04:05Z \u001b[31mERROR\u001b[0m a\u202eb\u0000c\u{e0041}";
    expect(summarise(`${line}\n`.repeat(9)).text).toContain(
      "first line, 0: 2026-01-02T03:04:05Z ERROR a b c\n",
    );
  });
});

describe("the summary of a stack trace", () => {
  it("tells what went wrong at its end, as Python's say it", () => {
    const frames = Array.from(
      { length: 40 },
      (_, id) => `  File "/app/m${id}.py", line ${id}, in f${id}\n    return g()`,
    );
    const { kind, text } = summarise(
      `Traceback (most recent call last):\n${frames.join("\n")}\nValueError: invalid literal\n`,
    );
    expect(kind).toBe("trace");
    expect(text).toContain("Stack trace: 40 frames in 82 lines, numbered from 0");
    expect(text).toContain("error line, 81: ValueError: invalid literal");
    expect(text).toContain('last frame, 79: File "/app/m39.py", line 39, in f39');
  });

  it("tells the causes, as Java's say them", () => {
    const at = "\tat a.b.C.d(C.java:12)\n".repeat(30);
    const { text } = summarise(
      `Exception in thread "main" a.B: top\n${at}Caused by: java.io.IOException: pipe\n${at}\t... 20 more\n`,
    );
    expect(text).toContain("Stack trace: 61 frames in 63 lines");
    expect(text).toContain("error line, 31: Caused by: java.io.IOException: pipe");
  });
});

describe("the summary of plain text", () => {
  it.each([
    ["One paragraph.\n\nAnother.", "One paragraph."],
    ["\n\n  Indented first.\nSecond line.\n \t\nRest", "Indented first.\nSecond line."],
    ["", ""],
    [" \n \n", ""],
    ["no end at all", "no end at all"],
    [`${"A sentence. ".repeat(60)}\n\nrest`, "A sentence. ".repeat(41).trimEnd()],
    ["a".repeat(501), `${"a".repeat(499)}…`],
    ["😀".repeat(600), `${"😀".repeat(220)}…`],
    ["漢字。".repeat(200), "漢字。".repeat(166)],
    ["a".repeat(500), "a".repeat(500)],
    [`Version 1.2.3 is out ${"x".repeat(600)}`, `Version 1.2.3 is out ${"x".repeat(478)}…`],
    ["Two lines\r\nof one\rparagraph.\r\n\r\nRest", "Two lines\nof one\nparagraph."],
    ["a\u001b[1mb\u001b]8;;http://x\u0007c\u202ed\u{e0041}e\u0000f\tg", "abcdef\tg"],
    ["stray \u001b]0;title without an end\nstays", "stray 0;title without an end\nstays"],
    ["family 👩‍👩‍👧 and ❤️", "family 👩‍👩‍👧 and ❤️"],
    ["lone \ud83d half", "lone \ufffd half"],
  ])("%j", (text, summary) => {
    expect(summarise(text)).toMatchObject({ kind: "text", text: summary });
  });

  it("quotes lines that begin like the gateway's own", () => {
    const text =
      "Kept secrets are kept.\nkept text/plain 3 bytes: tool_view {}\n  not kept x\nnext: {}\nnextly";
    expect(summarise(text).text).toBe(
      "Kept secrets are kept.\n> kept text/plain 3 bytes: tool_view {}\n>   not kept x\n> next: {}\nnextly".replace(
        /^/,
        "> ",
      ),
    );
  });

  it("says what base64 is, and shows whole groups of it", () => {
    const text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".repeat(400);
    expect(summarise(text).text).toBe(
      `base64 text, ${grouped(text.length)} characters: ${text.slice(0, 40)}…`,
    );
    expect(summarise("a".repeat(600)).text).toHaveLength(SUMMARY_MAX_CODE_POINTS);
  });
});
