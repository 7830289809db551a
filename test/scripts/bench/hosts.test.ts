import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BenchTool } from "../../../scripts/bench/tools/bench-tool.ts";
import { inFewServers } from "../../../scripts/bench/tools/hosts.ts";

const MOST = 40;
const catalogs = fc
  .array(fc.tuple(fc.nat(200), fc.constantFrom("a", "b", "c")), { maxLength: 400 })
  .map((rows) => {
    // One server has a name once.
    const rest = new Map(rows.map(([server, name]) => [`${server} ${name}`, { server, name }]));
    return [...rest.values()].map(({ server, name }): BenchTool => ({
      server: `s${server}`,
      definition: { name },
    }));
  });

describe("a catalog in few servers", () => {
  it("keeps every tool, and no server has two of one name", () => {
    fc.assert(
      fc.property(catalogs, (tools) => {
        const moved = inFewServers(tools, new Set(["s0"]), MOST);
        expect(moved.map(({ definition }) => definition)).toEqual(tools.map(({ definition }) => definition));
        const keys = moved.map(({ server, definition }) => `${server} ${String(definition["name"])}`);
        expect(new Set(keys).size).toBe(moved.length);
        expect(moved.filter(({ server }) => server === "s0").length).toBeGreaterThanOrEqual(
          tools.filter(({ server }) => server === "s0").length,
        );
      }),
    );
  });

  it("leaves what fits as it is, and puts the rest together", () => {
    const tools = Array.from({ length: 300 }, (_, at) => ({
      server: `s${at}`,
      definition: { name: `t${at}` },
    }));
    expect(inFewServers(tools.slice(0, MOST), new Set(), MOST)).toEqual(tools.slice(0, MOST));
    const moved = inFewServers(tools, new Set(), MOST);
    expect(new Set(moved.map(({ server }) => server)).size).toBeLessThanOrEqual(MOST);
  });
});
