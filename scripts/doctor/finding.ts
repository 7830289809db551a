/** What the doctor looks at, in the order of its report. */
export const CHECKS = [
  "config.file",
  "config.keys",
  "config.servers",
  "config.variables",
  "config.addresses",
  "config.credentials",
  "config.policy",
  "config.globs",
  "config.cache",
  "config.retry",
  "config.pin",
  "config.current",
  "deployment.address",
  "deployment.health",
  "deployment.version",
  "deployment.challenge",
  "deployment.metadata",
  "deployment.origin",
  "operator.bearer",
  "operator.refresh",
  "operator.status",
  "operator.servers",
  "operator.ledger",
  "operator.tokens",
  "operator.approvals",
  "operator.metrics",
  "catalog.tools",
  "catalog.pin",
  "catalog.globs",
  "client.session",
  "client.tools",
  "client.browse",
] as const;

export type Check = (typeof CHECKS)[number];

/** From what has to be mended to what was not looked at. */
export const LEVELS = ["fail", "warn", "pass", "skip"] as const;

export type Level = (typeof LEVELS)[number];

/** One thing seen: what it is, what to do about it, and the key, server or route that it is about. */
export interface Finding {
  readonly check: Check;
  readonly level: Level;
  readonly what: string;
  readonly mend?: string;
  readonly subject?: string;
}

type Words = Pick<Finding, "what" | "mend" | "subject">;

export function failed(check: Check, words: Words): Finding {
  return { check, level: "fail", ...words };
}

export function warned(check: Check, words: Words): Finding {
  return { check, level: "warn", ...words };
}

export function passed(check: Check, what: string, more: Omit<Words, "what"> = {}): Finding {
  return { check, level: "pass", what, ...more };
}

export function skipped(check: Check, what: string, mend?: string): Finding {
  return { check, level: "skip", what, ...(mend === undefined ? {} : { mend }) };
}

/** What was found, or that there was nothing to find. */
export function orPassed(findings: readonly Finding[], check: Check, what: string): readonly Finding[] {
  return findings.length > 0 ? findings : [passed(check, what)];
}
