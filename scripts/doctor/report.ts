import { oneLine } from "../../src/scrub/log-line.ts";
import type { Scrubber } from "../../src/scrub/scrub.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { FINDINGS_PER_CHECK_MAX_COUNT, MEMBER_MAX_CHARS } from "./bounds.ts";
import { CHECKS, type Finding, type Level, LEVELS } from "./finding.ts";
import { cut } from "./shown.ts";

/** What `--json` prints. */
export interface Report {
  readonly checks: readonly Finding[];
  readonly passed: number;
  readonly warnings: number;
  readonly failed: number;
  readonly skipped: number;
}

const LABELS: Readonly<Record<Level, string>> = { fail: "FAIL", warn: "warn", pass: "pass", skip: "skip" };

/**
 * The findings as they may be printed: those that ask for something first, bounded in number and length, each text on one
 * line, without the secrets that the scrubber knows and without what has the shape of one.
 */
export function reportOf(findings: readonly Finding[], scrubber: Scrubber): Report {
  const checks = LEVELS.flatMap((level) =>
    CHECKS.flatMap((check) =>
      bounded(findings.filter((finding) => finding.check === check && finding.level === level)),
    ),
  ).map((finding) => printable(finding, scrubber));
  const count = (level: Level): number => checks.filter((finding) => finding.level === level).length;
  return {
    checks,
    passed: count("pass"),
    warnings: count("warn"),
    failed: count("fail"),
    skipped: count("skip"),
  };
}

/** One line a finding, and a last one that counts. */
export function reportLines({ checks, passed, warnings, failed, skipped }: Report): readonly string[] {
  const width = Math.max(...CHECKS.map((check) => check.length));
  return [
    ...checks.map(({ check, level, what, mend, subject }) => {
      const about = subject === undefined ? "" : `${subject}: `;
      return `${LABELS[level]}  ${check.padEnd(width)}  ${about}${what}${mend === undefined ? "" : ` → ${mend}`}`;
    }),
    `${passed} passed, ${warnings} warnings, ${failed} failed, ${skipped} skipped`,
  ];
}

/** 1 where something has to be mended. */
export function exitCodeOf({ warnings, failed }: Report, strict: boolean): 0 | 1 {
  return failed > 0 || (strict && warnings > 0) ? 1 : 0;
}

function bounded(findings: readonly Finding[]): readonly Finding[] {
  const [first] = findings;
  const left = findings.length - FINDINGS_PER_CHECK_MAX_COUNT;
  if (first === undefined || left <= 1) return findings;
  const rest = { check: first.check, level: first.level, what: `and ${left} more like these` };
  return [...findings.slice(0, FINDINGS_PER_CHECK_MAX_COUNT), rest];
}

function printable({ check, level, what, mend, subject }: Finding, scrubber: Scrubber): Finding {
  // Scrubbed before and after: what hides in one text must not come together when it is cut or escaped.
  const scrub = (text: string): string => redactSecrets(scrubber.text(text)).text;
  const clean = (text: string): string => scrub(oneLine(cut(scrub(text), MEMBER_MAX_CHARS)));
  return {
    check,
    level,
    what: clean(what),
    ...(mend === undefined ? {} : { mend: clean(mend) }),
    ...(subject === undefined ? {} : { subject: clean(subject) }),
  };
}
