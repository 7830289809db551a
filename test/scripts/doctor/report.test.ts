import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEMBER_MAX_CHARS, SHOWN_MAX_CHARS } from "../../../scripts/doctor/bounds.ts";
import type { Finding, Level } from "../../../scripts/doctor/finding.ts";
import { exitCodeOf, reportLines, reportOf } from "../../../scripts/doctor/report.ts";
import { cut } from "../../../scripts/doctor/shown.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";

const plain = createScrubber([]);

function finding(level: Level, what: string = level): Finding {
  return { check: "config.keys", level, what };
}

describe("a report", () => {
  it("tells what fails first, then warnings, and counts in its last line", () => {
    const levels: readonly Level[] = ["skip", "pass", "warn", "fail", "pass"];
    const lines = reportLines(
      reportOf(
        levels.map((level) => finding(level)),
        plain,
      ),
    );
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["FAIL", "warn", "pass", "pass", "skip", "2"]);
    expect(lines.at(-1)).toBe("2 passed, 1 warnings, 1 failed, 1 skipped");
  });

  it("gives each finding one line: the check, what it is about, what is wrong, what to do", () => {
    const one: Finding = {
      check: "config.keys",
      level: "fail",
      subject: "gateway.top_k",
      what: "write\na number",
      mend: "5",
    };
    expect(reportLines(reportOf([one], plain))[0]).toMatch(
      /^FAIL {2}config\.keys +gateway\.top_k: write\\na number → 5$/,
    );
  });

  it("says how many of a kind it leaves out, and drops no level by it", () => {
    const many = Array.from({ length: 500 }, (_, index) => finding("warn", `number ${index}`));
    const report = reportOf([...many, finding("fail")], plain);
    expect(report.checks).toHaveLength(22);
    expect(report.checks.at(-1)).toEqual({
      check: "config.keys",
      level: "warn",
      what: "and 480 more like these",
    });
    expect(report).toMatchObject({ failed: 1, warnings: 21 });
  });

  it("shows no secret that stands in any member", () => {
    const secret = "a secret of some length";
    const scrubber = createScrubber([secret]);
    const report = reportOf(
      [{ check: "config.keys", level: "fail", what: secret, mend: secret, subject: secret }],
      scrubber,
    );
    expect(JSON.stringify(report)).not.toContain(secret);
  });

  it("shows no text that has the shape of a secret, in any member and wherever it would be cut", () => {
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    fc.assert(
      fc.property(fc.nat(2_000), fc.constantFrom(" ", "/", '"', "x"), (length, before) => {
        const text = `${"y ".repeat(length / 2)}${before}${token}`;
        const all: Finding = { check: "config.keys", level: "fail", what: text, mend: text, subject: text };
        expect(JSON.stringify(reportOf([all], plain))).not.toContain(token.slice(0, 5));
      }),
    );
  });

  it("shows hashes whole or not at all, wherever it would be cut", () => {
    const hash = "0123456789abcdef".repeat(4);
    fc.assert(
      fc.property(fc.nat(1_400), fc.constantFrom(SHOWN_MAX_CHARS, MEMBER_MAX_CHARS), (length, max) => {
        const text = `${"y".repeat(length)} ${hash} is pinned, ${hash} was found`;
        const part = cut(text, max);
        expect(Array.from(part).length).toBeLessThanOrEqual(max);
        expect(part.replaceAll(hash, "")).not.toMatch(/[0-9a-f]{6}/);
        expect(text.startsWith(part.replace(/…$/, ""))).toBe(true);
      }),
    );
    const pinned = `${hash} is pinned, and the servers offer ${hash}: nothing is served`;
    expect(reportOf([finding("fail", pinned)], plain).checks[0]?.what).toBe(pinned);
  });

  it.each<[Level, 0 | 1, 0 | 1]>([
    ["pass", 0, 0],
    ["skip", 0, 0],
    ["warn", 0, 1],
    ["fail", 1, 1],
  ])("with a finding of level %s ends with %i, and with %i where warnings count", (level, usual, strict) => {
    const report = reportOf([finding("pass"), finding(level)], plain);
    expect([exitCodeOf(report, false), exitCodeOf(report, true)]).toEqual([usual, strict]);
  });
});
