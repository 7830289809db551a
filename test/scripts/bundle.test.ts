import { describe, expect, it } from "vitest";
import { judgeBundle } from "../../scripts/check/bundle.ts";

const ENTRY = "src/worker.ts";

describe("the bundle's budget", () => {
  it("passes a small bundle of the Worker", () => {
    expect(judgeBundle(1024, [ENTRY, "node_modules/hono/dist/hono.js"])).toEqual([]);
  });

  it("fails over 1 MiB of gzip", () => {
    expect(judgeBundle(1024 * 1024 + 1, [ENTRY])).toHaveLength(1);
  });

  it.each([
    "node_modules/ajv/dist/ajv.js",
    "../x/node_modules/ajv-formats/dist/index.js",
    "node_modules/zod/v4/locales/he.js",
    "node_modules/js-tiktoken/dist/ranks/cl100k_base.js",
  ])("fails on %s", (path) => {
    expect(judgeBundle(1, [ENTRY, path])).toEqual([`${path} must not be bundled`]);
  });

  it("fails when it looked at nothing", () => {
    expect(judgeBundle(0, [])).toEqual(["src/worker.ts is not in the bundle"]);
  });
});
