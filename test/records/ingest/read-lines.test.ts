import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLines } from "../../../src/records/ingest/read-lines.ts";
import { isRecordKey } from "../../../src/records/ingest/record-key.ts";

const AT = "2026-01-01T00:00:00Z";

function codesOf(...lines: readonly string[]): unknown {
  const read = readLines(lines.join("\n"));
  if (read.ok) return [];
  return read.reason.reason === "refused"
    ? read.reason.lines.map((line) => (line.status === "rejected" ? line.code : line.status))
    : read.reason.reason;
}

describe("lines of a batch", () => {
  it("keep every number and member as it was written, without white space", () => {
    const read = readLines(
      `{"key":"k","emitted_at":"${AT}","data":{ "n": 12345678901234567890, "x":1.10, "__proto__":{"a":-0}, "u":"\\u0041" }}\r\n`,
    );
    expect(read).toMatchObject({
      ok: true,
      value: [
        { kind: "data", line: 1, text: '{"n":12345678901234567890,"x":1.10,"__proto__":{"a":-0},"u":"A"}' },
      ],
    });
  });

  it("are numbered with the blank ones, which count for nothing else", () => {
    const line = `{"key":"k","deleted":true}`;
    const read = readLines(`\n \t\r\n${line}\n\n${line}`);
    expect(read.ok && read.value.map((item) => item.line)).toEqual([3, 5]);
    expect(readLines("")).toEqual({ ok: true, value: [] });
  });

  it.each([
    [
      `{"id":"n1","title":"A"}`,
      "invalid_line",
      'A line is {"key":"n1","data":{"id":"n1"},"emitted_at":"2026-01-31T12:00:00Z"}',
    ],
    [`{"key":"k","data":{}}`, "invalid_emitted_at", "emitted_at is missing"],
    [`{"data":{},"emitted_at":"${AT}"}`, "invalid_key", "key is missing"],
    [`{"key":"k","emitted_at":"${AT}"}`, "invalid_data", "data is missing"],
    [`{"key":"k","data":{},"emitted_at":null}`, "invalid_emitted_at", "emitted_at is a time"],
  ])("are told what they lack: %s", (line, code, message) => {
    const read = readLines(line);
    expect(read).toMatchObject({ reason: { lines: [{ line: 1, code }] } });
    expect(JSON.stringify(read)).toContain(JSON.stringify(message).slice(1, -1));
  });

  it("are told by an example that is a line itself", () => {
    const refused = readLines(`{"id":"n1"}`);
    const [first] = !refused.ok && refused.reason.reason === "refused" ? refused.reason.lines : [];
    const [, example = "{"] = (first?.status === "rejected" ? first.message : "").split("A line is ");
    expect(readLines(example)).toMatchObject({ ok: true, value: [{ key: "n1" }] });
  });

  it("are refused one by one, the good ones beside them skipped", () => {
    expect(codesOf(`{"key":"k","deleted":true}`, "{", `{"key":"k","data":{},"emitted_at":"${AT}"}`)).toEqual([
      "skipped",
      "invalid_json",
      "skipped",
    ]);
    for (const [line, code] of [
      [`{"key":"k","data":{"a":1,"\\u0061":2},"emitted_at":"${AT}"}`, "duplicate_member"],
      [`"text"`, "invalid_line"],
      [`{"key":"k","data":{},"emitted_at":"${AT}","type":"RECORD"}`, "unknown_member"],
      [`{"key":"k","data":{},"emitted_at":"${AT}","__proto__":{}}`, "unknown_member"],
      [`{"data":{},"emitted_at":"${AT}"}`, "invalid_key"],
      [`{"key":7,"data":{},"emitted_at":"${AT}"}`, "invalid_key"],
      [`{"key":"","data":{},"emitted_at":"${AT}"}`, "invalid_key"],
      [`{"key":"\\ud800","data":{},"emitted_at":"${AT}"}`, "invalid_key"],
      [`{"key":"${"a".repeat(513)}","data":{},"emitted_at":"${AT}"}`, "invalid_key"],
      [`{"key":"k","emitted_at":"${AT}"}`, "invalid_data"],
      [`{"key":"k","data":null,"emitted_at":"${AT}"}`, "invalid_data"],
      [`{"key":"k","data":1.10,"emitted_at":"${AT}"}`, "invalid_data"],
      [`{"key":"k","data":{},"emitted_at":"yesterday"}`, "invalid_emitted_at"],
      [`{"key":"k","data":{},"emitted_at":1767225600}`, "invalid_emitted_at"],
      [`{"key":"k","deleted":true,"emitted_at":null}`, "invalid_emitted_at"],
      [`{"key":"k","deleted":1}`, "invalid_deleted"],
    ] as const)
      expect([line, codesOf(line)]).toEqual([line, [code]]);
  });

  it("are a thousand at most, good or bad", () => {
    expect(codesOf(...Array.from({ length: 1_001 }, () => "{"))).toBe("too_many_lines");
    expect(codesOf(...Array.from({ length: 1_000 }, () => `{"key":"k","deleted":true}`))).toEqual([]);
  });

  it("never throw, whatever comes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => {
        expect(typeof readLines(text).ok).toBe("boolean");
      }),
    );
    const deep = `{"key":"k","data":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}},"emitted_at":"${AT}"}`;
    expect(codesOf(deep)).toEqual(["too_deep"]);
  });

  it("have keys of 1 to 512 code points of any kind that UTF-8 can say", () => {
    expect(["\u{1F600}".repeat(512), "a/b?c#d%", " ", "__proto__", "\u200b"].every(isRecordKey)).toBe(true);
    expect(["\u{1F600}".repeat(513), "a\0", "\udc00", "", 1, null].some(isRecordKey)).toBe(false);
  });
});
