import { describe, expect, it } from "vitest";
import type { Meter } from "../../../src/catalog/tree/meter.ts";
import { buildTree, isLeaf, leavesOf } from "../../../src/catalog/tree/tree.ts";
import type { Leaf, TreeNode } from "../../../src/catalog/tree/tree.ts";
import { BROWSER, DRIVE, FILES, FORGE, ISSUES_CAMEL, KUBE_DOTTED, NOTES_KEBAB } from "./name-lists.ts";

function rootOf(names: readonly string[], namespace = "server", meter?: Meter): TreeNode {
  const items = names.map((name) => ({ namespace, name, id: `${namespace}:${name}@1` }));
  const [root] = buildTree(items, meter).namespaces;
  if (root === undefined) throw new Error("no tools");
  return root;
}

function childrenOf(node: TreeNode): readonly (TreeNode | Leaf)[] {
  return node.children;
}

/** The clusters of a level with their counts. */
function topics(node: TreeNode): Record<string, number> {
  return Object.fromEntries(
    childrenOf(node).flatMap((child) => (isLeaf(child) ? [] : [[child.segment, child.count]])),
  );
}

function below(node: TreeNode, segment: string): TreeNode {
  const child = childrenOf(node).find((child) => child.segment === segment);
  if (child === undefined || isLeaf(child)) throw new Error(`no cluster ${segment}`);
  return child;
}

function namesBelow(node: TreeNode, segment: string): string[] {
  return [...leavesOf(below(node, segment).children)].map(({ path }) => path.slice(1));
}

function depthOf(child: TreeNode | Leaf): number {
  return isLeaf(child) ? 0 : 1 + Math.max(...childrenOf(child).map(depthOf));
}

const VERBS = ["create", "get", "list", "update", "delete"];

const nounOf = (at: number): string =>
  at
    .toString()
    .padStart(4, "0")
    .replaceAll(/\d/g, (digit) => "bcdfghklmn"[Number(digit)] ?? "z");

describe("what a namespace's clusters are about", () => {
  it("are the things that its tools work on, two-word things together", () => {
    const forge = rootOf(FORGE, "github");
    expect(topics(forge)).toEqual({
      branches: 2,
      code: 3,
      commits: 2,
      copilot: 2,
      dependabot_alerts: 2,
      discussions: 4,
      files: 4,
      gists: 3,
      issues: 11,
      notifications: 5,
      pull_requests: 17,
      releases: 2,
      repositories: 6,
      search: 2,
      tags: 2,
      teams: 2,
      workflows: 12,
      other: 4,
    });
    expect(namesBelow(forge, "issues")).toEqual([
      "add_issue_comment",
      "add_sub_issue",
      "create_issue",
      "get_issue",
      "get_issue_comments",
      "issue_read",
      "list_issue_types",
      "list_issues",
      "list_sub_issues",
      "search_issues",
      "update_issue",
    ]);
  });

  it("leave out the prefix that the server's tools share, and group what has no noun by what it does", () => {
    expect(topics(rootOf(BROWSER, "playwright"))).toEqual({
      mouse: 3,
      navigate: 2,
      tabs: 5,
      verify: 4,
      other: 19,
    });
  });

  it("leave out the namespace's own name", () => {
    const names = FORGE.map((name) => (name.includes("issue") ? `github_${name}` : name));
    expect(topics(rootOf(names, "github"))).toEqual(topics(rootOf(FORGE, "github")));
  });

  it("are few where there are few kinds of things", () => {
    expect(topics(rootOf(FILES, "filesystem"))).toEqual({ directories: 9, files: 14 });
  });

  it("are read from kebab case, camel case and dots alike", () => {
    expect(topics(rootOf(NOTES_KEBAB, "notion"))).toEqual({
      blocks: 5,
      comments: 2,
      databases: 3,
      pages: 7,
      users: 2,
      other: 3,
    });
    expect(topics(rootOf(ISSUES_CAMEL, "atlassian"))).toEqual({
      boards: 3,
      confluence: 5,
      issues: 8,
      projects: 3,
      sprints: 3,
      other: 1,
    });
    expect(topics(rootOf(KUBE_DOTTED, "cluster"))).toEqual({
      configmaps: 2,
      deployments: 4,
      namespaces: 2,
      nodes: 3,
      pods: 5,
      secrets: 2,
      services: 2,
      other: 2,
    });
  });

  it("do not come from words that nearly every name has, wherever they stand", () => {
    const names = ["Session", "Chat", "Label"].flatMap((noun) =>
      ["list", "get", "create", "delete", "update", "mute", "start"].map(
        (verb) => `${noun}Controller_${verb}`,
      ),
    );
    expect(topics(rootOf(names))).toEqual({ chat: 7, label: 7, session: 7 });
  });

  it("prefer the thing to its circumstances", () => {
    const names = ["route", "service", "consumer"].flatMap((noun) =>
      VERBS.flatMap((verb) => [`${verb}_${noun}`, `${verb}_${noun}_associated_with_a_plugin`]),
    );
    expect(topics(rootOf(names))).toEqual({ consumers: 10, routes: 10, services: 10 });
  });

  it("come from words such as `status` and `info` only where these lead the name", () => {
    const nouns = Array.from({ length: 12 }, (_, at) => nounOf(at));
    const details = nouns.flatMap((noun) => [`get_${noun}_info`, `reset_${noun}`]);
    expect(topics(rootOf(details))).toEqual(Object.fromEntries(nouns.map((noun) => [noun, 2])));
    const others = ["job", "queue"].flatMap((noun) => VERBS.map((verb) => `${verb}_${noun}`));
    const leading = ["text", "image", "video", "voice"].map((kind) => `status_send_${kind}_message`);
    expect(
      topics(rootOf([...leading, ...others, ...VERBS.map((verb) => `${verb}_message`), "get_me", "ping"])),
    ).toEqual({
      jobs: 5,
      messages: 5,
      queues: 5,
      status: 4,
      other: 2,
    });
  });

  it("are words, also where one of a two-word thing is a verb elsewhere", () => {
    const settings = [
      "stop_words",
      "synonyms",
      "typo_tolerance",
      "ranking_rules",
      "embedders",
      "facets",
      "pages",
    ];
    const names = settings.flatMap((setting) =>
      ["get", "update", "reset"].map((verb) => `${verb}-${setting}`),
    );
    expect(Object.keys(topics(rootOf(names)))).toEqual([
      "embedders",
      "facets",
      "pages",
      "ranking_rules",
      "stop_words",
      "synonyms",
      "typo_tolerance",
    ]);
  });
});

describe("a topic of more than 20 tools", () => {
  it("splits by its next word", () => {
    const drive = rootOf(DRIVE, "suite");
    expect(topics(drive)).toEqual({ crm: 30, notes: 5, tasks: 5 });
    expect(topics(below(drive, "crm"))).toEqual({
      associations: 5,
      companies: 10,
      contacts: 10,
      leads: 5,
    });
  });

  it("splits by the alphabet where the names tell nothing", () => {
    const names = Array.from({ length: 60 }, (_, at) => `run_job_${at + 10}`);
    expect(topics(rootOf(names))).toEqual({
      "10-19": 10,
      "20-33": 14,
      "34-45": 12,
      "46-59": 14,
      "60-69": 10,
    });
  });
});

describe("more than 20 topics", () => {
  it("leave the small ones to `other` where these are few", () => {
    const names = [
      ...Array.from({ length: 18 }, (_, at) =>
        ["get", "list", "delete"].map((verb) => `${verb}_${nounOf(at)}`),
      ).flat(),
      ...Array.from({ length: 6 }, (_, at) =>
        ["get", "list"].map((verb) => `${verb}_${nounOf(90 + at)}`),
      ).flat(),
    ];
    const found = topics(rootOf(names));
    expect(Object.keys(found)).toHaveLength(20);
    expect(found["other"]).toBe(10);
  });

  it("stand in alphabetic runs of whole topics where they are many", () => {
    const nouns = Array.from({ length: 120 }, (_, at) => nounOf(at));
    const root = rootOf(nouns.flatMap((noun) => VERBS.map((verb) => `${verb}_${noun}`)));
    expect(root.children).toHaveLength(20);
    for (const child of childrenOf(root)) {
      if (isLeaf(child)) throw new Error("a leaf beside clusters");
      expect(child.segment).toMatch(/^[a-z]{4,6}-[a-z]{4,6}$/);
      for (const [segment, count] of Object.entries(topics(child))) {
        expect(segment).not.toBe("other");
        expect(count).toBe(VERBS.length);
      }
    }
  });
});

describe("cluster names", () => {
  it("are unlike each other where topics differ only past what a range's name holds", () => {
    const nouns = Array.from({ length: 60 }, (_, at) => `${"l".repeat(45)}${nounOf(at)}`);
    const root = rootOf(nouns.flatMap((noun) => VERBS.map((verb) => `${verb}_${noun}`)));
    const segments = childrenOf(root).map(({ segment }) => segment);
    expect(new Set(segments).size).toBe(segments.length);
    const shared = "l".repeat(31);
    expect(segments.slice(0, 2)).toEqual([shared, `${shared}-10`]);
    expect(depthOf(root)).toBe(2);
  });
});

describe("names that tell nothing", () => {
  it.each([
    ["numbers", (at: number) => `tool_${String(at).padStart(4, "0")}`],
    ["hashes", (at: number) => `t${((at * 2654435761) % 4294967296).toString(16).padStart(8, "0")}`],
    ["one word", (at: number) => `run${at}`],
    ["one long word", (at: number) => `${"a".repeat(110)}${at}`],
  ])("are found by the alphabet in few steps: %s", (_, nameOf) => {
    const root = rootOf(Array.from({ length: 5_000 }, (_, at) => nameOf(at)));
    expect(root.count).toBe(5_000);
    expect(root.children.length).toBeLessThanOrEqual(20);
    expect(depthOf(root)).toBeLessThanOrEqual(4);
  });

  it("stand one level deep up to 400", () => {
    for (let count = 21; count <= 400; count += 1) {
      const root = rootOf(
        Array.from({ length: count }, (_, at) => `tool_${String(at * 7).padStart(4, "0")}`),
      );
      expect(depthOf(root)).toBe(2);
    }
  });

  it("are told apart by the characters that differ, however much of a long word they share", () => {
    const root = rootOf(Array.from({ length: 40 }, (_, at) => `${"a".repeat(58)}${nounOf(at)}`));
    expect(Object.keys(topics(root))).toEqual(["bb-cd", "cf-dn", "f"]);
  });

  it("stand in ranges where a topic would leave nearly all of them over", () => {
    const names = Array.from({ length: 30 }, (_, at) => nounOf(at * 371)).concat("get_file", "get_files");
    for (const segment of Object.keys(topics(rootOf(names)))) expect(segment).toMatch(/^[a-z]+-[a-z]+$/);
  });

  it("end ranges where numbers are round", () => {
    const root = rootOf(Array.from({ length: 5_000 }, (_, at) => `tool_${String(at).padStart(4, "0")}`));
    expect(Object.keys(topics(root)).slice(0, 3)).toEqual(["0000-0199", "0200-0499", "0500-0699"]);
  });
});

describe("another tool", () => {
  it("changes its own topic alone", () => {
    const before = topics(rootOf(FORGE, "github"));
    for (const [name, topic] of [
      ["lock_issue", "issues"],
      ["list_pull_request_commits", "pull_requests"],
      ["rename_branch", "branches"],
      ["get_rate_limit", "other"],
    ] as const) {
      const after = topics(rootOf([...FORGE, name], "github"));
      expect(after).toEqual({ ...before, [topic]: (before[topic] ?? 0) + 1 });
    }
  });
});

describe("the cost of clustering", () => {
  const shapes: readonly (readonly [string, (at: number) => string])[] = [
    ["numbered", (at) => `tool_${at}`],
    ["the same name", () => "create_issue"],
    ["two tools a topic", (at) => `${at % 2 === 0 ? "get" : "list"}_${nounOf(Math.floor(at / 2))}`],
    [
      "a topic in a topic",
      (at) => Array.from({ length: 12 }, (_, bit) => `${(at >> bit) & 1 ? "f" : "g"}${bit}x`).join("_"),
    ],
    ["one long word", (at) => `${"a".repeat(118)}${at}`],
    ["each a prefix of the next", (at) => "x_".repeat(at % 60)],
  ];

  it.each(shapes)("grows with the tools, not with their square: %s", (_, nameOf) => {
    const steps = [1_000, 4_000].map((count) => {
      const meter = { steps: 0 };
      const items = Array.from({ length: count }, (_, at) => ({
        namespace: "n",
        name: nameOf(at),
        id: `n:${nameOf(at)}@${at}`,
      }));
      expect(buildTree(items, meter).namespaces[0]?.count).toBe(count);
      return meter.steps;
    });
    const [small = 0, large = 0] = steps;
    expect(small).toBeGreaterThan(1_000);
    // Four times the tools, and one more level of the tree.
    expect(large).toBeLessThan(small * 4 * 2);
    expect(large).toBeLessThan(4_000 * 500);
  });

  it("is some thirty steps a tool for 10,000 tools in one namespace", () => {
    const meter = { steps: 0 };
    const root = rootOf(
      Array.from({ length: 10_000 }, (_, at) => `${VERBS[at % 5] ?? ""}_${nounOf(Math.floor(at / 5))}`),
      "n",
      meter,
    );
    expect(root.count).toBe(10_000);
    expect(root.children).toHaveLength(20);
    expect(meter.steps).toBeLessThan(10_000 * 40);
  });

  it("is a step a tool for 10,000 namespaces of one tool", () => {
    const meter = { steps: 0 };
    const items = Array.from({ length: 10_000 }, (_, at) => ({
      namespace: `n${at}`,
      name: "get",
      id: `n${at}:get@1`,
    }));
    expect(buildTree(items, meter).namespaces).toHaveLength(10_000);
    expect(meter.steps).toBe(10_000);
  });
});
