import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose, type ComposePart, fillRoom, type KeyedTool } from "../../../src/catalog/refresh/compose.ts";
import { composeKinds } from "../../../src/catalog/refresh/other-targets.ts";
import type { NamespaceMode } from "../../../src/identity/namespace.ts";
import { CATALOG_ENTRIES_MAX_BYTES } from "../../../src/limits.ts";

const INFER: NamespaceMode = { source: "infer" };
const own = (name: string): NamespaceMode => ({ source: "server", server: name, namespace: name });

function keyed(namespace: string, name: string, entryBytes = 100): KeyedTool {
  const id = `${namespace}:${name}@1`;
  return {
    key: `key of ${id}`,
    id,
    namespace,
    name,
    upstreamName: `${namespace}.${name}`,
    findings: [],
    definitionHash: id,
    definitionBytes: 10,
    entryBytes,
  };
}

function part(name: string, mode: NamespaceMode, ...tools: readonly KeyedTool[]): ComposePart {
  return { name, mode, tools };
}

const ownersIn = (parts: readonly ComposePart[]) =>
  compose(parts).tools.map(({ server, tool }) => `${server} ${tool.id}`);

describe("who may fill a namespace", () => {
  it("is the first inferring server in the configuration's order", () => {
    const parts = [
      part("a", INFER, keyed("crm", "x")),
      part("b", INFER, keyed("crm", "y"), keyed("web", "z")),
    ];
    expect(ownersIn(parts)).toEqual(["a crm:x@1", "b web:z@1"]);
    expect(compose(parts).servers[1]?.skipped).toEqual([{ name: "crm.y", reason: "namespace_taken" }]);
  });

  it("is the server of that name wherever it stands, even before its first answer", () => {
    const claimant = part("a", INFER, keyed("github", "x"), keyed("crm", "y"));
    const silent: ComposePart = { name: "github", mode: own("github"), tools: null };
    expect(ownersIn([claimant, silent])).toEqual(["a crm:y@1"]);
    expect(ownersIn([silent, claimant])).toEqual(["a crm:y@1"]);
  });

  it("stays with a server whose last good listing has it", () => {
    const lastGood = part("a", INFER, keyed("crm", "x"));
    expect(ownersIn([lastGood, part("b", INFER, keyed("crm", "y"))])).toEqual(["a crm:x@1"]);
  });

  it("is not held for an inferring server that has never answered: nobody knows what it would claim", () => {
    const silent: ComposePart = { name: "a", mode: INFER, tools: null };
    expect(ownersIn([silent, part("b", INFER, keyed("crm", "y"))])).toEqual(["b crm:y@1"]);
  });

  it("is one server, and every id is there once, whatever the servers list", () => {
    const anyPart = fc.record({
      infer: fc.boolean(),
      tools: fc.option(
        fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("x", "y")), {
          selector: (pair) => pair.join(":"),
        }),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 4 }), (servers) => {
        const parts = servers.map(({ infer, tools }, at): ComposePart => {
          const name = "abcd".charAt(at);
          const listed = (tools ?? []).map(([namespace, tool]) => keyed(infer ? namespace : name, tool));
          const unique = [...new Map(listed.map((each) => [each.key, each])).values()];
          return { name, mode: infer ? INFER : own(name), tools: tools === null ? null : unique };
        });
        const { tools, servers: counts } = compose(parts);
        const ids = tools.map(({ tool }) => tool.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual([...ids].sort());
        const owners = new Map<string, string>();
        for (const { server, tool } of tools) {
          expect(owners.get(tool.namespace) ?? server).toBe(server);
          owners.set(tool.namespace, server);
        }
        for (const [at, { tools: kept, skipped }] of counts.entries()) {
          expect(kept + skipped.length).toBe(parts[at]?.tools?.length ?? 0);
        }
      }),
    );
  });
});

describe("a catalog's size", () => {
  it("leaves out whole the server that would pass the bound, and keeps those before and after it", () => {
    const parts = [
      part("a", own("a"), keyed("a", "x")),
      part("b", own("b"), keyed("b", "x"), keyed("b", "y", CATALOG_ENTRIES_MAX_BYTES)),
      part("c", own("c"), keyed("c", "x")),
    ];
    expect(ownersIn(parts)).toEqual(["a a:x@1", "c c:x@1"]);
    expect(compose(parts).servers.map(({ tooLarge }) => tooLarge)).toEqual([false, true, false]);
  });

  it("is filled with what fits of such a server, by id, when all others have their place", () => {
    const quarter = CATALOG_ENTRIES_MAX_BYTES / 4;
    const large = ["5", "3", "1", "4", "2"].map((name) => keyed("b", name, quarter));
    const small = [part("a", own("a"), keyed("a", "x")), part("c", own("c"), keyed("c", "x"))];
    const idsOf = (tools: readonly KeyedTool[]) => {
      const parts = [part("b", own("b"), ...tools), ...small];
      const made = compose(parts);
      const filled = fillRoom(made, parts, made.taken);
      expect(filled.taken.entryBytes).toBeLessThanOrEqual(CATALOG_ENTRIES_MAX_BYTES);
      expect(filled.servers[0]).toEqual({ tools: 3, skipped: [], tooLarge: true });
      return filled.tools.map(({ tool }) => tool.id);
    };
    expect(idsOf(large)).toEqual(["a:x@1", "b:1@1", "b:2@1", "b:3@1", "c:x@1"]);
    expect(idsOf(large.toReversed())).toEqual(idsOf(large));
  });

  it("of kinds leaves the next kind its place before one that is too large is filled up", () => {
    const listing = { keys: [], skipped: [], findings: [], omitted: 0 };
    const third = CATALOG_ENTRIES_MAX_BYTES / 3;
    const files = ["1", "2", "3", "4"].map((name) => keyed("files", name, third));
    const listed = [
      { server: { name: "files", mode: own("files") }, kinds: { resource: { listing, tools: files } } },
      {
        server: { name: "hub", mode: own("hub") },
        kinds: { prompt: { listing, tools: [keyed("hub", "p", third)] } },
      },
    ];
    const composed = composeKinds(listed, compose([]));
    expect(composed.resource?.servers.map(({ tools }) => tools)).toEqual([2, 0]);
    expect(composed.prompt?.servers.map(({ tools, tooLarge }) => [tools, tooLarge])).toEqual([
      [0, false],
      [1, false],
    ]);
  });
});
