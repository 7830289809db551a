import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePrimitiveId } from "../../../src/identity/primitive-id.ts";
import { MemoryRefreshStore } from "../../support/catalog/memory-store.ts";
import {
  catalogOf,
  definitionsOf,
  itemsOf,
  PRIMITIVE_SETTINGS as SETTINGS,
  prompt,
  resource,
  template,
} from "../../support/catalog/primitives.ts";
import { RefreshRig, type ServerLists, settingsOf } from "../../support/catalog/rig.ts";
import { readCatalog } from "../../support/catalog/served.ts";

const KINDS = ["resource", "prompt"] as const;

describe("ids that several have", () => {
  const TWINS: ServerLists = {
    resources: [resource("a://{x}", { name: "n" })],
    templates: [template("a://{x}", { name: "n" })],
    prompts: [prompt("two words"), prompt("two_words")],
  };

  it("get ~N by the order of names, resources before templates", async () => {
    const catalog = await catalogOf({ alpha: TWINS, beta: [] });
    const [plain, held] = itemsOf(catalog, "resource");
    expect(held?.id).toBe(`${plain?.id ?? ""}~2`);
    expect([plain?.card.has_schema, held?.card.has_schema]).toEqual([false, true]);
    expect(held?.line).toContain(`${held?.id ?? ""} — `);
    const [words, snake] = itemsOf(catalog, "prompt");
    expect([words?.upstreamName, snake?.upstreamName]).toEqual(["two words", "two_words"]);
    expect(snake?.id).toBe(`${words?.id ?? ""}~2`);
    expect(catalog.of("prompt")?.find(snake?.id ?? "")?.upstreamName).toBe("two_words");
    const [, second] = await definitionsOf(catalog, "resource");
    expect(second?.definition).toEqual(TWINS.templates?.[0]);
  });

  it("lose it again with the one that had the id before them", async () => {
    const rig = new RefreshRig();
    const both = await catalogOf(
      { alpha: { prompts: [prompt("two words"), prompt("two_words")] }, beta: [] },
      rig,
    );
    expect(itemsOf(both, "prompt")).toHaveLength(2);
    const one = await catalogOf({ alpha: { prompts: [prompt("two_words")] }, beta: [] }, rig);
    expect(itemsOf(one, "prompt").map(({ id }) => parsePrimitiveId(id).ok)).toEqual([true]);
    const failing = await catalogOf({ alpha: { prompts: "down" }, beta: [] }, rig);
    expect(itemsOf(failing, "prompt").map(({ id }) => id)).toEqual(
      itemsOf(one, "prompt").map(({ id }) => id),
    );
  });

  it("is the first of one name in one list that stays, with a finding", async () => {
    const rig = new RefreshRig();
    const outcome = await rig.refresh(SETTINGS, {
      alpha: { resources: [resource("a://x", { title: "first" }), resource("a://x", { title: "second" })] },
      beta: [],
    });
    expect(outcome.servers[0]).toMatchObject({
      resources: 1,
      findings: [{ tool: "a://x", code: "duplicate_name" }],
    });
  });
});

/** Names that meet, and names that are not fit for anything. */
const NAMES = fc.constantFrom(
  "a b",
  "a_b",
  "A.b",
  "__proto__",
  "constructor",
  "é",
  "\u{D800}",
  "x".repeat(10_000),
  " ",
  "n\0n",
);
const RESOURCES = fc.array(
  fc.record({
    uri: fc.constantFrom(
      "a://x",
      "a://y",
      "b://x/{y}",
      "__proto__",
      "\u{DC00}://",
      "",
      "c://" + "z".repeat(9_000),
    ),
    name: fc.option(NAMES, { nil: undefined }),
  }),
  { maxLength: 6 },
);
const TEMPLATES = fc.array(
  fc.record({
    uriTemplate: fc.constantFrom(
      "b://x/{y}",
      "b://{__proto__}",
      "{".repeat(3),
      "t://{a,b*}{?q}",
      "{x}".repeat(10_000),
    ),
    name: NAMES,
  }),
  { maxLength: 4 },
);
const ARGUMENTS = fc.constantFrom<unknown>(
  undefined,
  null,
  "no list",
  7,
  [],
  [{ name: "a", required: true }, { name: "a" }, { name: "__proto__" }, null, { name: 1 }],
);
const PROMPTS = fc.array(fc.record({ name: NAMES, arguments: ARGUMENTS }), { maxLength: 6 });
const LISTS = fc.record({ resources: RESOURCES, templates: TEMPLATES, prompts: PROMPTS });

/** The first of each name, as a server that lists a name twice decides by its order which one counts. */
const firsts = (entries: readonly unknown[], key: string) => [
  ...new Map(
    entries
      .toReversed()
      .map((entry) => [typeof entry === "object" && entry !== null ? Reflect.get(entry, key) : entry, entry]),
  ).values(),
];

describe("any listings", () => {
  const settings = settingsOf({ alpha: {}, beta: { namespace: "infer" }, gamma: { namespace: "infer" } });

  it("give the same bytes whatever order their servers answer and list in, and ids that parse or are ~N", async () => {
    await fc.assert(
      fc.asyncProperty(LISTS, LISTS, LISTS, async (alpha, beta, gamma) => {
        const lists = Object.fromEntries(
          Object.entries({ alpha, beta, gamma }).map(([name, { resources, templates, prompts }]) => [
            name,
            {
              resources: firsts(resources, "uri"),
              templates: firsts(templates, "uriTemplate"),
              prompts: firsts(prompts, "name"),
            },
          ]),
        );
        const turned = Object.fromEntries(
          Object.entries(lists).map(([name, { resources, templates, prompts }]) => [
            name,
            {
              resources: resources.toReversed(),
              templates: templates.toReversed(),
              prompts: prompts.toReversed(),
            },
          ]),
        );
        const rig = new RefreshRig();
        const one = await rig.refresh(settings, lists);
        const late = async (server: string) => {
          for (let turn = 0; turn < (server === "alpha" ? 9 : 1); turn += 1) await Promise.resolve();
        };
        const other = await new RefreshRig(new MemoryRefreshStore()).refresh(settings, turned, late);
        expect([other.pointer?.hash, other.pointer?.kinds]).toEqual([one.pointer?.hash, one.pointer?.kinds]);
        const catalog = await readCatalog(rig.kv, settings);
        for (const kind of KINDS) {
          const items = itemsOf(catalog, kind);
          expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
          for (const { id, card } of items) {
            const [bare = "", nth] = id.split("~");
            expect(parsePrimitiveId(bare)).toMatchObject({ ok: true, value: { kind } });
            expect(nth === undefined || Number(nth) > 1).toBe(true);
            expect(card).toMatchObject({ kind, side_effects: false, safety: "" });
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("hostile entries", () => {
  it("cost themselves alone", async () => {
    const rig = new RefreshRig();
    const outcome = await rig.refresh(SETTINGS, {
      alpha: {
        resources: [
          resource("a://good"),
          { name: "no uri" },
          { uri: 7 },
          { uri: "a://\u{D800}" },
          { uri: "a://both", uriTemplate: "a://{both}" },
          { uri: `a://${"x".repeat(9_000)}` },
          "no object",
          null,
          JSON.parse('{"__proto__": {"uri": "a://x"}}'),
          { uri: "a://n\0l", name: "n\0l" },
        ],
        templates: [
          template("t://{x}"),
          template("t://{"),
          template("t://" + "{x}".repeat(10_000)),
          template("t://{1 2}"),
        ],
        prompts: [
          prompt("good"),
          prompt("__proto__"),
          { name: "odd", arguments: "no list" },
          { name: " " },
          prompt("y".repeat(10_000)),
        ],
      },
      beta: [],
    });
    expect(outcome.servers[0]).toMatchObject({ status: "ok", resources: 3, prompts: 3 });
    expect(outcome.servers[0]?.skipped.map(({ reason }) => reason)).toEqual([
      "no_uri",
      "no_uri",
      "ill_formed_uri",
      "uri_and_template",
      "uri_too_long",
      "not_an_object",
      "not_an_object",
      "no_uri",
      "template_unbalanced_braces",
      "uri_too_long",
      "template_bad_variable",
      "no_name",
      "name_too_long",
    ]);
    expect(outcome.servers[0]?.findings).toEqual([{ tool: "odd", code: "arguments_not_a_list" }]);
  });
});
