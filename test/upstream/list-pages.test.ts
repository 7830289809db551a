import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ok } from "../../src/result.ts";
import { listPages } from "../../src/upstream/list-pages.ts";

/** Lists these pages, and tells in which order pages were asked for and entries read. */
async function steps(pages: readonly (readonly number[])[]) {
  const taken: string[] = [];
  const listed = await listPages(
    "tools/list",
    "tools",
    async (_, { cursor = 0 }) => {
      taken.push(`ask ${String(cursor)}`);
      const at = Number(cursor);
      return ok({ tools: pages[at], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) });
    },
    (entry) => {
      taken.push(`read ${String(entry)}`);
      return String(entry);
    },
  );
  return { taken, listed };
}

describe("the pages of a list", () => {
  it("are read to their last entry, once and in order, before the next one is asked for", async () => {
    const anyPages = fc.array(fc.array(fc.nat(), { maxLength: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(anyPages, async (pages) => {
        const { taken, listed } = await steps(pages);
        expect(taken).toEqual(
          pages.flatMap((page, at) => [`ask ${at}`, ...page.map((entry) => `read ${entry}`)]),
        );
        expect(listed).toEqual(ok(pages.flat().map(String)));
      }),
    );
  });

  it("that go past a bound are not read", async () => {
    const page = Array.from({ length: 12_000 }, (_, at) => at);
    const { taken, listed } = await steps([page, page]);
    expect(listed).toMatchObject({ ok: false, reason: { fault: { kind: "too_large" } } });
    expect(taken).toHaveLength(2 + page.length);
  });
});
