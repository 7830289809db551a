import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listedAs } from "../../../src/identity/listed-form.ts";
import { tool } from "../../support/catalog/rig.ts";
import { jsonOf } from "../../support/fake-gateway.ts";
import { allPages } from "./proxied.ts";
import { refreshedProxy } from "./refreshed.ts";

const KNOWN = [
  "1st",
  "naïve",
  "/abs",
  "a/b",
  "a.b",
  "查询天气",
  "get weather",
  "-x.",
  "2fa",
  "_2fa",
  "2fä",
  "...",
  "x.y/z",
];
/** What MCP lets a name be made of, as short as a line has room for. */
const legal = fc.stringMatching(/^[A-Za-z0-9_./-]{1,24}$/);

describe("tools of every name that MCP allows", () => {
  it("are listed, and shown and run by each of their names", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(legal, { maxLength: 20 }), fc.boolean(), async (more, isVersioned) => {
        const names = [...new Set([...KNOWN, ...more])];
        const version = isVersioned ? { _meta: { version: "1.0" } } : {};
        // Of two that differ by the separator alone a version does not tell which is which.
        const apart = isVersioned ? names.filter((name) => !name.includes("/")) : names;
        const { surface, caller, skipped, hydrate, execute, calls } = await refreshedProxy({
          hub: apart.map((name) => tool(name, version)),
        });
        expect(skipped).toEqual([]);
        const listed = (await allPages(surface, caller.context)).flat().slice(2);
        expect(new Set(listed.map(({ name }) => name)).size).toBe(apart.length);
        const reached: unknown[] = [];
        for (const { name, title } of listed) {
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          const id = String(title);
          const shown = jsonOf(await hydrate(name));
          for (const other of [id, listedAs("url", id)]) expect(jsonOf(await hydrate(other))).toEqual(shown);
          await execute({ tool_id: name, args: {} });
          expect(calls.at(-1)?.name).toBe(shown["name"]);
          reached.push(shown["name"]);
        }
        expect(new Set(reached)).toEqual(new Set(apart));
      }),
      { numRuns: 6 },
    );
  });
});
