import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CatalogTool, readCatalog } from "../../../scripts/eval/input/catalog.ts";
import { Baseline } from "../../../scripts/eval/methods/bm25.ts";
import { plainWords } from "../../../scripts/eval/methods/plain-words.ts";
import { indexOf, searchIndex, toDocument } from "../../../scripts/eval/methods/ranking.ts";
import { judgeTool } from "../../../src/catalog/refresh/judge-tool.ts";
import { analyseDocument } from "../../../src/routing/document/analyse-document.ts";
import { lintSchema } from "../../../src/schema/lint.ts";
import { roughCounter } from "../../support/catalog/rig.ts";

const tool = (id: string, name: string, description = "", inputSchema?: unknown): CatalogTool => ({
  id,
  server: "s",
  name,
  description,
  inputSchema,
});

const CATALOG = [
  tool("s::read_file", "read_file", "Read a file.", {
    properties: {
      path: { description: "Where", anyOf: [{ properties: { properties: { type: "string" }, drive: {} } }] },
    },
  }),
  tool("s::writeFile", "writeFile", "Write text to a file, again and again: a file, the file, any file."),
  tool("s::list", "list", "Lists folders."),
];

describe("the words of the baseline", () => {
  it.each([
    [
      "readTextFile read_text_file HTTPServer",
      ["read", "text", "file", "read", "text", "file", "http", "server"],
    ],
    ["Listing the listed lists and boxes of a list", ["list", "list", "list", "box", "list"]],
    ["查询 天气 in 2024", ["查", "询", "天", "气", "2024"]],
    ["class as is", ["class", "as", "is"]],
    ["", []],
  ])("of %j", (text, words) => {
    expect(plainWords(text)).toEqual(words);
  });
});

describe("the baseline", () => {
  const baseline = new Baseline(CATALOG);

  it("gives the score of the textbook", () => {
    // One tool of three has the word; all are of mean length, so that length is without effect.
    const same = ["a", "b", "c"].map((id) => tool(id, id === "b" ? "apple pear" : "plum grape"));
    expect(new Baseline(same).score("apple")).toEqual([{ id: "b", score: Math.log(1 + 2.5 / 1.5) }]);
  });

  it("finds by name, description and the names of parameters, nested ones too, not by their descriptions", () => {
    expect(baseline.search("folder").ids).toEqual(["s::list"]);
    expect(baseline.search("write").ids).toEqual(["s::writeFile"]);
    expect(baseline.search("path").ids).toEqual(["s::read_file"]);
    expect(baseline.search("drive").ids).toEqual(["s::read_file"]);
    expect(baseline.search("properties").ids).toEqual(["s::read_file"]);
    expect(baseline.search("string").ids).toEqual([]);
    expect(baseline.search("where").ids).toEqual([]);
  });

  it("puts a short text before a long one that says it more often", () => {
    expect(baseline.search("read file").ids).toEqual(["s::read_file", "s::writeFile"]);
  });

  it("orders equals by id, whatever the order of the catalog", () => {
    const same = ["c", "a", "\u{1F600}", "\uFFFD", "b"].map((id) => tool(id, "same"));
    expect(new Baseline(same).search("same").ids).toEqual(["a", "b", "c", "\uFFFD", "\u{1F600}"]);
  });

  it("answers anything with tools of the catalog, each once", () => {
    const ids = new Set(CATALOG.map(({ id }) => id));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.lorem()), (query) => {
        const found = baseline.search(`${query} file`).ids;
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((id) => ids.has(id))).toBe(true);
      }),
    );
    expect(new Baseline([]).search("file").ids).toEqual([]);
  });
});

describe("what is ranked", () => {
  const definition = {
    name: "createIssue",
    title: "Create",
    description: "Opens an issue. Careful.",
    inputSchema: { type: "object", properties: { body: { type: "string", description: "What it says." } } },
    annotations: { readOnlyHint: false },
  };

  it("is read as the Worker's refresh reads it", () => {
    const json = JSON.stringify(definition);
    const { analysed } = judgeTool(
      { value: definition, written: definition, name: definition.name, json, bytes: json.length, hash: "0" },
      {
        name: "hub",
        mode: { source: "server", server: "hub", namespace: "hub" },
        limits: { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" },
      },
      { counter: roughCounter(), lint: lintSchema },
    );
    const id = analysed?.id ?? "";
    const [row] = readCatalog([{ file: "f", line: 1, value: { ...definition, id, server: "hub" } }]);
    expect(row).toBeDefined();
    expect(row === undefined ? undefined : analyseDocument(toDocument(row))).toEqual(analysed);
  });

  it("is found under its foreign id, to the full depth", () => {
    const many = Array.from({ length: 60 }, (_, at) => tool(`server-with-dashes::file/${at}`, `file_${at}`));
    const index = indexOf(many.map(toDocument));
    const { ids, flagged } = searchIndex(index, "file");
    expect([...ids].sort()).toEqual(many.map(({ id }) => id).sort());
    expect(flagged).toBe(false);
    expect(searchIndex(index, "zzz")).toEqual({ ids: [], flagged: true, ambiguous: false });
  });
});
