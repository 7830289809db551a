import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { isRecordKey } from "../../../src/records/ingest/record-key.ts";
import { freshDatabase } from "../fresh-storage.ts";
import { codeOf, get, grant, ingest, loadConnections, MAIL, owner, rpc } from "./grants.ts";

const hostile = [
  ".",
  "..",
  "...",
  "%2e",
  "%2E%2E",
  "a/../b",
  "../..",
  "/",
  "\\",
  "?key=x",
  "#",
  "a b",
  "é",
  "%",
  "%zz",
  "&connection_id=x",
];
const keys = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({
    unit: fc.constantFrom(".", "/", "%", ":", "2", "e", "?", "\u0301", "🙂", "\u0001"),
    minLength: 1,
    maxLength: 9,
  }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
);

async function tool(token: string, name: string, args: object): Promise<unknown> {
  const body: unknown = await (await rpc(token, "tools/call", { name, arguments: args })).json();
  return memberOf(memberOf(body, "result"), "structuredContent");
}

async function fresh(records: readonly string[]): Promise<string> {
  await freshDatabase();
  await loadConnections();
  const lines = records.map((key, index) =>
    JSON.stringify({
      key,
      data: { id: key, body: `word${index} everyword` },
      emitted_at: "2026-01-01T00:00:00Z",
    }),
  );
  const written = await ingest(await owner(), MAIL, "messages", lines.join("\n"));
  if (!written.ok) throw new Error(await written.text());
  return (await grant([MAIL])).token;
}

const list = (holder: unknown, name: string): readonly unknown[] => {
  const value = memberOf(holder, name);
  return isJsonArray(value) ? value : [];
};

describe("a record's key", () => {
  it("is any text: what is found is fetched by its id, and read at the address that it is given", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(keys.filter(isRecordKey), { minLength: 1, maxLength: 8 }),
        async (drawn) => {
          const records = [...new Set([...drawn, "..", "."])];
          const token = await fresh(records);
          const hits = list(await tool(token, "search", { q: "everyword" }), "results");
          const found = new Map<unknown, unknown>();
          for (const hit of hits) {
            const document = await tool(token, "fetch", { id: memberOf(hit, "id") });
            expect(memberOf(document, "url")).toBe(memberOf(hit, "url"));
            const read: unknown = await (await get(String(memberOf(hit, "url")), token)).json();
            const key = memberOf(memberOf(document, "metadata"), "id");
            expect([memberOf(read, "id"), memberOf(memberOf(read, "data"), "id")]).toEqual([key, key]);
            found.set(key, memberOf(hit, "record_key"));
          }
          expect([...found.keys()].map(String).toSorted()).toEqual(records.toSorted());
        },
      ),
      { numRuns: 12 },
    );
  });

  it("that no path can hold comes as a parameter, and is judged like any other", async () => {
    const token = await fresh(["..", "m1"]);
    const path = "/v1/streams/messages/record";
    const answer: unknown = await (await get(`${path}?key=..&fields=body`, token)).json();
    expect(memberOf(answer, "data")).toEqual({ id: "..", body: "word0 everyword" });
    expect(memberOf(memberOf(answer, "links"), "self")).toBe(`${path}?key=..&fields=body`);
    expect(memberOf(await (await get(`${path}?key=m1`, token)).json(), "id")).toBe("m1");
    for (const [query, code] of [
      ["", "not_found"],
      ["?key=", "not_found"],
      ["?key=m2", "not_found"],
      ["?key=m1&key=..", "invalid_request"],
      ["?key=m1&limit=1", "invalid_request"],
      ["?key=m1&fields=nothing", "unknown_field"],
    ] as const)
      expect([query, await codeOf(await get(`${path}${query}`, token))]).toEqual([query, code]);
    expect(await codeOf(await get("/v1/streams/messages/records/m1?key=m1", token))).toBe("invalid_request");
  });
});
