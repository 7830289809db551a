import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";

/**
 * Ends a run with one line over all rings, `N passed, N failed`. What broke outside a test (a module that did not
 * load, an unhandled rejection, a ring without a test) counts as failed, so the line is never greener than the run.
 */
export default class RingReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandled.length;
    const ringsWithTests = new Set<string>();
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        ringsWithTests.add(module.project.name);
        if (test.result().state === "passed") passed += 1;
        else failed += 1;
      }
    }
    // A run narrowed by hand to some files may leave rings empty; a whole run may not.
    const whole = process.argv.slice(2).every((argument) => argument === "run");
    const emptyRings = whole
      ? (this.#vitest?.projects ?? []).filter((project) => !ringsWithTests.has(project.name))
      : [];
    for (const ring of emptyRings) {
      failed += 1;
      process.stdout.write(`the ring "${ring.name}" ran no test\n`);
    }
    if (failed > 0) process.exitCode = 1;
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
