import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { ReadAnswer, ReadRequest } from "../../../src/records/source/read-source.ts";
import { bad, fakeSource, type FakeSource, good } from "../../support/records/fake-source.ts";
import { nestedDocument } from "../../support/records/schema-documents.ts";
import { callTool } from "../../support/records/tool-call.ts";

const SENDERS = ["ann", "bob", "cy"];
const messages = Array.from({ length: 23 }, (_item, index) => ({
  id: `m/${index}`,
  sent_at: `2026-01-${String(index + 1).padStart(2, "0")}T00:00:00Z`,
  sender: SENDERS[index % 3] ?? "",
  body: `Message ${index}: the ${index % 2 === 0 ? "invoice" : "order"} is due. ${"long ".repeat(index * 20)}`,
}));
const schema = nestedDocument([
  {
    key: "mail",
    streams: [
      {
        name: "messages",
        fields: ["id", "sent_at", "sender", "body"],
        lexical: ["body"],
        groupBy: ["sender"],
        connections: ["cin_work"],
      },
    ],
  },
]);

/** A small resource server: pages, one exact filter, counts, words. */
function served({ path, query }: ReadRequest): ReadAnswer {
  const one = (name: string): string | undefined => query.find(([key]) => key === name)?.[1];
  if (path[0] === "schema") return good(schema);
  const offset = Number(one("cursor") ?? 0);
  const limit = Number(one("limit") ?? 25);
  const sender = one("filter[sender]");
  const word = one("q");
  const all = messages.filter(
    (message) => (sender ?? message.sender) === message.sender && message.body.includes(word ?? ""),
  );
  if (path[2] === "aggregate") {
    return good({
      groups: SENDERS.map((key) => ({ key, count: all.filter((each) => each.sender === key).length })),
      other_count: 0,
    });
  }
  if (path.length === 4) {
    const found = messages.find(({ id }) => id === path[3]);
    return found === undefined ? bad(404, "not_found") : good(recordOf(found));
  }
  const page = all.slice(offset, offset + limit);
  const more = offset + limit < all.length;
  const next = more ? { next_cursor: String(offset + limit) } : {};
  const rows = path[0] === "search" ? page.map(hitOf) : page.map(recordOf);
  return good({
    object: "list",
    data: rows,
    has_more: more,
    ...next,
    meta: { count: { kind: "exact", value: all.length } },
  });
}

function recordOf(data: (typeof messages)[number]): object {
  return {
    object: "record",
    id: data.id,
    stream: "messages",
    data,
    connection_id: "cin_work",
    emitted_at: "2026-02-01T00:00:00Z",
  };
}

function hitOf(data: (typeof messages)[number]): object {
  const snippet = { field: "body", text: data.body.replace(/invoice|order/, "<mark>$&</mark>") };
  return {
    object: "search_result",
    record_key: data.id,
    stream: "messages",
    connection_id: "cin_work",
    snippet,
    emitted_at: "x",
  };
}

/** A client that is shown text alone. */
function client() {
  const source: FakeSource = fakeSource(served);
  const read = async (name: string, args: object): Promise<string> =>
    (await callTool(name, args, source)).text;
  return { source, read };
}

/** The JSON value that stands behind a name in a text. */
function named(text: string, name: string): unknown {
  const value = new RegExp(`(?:^|\\s)${name}=("(?:[^"\\\\]|\\\\.)*")`, "m").exec(text)?.[1];
  return value === undefined ? undefined : JSON.parse(value);
}

/** The ids of a page: those of its lines, and of the records that have none. */
function idsIn(text: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line.startsWith("record["));
  const [, prefix = "", rest = ""] = /more_ids="([^"]*)" \+ (\S+?)(?:;|$)/m.exec(text) ?? [];
  const more = rest === "" ? [] : rest.split("|").map((key) => `${prefix}${key}`);
  return [...lines.map((line) => named(line, "id")), ...more];
}

describe("a client that sees only text (seeds 002, 003)", () => {
  it("searches, pages through the hits and fetches one", async () => {
    const { read } = client();
    const ids = new Set<unknown>();
    let text = await read("search", { q: "invoice", limit: 5 });
    const first = named(text, "first_fetch_id");
    for (;;) {
      for (const line of text.split("\n")) if (line.startsWith("hit[")) ids.add(named(line, "id"));
      const cursor = named(text, "next_cursor");
      if (cursor === undefined) break;
      text = await read("search", { q: "invoice", limit: 5, cursor });
    }
    expect(ids.size).toBe(12);
    const document: unknown = JSON.parse(await read("fetch", { id: first }));
    expect(memberOf(document, "text")).toBe(messages[0]?.body);
    for (const id of ids)
      expect(JSON.parse(await read("fetch", { id }))).toHaveProperty("metadata.connection_id", "cin_work");
  });

  it("finds a stream, learns what it takes, and queries all of it page by page", async () => {
    const { read, source } = client();
    const index = await read("schema", {});
    const stream = /streams=\d+: (\S+)/.exec(index)?.[1];
    const connection = /connections=\d+: (\S+)/.exec(index)?.[1];
    const scoped = await read("schema", { stream, connection_id: connection });
    const field = / (\w+) t=string,eq[^\n]*a=group_by/.exec(scoped)?.[1] ?? "";
    const sort = /^sort=(\S+)/m.exec(scoped)?.[1];
    const args = {
      stream,
      connection_id: connection,
      sort,
      filter: { [field]: "bob" },
      fields: ["id", field],
    };
    let text = await read("query_records", args);
    expect(source.requests.at(-1)?.query).toContainEqual(["filter[sender]", "bob"]);
    expect(source.requests.at(-1)?.query).toContainEqual(["sort", "-sent_at"]);
    // The page may be larger than its text: then the text says which limit is not.
    const limit = /followup=ask again with limit=(\d+)/.exec(text)?.[1];
    const paged = { ...args, limit: limit === undefined ? 3 : Number(limit) };
    const ids = new Set<unknown>();
    text = await read("query_records", paged);
    for (;;) {
      for (const line of text.split("\n")) if (line.startsWith("record[")) ids.add(named(line, "id"));
      const cursor = named(text, "next_cursor");
      if (cursor === undefined) break;
      text = await read("query_records", { ...paged, cursor });
    }
    expect(ids.size).toBe(messages.filter(({ sender }) => sender === "bob").length);
    expect(text).toContain("count=exact:8");
  });

  it("reads every record of a stream whose records are too long for one text", async () => {
    const { read } = client();
    const ids = new Set<unknown>();
    let text = await read("query_records", { stream: "messages", connection_id: "cin_work", limit: 20 });
    for (;;) {
      const found = idsIn(text);
      for (const id of found) ids.add(id);
      const cursor = named(text, "next_cursor");
      if (cursor === undefined) break;
      text = await read("query_records", { stream: "messages", connection_id: "cin_work", cursor });
    }
    expect(ids.size).toBe(messages.length);
    const document: unknown = JSON.parse(await read("fetch", { id: [...ids].at(-1) }));
    expect(memberOf(document, "text")).toBe(messages.at(-1)?.body);
  });

  it("groups", async () => {
    const { read } = client();
    const scoped = await read("schema", { stream: "messages" });
    const field = /group_by:(\w+)/.exec(scoped)?.[1];
    const text = await read("aggregate", { stream: "messages", metric: "count", group_by: field });
    expect(text).toContain('"ann"=8');
  });

  it("mends a call by what its error says", async () => {
    const { read } = client();
    const refused: unknown = JSON.parse(
      await read("query_records", { stream: "messages", filter: "sender=ann" }),
    );
    expect(memberOf(memberOf(refused, "error"), "message")).toContain('{"field":"value"}');
  });
});
