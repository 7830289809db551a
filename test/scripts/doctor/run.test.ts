import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Report } from "../../../scripts/doctor/report.ts";
import { runDoctor } from "../../../scripts/doctor/run.ts";

const EMPTY: Report = { checks: [], passed: 0, warnings: 0, failed: 0, skipped: 0 };
const cwd = () => "/cwd";

describe("a run of the doctor", () => {
  it("prints its report, and ends as the report says", async () => {
    const failing = { ...EMPTY, failed: 1 };
    expect(await runDoctor(["--json"], cwd, async () => failing)).toEqual({
      stdout: JSON.stringify(failing),
      stderr: "",
      exitCode: 1,
    });
    expect(await runDoctor([], cwd, async () => EMPTY)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("ends with 2 and one short line, whatever is thrown and wherever", async () => {
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const thrown = fc.oneof(
      fc.anything(),
      fc.string({ unit: "binary" }).map((text) => new Error(text)),
      fc.constantFrom(
        new RangeError("Maximum call stack size exceeded"),
        new Error(`a\nb\u001b[2J ${secret}`),
        new Error(secret.repeat(100)),
        Object.create(null),
        new Error("x", { cause: secret }),
        undefined,
      ),
    );
    await fc.assert(
      fc.asyncProperty(thrown, fc.boolean(), fc.constantFrom([], ["--json"]), async (value, early, argv) => {
        const raise = () => {
          throw value;
        };
        const outcome = await runDoctor(argv, early ? raise : cwd, async () => raise());
        expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
        expect(outcome.stderr).toMatch(/^the doctor itself failed.{1,400}$/u);
        expect(outcome.stderr).not.toContain(secret.slice(0, 12));
      }),
    );
  });

  it("repeats no secret that stands where an argument should, and how it is used whole", async () => {
    const { stderr, exitCode } = await runDoctor(["sk_live_0123456789abcdefghij"], cwd, async () => EMPTY);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain("sk_live_0");
    expect(stderr.match(/REDACTED/g)).toHaveLength(1);
  });
});
