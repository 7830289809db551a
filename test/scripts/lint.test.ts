import { describe, expect, it } from "vitest";
import { judgeLint } from "../../scripts/check/lint.ts";

const run = (report: unknown, code = 0) => ({ code, stdout: JSON.stringify(report), output: "output" });
const finding = {
  filename: "src/a.ts",
  code: "eslint(no-var)",
  message: "no var",
  labels: [{ span: { line: 3 } }],
};

describe("the lint check", () => {
  it("passes a run over every file without a finding", () => {
    expect(judgeLint(run({ diagnostics: [], number_of_files: 5 }), 5)).toEqual([]);
  });

  it("tells each finding with its place", () => {
    expect(judgeLint(run({ diagnostics: [finding], number_of_files: 5 }, 1), 5)).toEqual([
      "src/a.ts:3: eslint(no-var): no var",
    ]);
  });

  it.each([
    [0, 0],
    [4, 5],
  ])("fails a run that looked at %i files of %i", (looked, expected) => {
    expect(judgeLint(run({ diagnostics: [], number_of_files: looked }), expected)).toHaveLength(1);
  });

  it.each([
    { code: 1, stdout: "Failed to start", output: "Failed to start" },
    run({}),
    run({ diagnostics: [], number_of_files: 5 }, 1),
  ])("fails when the linter itself fails: %j", (broken) => {
    expect(judgeLint(broken, 5)).not.toEqual([]);
  });
});
