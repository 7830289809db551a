import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Three rings: pure code in Node, bindings in workerd, and real processes. They run one after another. */
export default defineConfig({
  test: {
    reporters: ["default", "./test/support/ring-reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workers/**", "test/e2e/**"],
          sequence: { groupOrder: 0 },
          // The default leaves one core idle, which of two is half of them.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          // Generous: a busy machine must not fail a property over large inputs.
          testTimeout: 30_000,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.jsonc" },
            miniflare: {
              bindings: {
                LOOMGATE_KEY: "a key of the tests, long enough to be taken",
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
