import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../src/access/visibility.ts";

describe("what exists for a bearer", () => {
  it("is everything without scopes, and nothing with an empty list", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        expect(visibilityOf(null)(id)).toBe(true);
        expect(visibilityOf([])(id)).toBe(false);
      }),
    );
  });

  it.each([
    [["*"], "github:create_issue#aea9ce2a", true],
    [["github:*"], "github:create_issue#aea9ce2a", true],
    [["github:*"], "gitlab:create_issue#aea9ce2a", false],
    [["github:create_issue"], "github:create_issue#aea9ce2a", true],
    [["github:create_issue"], "github:create_issue@1.2.0", true],
    [["github:create_issue"], "github:create_issue@1.2.0#aea9ce2a", true],
    [["github:create_issue"], "github:create_issues#aea9ce2a", false],
    [["github:create_issue#00000000"], "github:create_issue#aea9ce2a", false],
    [["github:create_issue@1.2.0"], "github:create_issue@1.3.0", false],
    [["*_issue"], "github:create_issue#aea9ce2a", true],
    [["slack:*", "github:get_*"], "github:get_me#00000000", true],
    [["Github:*"], "github:get_me", false],
  ])("with %j: %s is %s", (scopes, id, visible) => {
    expect(visibilityOf(scopes)(id)).toBe(visible);
  });

  it("is everything that a server has by one scope without a kind, and one kind by its own", () => {
    const ids = [
      "fs:read#00000000",
      "resource::fs:readme#00000000~2",
      "prompt::fs:sum#00000000",
      "prompt::gh:sum#00000000",
    ];
    const seen = (scope: string) => ids.filter(visibilityOf([scope]));
    expect(seen("fs:*")).toEqual(ids.slice(0, 3));
    expect(seen("resource::*")).toEqual([ids[1]]);
    expect(seen("prompt::fs:*")).toEqual([ids[2]]);
    expect(seen("fs:readme")).toEqual([ids[1]]);
    expect(seen("resource::fs:readme#00000000")).toEqual([ids[1]]);
    expect(seen("fs:readme#00000000~2")).toEqual([ids[1]]);
    expect(seen("fs:readme#00000000~3")).toEqual([]);
  });

  it("is never widened by a scope that is no glob", () => {
    expect(visibilityOf(["", "a".repeat(1000)])("github:get_me")).toBe(false);
  });
});
