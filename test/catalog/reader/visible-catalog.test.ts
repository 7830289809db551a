import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { buildCard } from "../../../src/catalog/cards/card.ts";
import { loadSnapshot, SnapshotCatalog, unavailable } from "../../../src/catalog/reader/snapshot-catalog.ts";
import { VisibleTools } from "../../../src/catalog/reader/visible-tools.ts";
import { VisibleTrees } from "../../../src/catalog/reader/visible-trees.ts";
import { openSnapshot, type Snapshot } from "../../../src/catalog/snapshot/open-snapshot.ts";
import { packSnapshot } from "../../../src/catalog/snapshot/pack-snapshot.ts";
import { parsePath } from "../../../src/catalog/tree/path.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { listedName } from "../../../src/identity/listed-name.ts";
import { VISIBLE_SETS_CACHED_MAX_COUNT, VISIBLE_TREES_CACHED_MAX_COUNT } from "../../../src/limits.ts";
import { analyseDocument } from "../../../src/routing/document/analyse-document.ts";
import { leavesOf } from "../../../src/catalog/tree/tree.ts";

interface Named {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
}

const everyone = () => true;

function named(namespace: string, name: string, suffix = "#0a0b0c0d"): Named {
  return { id: `${namespace}:${name}${suffix}`, namespace, name };
}

function snapshotOf(tools: readonly Named[]): Snapshot {
  const sorted = [...tools].sort((left, right) => compareCodePoints(left.id, right.id));
  const documents = new Map(
    sorted.map(({ id, namespace, name }) => [
      id,
      analyseDocument({
        id,
        name,
        description: `Works on ${name}.`,
        parameterNames: [],
        parameterDescriptions: [],
        server: namespace,
      }),
    ]),
  );
  const placed = sorted.map(({ id, namespace, name }) => ({
    server: namespace,
    key: id,
    shard: 0,
    tool: {
      kind: "accepted" as const,
      id,
      namespace,
      name,
      upstreamName: name,
      card: buildCard({ id, namespace, upstreamName: name }),
      line: id,
      tokens: 1,
      findings: [],
      definitionHash: id,
      definitionBytes: 1,
      schemaHash: "",
      schemaBytes: 1,
      entryBytes: 1,
    },
  }));
  const judged = new Map(placed.map(({ key, tool }) => [key, tool]));
  const packed = packSnapshot(placed, [], {
    judged: (key) => judged.get(key),
    analysed: (key) => documents.get(key),
  });
  const snapshot = openSnapshot(packed ?? new Uint8Array());
  if (!snapshot.ok) throw new Error(snapshot.reason.reason);
  return snapshot.value;
}

function catalogOf(tools: readonly Named[]): SnapshotCatalog {
  const pointer = { generation: 1, revision: 1, hash: "0".repeat(64), stale: [] };
  return new SnapshotCatalog("c", pointer, loadSnapshot(snapshotOf(tools)), () =>
    Promise.resolve(unavailable("no shards here")),
  );
}

/** All that a bearer can ask without knowing an id: each path of the whole catalog, its names, words and listed names. */
function observed(catalog: SnapshotCatalog, asked: readonly Named[], sees: (id: string) => boolean) {
  const whole = [...leavesOf(new VisibleTrees(snapshotOf(asked)).treeFor(undefined).namespaces)].flatMap(
    ({ path }) => {
      const segments = path.slice(1).split("/");
      return segments.map((_, at) => `/${segments.slice(0, at + 1).join("/")}`);
    },
  );
  const answers = new Map<string, unknown>();
  const browse = (text: string): void => {
    const path = parsePath(text);
    if (answers.has(text) || !path.ok) return;
    const listing = catalog.resolve(path.value, sees);
    answers.set(text, listing);
    if (!listing.ok) for (const other of listing.reason.suggestions) browse(other);
    else for (const entry of listing.value.entries) browse(entry.path);
  };
  for (const path of ["/", "/nowhere", "/big/nowhere", ...whole]) browse(path);
  // Some tools, hidden and visible, by all that they could be asked by.
  const some = asked.filter((_, at) => at % Math.ceil(asked.length / 8) === 0);
  const words = some.flatMap(({ id, name }) => [
    id,
    name,
    listedName(id),
    `${name}x`,
    `get ${name} of nobody`,
  ]);
  return {
    namespaces: catalog.namespaces(sees),
    browsed: [...answers],
    similar: words.map((text) => catalog.similar(text, 5, sees)),
    found: words.map((text) => catalog.search(text, 5, sees)),
  };
}

const word = fc.constantFrom(
  "create",
  "get",
  "issue",
  "issues",
  "page",
  "carded",
  "annotated",
  "data",
  "secret",
);
const name = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("_")),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("-")),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/),
);
const tools = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("big", "big", "big", "up", "x-1"),
      name,
      fc.constantFrom("#0a0b0c0d", "#11111111", "@2"),
    )
    .map(([namespace, tool, suffix]) => named(namespace, tool, suffix)),
  { selector: ({ id }) => id, minLength: 1, maxLength: 70, size: "max" },
);
const scope = fc.constantFrom(
  "big:*",
  "*:get*",
  "*:*secret*",
  "*:*_issue*",
  "up:*",
  "*#11111111",
  "*:[a-m]*",
  "none:*",
);
const visibility = fc.oneof(
  fc.array(scope, { maxLength: 3 }).map((scopes) => visibilityOf(scopes)),
  fc.func(fc.boolean()).map((sees) => (id: string) => sees(id)),
);

describe("a query that is a listed name", () => {
  const tools = [named("a", "create_issue"), named("a", "create_issue_comment"), named("b", "create_issue")];
  const catalog = catalogOf(tools);

  it("ranks its tool first, as the id does", () => {
    for (const { id } of tools) {
      const asked = catalog.search(` ${listedName(id)} `, 3, everyone);
      expect(asked).toEqual(catalog.search(id, 3, everyone));
      expect(asked.hits[0]).toMatchObject({ id });
    }
  });

  it("of before a tool's schema changed ranks it as its id of then does", () => {
    const [before] = tools;
    const stale = before?.id.replace(/#.*/, "#ffffffff") ?? "";
    expect(catalog.search(listedName(stale), 3, everyone)).toEqual(catalog.search(stale, 3, everyone));
    expect(catalog.search(listedName(stale), 3, everyone).hits[0]).toMatchObject({ id: before?.id });
  });

  it("or anything else of megabytes is looked for without being encoded", () => {
    const long = `${"a".repeat(1 << 22)}\ud800`;
    expect(catalog.find(long)).toBeUndefined();
    expect(catalog.similar(long, 3, everyone)).toEqual([]);
  });

  it("of a tool that the caller does not see is read like any other words", () => {
    const hidden = tools[2]?.id ?? "";
    const sees = visibilityOf(["a:*"]);
    const without = catalogOf(tools.slice(0, 2));
    expect(catalog.search(listedName(hidden), 3, sees)).toEqual(
      without.search(listedName(hidden), 3, everyone),
    );
  });
});

describe("scopes", () => {
  it("leave a bearer what a catalog of its visible tools alone would answer, to whatever it asks", () => {
    fc.assert(
      fc.property(tools, visibility, (all, sees) => {
        const catalog = catalogOf(all);
        const alone = catalogOf(all.filter(({ id }) => sees(id)));
        const answer = observed(alone, all, everyone);
        expect(observed(catalog, all, sees)).toEqual(answer);
        // What is kept from the first time, and from others, is no other answer.
        const rest = catalogOf(all.filter(({ id }) => !sees(id)));
        expect(observed(catalog, all, (id) => !sees(id))).toEqual(observed(rest, all, everyone));
        expect(observed(catalog, all, sees)).toEqual(answer);
      }),
      { numRuns: 15 },
    );
  });

  it("list a namespace of which up to 20 tools are visible, under the names that they have alone", () => {
    const hidden = Array.from({ length: 60 }, (_, at) => named("up", `carded_annotation_${at}`));
    const clash = [named("up", "get-page"), named("up", "get.page")];
    const shown = Array.from({ length: 19 }, (_, at) => named("up", `list_${at}`));
    const ids = new Set([...shown, ...clash.slice(0, 1)].map(({ id }) => id));
    const path = parsePath("/up");
    if (!path.ok) throw new Error("no path");
    const listing = catalogOf([...hidden, ...clash, ...shown]).resolve(path.value, (id) => ids.has(id));
    if (!listing.ok) throw new Error("no listing");
    expect(listing.value.entries.map(({ segment }) => segment)).toEqual(
      ["get-page", ...shown.map(({ name }) => name)].sort(),
    );
  });

  it("answer a hidden tool's exact listed name like a wrong one", () => {
    const catalog = catalogOf([named("up", "secret_plan"), named("up", "secret_plans")]);
    const [shown, hidden] = ["up:secret_plans#0a0b0c0d", "up:secret_plan#0a0b0c0d"];
    const sees = (id: string) => id === shown;
    const alone = catalogOf([named("up", "secret_plans")]);
    expect(catalog.similar(listedName(hidden), 5, sees)).toEqual(
      alone.similar(listedName(hidden), 5, everyone),
    );
    expect(catalog.similar(listedName(shown), 5, sees)).toEqual([shown]);
  });
});

describe("the tools that somebody sees", () => {
  const all = Array.from({ length: 200 }, (_, at) => named("up", `tool_${at}`));
  const snapshot = snapshotOf(all);
  const counting = (key: string | null | undefined, sees: (id: string) => boolean) => {
    const asked: string[] = [];
    const ask = (id: string): boolean => {
      asked.push(id);
      return sees(id);
    };
    return { asked, sees: key === undefined ? ask : Object.assign(ask, { key }) };
  };

  it("are found out without asking for a single one where everything is seen", () => {
    const { asked, sees } = counting(null, () => true);
    expect(new VisibleTools(snapshot).setFor(sees)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("are asked for once a set of scopes, whoever has it, and each time where nothing says who sees the same", () => {
    const visible = new VisibleTools(snapshot);
    const first = counting("a", (id) => id.includes("tool_1"));
    const set = visible.setFor(first.sees);
    expect(first.asked).toEqual(snapshot.ids);
    expect(Array.from(set ?? [])).toEqual(snapshot.ids.map((id) => (id.includes("tool_1") ? 1 : 0)));
    const again = counting("a", () => false);
    expect(visible.setFor(again.sees)).toBe(set);
    expect(again.asked).toEqual([]);
    const nobody = counting(undefined, () => false);
    visible.setFor(nobody.sees);
    visible.setFor(nobody.sees);
    expect(nobody.asked).toHaveLength(2 * all.length);
  });

  it("are all of them where scopes let all through, and then nothing is counted", () => {
    expect(new VisibleTools(snapshot).setFor(visibilityOf(["up:*"]))).toBeUndefined();
  });

  it("are kept for a bounded number of sets, those used last", () => {
    const visible = new VisibleTools(snapshot);
    const first = visible.setFor(counting("0", () => false).sees);
    for (let at = 1; at <= 3 * VISIBLE_SETS_CACHED_MAX_COUNT; at += 1) {
      visible.setFor(counting(String(at), (id) => id.endsWith(`${at}`)).sees);
      expect(visible.setFor(counting("0", () => true).sees)).toBe(first);
      expect(visible.setsHeld).toBeLessThanOrEqual(VISIBLE_SETS_CACHED_MAX_COUNT);
    }
  });
});

describe("the trees of a snapshot", () => {
  const size = 2_000;
  const many = Array.from({ length: size }, (_, at) => named("up", `tool_${String(at).padStart(4, "0")}`));
  const others = Array.from({ length: 30 }, (_, at) => named("zz", `tool_${at}`));
  const snapshot = snapshotOf([...many, ...others]);
  const treeFor = (trees: VisibleTrees, sees: (id: string) => boolean) =>
    trees.treeFor(new VisibleTools(snapshot).setFor(sees));
  const look = (trees: VisibleTrees, sees: (id: string) => boolean) => [
    ...leavesOf(treeFor(trees, sees).namespaces),
  ];

  it("are the snapshot's own where nothing is hidden, by namespace", () => {
    const trees = new VisibleTrees(snapshot);
    const { namespaces } = treeFor(trees, (id) => id.startsWith("up:") || id.endsWith("tool_1#0a0b0c0d"));
    expect(namespaces[0]?.children).toBe(snapshot.childrenOf(0));
    expect(namespaces.map(({ segment, count }) => [segment, count])).toEqual([
      ["up", size],
      ["zz", 1],
    ]);
    expect(trees.leavesHeld).toBe(0);
  });

  it("share what is built between all who see the same, whatever function says so", () => {
    const trees = new VisibleTrees(snapshot);
    const half = () => (id: string) => !id.startsWith("up:tool_1");
    const first = treeFor(trees, half()).namespaces[0]?.children;
    expect(treeFor(trees, half()).namespaces[0]?.children).toBe(first);
    expect(trees.leavesHeld).toBe(size - 1_000);
  });

  it("hold a bounded number of tools, those looked at last", () => {
    const trees = new VisibleTrees(snapshot);
    const without = (at: number) => (id: string) => id !== many[at]?.id;
    const children = (at: number) => treeFor(trees, without(at)).namespaces[0]?.children;
    const first = children(0);
    for (let at = 1; at < 15; at += 1) {
      expect(look(trees, without(at))).toHaveLength(size - 1 + others.length);
      expect(children(0)).toBe(first);
      expect(trees.leavesHeld).toBeLessThanOrEqual(VISIBLE_TREES_CACHED_MAX_COUNT);
    }
  });
});
