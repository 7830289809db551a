import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { fakeSource, good, recordedAnswers, recordedSource } from "../../support/records/fake-source.ts";
import { hostileRecord, hostileValue } from "../../support/records/hostile-records.ts";
import { at, bytes, callTool, membersOf } from "../../support/records/tool-call.ts";

const page = (data: readonly unknown[], more: object = {}) =>
  fakeSource(() => good({ object: "list", data, has_more: false, ...more }));
const record = (id: string, data: object, more: object = {}): object => ({
  object: "record",
  id,
  stream: "messages",
  data,
  emitted_at: "2026-02-01T00:00:00Z",
  connection_id: "cin_a",
  ...more,
});
const query = (source: ReturnType<typeof page>, args: object = {}) =>
  callTool("query_records", { stream: "messages", ...args }, source);

describe("query_records", () => {
  it("answers the page as the server sent it, with its request id", async () => {
    const { structured } = await callTool(
      "query_records",
      { stream: "messages", limit: 3 },
      recordedSource(),
    );
    const { body } = recordedAnswers.get("/v1/streams/messages/records?limit=3") ?? {};
    expect(structured).toEqual({ data: body, request_id: "req_1" });
  });

  it("tells in text how many there are, whether there is more, the cursor, and each record with its id", async () => {
    const { text, structured } = await callTool(
      "query_records",
      { stream: "messages", limit: 3 },
      recordedSource(),
    );
    const [first, ...lines] = text.split("\n");
    expect(first).toBe(
      `records from stream messages: 3 record(s). has_more=true next_cursor=${JSON.stringify(at(structured, "data", "next_cursor"))}`,
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^record\[0\] id="cin_a\/messages:testmail-m12" \{"id":"testmail-m12",/);
  });

  it("tells an exact count", async () => {
    const args = { stream: "messages", limit: 2, count: "exact" };
    expect((await callTool("query_records", args, recordedSource())).text).toContain("count=exact:12");
  });

  it("tells the bookmark of a walk through changes, and what was deleted", async () => {
    const { text } = await query(
      page(
        [
          {
            object: "record",
            id: "m1",
            stream: "messages",
            deleted: true,
            deleted_at: "2026-03-01T00:00:00Z",
            connection_id: "cin_a",
          },
        ],
        {
          next_changes_since: "bookmark+/=",
        },
      ),
      { changes_since: "beginning" },
    );
    expect(text).toContain('next_changes_since="bookmark+/="');
    expect(text).toContain('record[0] id="cin_a/messages:m1" deleted=true deleted_at=2026-03-01T00:00:00Z');
  });

  it("tells the server's warnings", async () => {
    const warnings = [{ code: "limit_clamped", message: "asked for 500" }];
    expect((await query(page([], { meta: { warnings } }))).text).toContain(
      "warning limit_clamped: asked for 500",
    );
  });

  it("of no record tells that there is none", async () => {
    expect((await query(page([]))).text).toBe("records from stream messages: 0 record(s). has_more=false");
  });

  it("shows children with their ids and their payload (defect 6)", async () => {
    const { body } = recordedAnswers.get("/v1/streams/threads/records?expand=messages&limit=1") ?? {};
    const schema = recordedAnswers.get("/v1/schema")?.body;
    const source = fakeSource(({ path }) => good(path[0] === "schema" ? schema : body));
    const { text, structured } = await callTool(
      "query_records",
      { stream: "threads", expand: ["messages"], limit: 1 },
      source,
    );
    expect(structured["data"]).toEqual(body);
    expect(text).toContain('expanded={"messages":{"records":[{"id":"cin_a/messages:testmail-m2","data":{');
    expect(text).not.toMatch(/binary/);
  });

  it("keeps numbers as they were written, in both", async () => {
    const data = { big: new ExactNumber("12345678901234567890"), price: new ExactNumber("1.10") };
    const { text, structured } = await query(page([record("m1", data)]));
    expect(text).toContain('{"big":12345678901234567890,"price":1.10}');
    expect(exactJsonText(structured)).toContain('{"big":12345678901234567890,"price":1.10}');
  });

  it("stays under 1,800 bytes, says what it cut and how to go on", async () => {
    const records = Array.from({ length: 25 }, (_item, index) =>
      record(`m${index}`, { body: "long ".repeat(400), sender: "ann" }),
    );
    const { text } = await query(page(records, { has_more: true, next_cursor: "c".repeat(400) }));
    expect(bytes(text)).toBeLessThanOrEqual(1_800);
    expect(text).toContain(`next_cursor="${"c".repeat(400)}"`);
    expect(text).toContain("record_preview_truncated=true; followup=");
    const shown = text.split("\n").filter((each) => each.startsWith("record[")).length;
    expect(shown).toBeGreaterThanOrEqual(3);
    const rest = Array.from({ length: 25 - shown }, (_item, index) => `m${shown + index}`).join("|");
    expect(text).toContain(`more_records=${25 - shown} of this page; more_ids="cin_a/messages:" + ${rest}`);
    expect(text).toContain('"sender":"ann"');
  });

  it("shows five records of a page of five, however long they are", async () => {
    const records = Array.from({ length: 5 }, (_item, index) =>
      record(`m${index}`, { body: "long ".repeat(400) }),
    );
    const { text } = await query(page(records, { has_more: true, next_cursor: "c".repeat(180) }));
    expect(text.split("\n").filter((each) => each.startsWith("record["))).toHaveLength(5);
    expect(text).not.toContain("more_records");
  });

  it("says how many ids it has no room for, and to page with them in sight", async () => {
    const records = Array.from({ length: 100 }, (_item, index) =>
      record(`m${index}-${"k".repeat(30)}`, { a: 1 }),
    );
    const { text } = await query(page(records, { has_more: true, next_cursor: "c" }));
    expect(bytes(text)).toBeLessThanOrEqual(1_800);
    const untold = Number(/; (\d+) untold: ask again with limit=/.exec(text)?.[1]);
    const limit = Number(/ask again with limit=(\d+)/.exec(text)?.[1]);
    expect(untold + limit).toBe(100);
  });

  it("cuts no name of a field and no id of a child", async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 12 }, (_item, index) => [`a_rather_long_name_${index}`, "v".repeat(60)]),
    );
    const child = { id: "child-with-a-long-key", data: { body: "b".repeat(900) } };
    const expanded = { comments: { data: [child], has_more: false } };
    const { text } = await query(
      page([{ ...record("m1", fields), expanded }, record("m2", fields), record("m3", fields)]),
      { expand: ["comments"] },
    );
    for (const name of text.match(/"[^"]*":/g) ?? []) expect(name).not.toContain("…");
    expect(text).toContain("child-with-a-long-key");
  });

  it("has a cursor of 8,192 characters whole, and records beside it", async () => {
    const cursor = "c".repeat(8_192);
    const { text } = await query(page([record("m1", { a: 1 })], { has_more: true, next_cursor: cursor }));
    expect(text).toContain(`next_cursor="${cursor}"`);
    expect(text).toContain('record[0] id="cin_a/messages:m1" {"a":1}');
  });

  it("has the first id whole, however long the key", async () => {
    const key = "日本".repeat(256);
    const { text } = await query(page([record(key, { a: 1 }), record("m2", {})]));
    expect(text).toContain(`id="cin_a/messages:${encodeURIComponent(key)}"`);
  });

  it("is the same text for the same page", async () => {
    const records = [record("m1", { b: 1, a: { c: "x".repeat(900) } })];
    expect((await query(page(records))).text).toBe((await query(page(records))).text);
  });

  it("puts any records on one line each, within its bound", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileRecord, { maxLength: 12 }), async (records) => {
        const { text } = await query(page(records, { has_more: true, next_cursor: "abc" }));
        expect(bytes(text)).toBeLessThanOrEqual(1_800);
        const lines = text.split("\n");
        expect(lines[0]).toBe(
          `records from stream messages: ${records.length} record(s). has_more=true next_cursor="abc"`,
        );
        for (const line of lines.slice(1))
          expect(line).toMatch(/^(?:record\[\d+\] id="cin_a\/messages:|record_preview|more_records)/);
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]|\p{Surrogate}/u);
      }),
    );
  });

  it("never throws at any body", async () => {
    await fc.assert(
      fc.asyncProperty(hostileValue, hostileValue, async (body, inner) => {
        for (const value of [body, { data: inner }, { data: [inner], next_cursor: body, meta: inner }]) {
          const { text } = await query(fakeSource(() => good(value)));
          expect(bytes(text)).toBeLessThanOrEqual(20_000);
        }
      }),
    );
  });

  it.each([null, "x", [], { data: {} }, { object: "list" }])("a body of %j is api_error", async (body) => {
    const answer = await query(fakeSource(() => good(body)));
    expect([answer.isError, answer.code]).toEqual([true, "api_error"]);
    expect(answer.structured["request_id"]).toBe("req_1");
  });

  it("takes a field of a megabyte", async () => {
    const { text } = await query(page([record("m1", { body: "é".repeat(1_000_000), n: 1 })]));
    expect(bytes(text)).toBeLessThanOrEqual(1_800);
    expect(text).toContain('"n":1');
  });
});

describe("text of a page where there is more", () => {
  it.each([{}, { next_cursor: "" }, { next_cursor: 5 }, { next_cursor: "c".repeat(8_193) }])(
    "but no cursor to use says so and what to do (%#)",
    async (more) => {
      const { text } = await query(page([record("m1", { a: 1 })], { has_more: true, ...more }));
      expect(text.split("\n")[0]).toMatch(/no usable cursor: for the rest raise limit, or narrow/);
    },
  );

  it("with a cursor says nothing of it", async () => {
    const { text } = await query(page([], { has_more: true, next_cursor: "c" }));
    expect(text).not.toContain("usable");
  });
});

describe("encoded bytes in a record's line", () => {
  const picture = "iVBORw0KGgo".repeat(40);
  const blob = {
    blob_id: "blob_1",
    mime_type: "image/png",
    size_bytes: 4_096,
    sha256: "ab".repeat(32),
    fetch_url: "/v1/blobs/blob_1",
  };

  it.each([
    [picture, "<base64, 440 chars>"],
    [`${"QUJD".repeat(60)}QQ==`, "<base64, 244 chars>"],
    [`${"QUJD".repeat(19)}\r\n`.repeat(4), "<base64, 312 chars>"],
    [`data:image/png;base64,${picture}`, "<base64, 462 chars>"],
    [blob, "<blob, image/png, 4096 bytes>"],
    [{ blob_id: "b", mime_type: 5 }, "<blob>"],
  ])("are told by kind and size, and whole in structured output (%#)", async (value, note) => {
    const one = record("m1", { a: 1, deep: { value } });
    const { text, structured } = await query(page([one]));
    expect(text).toContain(`{"a":1,"deep":{"value":"${note}"}}`);
    expect(text).not.toMatch(/truncated|fetch_url/);
    expect(at(structured, "data", "data", 0)).toEqual(one);
  });

  it.each(["word ".repeat(50), "a".repeat(200), `${"a".repeat(300)}é`])(
    "are not seen in %j",
    async (value) => {
      expect((await query(page([record("m1", { value })]))).text).not.toContain("base64");
    },
  );
});

describe("children that nobody asked for", () => {
  const child = { id: "c1", stream: "children", data: { body: "VOLUNTEERED" } };
  const parent = record("m1", { sender: "ann" }, { expanded: { children: { data: [child] } } });

  it.each([{}, { fields: ["sender"] }])("stand nowhere, with %j", async (args) => {
    const { text, structured } = await query(page([parent]), args);
    expect(text + exactJsonText(structured)).not.toContain("VOLUNTEERED");
    expect(at(structured, "data", "data", 0)).toEqual(record("m1", { sender: "ann" }));
  });

  it("and those that somebody asked for come as the source gives them, whatever fields of the parent are read", async () => {
    const { structured } = await query(page([parent]), { fields: ["sender"], expand: ["children"] });
    expect(at(structured, "data", "data", 0)).toEqual(parent);
  });
});

describe("projected reads narrow payloads (seed 002)", () => {
  it("has of each payload the requested fields and the identity, even where a source sends more", async () => {
    const leaky = record(
      "m1",
      { id: "m1", sender: "ann", body: "SECRET" },
      { preview: "SECRET", record_json: "SECRET" },
    );
    const { text, structured } = await query(page([leaky]), { fields: ["sender"] });
    expect(at(structured, "data", "data", 0)).toEqual(record("m1", { id: "m1", sender: "ann" }));
    expect(text + JSON.stringify(structured)).not.toContain("SECRET");
  });

  it("keeps what tells whose record it is and how to go on", async () => {
    const { structured } = await query(
      page([record("m1", { sender: "ann" }, { display_name: "Work" })], { next_cursor: "c" }),
      {
        fields: ["sender"],
      },
    );
    expect(at(structured, "data", "next_cursor")).toBe("c");
    expect(Object.keys(membersOf(at(structured, "data", "data", 0)))).toEqual([
      "object",
      "id",
      "stream",
      "data",
      "emitted_at",
      "connection_id",
      "display_name",
    ]);
  });

  it("shows no payload field that was not requested, whatever there is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileRecord, { minLength: 1, maxLength: 4 }), async (records) => {
        const marked = records.map((each) => ({
          ...each,
          expanded: undefined,
          display_name: "Work",
          data: { ...membersOf(at(each, "data")), leak_field: "LEAK", kept: 1 },
        }));
        const { text, structured } = await query(page(marked), { fields: ["kept"] });
        expect(text + exactJsonText(structured)).not.toMatch(/leak_field|LEAK/);
      }),
    );
  });
});
