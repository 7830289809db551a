import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { compileGlob } from "../../../src/glob.ts";
import { ingestServer, type IngestPorts, type IngestServer } from "../../../src/catalog/refresh/ingest.ts";
import { listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import { keptListing } from "../../../src/catalog/refresh/kept-forms.ts";
import { judgeTool } from "../../../src/catalog/refresh/judge-tool.ts";
import { canonicalJson } from "../../../src/catalog/snapshot/canonical-json.ts";
import type { Listing } from "../../../src/catalog/refresh/refresh-ports.ts";
import type { SchemaLimits } from "../../../src/config.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import {
  DEFINITION_MAX_BYTES,
  DEFINITIONS_JUDGED_AT_ONCE_COUNT,
  REPORT_ENTRIES_MAX_COUNT,
  REPORT_NAME_MAX_CODE_POINTS,
} from "../../../src/limits.ts";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import { lintSchema } from "../../../src/schema/lint.ts";
import { MemoryRefreshStore } from "../../support/catalog/memory-store.ts";
import { roughCounter, tool } from "../../support/catalog/rig.ts";

const LIMITS: SchemaLimits = { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" };

const globs = (texts: readonly string[]) =>
  texts.flatMap((text) => {
    const glob = compileGlob(text);
    return glob.ok ? [glob.value] : [];
  });

function server(
  more: Partial<IngestServer> & { readonly only?: readonly string[]; readonly not?: readonly string[] } = {},
) {
  const { only = ["*"], not = [], ...rest } = more;
  return {
    name: "hub",
    mode: { source: "server", server: "hub", namespace: "hub" },
    limits: LIMITS,
    include: globs(only),
    exclude: globs(not),
    ...rest,
  } satisfies IngestServer;
}

function ports(store = new MemoryRefreshStore()) {
  const made = {
    store,
    lints: 0,
    counter: roughCounter(),
    loadCounter: async () => ok(made.counter),
    lint: (...parameters: Parameters<typeof lintSchema>) => {
      made.lints += 1;
      return lintSchema(...parameters);
    },
    recall: (key: string) => store.recall(key),
    keep: store.keep.bind(store),
    last: (): Listing | undefined => undefined,
    pauses: 0,
    pause: async () => {
      made.pauses += 1;
    },
  };
  return made;
}

async function ingest(
  raw: readonly unknown[],
  of: IngestServer = server(),
  by: IngestPorts & { readonly store: MemoryRefreshStore } = ports(),
) {
  const ingested = await ingestServer(raw.map(listedEntry), of, by);
  if (!ingested.ok) throw new Error(JSON.stringify(ingested.reason));
  const accepted = ingested.value.tools.flatMap(({ key }) => {
    const judged = by.store.recall(key);
    return judged?.kind === "accepted" ? [judged] : [];
  });
  return { ...ingested.value, accepted, ids: ingested.value.tools.map(({ id }) => id) };
}

describe("ingest of one server", () => {
  it("skips what is no tool, with a reason, and keeps the rest", async () => {
    const { ids, skipped } = await ingest([null, 1, "x", [], {}, { name: 1 }, { name: " \n" }, tool("fine")]);
    expect(ids).toHaveLength(1);
    expect(skipped).toEqual([
      ...[0, 1, 2, 3].map((at) => ({ name: `#${at}`, reason: "not_an_object" })),
      ...[4, 5, 6].map((at) => ({ name: `#${at}`, reason: "no_name" })),
    ]);
  });

  it("keeps the first of a repeated raw name and finds the others", async () => {
    const first = tool("same", { description: "First." });
    const { accepted, findings } = await ingest([first, tool("same", { description: "Second." })]);
    expect(accepted.map(({ card }) => card.description)).toEqual(["First."]);
    expect(findings).toEqual([{ tool: "same", code: "duplicate_name" }]);
  });

  it("refuses the listing in which two raw names have one id", async () => {
    const version = { _meta: { version: "1" } };
    const raw = [tool("hub.make", version), tool("make", version)];
    expect(await ingestServer(raw.map(listedEntry), server(), ports())).toEqual({
      ok: false,
      reason: { reason: "id_collision", id: "hub:make@1" },
    });
    // What the operator leaves out collides with nothing.
    expect((await ingest(raw, server({ not: ["hub.*"] }))).ids).toEqual(["hub:make@1"]);
  });

  it("counts an illegal declared version as none", async () => {
    expect((await ingest([tool("make", { _meta: { version: "no version!" } })])).ids[0]).toMatch(
      /^hub:make#[0-9a-f]{8}$/,
    );
  });

  it("skips a name without a legal id by the rule that it breaks", async () => {
    const { skipped, ids } = await ingest([tool("a\u0000b"), tool("x".repeat(129)), tool("ok")]);
    expect(skipped).toEqual([
      { name: "a b", reason: "bad_name" },
      { name: "x".repeat(128), reason: "bad_name" },
    ]);
    expect(ids).toHaveLength(1);
  });

  it("skips a line that cannot be brought under its budget", async () => {
    const heavy = { ...ports(), loadCounter: async () => ok({ count: (text: string) => text.length }) };
    expect((await ingest([tool("n".repeat(100))], server(), heavy)).skipped).toEqual([
      { name: "n".repeat(100), reason: "line_too_long" },
    ]);
  });

  it("lists by include and exclude over the upstream's names, and exclude wins", async () => {
    const raw = [tool("get_a"), tool("get_b"), tool("put_a")];
    const { ids, skipped } = await ingest(raw, server({ only: ["get_*"], not: ["*_b"] }));
    expect(ids.map((id) => id.slice(0, 9))).toEqual(["hub:get_a"]);
    expect(skipped).toEqual([]);
  });

  it.each([{}, { description: "" }, { description: 5 }, { description: null }])(
    "keeps a tool whose description is missing: %j",
    async (more) => {
      const raw = [{ name: "shown", inputSchema: {}, ...more }];
      expect((await ingest(raw)).accepted[0]?.card.description).toBe("shown");
    },
  );

  it("flags a broken schema, or skips its tool where the configuration says so", async () => {
    const broken = tool("broken", { inputSchema: { type: "strin" } });
    const flagged = await ingest([broken]);
    expect(flagged.ids).toHaveLength(1);
    expect(flagged.findings.map(({ tool }) => tool)).toContain("broken");
    const rejected = await ingest([broken], server({ limits: { ...LIMITS, on_invalid: "reject" } }));
    expect(rejected.skipped).toEqual([{ name: "broken", reason: "schema_invalid" }]);
    expect(rejected.findings).toEqual(flagged.findings);
  });

  it("flags a schema beyond the configured limits", async () => {
    const properties = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`p${at}`, {}]));
    const raw = [tool("wide", { inputSchema: { type: "object", properties } })];
    const { findings } = await ingest(raw, server({ limits: { ...LIMITS, max_properties: 2 } }));
    expect(findings).toEqual([{ tool: "wide", code: "properties_exceeded" }]);
  });

  it("names a broken output schema apart and keeps the tool", async () => {
    const { ids, findings } = await ingest([tool("out", { outputSchema: { $ref: "#/nowhere" } })]);
    expect(ids).toHaveLength(1);
    expect(findings).toEqual([{ tool: "out", code: "output_unresolved_ref" }]);
  });

  it("shows hostile names safely and briefly", async () => {
    const names = ["x".repeat(10_240), `a\uD800\u202Eb\u0000c`, "<|endoftext|>", "__proto__", "constructor"];
    const { skipped, ids } = await ingest(names.map((name) => tool(name)));
    expect(ids.map((id) => id.slice(4, 13))).toEqual(["__endofte", "__proto__", "construct"]);
    expect(skipped.map(({ name }) => name)).toEqual(["x".repeat(REPORT_NAME_MAX_CODE_POINTS), "a\uFFFD b c"]);
  });

  it("skips definitions that are too large or too deep to be kept", async () => {
    const nest = (levels: number): unknown => {
      let value: unknown = {};
      for (let level = 0; level < levels; level += 1) value = { a: value };
      return value;
    };
    const raw = [
      tool("fat", { _meta: { pad: "x".repeat(DEFINITION_MAX_BYTES) } }),
      tool("deep", { inputSchema: nest(100_000) }),
      tool("odd", { inputSchema: { maximum: Number.POSITIVE_INFINITY } }),
    ];
    expect((await ingest(raw)).skipped).toEqual([
      { name: "fat", reason: "definition_too_large" },
      { name: "deep", reason: "definition_too_deep" },
      { name: "odd", reason: "not_json" },
    ]);
  });

  it("reports the first so many, and how many more there were", async () => {
    const raw = Array.from({ length: REPORT_ENTRIES_MAX_COUNT + 7 }, (_, at) => tool(`${at}\u0000`));
    const { skipped, omitted, keys } = await ingest(raw);
    expect([skipped.length, omitted]).toEqual([REPORT_ENTRIES_MAX_COUNT, 7]);
    expect(keys).toHaveLength(raw.length);
  });

  it("judges an unchanged definition once, whatever the order of its keys", async () => {
    const [by, once] = [ports(), tool("same", { title: "Same" })];
    await ingest([once, tool("1\u0000st")], server(), by);
    const [lints, again] = [by.lints, ports(by.store)];
    await ingest([tool("1\u0000st"), Object.fromEntries(Object.entries(once).toReversed())], server(), again);
    expect(lints).toBe(1);
    expect(again.lints).toBe(0);
    expect([by.counter.usage.builds, again.counter.usage.builds]).toEqual([1, 0]);
  });

  it("looks at nothing again of a listing that came as the last one, in any life of the object", async () => {
    const raw = [
      tool("a"),
      tool("b", { inputSchema: { type: "strin" } }),
      tool("1\u0000st"),
      null,
      tool("a"),
    ];
    const first = ports();
    const { accepted: _, ids: __, ...listing } = await ingest(raw, server(), first);
    const kept = keptListing(JSON.stringify(listing));
    const again = { ...ports(first.store), last: () => kept, recall: () => expect.fail("recalled") };
    expect(await ingestServer(raw.map(listedEntry), server(), again)).toEqual({ ok: true, value: listing });
    expect(again.lints).toBe(0);
  });

  it("recalls nothing but what a listing has beside the last one, and tells of it all the same", async () => {
    const fine = Array.from({ length: 50 }, (_, at) =>
      tool(`fine_${at}`, { outputSchema: { $ref: "#/no" } }),
    );
    const first = ports();
    const listing = await ingest(fine, server(), first);
    const news = tool("news");
    const recalled: string[] = [];
    const again = {
      ...ports(first.store),
      last: () => listing,
      recall: (key: string) => {
        recalled.push(key);
        return first.store.recall(key);
      },
    };
    const next = await ingestServer([news, ...fine.slice(1)].map(listedEntry), server(), again);
    expect(recalled).toHaveLength(1);
    const { accepted: _, ids: __, ...fresh } = await ingest([news, ...fine.slice(1)]);
    expect(next).toEqual({ ok: true, value: fresh });
  });

  it("parses nothing of a listing that came as the last one, and one entry where one is new", async () => {
    const raw = Array.from({ length: 600 }, (_, at) => tool(`tool_${at}`));
    const first = ports();
    const last = await ingest(raw, server(), first);
    const again = { ...ports(first.store), last: () => last };
    const parse = vi.spyOn(JSON, "parse");
    const parses = async (entries: readonly unknown[]) => {
      const texts = entries.map(listedEntry);
      parse.mockClear();
      await ingestServer(texts, server(), again);
      expect(texts).toEqual([]);
      return parse.mock.calls.length;
    };
    const counts = [
      await parses(raw),
      await parses(raw.with(300, tool("tool_300", { title: "New" }))),
      await parses([...raw.slice(1), tool("one more")]),
      await parses(raw.toReversed()),
    ];
    parse.mockRestore();
    expect(counts).toEqual([0, 1, 1, 0]);
  });

  it("gives on any last listing what it gives on none", async () => {
    const entry = fc.oneof(
      fc.record({
        name: fc.constantFrom("a", "b", "c", "hub.a", "1st", "1\u0000st", "left_out", "__proto__", " "),
        inputSchema: fc.constantFrom<unknown>({}, { type: "strin" }, { maximum: Number.POSITIVE_INFINITY }),
        _meta: fc.constantFrom<unknown>(undefined, { version: "1" }),
      }),
      fc.constantFrom<unknown>(null, [], {}, { name: "far", x: Number.NEGATIVE_INFINITY }),
    );
    const entries = fc.array(entry, { maxLength: 6 });
    const of = server({ not: ["left_*"] });
    await fc.assert(
      fc.asyncProperty(entries, entries, fc.nat(6), async (before, news, kept) => {
        const store = new MemoryRefreshStore();
        const last = await ingestServer(before.map(listedEntry), of, ports(store));
        const raw = [...before.slice(0, kept), ...news];
        const again = { ...ports(store), last: () => (last.ok ? last.value : undefined) };
        const next = await ingestServer(raw.map(listedEntry), of, again);
        expect(next).toEqual(await ingestServer(raw.map(listedEntry), of, ports()));
      }),
    );
  });

  it("keeps a definition as it came, under the hash of its canonical JSON", async () => {
    const definition = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      inputSchema: fc.jsonValue({ stringUnit: "binary" }),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(definition, { selector: ({ name }) => name }), async (raw) => {
        const by = ports();
        const { accepted } = await ingest(raw, server(), by);
        for (const { upstreamName, definitionHash, definitionBytes } of accepted) {
          const came = raw.find(({ name }) => name === upstreamName);
          expect(definitionHash).toBe(sha256Hex(canonicalJson(came)));
          expect(by.store.definition(definitionHash)).toBe(JSON.stringify(came));
          expect(definitionBytes).toBe(new TextEncoder().encode(JSON.stringify(came)).length);
        }
      }),
    );
  });

  it("takes nothing from a last listing that was judged otherwise", async () => {
    const first = ports();
    const listing = await ingest([tool("same")], server(), first);
    const again = { ...ports(first.store), last: () => listing };
    await ingestServer([listedEntry(tool("same"))], server({ limits: { ...LIMITS, max_depth: 31 } }), again);
    expect(first.store.judgements.size).toBe(2);
  });

  it("lets others have their turn between a bounded number of judgements", async () => {
    const by = ports();
    const raw = Array.from({ length: 4 * DEFINITIONS_JUDGED_AT_ONCE_COUNT }, (_, at) => tool(`t${at}`));
    const lintsAtPause: number[] = [];
    const watching = {
      ...by,
      pause: async () => {
        lintsAtPause.push(by.lints);
      },
    };
    await ingestServer(raw.map(listedEntry), server(), watching);
    expect(lintsAtPause).toEqual([1, 2, 3, 4].map((times) => times * DEFINITIONS_JUDGED_AT_ONCE_COUNT));
  });

  it.each([
    ["another limit", server({ limits: { ...LIMITS, max_depth: 31 } })],
    ["another server's name", server({ name: "other" })],
    ["inferred namespaces", server({ mode: { source: "infer" } })],
  ])("judges anew under %s", async (_, other) => {
    const by = ports();
    await ingest([tool("same")], server(), by);
    await ingest([tool("same")], other, by);
    expect(by.lints).toBe(2);
  });

  it("never throws, and gives the same for tools in any order", async () => {
    const anyTool = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(
            fc.string({ unit: "binary" }),
            fc.constantFrom("a", "b.c", "d/e", "__proto__", "g_h_i"),
          ),
          description: fc.jsonValue(),
          inputSchema: fc.jsonValue(),
          annotations: fc.jsonValue(),
          _meta: fc.jsonValue(),
        },
        { requiredKeys: ["name"] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyTool, { maxLength: 8 }), fc.boolean(), async (raw, infer) => {
        const names = new Set<unknown>();
        const distinct = raw.filter((entry) => {
          const name = JSON.stringify(memberOf(entry, "name") ?? entry);
          return !names.has(name) && names.add(name);
        });
        const of = infer ? server({ mode: { source: "infer" } }) : server();
        const forward = await ingestServer(distinct.map(listedEntry), of, ports());
        const backward = await ingestServer(distinct.toReversed().map(listedEntry), of, ports());
        expect(backward.ok).toBe(forward.ok);
        if (!forward.ok || !backward.ok) return;
        expect(backward.value.keys).toEqual(forward.value.keys);
        for (const { name } of forward.value.skipped)
          expect(Array.from(name).length).toBeLessThanOrEqual(128);
      }),
    );
  });
});

describe("the version of what is kept", () => {
  it("changes with what a definition gives: raise INGEST_VERSION, then this", async () => {
    const value = tool("create_issue", {
      title: "Create",
      inputSchema: {
        type: "object",
        properties: { title: { type: "string", description: "What it says." } },
      },
      annotations: { destructiveHint: true, costHint: 0.5 },
    });
    const json = JSON.stringify(value);
    const [bytes, hash] = [json.length, sha256Hex(json)];
    const definition = { value, written: value, name: "create_issue", json, bytes, hash };
    const judged = judgeTool(definition, server(), { counter: roughCounter(), lint: lintSchema });
    expect(sha256Hex(canonicalJson(judged)).slice(0, 16)).toMatchInlineSnapshot(`"ab67772852af9b2e"`);
  });
});
