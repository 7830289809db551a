import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/catalog/tree/path.ts";
import type { Path } from "../../../src/catalog/tree/path.ts";
import { resolvePath } from "../../../src/catalog/tree/resolve.ts";
import { CARD_LINE_HARD_TOKENS } from "../../../src/limits.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { hostileName } from "../../support/hostile-names.ts";
import { buildTree, isLeaf, leavesOf, pathOf } from "../../../src/catalog/tree/tree.ts";
import type { Leaf, Tree, TreeItem, TreeNode } from "../../../src/catalog/tree/tree.ts";

function item(namespace: string, name: string, suffix = "@1"): TreeItem {
  return { id: `${namespace}:${name}${suffix}`, namespace, name };
}

function numbered(namespace: string, count: number): TreeItem[] {
  return Array.from({ length: count }, (_, at) => item(namespace, `tool_${at}`));
}

function path(text: string): Path {
  const parsed = parsePath(text);
  if (!parsed.ok) throw new Error(`not a path: ${text}`);
  return parsed.value;
}

function entriesAt(tree: Tree, text: string): readonly object[] {
  const listing = resolvePath(tree, path(text));
  if (!listing.ok) throw new Error(`nothing at ${text}`);
  return listing.value.entries;
}

function leafCount(child: TreeNode | Leaf): number {
  return [...leavesOf([child])].length;
}

function* nodesOf(nodes: readonly (TreeNode | Leaf)[]): Generator<TreeNode> {
  for (const node of nodes) {
    if (isLeaf(node)) continue;
    yield node;
    yield* nodesOf(node.children);
  }
}

/** The laws of every tree, whatever it is built from. */
function expectSound(tree: Tree, items: readonly TreeItem[]): void {
  const leaves = [...leavesOf(tree.namespaces)];
  expect(leaves.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
  expect(new Set(leaves.map(({ path }) => path)).size).toBe(leaves.length);
  for (const node of nodesOf(tree.namespaces)) {
    expect(node.count).toBe(leafCount(node));
    expect(node.children.length).toBeGreaterThan(0);
    const order = node.children.map((child: TreeNode | Leaf) => (isLeaf(child) ? child.id : child.segment));
    expect(order).toEqual([...order].sort(compareCodePoints));
    expect(node.children.length).toBeLessThanOrEqual(20);
    expect(new Set(node.children.map(({ segment }) => segment)).size).toBe(node.children.length);
    expect(new Set(node.children.map((child: TreeNode | Leaf) => isLeaf(child))).size).toBe(1);
  }
  for (const { id } of items) {
    const found = pathOf(tree, id) ?? "";
    expect(resolvePath(tree, path(found))).toMatchObject({
      ok: true,
      value: { kind: "leaf", entries: [{ id }] },
    });
  }
}

describe("the top of the tree", () => {
  it("lists one namespace with its count where the catalog is one tool", () => {
    const tree = buildTree([item("fetch", "fetch")]);
    expect(entriesAt(tree, "/")).toEqual([{ kind: "node", segment: "fetch", path: "/fetch", count: 1 }]);
    expect(entriesAt(tree, "/fetch")).toEqual([
      { kind: "leaf", segment: "fetch", path: "/fetch/fetch", id: "fetch:fetch@1" },
    ]);
  });

  it("is empty where there is no tool", () => {
    expect(resolvePath(buildTree([]), path("/"))).toEqual({
      ok: true,
      value: { kind: "namespaces", path: "/", entries: [] },
    });
  });

  it("lists 5,000 namespaces, sorted", () => {
    const tree = buildTree(Array.from({ length: 5_000 }, (_, at) => item(`n${at}`, "get")));
    const paths = tree.namespaces.map(({ segment }) => segment);
    expect(paths).toHaveLength(5_000);
    expect(paths).toEqual([...paths].sort());
  });

  it("keeps namespaces apart that share first letters, however many tools each has", () => {
    const items = [...numbered("git", 45), ...numbered("github", 45), ...numbered("gitlab", 5)];
    const tree = buildTree(items);
    expect(tree.namespaces.map(({ segment, count }) => [segment, count])).toEqual([
      ["git", 45],
      ["github", 45],
      ["gitlab", 5],
    ]);
    expectSound(tree, items);
  });

  it("holds namespaces named like an object's own members", () => {
    const items = ["constructor", "tostring", "valueof"].flatMap((name) => numbered(name, 2));
    const tree = buildTree(items);
    expect(tree.namespaces.map(({ segment }) => segment)).toEqual(["constructor", "tostring", "valueof"]);
    expect(resolvePath(tree, path("/hasownproperty")).ok).toBe(false);
    expectSound(tree, items);
  });
});

describe("a namespace", () => {
  it("lists 20 tools, sorted by id, and 21 in clusters", () => {
    const twenty = entriesAt(buildTree(numbered("n", 20)), "/n");
    expect(twenty).toHaveLength(20);
    expect(twenty[1]).toEqual({ kind: "leaf", segment: "tool_10", path: "/n/tool_10", id: "n:tool_10@1" });
    const more = entriesAt(buildTree(numbered("n", 21)), "/n");
    expect(more.length).toBeGreaterThan(1);
    for (const entry of more) expect(entry).toMatchObject({ kind: "node" });
  });

  it("takes an id twice for one tool", () => {
    expect(buildTree([item("n", "a"), item("n", "a")]).namespaces[0]?.count).toBe(1);
  });

  it("addresses tools whose names differ only in what a segment cannot say", () => {
    const items = ["get.page", "get-page", "Get_Page", "get_page", "___", "__proto__", "constructor"].map(
      (name) => item("n", name, "#0000000a"),
    );
    const tree = buildTree(items);
    expectSound(tree, items);
    expect(entriesAt(tree, "/n")).toHaveLength(items.length);
  });

  it("addresses a tool that is named like its cluster", () => {
    const items = ["issues", "create_issue", "list_issues", "other"]
      .map((name) => item("n", name))
      .concat(numbered("n", 30));
    const tree = buildTree(items);
    expectSound(tree, items);
    expect(pathOf(tree, "n:issues@1")).toBe("/n/issues/issues");
  });
});

describe("any tree", () => {
  const word = fc.constantFrom(
    "create",
    "list",
    "get",
    "issue",
    "issues",
    "page",
    "user",
    "data",
    "info",
    "by",
    "x",
    "7",
    "search",
    "other",
  );
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("_")) },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("_", ".", "-"), maxLength: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/) },
    { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "other", "issues", "a-z", "part-1") },
  );
  const namespace = fc.oneof(
    { weight: 8, arbitrary: fc.constant("big") },
    { weight: 1, arbitrary: fc.constantFrom("constructor", "get", "x-1") },
  );
  const suffix = fc.constantFrom("@1", "@2", "#aaaaaaaa", "#bbbbbbbb");
  const items = fc.uniqueArray(
    fc.tuple(namespace, name, suffix).map(([ns, n, s]) => item(ns, n, s)),
    { selector: ({ id }) => id, minLength: 1, maxLength: 150, size: "max" },
  );

  it("has every tool under one path, at most 20 children a node, and counts that add up", () => {
    fc.assert(
      fc.property(items, (list) => {
        const tree = buildTree(list);
        expectSound(tree, list);
        expect(tree.namespaces.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
      }),
      { numRuns: 60 },
    );
  });

  it("has the same bytes in any order, and survives JSON", () => {
    const shuffled = items.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const tree = buildTree(list);
        expect(JSON.stringify(buildTree(other))).toBe(JSON.stringify(tree));
        expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a navigation line", () => {
  const counter = committedCounter();

  function* pathsOf(nodes: readonly (TreeNode | Leaf)[], above = ""): Generator<string> {
    for (const child of nodes) {
      if (isLeaf(child)) continue;
      yield `${above}/${child.segment}`;
      yield* pathsOf(child.children, `${above}/${child.segment}`);
    }
  }

  function expectShort(tree: Tree): void {
    for (const text of pathsOf(tree.namespaces)) {
      // Its count can be any that a catalog has.
      expect([text, counter.count(`${text} — 999999 tools`)]).toSatisfy(
        ([, tokens]: [string, number]) => tokens <= CARD_LINE_HARD_TOKENS,
      );
    }
  }

  it("keeps to a card line's hard bound whatever namespaces and tools are called", () => {
    const word = hostileName.map((name) => name.slice(0, 30));
    const names = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 8 }), fc.integer({ min: 21, max: 450 }))
      .map(([words, count]) =>
        Array.from({ length: count }, (_, at) =>
          [0, 1, 2, 3].map((place) => words[(at >> (place * 2)) % words.length]).join("_"),
        ),
      );
    fc.assert(
      fc.property(hostileName, names, fc.boolean(), (namespace, list, worst) => {
        const root = worst ? "qz7-_zq1".repeat(8) : namespace;
        const items = list.map((name, at) => item(root, `${name.slice(0, 120)}_${at}`));
        const tree = buildTree(items);
        expect(new Set([...leavesOf(tree.namespaces)].map(({ path }) => path)).size).toBe(items.length);
        expectShort(tree);
      }),
      { numRuns: 30 },
    );
  });

  it("is numbered where nothing is left to name a cluster with, 20 to a level", () => {
    const spell = (at: number) =>
      Array.from(String(at), (digit) => "qjxzvkwgyf".charAt(Number(digit))).join("");
    const items = Array.from({ length: 8_001 }, (_, at) => item("qz".repeat(32), `qjqjq_${spell(at)}`));
    const tree = buildTree(items);
    expectShort(tree);
    const [first, ...others] = entriesAt(tree, `/${"qz".repeat(32)}`);
    expect(first).toMatchObject({ segment: "01", count: 401 });
    expect(others).toHaveLength(19);
    expect(new Set([...leavesOf(tree.namespaces)].map(({ id }) => id)).size).toBe(8_001);
  });

  it("keeps as much of a cluster's name as there is room for, each another", () => {
    const root = "qz".repeat(32);
    const topics = ["mountain_observations", "mountainous_embroideries", "pullover_embroideries"];
    const items = topics.flatMap((topic) =>
      Array.from({ length: 15 }, (_, at) => item(root, `get_${topic}_${at}`)),
    );
    const tree = buildTree(items);
    expectSound(tree, items);
    expectShort(tree);
    const segments = tree.namespaces[0]?.children.map(({ segment }) => segment);
    expect(segments).toEqual(["mountain", "mountaino", "pullover"]);
    const roomy = buildTree(
      topics.flatMap((topic) =>
        numbered("n", 15).map(({ id }) => item("n", `get_${topic}_${id.slice(7, -2)}`)),
      ),
    );
    expect(roomy.namespaces[0]?.children.map(({ segment }) => segment)).toEqual(topics);
  });
});
