import { expect } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { KEYS, structured, codeOf, rowsOf, idsOf, inText, pages, type Scenario } from "./context.ts";

/** Reading as an agent does: pages, filters, projections, relations, numbers, search, documents, changes. */
export const READING_SCENARIOS: readonly Scenario[] = [
  {
    name: "filters: exact and by range where the source takes them, an alternative where not",
    async run({ client, connection, takesFilters }) {
      const by = (filter: object) =>
        client.call("query_records", { stream: "messages", order: "asc", filter, ...connection });
      if (!takesFilters) {
        const answer = await by({ sender: "ann" });
        expect(structured(answer)["error"]).toMatchObject({
          code: "unsupported_by_source",
          feature: "filter",
          profile: "core-v0.1-client",
        });
        expect(answer.text).toContain("alternative");
        return;
      }
      expect(idsOf(await by({ sender: "ann" }))).toEqual([
        "testmail-m3",
        "testmail-m6",
        "testmail-m9",
        "testmail-m12",
      ]);
      expect(idsOf(await by({ size: { gte: 50, lte: 80 } }))).toEqual(KEYS.slice(4, 8));
      expect(codeOf(await by({ size: { gt: 50 } }))).toBe("invalid_request");
      expect(codeOf(await by({ nope: "x" }))).toBe("unknown_field");
    },
  },
  {
    name: "a walk through all pages sees every record once, in both orders, by its text alone",
    async run(context) {
      for (const order of ["asc", "desc"]) {
        const walked = await pages(context, "query_records", {
          stream: "messages",
          limit: 5,
          order,
          ...context.connection,
        });
        expect(walked.map((page) => rowsOf(page).length)).toEqual([5, 5, 2]);
        const ids = walked.flatMap(idsOf);
        expect(ids).toEqual(order === "asc" ? KEYS : KEYS.toReversed());
      }
    },
  },
  {
    name: "an exact count, and a limit beyond the bound as an error of the tool",
    async run({ client, connection }) {
      const answer = await client.call("query_records", {
        stream: "messages",
        limit: 2,
        count: "exact",
        ...connection,
      });
      expect(answer.text).toContain("count=exact:12");
      expect(Buffer.byteLength(answer.text)).toBeLessThan(1_800);
      expect(
        codeOf(await client.call("query_records", { stream: "messages", limit: 500, ...connection })),
      ).toBe("invalid_request");
    },
  },
  {
    name: "a projection that shows nothing else anywhere",
    async run({ client, connection }) {
      const page = await client.call("query_records", {
        stream: "messages",
        fields: ["id", "sender"],
        ...connection,
      });
      const id = String(
        inText(await client.call("search", { q: "invoice", limit: 1, ...connection }), "first_fetch_id"),
      );
      const one = await client.call("fetch", { id, fields: ["id", "sender"] });
      for (const answer of [page, one]) {
        expect(codeOf(answer)).toBe("ok");
        expect(JSON.stringify(answer.raw)).not.toMatch(/quarterly|"size"|thread_id/);
      }
      expect(
        codeOf(
          await client.call("query_records", { stream: "messages", fields: ["id", "nope"], ...connection }),
        ),
      ).toBe("unknown_field");
    },
  },
  {
    name: "expansion: one hop where it is declared, gated by the live schema where not",
    async run(context) {
      const { client, connection, takesFilters } = context;
      const before = context.seen().length;
      const none = await client.call("query_records", {
        stream: "messages",
        expand: ["thread"],
        ...connection,
      });
      expect(["invalid_expand", "unsupported_by_source"]).toContain(codeOf(none));
      if (takesFilters) expect(none.text).toContain("messages");
      expect(
        context
          .seen()
          .slice(before)
          .filter((path) => path.includes("/records")),
      ).toEqual([]);
      const threads = {
        stream: "threads",
        expand: ["messages"],
        expand_limit: { messages: 1 },
        limit: 1,
        ...connection,
      };
      const answer = await client.call("query_records", threads);
      if (!takesFilters) {
        expect(["invalid_expand", "unsupported_by_source"]).toContain(codeOf(answer));
        return;
      }
      expect(JSON.stringify(rowsOf(answer))).toContain("testmail-m2");
      // The relation's name is left to the source.
      expect(
        codeOf(
          await client.call("query_records", { ...threads, expand: ["nope"], expand_limit: { nope: 1 } }),
        ),
      ).toBe("invalid_expand");
    },
  },
  {
    name: "aggregates: five metrics, groups, the rest, and weeks that begin on Monday",
    async run({ client, connection, takesFilters }) {
      const ask = async (args: object) => {
        const answer = await client.call("aggregate", { stream: "messages", ...args, ...connection });
        expect(codeOf(answer)).toBe("ok");
        return answer;
      };
      const value = async (args: object) => memberOf(structured(await ask(args))["data"], "value");
      expect(await value({ metric: "count" })).toBe(12);
      expect(await value({ metric: "sum", field: "size" })).toBe(780);
      expect(await value({ metric: "min", field: "size" })).toBe(10);
      expect(await value({ metric: "max", field: "size" })).toBe(120);
      expect(await value({ metric: "count_distinct", field: "sender" })).toBe(3);
      const groups = await ask({ metric: "count", group_by: "sender", limit: 2 });
      expect(structured(groups)["data"]).toMatchObject({
        groups: [
          { key: "ann", count: 4 },
          { key: "bob", count: 4 },
        ],
        other_count: 4,
      });
      expect(groups.text).toContain("other_count=4");
      const weeks = await ask({ metric: "count", group_by_time: "sent_at", granularity: "week" });
      expect(memberOf(structured(weeks)["data"], "groups")).toEqual([
        { key: "2025-12-29", count: 4 },
        { key: "2026-01-05", count: 7 },
        { key: "2026-01-12", count: 1 },
      ]);
      expect(
        codeOf(
          await client.call("aggregate", {
            stream: "messages",
            metric: "sum",
            field: "sender",
            ...connection,
          }),
        ),
      ).toBe("invalid_request");
      if (takesFilters) expect(await value({ metric: "count", filter: { sender: "ann" } })).toBe(4);
    },
  },
  {
    name: "search: one limit, every hit once over all pages, and nothing found told as such",
    async run(context) {
      const walked = await pages(context, "search", { q: "quarterly invoice", limit: 5 });
      const hits = walked.flatMap((page) => {
        const { results } = structured(page);
        return isJsonArray(results) ? results : [];
      });
      for (const page of walked.slice(0, -1)) expect(structured(page)["results"]).toHaveLength(5);
      const ids = hits.map((hit) => memberOf(hit, "id"));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(context.messages);
      for (const hit of hits) {
        const snippet = String(memberOf(hit, "snippet"));
        expect(snippet.split("<mark>").length).toBe(snippet.split("</mark>").length);
        expect(memberOf(hit, "title")).not.toBe(snippet);
      }
      const none = await context.client.call("search", { q: "zzzznothing" });
      expect(none.text).toContain("0 hit(s)");
      expect(none.text).not.toContain("first_fetch_id");
    },
  },
  {
    name: "from search to the document by text alone",
    async run({ client, connection }) {
      const found = await client.call("search", { q: "invoice 1003", ...connection });
      const id = inText(found, "first_fetch_id");
      const answer = await client.call("fetch", { id });
      const document: unknown = JSON.parse(answer.text);
      expect(document).toEqual(answer.raw["structuredContent"]);
      expect(Object.keys(isRecord(document) ? document : {})).toEqual([
        "id",
        "title",
        "text",
        "url",
        "metadata",
      ]);
      expect(memberOf(document, "text")).toBe(
        "Message 3 from testmail: the quarterly invoice number 1003 is due. ",
      );
      expect(memberOf(document, "id")).toBe(id);
    },
  },
  {
    name: "changes: all from the beginning, then what was written, then what was taken away",
    async run(context) {
      const { client, connection, write } = context;
      const args = { stream: "messages", ...connection };
      const first = await pages(context, "query_records", { ...args, limit: 5, changes_since: "beginning" });
      expect(first.flatMap(idsOf).toSorted()).toEqual(KEYS.toSorted());
      let bookmark = inText(
        first.at(-1) ?? first[0] ?? (await client.call("schema", {})),
        "next_changes_since",
      );
      const delta = async () => {
        const answer = await client.call("query_records", { ...args, changes_since: bookmark });
        expect(codeOf(answer)).toBe("ok");
        bookmark = inText(answer, "next_changes_since");
        return rowsOf(answer);
      };
      expect(await delta()).toEqual([]);
      const written = {
        id: "testmail-x",
        thread_id: "testmail-t1",
        sender: "dee",
        body: "new",
        size: 1,
        sent_at: "2026-02-01T00:00:00Z",
      };
      await write("testmail-x", written);
      expect(await delta()).toMatchObject([{ id: "testmail-x", data: { sender: "dee" } }]);
      await write("testmail-x", null);
      const [gone, ...others] = await delta();
      expect(others).toEqual([]);
      expect(gone).toMatchObject({ id: "testmail-x", deleted: true });
      expect(JSON.stringify(gone)).not.toContain("dee");
      expect(
        (await client.call("query_records", { ...args, changes_since: "2026-01-01T00:00:00Z" })).isError,
      ).toBe(true);
      expect(
        (await client.call("query_records", { ...args, changes_since: bookmark, order: "asc" })).isError,
      ).toBe(true);
    },
  },
];
