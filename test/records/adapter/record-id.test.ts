import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRecordId, recordId } from "../../../src/records/adapter/record-id.ts";
import { bad, fakeSource, good } from "../../support/records/fake-source.ts";
import { callTool } from "../../support/records/tool-call.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom("/", ":", ".", "%", "\\", "?", "#", "&", "+", " ", "\0", "\n", "é", "😀", "2", "F"),
    minLength: 1,
    maxLength: 12,
  }),
  fc.constantFrom("..", ".", "../../admin", "a/b:c", "%2F", "100%", "%zz", "__proto__", "pdpp://record/x"),
);
const name = text.filter((value) => value !== "." && value !== "..");

describe("ids of records", () => {
  it("carry any connection, stream and key there and back", () => {
    fc.assert(
      fc.property(fc.option(name, { nil: null }), name, text, (connectionId, stream, key) => {
        const ref = { connectionId, stream, key };
        expect(parseRecordId(recordId(ref))).toEqual({ ok: true, value: ref });
      }),
      { numRuns: 2_000 },
    );
  });

  it("are one word of plain signs, of which no two records share one", () => {
    fc.assert(
      fc.property(name, name, text, text, (connectionId, stream, key, other) => {
        const id = recordId({ connectionId, stream, key });
        expect(id).toMatch(/^[\w.!~*'()%-]+\/[\w.!~*'()%-]+:[\w.!~*'()%-]+$/);
        expect(recordId({ connectionId, stream, key: other }) === id).toBe(key === other);
      }),
    );
  });

  it("are plain where the parts are", () => {
    expect(recordId({ connectionId: "cin_a", stream: "messages", key: "m1" })).toBe("cin_a/messages:m1");
    expect(recordId({ connectionId: null, stream: "messages", key: "m1" })).toBe("messages:m1");
    expect(recordId({ connectionId: "c", stream: "s", key: ".." })).toBe("c/s:%2E%2E");
  });

  it("of older times are still read", () => {
    const handle = Buffer.from(
      JSON.stringify({ v: 1, kind: "record", connection_id: "cin_a", stream: "messages", record_id: "m/ü" }),
    ).toString("base64url");
    const cases = {
      "cin_a/messages:m1": { connectionId: "cin_a", stream: "messages", key: "m1" },
      "messages:m1": { connectionId: null, stream: "messages", key: "m1" },
      "messages:a/b": { connectionId: null, stream: "messages", key: "a/b" },
      "cin_a/messages:a/b:c": { connectionId: "cin_a", stream: "messages", key: "a/b:c" },
      "messages:100%": { connectionId: null, stream: "messages", key: "100%" },
      [`pdpp://record/${handle}`]: { connectionId: "cin_a", stream: "messages", key: "m/ü" },
    };
    for (const [id, value] of Object.entries(cases)) expect(parseRecordId(id)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "m1",
    ":m1",
    "messages:",
    "/messages:m1",
    "../messages:m1",
    "cin_a/..:m1",
    "cin_a/.:m1",
    "%2E%2E/messages:m1",
    "pdpp://record/",
    "pdpp://record/!!!",
    "pdpp://record/e30",
  ])("%j is none", (id) => {
    expect(parseRecordId(id).ok).toBe(false);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        expect(parseRecordId(id)).toHaveProperty("ok");
      }),
    );
  });
});

describe("fetch reads exactly the record of its id", () => {
  it("as one segment of the path, whatever is in the key", async () => {
    await fc.assert(
      fc.asyncProperty(name, name, text, async (connectionId, stream, key) => {
        const source = fakeSource(() => bad(404, "not_found"));
        await callTool("fetch", { id: recordId({ connectionId, stream, key }) }, source);
        expect(source.requests).toEqual([
          { path: ["streams", stream, "records", key], query: [["connection_id", connectionId]] },
        ]);
      }),
    );
  });

  it("a connection in the id and another in the argument is conflicting_connection_id, without a read", async () => {
    const source = fakeSource(() => good({}));
    const answer = await callTool("fetch", { id: "cin_a/m:1", connection_id: "cin_b" }, source);
    expect([answer.isError, answer.code]).toEqual([true, "conflicting_connection_id"]);
    expect(source.requests).toEqual([]);
  });

  it("the same connection in both is one", async () => {
    const source = fakeSource(() => good({ object: "record", id: "1", data: {} }));
    const answer = await callTool("fetch", { id: "cin_a/m:1", connection_id: "cin_a" }, source);
    expect(answer.isError).toBe(false);
    expect(source.paths()).toEqual(["/v1/streams/m/records/1?connection_id=cin_a"]);
  });

  it("a connection in the argument alone is taken", async () => {
    const source = fakeSource(() => good({ object: "record", id: "1", data: {} }));
    const answer = await callTool("fetch", { id: "m:1", connection_id: "cin_a" }, source);
    expect(answer.structured["id"]).toBe("cin_a/m:1");
  });
});
