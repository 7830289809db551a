import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_NAME_MAX_CHARS } from "../../../src/limits.ts";
import { exactKeys, findExact } from "../../../src/routing/index/exact-name.ts";
import { anyText, indexOf, plainDocument } from "../support.ts";

function exactness(id: string, name: string, query: string): number {
  return findExact(indexOf([{ ...plainDocument(name), id }]), query).get(0) ?? 0;
}

describe("how well a query names a tool", () => {
  it.each([
    ["jobs.Run", 2],
    ["acme:jobs.Run@1.2#0a1b2c3d", 2],
    ["acme:jobs.Run@1.2", 2],
    ["acme:jobs.Run", 2],
    [" jobs.Run\n", 2],
    ["JOBS.RUN", 1],
    ["jobs run", 1],
    ["jobsRun", 1],
    ["ACME:jobs.run", 1],
    ["acme:jobs.Run@9", 1.5],
    ["acme:jobs.Run#ffffffff", 1.5],
    ["mcp__acme__jobs_run", 1],
    ["mcp__acme__jobs.Run", 1],
    ["mcp__other__jobs.Run", 0],
    ["mcp__", 0],
    ["jobs", 0],
    ["Run", 0],
    ["acme", 0],
    ["acme:", 0],
    [":jobs.Run", 1],
    ["other:jobs.Run", 0],
    ["jobs.Run now", 0],
    ["", 0],
    [" ", 0],
    ["#", 0],
    ["@", 0],
  ])("%j: %s", (query, expected) => {
    expect(exactness("acme:jobs.Run@1.2#0a1b2c3d", "jobs.Run", query)).toBe(expected);
  });

  it("an upstream's name and the one in the id both name it", () => {
    const id = "acme:jobs_run#0a1b2c3d";
    expect(exactness(id, "Jobs » run!", "Jobs » run!")).toBe(2);
    expect(exactness(id, "Jobs » run!", "jobs_run")).toBe(2);
  });

  it("a name of signs alone is found to the letter, and by nothing else", () => {
    expect(exactness("a:x#00000000", "+++", "+++")).toBe(2);
    expect(exactness("a:x#00000000", "+++", "---")).toBe(0);
  });

  it("a name longer than any is found by nothing, and asks nothing", () => {
    const long = "n".repeat(ROUTING_NAME_MAX_CHARS + 1);
    expect(exactKeys(`a:${long}#00000000`, long)).toEqual([]);
    expect(exactness(`a:${long}#00000000`, long, long)).toBe(0);
    const longest = "n".repeat(ROUTING_NAME_MAX_CHARS);
    expect(exactness(`a:x#00000000`, longest, longest)).toBe(2);
  });

  it("a name that grows when its case is lowered is found to the letter", () => {
    const name = "İ".repeat(ROUTING_NAME_MAX_CHARS - 2);
    expect(exactness("a:x#00000000", name, name)).toBe(2);
  });

  it("keys are few, each once, none empty, whatever the id and the name", () => {
    fc.assert(
      fc.property(anyText, anyText, (id, name) => {
        const keys = exactKeys(id, name);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.length).toBeLessThanOrEqual(6);
        expect(keys).not.toContain("");
      }),
    );
  });

  it("no query throws, and no query but its own names a tool to the letter", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (id, name, query) => {
        const found = exactness(id, name, query);
        const isName = name.trim() === query.trim() && query.trim() !== "";
        expect(found === 2).toBe(isName || (found === 2 && id.includes(query.trim())));
      }),
      { numRuns: 400 },
    );
  });
});
