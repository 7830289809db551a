import { describe, expect, it } from "vitest";
import type { ReadAnswer } from "../../../src/records/source/read-source.ts";
import { fakeSource, good } from "../../support/records/fake-source.ts";
import { nestedDocument } from "../../support/records/schema-documents.ts";
import { at, bytes, callTool } from "../../support/records/tool-call.ts";

const away = (source: string, reason = "source_unavailable") => ({
  code: "source_unavailable",
  message: `The source "${source}" gave no answer: what it has is missing here.`,
  detail: { source, reason },
});
const other = (index: number) => ({ code: `note_${index}`, message: `note ${index}` });
const names = (count: number) => Array.from({ length: count }, (_item, index) => `source-${index}`);

const document = {
  ...nestedDocument([
    { key: "mail", streams: [{ name: "messages", relations: [], connections: ["cin_a"] }] },
  ]),
  package: { grant_package: "pkg_1", member_count: 9, sources: [{ connection_id: "cin_a" }] },
};
const withWarnings = (warnings: readonly unknown[], partial = warnings.length > 0): ReadAnswer =>
  good({
    ...document,
    object: "list",
    data: [],
    value: 1,
    has_more: false,
    meta: { warnings, package: { member_count: 9, partial } },
  });

const calls = [
  ["schema", {}],
  ["schema", { stream: "messages" }],
  ["schema", { stream: "messages", detail: "full" }],
  ["query_records", { stream: "messages" }],
  ["aggregate", { stream: "messages", metric: "count" }],
  ["search", { q: "x" }],
] as const;

describe.each(calls)("warnings of %s %j", (name, args) => {
  const call = (warnings: readonly unknown[]) =>
    callTool(
      name,
      args,
      fakeSource(() => withWarnings(warnings)),
    );

  it("name every source that gave no answer", async () => {
    const missing = names(12);
    const { text } = await call([...missing.map((source) => away(source)), other(1)]);
    expect(text).toContain(`12 sources gave no answer, what they have is missing: ${missing.join("|")}`);
    expect(text).toContain("warning note_1: note 1");
    expect(text).not.toContain("more_warnings");
  });

  it("tell of one as it was told, and a reason that says more", async () => {
    expect((await call([away("a")])).text).toContain('warning source_unavailable: The source "a" gave no');
    const behind = [...Array.from({ length: 9 }, (_item, index) => other(index)), away("a")];
    expect((await call(behind)).text).toContain('The source "a" gave no');
    const { text } = await call([away("a"), away("b", "authentication_error")]);
    expect(text).toContain("missing: a|b(authentication_error)");
  });

  it("count what does not fit", async () => {
    const { text } = await call(Array.from({ length: 12 }, (_item, index) => other(index)));
    expect(text).toContain("warning note_4: note 4");
    expect(text).toContain("\nmore_warnings=7");
  });

  it("are each told or counted, however long they are", async () => {
    const long = names(40).map((source) => away(`${source}-${"x".repeat(50)}`));
    const notes = Array.from({ length: 200 }, (_item, index) => ({
      ...other(index),
      message: "é".repeat(5_000),
    }));
    const { text, structured } = await call([...notes, ...long]);
    const named = text.match(/source-\d+-x/g)?.length ?? 0;
    const told = text.match(/^warning note_/gm)?.length ?? 0;
    expect(text).toContain(`\nmore_warnings=${240 - named - told}`);
    expect(named).toBeGreaterThanOrEqual(name === "schema" ? 10 : 1);
    expect(at(structured, "data", "meta", "more_warnings")).toBeGreaterThan(0);
    const kept = at(structured, "data", "meta", "warnings");
    expect(Array.isArray(kept) && kept.length).toBeLessThanOrEqual(64);
    expect(JSON.stringify(kept)).toContain("source-9-x");
  });
});

describe("warnings beside a long cursor", () => {
  it("leave room for the first record, and each source that is not named is counted", async () => {
    const warnings = names(30).map((source) => away(`${source}-of-a-long-name`));
    const data = [{ object: "record", id: "m1", stream: "messages", data: { a: 1 } }];
    const body = { data, has_more: true, next_cursor: "c".repeat(8_000), meta: { warnings } };
    const { text } = await callTool(
      "query_records",
      { stream: "messages" },
      fakeSource(() => good(body)),
    );
    expect(text).toContain("\nmore_warnings=30\n");
    expect(text).toContain('record[0] id="messages:m1" {"a":1}');
  });
});

describe("a schema over a package", () => {
  it.each(calls.slice(0, 3))(
    "tells in %s %j how many sources there are and that some are missing",
    async (name, args) => {
      const { text, structured } = await callTool(
        name,
        args,
        fakeSource(() => withWarnings([away("a"), away("b")])),
      );
      expect(at(structured, "data", "package")).toEqual({ grant_package: "pkg_1", member_count: 9 });
      expect(at(structured, "data", "meta")).toMatchObject({ package: { member_count: 9, partial: true } });
      expect(text).toContain("partial=true sources=9");
      expect(bytes(structured)).toBeLessThan(6_000);
    },
  );

  it("that is whole says so in structured output alone", async () => {
    const { text, structured } = await callTool(
      "schema",
      {},
      fakeSource(() => withWarnings([])),
    );
    expect(at(structured, "data", "meta", "package", "partial")).toBe(false);
    expect(text).not.toContain("partial");
  });

  it("and over one source has neither", async () => {
    const { package: _package, ...plain } = document;
    const { structured } = await callTool(
      "schema",
      {},
      fakeSource(() => good(plain)),
    );
    expect(Object.keys(at(structured, "data") ?? {})).not.toContain("package");
    expect(Object.keys(at(structured, "data") ?? {})).not.toContain("meta");
  });
});
