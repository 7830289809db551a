import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSONL_LOG_MAX_BYTES } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { eventLine, readEvent } from "../../../src/spine/telemetry/events.ts";
import { JsonlLog } from "../../../src/spine/telemetry/jsonl-log.ts";
import { readJsonLines } from "../../../src/spine/telemetry/jsonl-reader.ts";
import { judgeAppend, JSONL_BOUNDS } from "../../../src/spine/telemetry/jsonl.ts";
import { anyEvent } from "./event-arbitraries.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const any = (value: unknown) => ok(value);

describe("a record that is appended", () => {
  it("is one write of the payload and its end of line", () => {
    const judged = judgeAppend(10, '{"a":"ü"}');
    expect(judged.ok && [judged.value.empties, textOf(judged.value.bytes), judged.value.logBytes]).toEqual([
      false,
      '{"a":"ü"}\n',
      10 + 11,
    ]);
  });

  it("empties the log when it would not fit behind what is there, and only then", () => {
    const record = "x".repeat(99);
    const full = JSONL_LOG_MAX_BYTES - 100;
    expect(JSONL_LOG_MAX_BYTES).toBe(8 * 1024 * 1024);
    expect(judgeAppend(full, record)).toMatchObject({
      value: { empties: false, logBytes: JSONL_LOG_MAX_BYTES },
    });
    expect(judgeAppend(full + 1, record)).toMatchObject({ value: { empties: true, logBytes: 100 } });
  });

  it.each([
    [{ recordBytes: 10, logBytes: 100 }, "123456789", true],
    [{ recordBytes: 10, logBytes: 100 }, "1234567890", false],
    [{ recordBytes: 10, logBytes: 100 }, "üüüüü", false],
    [{ recordBytes: 100, logBytes: 10 }, "123456789", true],
    [{ recordBytes: 100, logBytes: 10 }, "1234567890", false],
  ])("under %j: %s fits: %s", (bounds, record, fits) => {
    const judged = judgeAppend(0, record, bounds);
    expect(judged.ok || judged.reason).toBe(fits || "record_too_large");
  });

  it.each(["", "\n", "a\nb", "a\r", "\n{}"])("is one line: not %j", (record) => {
    expect(judgeAppend(0, record)).toEqual(fail("not_one_line"));
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])("needs a log of a size: not %s bytes", (size) => {
    expect(judgeAppend(size, "{}")).toEqual(fail("invalid_log_size"));
  });
});

describe("a log in memory", () => {
  const bounds = { recordBytes: 64, logBytes: 200 };
  const anyRecords = fc.array(fc.string({ unit: "binary", maxLength: 80 }), { maxLength: 40 });

  it("stays within its bound and always ends with the records that came last", () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const log = new JsonlLog(bounds);
        const kept: string[] = [];
        let emptied = 0;
        for (const record of records.map((text) => JSON.stringify({ text }))) {
          const before = textOf(log.toBytes());
          const added = log.append(record);
          expect(log.sizeBytes).toBeLessThanOrEqual(bounds.logBytes);
          expect(log.toBytes()).toHaveLength(log.sizeBytes);
          if (added.ok) kept.push(record);
          if (added.ok && added.value.emptied) emptied += 1;
          const expected = added.ok ? `${added.value.emptied ? "" : before}${record}\n` : before;
          expect(textOf(log.toBytes())).toBe(expected);
        }
        expect(log.timesEmptied).toBe(emptied);
        const read = readJsonLines(log.toBytes(), any);
        const lines = read.ok ? read.value.records.map((record) => JSON.stringify(record)) : ["unreadable"];
        expect(lines).toEqual(kept.slice(kept.length - lines.length));
      }),
    );
  });

  it("holds the events of eight writers, each line whole", () => {
    const log = new JsonlLog();
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 8, maxLength: 8 }), (events) => {
        for (const event of events) {
          const line = eventLine(event);
          expect(log.append(line.ok ? line.value : "").ok).toBe(true);
        }
        const read = readJsonLines(log.toBytes(), readEvent);
        expect(read.ok && read.value.records.slice(-8)).toEqual(events);
      }),
      { numRuns: 50 },
    );
  });
});

describe("reading JSON lines", () => {
  it("gives nothing of nothing", () => {
    expect(readJsonLines(bytesOf(""), any)).toEqual(ok({ records: [], torn: null }));
  });

  it.each([
    ['{"a":1}\n{"b":\n{"c":3}\n', 2, "not_json"],
    ['{"a":1}\n\n{"c":3}\n', 2, "not_json"],
    ["[1]\n", 1, "not_an_object"],
    ["null\n", 1, "not_an_object"],
    ['{"a":1}\n"text"\n', 2, "not_an_object"],
    ['\ufeff{"a":1}\n', 1, "not_json"],
    [`{"a":1}\n{"b":2}\n{"a":"${"x".repeat(40_000)}"}\n`, 3, "too_large"],
  ])("tells the first bad line of %j: %i, %s", (text, line, problem) => {
    expect(readJsonLines(bytesOf(text), any)).toEqual(fail({ line, problem }));
  });

  it("tells a line that is no UTF-8, and one that the reader refuses", () => {
    expect(readJsonLines(Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a), any)).toEqual(
      fail({ line: 1, problem: "not_utf8" }),
    );
    expect(readJsonLines(bytesOf('{"event":"gossip"}\n'), readEvent)).toEqual(
      fail({ line: 1, problem: { refused: { reason: "unknown_event" } } }),
    );
  });

  it("finds a write that was cut off, wherever it was cut, and keeps what stands before it", () => {
    const whole = '{"a":1}\n{"b":2}\n';
    const last = bytesOf('{"c":"ü😀"}');
    for (let bytes = 1; bytes <= last.length; bytes += 1) {
      const log = new Uint8Array([...bytesOf(whole), ...last.subarray(0, bytes)]);
      expect(readJsonLines(log, any)).toEqual(
        ok({ records: [{ a: 1 }, { b: 2 }], torn: { line: 3, bytes } }),
      );
    }
  });

  it("reads any bytes without a throw, and counts every line that it read", () => {
    const nearly = fc
      .array(fc.oneof(fc.json(), fc.constant("{}"), fc.string()), { maxLength: 8 })
      .map((lines) => bytesOf(lines.join("\n")));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), nearly), (log) => {
        const read = readJsonLines(log, any);
        const ends = log.filter((byte) => byte === 0x0a).length;
        expect(read.ok ? read.value.records.length : ends).toBe(ends);
        expect(read.ok ? 1 : read.reason.line).toBeLessThanOrEqual(Math.max(1, ends));
      }),
      { numRuns: 500 },
    );
  });

  it("has bounds that agree with the writer's", () => {
    const record = `{"a":"${"x".repeat(JSONL_BOUNDS.recordBytes - 9)}"}`;
    const log = new JsonlLog();
    expect(log.append(record).ok).toBe(true);
    expect(log.sizeBytes).toBe(JSONL_BOUNDS.recordBytes);
    expect(readJsonLines(log.toBytes(), any)).toEqual(ok({ records: [JSON.parse(record)], torn: null }));
    expect(log.append(`${record} `)).toEqual(fail("record_too_large"));
  });
});
