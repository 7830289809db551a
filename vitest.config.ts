import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const bindings = () =>
  cloudflareTest(async () => ({
    wrangler: { configPath: "./wrangler.jsonc" },
    miniflare: {
      bindings: {
        LOOMGATE_KEY: "a key of the tests, long enough to be taken",
        TEST_MIGRATIONS: await readD1Migrations("./migrations"),
      },
    },
  }));

/**
 * Generated inputs are drawn anew in each run. With `TEST_INPUT_SEED` they are those of another run, as where `.ci/run` draws
 * them by the content of the tree: what is red there is red again.
 */
const { TEST_INPUT_SEED } = process.env;
const generated = {
  setupFiles: ["./test/support/generated-inputs.ts"],
  provide: { inputSeed: TEST_INPUT_SEED === undefined ? undefined : Number.parseInt(TEST_INPUT_SEED, 16) },
};

/** The rings: pure code in Node, bindings in workerd (those of records apart), and real processes. They run one after another. */
export default defineConfig({
  test: {
    reporters: ["default", "./test/support/ring-reporter.ts"],
    projects: [
      {
        test: {
          ...generated,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workers/**", "test/e2e/**"],
          // To load the modules anew for each of hundreds of files takes as long as the tests.
          isolate: false,
          sequence: { groupOrder: 0 },
          // The default leaves one core idle, which of two is half of them.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          // Generous: a busy machine must not fail a property over large inputs.
          testTimeout: 30_000,
        },
      },
      {
        plugins: [bindings()],
        test: {
          ...generated,
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          exclude: ["test/workers/records/**"],
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
        },
      },
      {
        plugins: [bindings()],
        test: {
          ...generated,
          // What these files test keeps nothing in the isolate but manifests by their hash: they share one, and its start.
          name: "records",
          include: ["test/workers/records/**/*.test.ts"],
          isolate: false,
          // They share its database too, which each begins by emptying: two at once would empty each other's.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...generated,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          sequence: { groupOrder: 3 },
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
