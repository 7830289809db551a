import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { highlighted } from "../../../src/records/adapter/highlight.ts";
import type { SourceDescription } from "../../../src/records/source/read-source.ts";
import { connection, fakeSource, good, recordedSource } from "../../support/records/fake-source.ts";
import { hostileHit, hostileText, hostileValue } from "../../support/records/hostile-records.ts";
import { at, bytes, callTool } from "../../support/records/tool-call.ts";

const hit = (key: string, more: object = {}): object => ({
  object: "search_result",
  stream: "messages",
  record_key: key,
  connection_id: "cin_a",
  connector_id: "testmail",
  emitted_at: "2026-02-01T00:00:00Z",
  snippet: { field: "body", text: "the <mark>invoice</mark> is due" },
  ...more,
});
const hits = (data: readonly unknown[], more: object = {}, description: Partial<SourceDescription> = {}) =>
  fakeSource(() => good({ object: "list", data, has_more: false, ...more }), description);
const search = (source: ReturnType<typeof hits>, args: object = {}) =>
  callTool("search", { q: "invoice", ...args }, source);

async function titleOf(more: object): Promise<unknown> {
  return at((await search(hits([hit("m1", more)]))).structured, "results", 0, "title");
}

describe("search", () => {
  it("has the rows once, as results, with all that identifies them", async () => {
    const { structured } = await search(recordedSource(), { limit: 3 });
    expect(Object.keys(structured)).toEqual(["data", "results", "request_id"]);
    expect(at(structured, "data", "data")).toBeUndefined();
    expect(at(structured, "data", "result_count")).toBe(3);
    expect(at(structured, "data", "meta", "count")).toBe(12);
    expect(at(structured, "results", 0)).toEqual({
      id: "cin_a/messages:testmail-m1",
      title: "testmail / messages / 2026-01-01T10:00:00Z",
      url: "https://gate.example/v1/streams/messages/records/testmail-m1?connection_id=cin_a",
      snippet: "Message 1 from testmail: the quarterly <mark>invoice</mark> number 1001 is due.",
      connection_id: "cin_a",
      connector_key: "testmail",
      stream: "messages",
      record_key: "testmail-m1",
    });
  });

  it("tells count, handles and the first id before any hit", async () => {
    const { text } = await search(recordedSource(), { limit: 3 });
    const [first, second] = text.split("\n");
    expect(first).toMatch(
      /^search: 3 hit\(s\)\. has_more=true next_cursor="[^"]+" count=exact:12 first_fetch_id="cin_a\/messages:testmail-m1"$/,
    );
    expect(second).toBe(
      'hit[0] id="cin_a/messages:testmail-m1" title="testmail / messages / 2026-01-01T10:00:00Z" connection_id=cin_a ' +
        'connector_key=testmail stream=messages snippet="Message 1 from testmail: the quarterly <mark>invoice</mark> number 1001 is due."',
    );
  });

  it("of nothing found tells no id", async () => {
    const { text } = await search(recordedSource(), { q: "zzzznothing" });
    expect(text).toBe("search: 0 hit(s). has_more=false count=exact:0");
  });

  it("offers no read of a field's window", async () => {
    const { text, structured } = await search(recordedSource(), { limit: 3 });
    expect(text + JSON.stringify(structured)).not.toMatch(/field.window|evidence|read_record_field/);
  });

  it("never gives more hits than the limit over all connections", async () => {
    const data = Array.from({ length: 30 }, (_item, index) =>
      hit(`m${index}`, { connection_id: `cin_${index % 3}` }),
    );
    const { text, structured } = await search(hits(data), { limit: 7 });
    expect(at(structured, "results")).toHaveLength(7);
    expect(text).toContain("search: 7 hit(s).");
  });

  it("forwards the connection, so that limit counts in it alone", async () => {
    const source = hits([]);
    await search(source, { connection_id: "cin_b", limit: 2 });
    expect(source.paths()).toEqual(["/v1/search?q=invoice&connection_id=cin_b&limit=2"]);
  });

  it("tells the mix of sources where hits are of more than one, with their labels", async () => {
    const data = [hit("m1"), hit("m2", { connection_id: "cin_b", connector_id: "testchat" }), hit("m3")];
    const connections = [connection("cin_a", { displayName: "Work mail" })];
    const source = fakeSource(() => good({ data, has_more: false }), { kind: "package", connections });
    const { text, structured } = await search(source);
    expect(text).toContain('source_mix=cin_a(testmail "Work mail"):2|cin_b(testchat):1');
    expect(at(structured, "results", 0, "display_name")).toBe("Work mail");
    expect((await search(hits([hit("m1")]))).text).not.toContain("source_mix");
  });

  it("tells where not every match was ranked", async () => {
    const recall = {
      complete: false,
      ranking_scope: "candidate_window",
      ranked_candidate_count: 200,
      truncated_source_count: 1,
    };
    const { text } = await search(hits([hit("m1")], { meta: { recall } }));
    expect(text).toContain(
      "recall=partial ranking_scope=candidate_window ranked_candidate_count=200 truncated_source_count=1",
    );
    expect((await search(recordedSource(), { limit: 3 })).text).not.toContain("recall");
  });

  it("shows as many hits as fit and tells how to see the rest", async () => {
    const data = Array.from({ length: 100 }, (_item, index) =>
      hit(`m${index}`, { snippet: { text: "long ".repeat(200) } }),
    );
    const { text } = await search(hits(data), { limit: 100 });
    expect(bytes(text)).toBeLessThanOrEqual(4_000);
    const shown = text.match(/^hit\[/gm)?.length ?? 0;
    expect(shown).toBeGreaterThanOrEqual(10);
    expect(text).toContain(`more_hits=${100 - shown} of this page; followup=ask again with limit=${shown}`);
  });
});

describe("titles of hits are for people (seed 002)", () => {
  it("are the source's own where it has one", async () => {
    expect(await titleOf({ title: "Invoice 1001" })).toBe("Invoice 1001");
    expect(await titleOf({ data: { subject: "Re: due" } })).toBe("Re: due");
  });

  it("are never the snippet", async () => {
    expect(await titleOf({})).not.toContain("invoice");
    expect(await titleOf({ title: "the invoice is due" })).toBe("testmail / messages / 2026-02-01T00:00:00Z");
  });

  it("have the label of the connection, the stream and when it was written", async () => {
    const more = {
      display_name: "Work mail",
      authored_at: "2026-01-01T10:00:00Z",
      sent_at: "2026-01-02T10:00:00Z",
    };
    expect(await titleOf(more)).toBe("Work mail / messages / 2026-01-02T10:00:00Z");
    expect(await titleOf({ authored_at: "2026-01-01T10:00:00Z" })).toBe(
      "testmail / messages / 2026-01-01T10:00:00Z",
    );
    expect(await titleOf({ metadata: { created_at: "2025-01-01" } })).toBe(
      "testmail / messages / 2025-01-01",
    );
  });

  it("have the time of ingestion only where no other is known, and the key where none is", async () => {
    expect(await titleOf({})).toBe("testmail / messages / 2026-02-01T00:00:00Z");
    expect(await titleOf({ emitted_at: null })).toBe("testmail / messages / m1");
  });
});

describe("titles are one safe line", () => {
  it.each([
    ["the <mark>invoice</mark>s of\nMay", "the invoices of May"],
    ["a <ma<mark>rk>b", "a b"],
    ["\u001b]0;x\u0007b\u202ec", "]0;x b c"],
  ])("%j as %j", async (title, shown) => {
    expect(await titleOf({ title })).toBe(shown);
    expect(await titleOf({ display_name: title, emitted_at: null })).toBe(`${shown} / messages / m1`);
  });

  it("and never the snippet with its tags", async () => {
    expect(await titleOf({ title: "the <mark>invoice</mark> is due" })).toBe(
      "testmail / messages / 2026-02-01T00:00:00Z",
    );
  });
});

describe("a search with a mode", () => {
  it.each(["lexical", "semantic", "hybrid"])(
    "%s over the embedded server is refused without a read, since it has none",
    async (mode) => {
      const source = hits([hit("m1")]);
      const answer = await search(source, { mode });
      expect([answer.isError, answer.code, at(answer.error, "param")]).toEqual([
        true,
        "invalid_request",
        "mode",
      ]);
      expect(source.requests).toEqual([]);
    },
  );
});

describe("addresses of hits", () => {
  it.each([
    ["https://mail.example/m/1", "https://mail.example/m/1"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["https://user:secret@mail.example/", undefined],
    ["/v1/streams/messages/records/m1", undefined],
    ["//evil.example/x", undefined],
  ])("%s is followed or the record's own is given", async (url, expected) => {
    const { structured } = await search(hits([hit("m1", { url })]));
    expect(at(structured, "results", 0, "url")).toBe(
      expected ?? "https://gate.example/v1/streams/messages/records/m1?connection_id=cin_a",
    );
  });

  it("name a key that no path can hold as a parameter, at this server", async () => {
    const { structured } = await search(hits([hit("..")]));
    expect(at(structured, "results", 0, "url")).toBe(
      "https://gate.example/v1/streams/messages/record?key=..&connection_id=cin_a",
    );
  });

  it("are at the external server that has the record", async () => {
    const recordsUrl = "https://rs.example/v1";
    const theirs = `${recordsUrl}/streams/messages/records/m1?connection_id=cin_a`;
    const ours = "https://gate.example/v1/streams/messages/records/m1?connection_id=cin_b";
    const both = [hit("m1"), hit("m1", { connection_id: "cin_b" })];
    const connections = [connection("cin_a", { recordsUrl }), connection("cin_b")];
    const { structured } = await search(hits(both, {}, { connections }));
    expect([0, 1].map((index) => at(structured, "results", index, "url"))).toEqual([theirs, ours]);
    const unknown = await search(hits([hit("m1")], {}, { recordsUrl }));
    expect(at(unknown.structured, "results", 0, "url")).toBe(theirs);
    // A member of a package that has not told of its connections: nobody knows where that is, but it is not here.
    const strange = [hit("m1", { connection_id: "cin_c" })];
    const mixed = await search(hits(strange, {}, { connections, external: true }));
    expect(at(mixed.structured, "results", 0, "url")).toBe("");
    const record = { object: "record", id: "m1", stream: "messages", data: { id: "m1" } };
    const fetched = await callTool(
      "fetch",
      { id: "cin_a/messages:m1" },
      fakeSource(() => good(record), { recordsUrl }),
    );
    expect(fetched.structured["url"]).toBe(theirs);
  });

  it("are none where the record has none that a URL can say", async () => {
    const elsewhere = { recordsUrl: "https://rs.example/v1" };
    const { structured } = await search(hits([hit("..")], {}, elsewhere));
    expect(at(structured, "results", 0, "url")).toBe("");
    const away = await callTool("search", { q: "x" }, hits([hit("m1")]), { baseUrl: null });
    expect(at(away.structured, "results", 0, "url")).toBe("");
  });
});

function textOf(result: unknown, name: string): string {
  const text = at(result, name);
  return typeof text === "string" ? text : "";
}

/** Whether each tag that opens closes before the next one opens. */
function isBalanced(text: string): boolean {
  return /^(?:(?!<\/?mark>)[\s\S]|<mark>(?:(?!<\/?mark>)[\s\S])*<\/mark>)*$/.test(text);
}

describe("highlights", () => {
  it("are balanced for any text at any length", () => {
    const tagged = fc
      .array(
        fc.oneof(
          fc.constantFrom("<mark>", "</mark>", "<mark", "mark>", "<ma", "rk>", "</", ">"),
          hostileText,
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(tagged, fc.integer({ min: 1, max: 400 }), (text, max) => {
        const line = highlighted(text, max);
        expect(isBalanced(line)).toBe(true);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/\p{Cc}|\p{Surrogate}/u);
      }),
    );
  });

  it("survive a cut in their midst", () => {
    expect(highlighted("see the <mark>quarterly invoice</mark> now", 29)).toBe(
      "see the <mark>quarter…</mark>",
    );
  });

  it("of a hit have at most 320 characters with their tags, cut at a character", async () => {
    const text = "<mark>in\u{1F600}</mark> ".repeat(100);
    const { structured } = await search(hits([hit("m1", { snippet: { text } })]));
    const snippet = textOf(at(structured, "results", 0), "snippet");
    expect(snippet.length).toBeLessThanOrEqual(320);
    expect(snippet.length).toBeGreaterThan(280);
    expect(isBalanced(snippet)).toBe(true);
    expect(snippet).toMatch(/…$/);
    expect(snippet).not.toMatch(/\p{Surrogate}/u);
  });

  it("are balanced in every hit that is answered", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileHit, { maxLength: 12 }), async (data) => {
        const { text, structured } = await search(hits(data));
        expect(bytes(text)).toBeLessThanOrEqual(4_000);
        expect(text.split("\n").every((line) => /^(?:search:|hit\[|more_hits=)/.test(line))).toBe(true);
        const results = at(structured, "results");
        for (const result of Array.isArray(results) ? results : []) {
          expect(isBalanced(textOf(result, "snippet"))).toBe(true);
          expect(textOf(result, "url")).toMatch(/^(?:$|https?:\/\/)/);
          expect(textOf(result, "title").length).toBeLessThanOrEqual(240);
        }
      }),
    );
  });

  it("never make a search throw, whatever came", async () => {
    await fc.assert(
      fc.asyncProperty(hostileValue, async (value) => {
        for (const body of [
          value,
          { data: [value] },
          { data: [hit("m1", { snippet: value, stream: "s" })], meta: value },
        ]) {
          const { text, isError } = await search(fakeSource(() => good(body)));
          expect(isError || text.startsWith("search: ")).toBe(true);
        }
      }),
    );
  });
});
