import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderPath } from "../../../src/spine/render/path.ts";

describe("a path, relative to the workspace", () => {
  it.each([
    ["/repo/a/b.ts", "/repo", "a/b.ts"],
    ["/repo/a/b.ts", "/repo/", "a/b.ts"],
    ["/repo", "/repo", "."],
    ["/repo/", "/repo", "."],
    ["/reposhop/a", "/repo", "/reposhop/a"],
    ["/repo//a", "/repo", "a"],
    ["/a/b", "/", "a/b"],
    ["/", "/", "."],
    ["/other", "/repo", "/other"],
    ["a/b", "/repo", "a/b"],
    ["/repo/../etc", "/repo", "../etc"],
    ["/Work/a", "/repo", "/Work/a"],
    ["/repo/a", "", "/repo/a"],
    ["", "/repo", ""],
  ])("of %j under %j is %j", (path, root, rendered) => {
    expect(renderPath(path, "relative", root)).toBe(rendered);
    expect(renderPath(path, "absolute", root)).toBe(path);
    expect(renderPath(path, "relative")).toBe(path);
  });

  it("leads back to where it was, joined to the root again", () => {
    const segment = fc.constantFrom("work", "workshop", "a", "..", ".", "__proto__", "\ud800", " ");
    const absolute = fc.array(segment).map((segments) => `/${segments.join("/")}`);
    fc.assert(
      fc.property(absolute, absolute, (path, root) => {
        const rendered = renderPath(path, "relative", root);
        const base = root === "/" ? "" : root;
        const isUnder = `${path}/`.startsWith(`${base}/`);
        // A path's own `.` and the root's name both lead back.
        expect(isUnder ? [`${base}/${rendered}`, root] : [rendered]).toContain(path);
        expect(rendered.startsWith("/")).toBe(!isUnder);
      }),
      { numRuns: 300 },
    );
  });
});
