import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { fakeSource, good, recordedAnswers, recordedSource } from "../../support/records/fake-source.ts";
import { hostileValue } from "../../support/records/hostile-records.ts";
import { bytes, callTool } from "../../support/records/tool-call.ts";

const aggregate = (args: object, body?: unknown) =>
  callTool(
    "aggregate",
    { stream: "messages", ...args },
    body === undefined ? recordedSource() : fakeSource(() => good(body)),
  );

describe("aggregate", () => {
  it.each([
    [{ metric: "count" }, "count(messages) = 12. filtered_record_count=12"],
    [{ metric: "sum", field: "size" }, "sum(messages) field=size = 780. filtered_record_count=12"],
    [
      { metric: "count_distinct", field: "sender" },
      "count_distinct(messages) field=sender = 3. filtered_record_count=12",
    ],
    [
      { metric: "count", group_by: "sender", limit: 2 },
      'count(messages) group_by=sender: 2 group(s) ["ann"=4, "bob"=4] other_count=4 filtered_record_count=12',
    ],
    [
      { metric: "count", group_by_time: "sent_at", granularity: "week" },
      "count(messages) group_by_time=sent_at granularity=week time_zone=UTC: 3 group(s) " +
        '["2025-12-29"=4, "2026-01-05"=7, "2026-01-12"=1] other_count=0 filtered_record_count=12',
    ],
  ])("%j is told in text", async (args, expected) => {
    expect((await aggregate(args)).text).toBe(expected);
  });

  it("answers the server's body with its request id", async () => {
    const { structured } = await aggregate({ metric: "count" });
    const { body } = recordedAnswers.get("/v1/streams/messages/aggregate?metric=count") ?? {};
    expect(structured).toEqual({ data: body, request_id: "req_1" });
  });

  it("tells as many groups as fit and counts the rest", async () => {
    const groups = Array.from({ length: 100 }, (_item, index) => ({
      key: `sender number ${index}`,
      count: 100 - index,
    }));
    const { text } = await aggregate(
      { metric: "count", group_by: "sender", limit: 100 },
      { groups, other_count: 7 },
    );
    expect(bytes(text)).toBeLessThanOrEqual(1_800);
    const more = Number(/more_groups=(\d+)/.exec(text)?.[1]);
    expect(text.match(/sender number/g)).toHaveLength(100 - more);
    expect(text).toContain("100 group(s)");
    expect(text).toContain("other_count=7");
  });

  it("keeps an exact sum, and says what is approximate or null", async () => {
    const value = new ExactNumber("12345678901234567890.50");
    const sum = await aggregate({ metric: "sum", field: "size" }, { value, approximate: true });
    expect(sum.text).toBe("sum(messages) field=size = 12345678901234567890.50. approximate=true");
    expect(exactJsonText(sum.structured)).toContain("12345678901234567890.50");
    expect((await aggregate({ metric: "min", field: "size" }, { value: null })).text).toBe(
      "min(messages) field=size = null.",
    );
  });

  it("tells a group of null, of a boolean and of a number", async () => {
    const groups = [null, true, 5].map((key) => ({ key, count: 1 }));
    expect((await aggregate({ metric: "count", group_by: "x" }, { groups })).text).toContain(
      "[null=1, true=1, 5=1]",
    );
  });

  it.each([null, [], "x", {}, { groups: "x" }])("a body of %j is api_error", async (body) => {
    expect((await aggregate({ metric: "count" }, body)).code).toBe("api_error");
  });

  it("is one line with its warnings after it, within its bound, whatever it is told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileValue), hostileValue, async (keys, value) => {
        const grouped = {
          groups: keys.map((key) => ({ key, count: value })),
          other_count: value,
          meta: { warnings: keys },
        };
        for (const body of [grouped, { value, meta: { warnings: [{ code: "x", message: value }] } }]) {
          const { text } = await aggregate({ metric: "count", group_by: "x" }, body);
          expect(bytes(text)).toBeLessThanOrEqual(1_800);
          for (const line of text.split("\n").slice(1)) expect(line).toMatch(/^warning /);
        }
      }),
    );
  });
});
