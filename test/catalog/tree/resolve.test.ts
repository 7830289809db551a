import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closeness } from "../../../src/catalog/tree/closeness.ts";
import { parsePath } from "../../../src/catalog/tree/path.ts";
import { resolvePath } from "../../../src/catalog/tree/resolve.ts";
import { buildTree } from "../../../src/catalog/tree/tree.ts";

const NOUNS = ["issue", "pull_request", "branch", "file"];
const VERBS = ["create", "get", "list", "update", "delete", "search"];

const tree = buildTree(
  [
    ...VERBS.flatMap((verb) => NOUNS.map((noun) => ["github", `${verb}_${noun}`] as const)),
    ["memory", "read_graph"] as const,
    ["memory", "open_nodes"] as const,
  ].map(([namespace, name]) => ({ namespace, name, id: `${namespace}:${name}@1` })),
);

function at(text: string) {
  const parsed = parsePath(text);
  if (!parsed.ok) throw new Error(`not a path: ${text}`);
  return resolvePath(tree, parsed.value);
}

describe("a path that leads somewhere", () => {
  it("shows namespaces at the top", () => {
    expect(at("/")).toEqual({
      ok: true,
      value: {
        kind: "namespaces",
        path: "/",
        entries: [
          { kind: "node", segment: "github", path: "/github", count: 24 },
          { kind: "node", segment: "memory", path: "/memory", count: 2 },
        ],
      },
    });
  });

  it("shows clusters sorted by path, and tools sorted by id", () => {
    const clusters = at("/github");
    expect(clusters.ok && clusters.value.entries.map(({ path }) => path)).toEqual([
      "/github/branches",
      "/github/files",
      "/github/issues",
      "/github/pull_requests",
    ]);
    const tools = at("/github/issues");
    expect(tools.ok && tools.value.entries.map(({ path }) => path)).toEqual(
      ["create", "delete", "get", "list", "search", "update"].map((verb) => `/github/issues/${verb}_issue`),
    );
  });

  it("shows one tool at a leaf", () => {
    expect(at("/memory/read_graph")).toEqual({
      ok: true,
      value: {
        kind: "leaf",
        path: "/memory/read_graph",
        entries: [
          { kind: "leaf", segment: "read_graph", path: "/memory/read_graph", id: "memory:read_graph@1" },
        ],
      },
    });
  });

  it.each(["/", "/github", "/github/issues", "/memory/read_graph"])(
    "%s shows the same with a star",
    (text) => {
      expect(at(text === "/" ? "/*" : `${text}/*`)).toEqual(at(text));
    },
  );
});

describe("a path that leads nowhere", () => {
  it.each([
    ["/githib", "/", ["/github"]],
    ["/github/issue", "/github", ["/github/issues"]],
    ["/github/pulls", "/github", ["/github/pull_requests"]],
    [
      "/github/quux",
      "/github",
      ["/github/branches", "/github/files", "/github/issues", "/github/pull_requests"],
    ],
    ["/github/pull", "/github", ["/github/pull_requests"]],
    ["/github/brunches", "/github", ["/github/branches"]],
    ["/github/create_issue", "/github", ["/github/issues/create_issue"]],
    ["/github/tickets/create_issue", "/github", ["/github/issues/create_issue"]],
    ["/create_issue", "/", ["/github/issues/create_issue"]],
    ["/memory/read_graph/deeper", "/memory/read_graph", ["/memory/read_graph"]],
    ["/zzz", "/", ["/github", "/memory"]],
    ["/constructor", "/", ["/github", "/memory"]],
  ])("%s is answered with paths that exist", (text, nearest, suggestions) => {
    expect(at(text)).toEqual({ ok: false, reason: { reason: "path_not_found", nearest, suggestions } });
  });

  it("says nothing of what was asked, and no more than five paths that all exist", () => {
    const segment = fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const found = at(`/${segments.join("/")}`);
        if (found.ok) return;
        expect(found.reason.suggestions.length).toBeLessThanOrEqual(5);
        for (const text of [found.reason.nearest, ...found.reason.suggestions])
          expect(at(text).ok).toBe(true);
      }),
    );
  });

  it("is empty-handed where there are no tools", () => {
    expect(resolvePath(buildTree([]), { text: "/a", segments: ["a"] })).toEqual({
      ok: false,
      reason: { reason: "path_not_found", nearest: "/", suggestions: [] },
    });
  });
});

describe("closeness", () => {
  it.each([
    ["issue", "issues", 3],
    ["branches", "branch", 3],
    ["pull", "pull_requests", 2],
    ["pulls", "pull_requests", 2],
    ["isues", "issues", 1],
    ["notfications", "notifications", 1],
    ["ab", "abc", 0],
    ["git", "gut", 0],
    ["issues", "labels", 0],
  ])("%s and %s: %i", (asked, segment, score) => {
    expect(closeness(asked, segment)).toBe(score);
  });
});
