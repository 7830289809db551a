import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadSnapshot, SnapshotCatalog, unavailable } from "../../../src/catalog/reader/snapshot-catalog.ts";
import { openSnapshot, openSnapshotParts } from "../../../src/catalog/snapshot/open-snapshot.ts";
import { draftSnapshot, packSnapshot, type PlacedTool } from "../../../src/catalog/snapshot/pack-snapshot.ts";
import { buildTree } from "../../../src/catalog/tree/tree.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { listedName } from "../../../src/identity/listed-name.ts";
import { runToEnd } from "../../../src/routing/index/index-build.ts";
import { placedTools } from "../../support/catalog/placed-tools.ts";

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/),
  fc.constantFrom("create_issue", "list_issues", "get.page", "get-page", "x".repeat(80)),
);
const item = fc.record({
  namespace: fc.constantFrom("a", "a-b", "ab", "z_9"),
  name,
  words: fc.constantFrom("", "Opens a door.", "Closes \uD800 windows.", "天気予報"),
});
const items = fc.uniqueArray(item, {
  selector: ({ namespace, name }) => `${namespace}:${name}`,
  maxLength: 40,
});

function packed(tools: ReturnType<typeof placedTools>): Uint8Array {
  const bytes = packSnapshot(tools.placed, tools.shards, tools.sources);
  if (bytes === undefined) throw new Error("nothing packed");
  return bytes;
}

function opened(bytes: Uint8Array, decode?: Parameters<typeof openSnapshot>[1]) {
  const snapshot = openSnapshot(bytes, decode);
  if (!snapshot.ok) throw new Error(snapshot.reason.reason);
  return snapshot.value;
}

describe("a snapshot", () => {
  it("gives back every tool, by its place, its id and its listed name, and nothing else", () => {
    fc.assert(
      fc.property(items, (all) => {
        const tools = placedTools(all);
        const snapshot = opened(packed(tools));
        expect(snapshot.count).toBe(all.length);
        expect(snapshot.ids).toEqual(tools.placed.map(({ tool }) => tool.id));
        for (const [place, { tool, server, shard, key }] of tools.placed.entries()) {
          const judged = tools.sources.judged(key);
          if (judged?.kind !== "accepted") throw new Error("not judged");
          const { card, line, tokens, definitionHash, upstreamName, id } = judged;
          const whole = {
            id,
            server,
            upstreamName,
            listedName: listedName(id),
            listedDescription: card.description,
            card,
            line,
            tokens,
            definitionHash,
          };
          expect(snapshot.tool(place)).toEqual(whole);
          expect(snapshot.find(tool.id)).toBe(place);
          expect(snapshot.find(listedName(tool.id))).toBe(place);
          expect(snapshot.shardOf(place)).toBe(tools.shards[shard]);
          expect(snapshot.index.id(place)).toBe(tool.id);
          expect(snapshot.find(`${tool.id}x`)).toBe(-1);
        }
        for (const nobody of ["", "nobody", ":", "a:", "\uD800"]) expect(snapshot.find(nobody)).toBe(-1);
        expect([snapshot.tool(-1), snapshot.tool(all.length)]).toEqual([undefined, undefined]);
      }),
    );
  });

  it("has the tree of its tools, and each namespace's tools side by side", () => {
    fc.assert(
      fc.property(items, (all) => {
        const tools = placedTools(all);
        const snapshot = opened(packed(tools));
        const tree = buildTree(
          tools.placed.map(({ tool: { id, namespace, name } }) => ({ id, namespace, name })),
        );
        expect(snapshot.namespaces).toEqual(
          tree.namespaces.map(({ segment, count }) => ({ namespace: segment, tools: count })),
        );
        for (const [at, { segment, children, count }] of tree.namespaces.entries()) {
          expect(snapshot.childrenOf(at)).toEqual(children);
          const { from, to } = snapshot.placesOf(segment);
          expect(to - from).toBe(count);
          expect(snapshot.ids.slice(from, to).every((id) => id.startsWith(`${segment}:`))).toBe(true);
        }
        expect(snapshot.childrenOf(tree.namespaces.length)).toEqual([]);
      }),
    );
  });

  it("built on the one before has the bytes of one from nothing, and reads what is new alone", () => {
    fc.assert(
      fc.property(fc.array(items, { minLength: 2, maxLength: 4 }), (history) => {
        let before: { readonly bytes: Uint8Array; readonly keys: readonly string[] } | undefined;
        for (const all of history) {
          const tools = placedTools(all);
          const fresh = packed(tools);
          const parts = before === undefined ? undefined : openSnapshotParts(before.bytes);
          const known = new Set(before?.keys);
          const asked = new Set<string>();
          const sources = {
            judged: (key: string) => {
              asked.add(key);
              return tools.sources.judged(key);
            },
            analysed: tools.sources.analysed,
          };
          const base = parts?.ok === true ? { parts: parts.value, keys: before?.keys ?? [] } : undefined;
          const draft = runToEnd(draftSnapshot(tools.placed, tools.shards, sources, base));
          const keys = tools.placed.map(({ key }) => key);
          expect(draft?.pack({ all: undefined })).toEqual(fresh);
          expect([...asked]).toEqual(keys.filter((key) => !known.has(key)));
          before = { bytes: fresh, keys };
        }
      }),
    );
  });

  it("is not made where something kept is missing", () => {
    const { placed, shards, sources } = placedTools([{ namespace: "a", name: "b", words: "" }]);
    expect(packSnapshot(placed, shards, { ...sources, judged: () => undefined })).toBeUndefined();
    expect(packSnapshot(placed, shards, { ...sources, analysed: () => undefined })).toBeUndefined();
  });

  it("of damaged or other bytes is refused with a reason", () => {
    const bytes = packed(placedTools([{ namespace: "a", name: "b", words: "Opens." }]));
    for (let length = 0; length < bytes.length; length += 7) {
      expect(openSnapshot(bytes.slice(0, length)).ok).toBe(false);
    }
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const snapshot = openSnapshot(bytes.with(at, value));
        if (!snapshot.ok) return;
        expect(snapshot.value.count).toBe(1);
        expect(snapshot.value.find("a:nothing")).toBe(-1);
      }),
    );
    expect(openSnapshot(new TextEncoder().encode('{"format":1,"tools":[]}'))).toMatchObject({ ok: false });
  });
});

describe("a catalog over a snapshot", () => {
  const tools = placedTools(
    Array.from({ length: 300 }, (_, at) => ({
      namespace: at % 3 === 0 ? "up" : "down",
      name: `tool_${at}`,
      words: at % 10 === 0 ? "Opens a door." : "Shuts a window.",
    })),
  );

  function counted() {
    const decoded: unknown[] = [];
    const snapshot = opened(packed(tools), (bytes) => {
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
      decoded.push(value);
      return value;
    });
    const pointer = { generation: 1, revision: 1, hash: "0".repeat(64), stale: ["up"] };
    const catalog = new SnapshotCatalog("c", pointer, loadSnapshot(snapshot), async () =>
      unavailable("none"),
    );
    return { catalog, decoded };
  }
  const everyone = Object.assign(() => true, { key: null });

  it("decodes nothing when it is loaded", () => {
    expect(counted().decoded).toEqual([]);
  });

  it("ranks, lists namespaces and tells who sees what without decoding, and then decodes the hits", () => {
    const { catalog, decoded } = counted();
    const some = Object.assign((id: string) => id.startsWith("up:"), { key: "up" });
    const { hits, total } = catalog.search("open door", 5, everyone);
    expect([hits.length, total]).toEqual([5, 30]);
    expect(catalog.search("open door", 5, some).total).toBe(10);
    expect(catalog.namespaces(everyone)).toEqual([
      { namespace: "down", tools: 200 },
      { namespace: "up", tools: 100 },
    ]);
    expect(catalog.namespaces(some)).toEqual([{ namespace: "up", tools: 100 }]);
    expect(catalog.similar("up:tool_3x", 3, some)).not.toEqual([]);
    expect(decoded).toEqual([]);
    const found = hits.map(({ id }) => catalog.find(id));
    expect(found.map((tool) => tool?.id)).toEqual(hits.map(({ id }) => id));
    expect(found.map((tool) => tool?.stale)).toEqual(hits.map(({ id }) => id.startsWith("up:")));
    expect(decoded).toHaveLength(5);
  });

  it("decodes a namespace's tree when it is looked into, once", () => {
    const { catalog, decoded } = counted();
    const path = { text: "/up", segments: ["up"] };
    catalog.resolve({ text: "/", segments: [] }, everyone);
    expect(decoded).toHaveLength(0);
    expect(catalog.resolve(path, everyone)).toMatchObject({ ok: true });
    expect(catalog.resolve(path, everyone)).toMatchObject({ ok: true });
    expect(decoded).toHaveLength(1);
  });

  it("gives pages in the order of ids, and says whether there is more", () => {
    const { catalog } = counted();
    const ids = tools.placed.map(({ tool }: PlacedTool) => tool.id).sort(compareCodePoints);
    const seen: string[] = [];
    for (let more = true; more;) {
      const page = catalog.page(seen.at(-1), 70, SEES_EVERYTHING);
      seen.push(...page.tools.map(({ id }) => id));
      more = page.more;
    }
    expect(seen).toEqual(ids);
  });
});
