import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { isRecord, memberOf } from "../../src/json.ts";
import { UPSTREAM_PROGRESS_MAX_COUNT, UPSTREAM_WORDS_MAX_CHARS } from "../../src/limits.ts";
import type { Progress } from "../../src/surface.ts";
import { listenTo } from "../../src/upstream/server-messages.ts";
import { WantedList } from "../../src/wanted-request.ts";

const METHODS = ["notifications/progress", "ping", "elicitation/create", "roots/list", "__proto__", ""];
const anyJson = fc.jsonValue({ maxDepth: 3 });
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant("2.0") }, anyJson),
    id: fc.oneof(anyJson, fc.string(), fc.integer()),
    method: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...METHODS) }, anyJson),
    params: fc.oneof(
      anyJson,
      fc.record(
        {
          progressToken: fc.constantFrom("ours", "theirs", 1, null),
          progress: fc.oneof(fc.double(), anyJson),
          total: fc.oneof(fc.double(), anyJson),
          message: fc.oneof(
            fc.string({ unit: "binary", maxLength: 3_000 }),
            fc.nat(2).map((more) => "x".repeat(UPSTREAM_WORDS_MAX_CHARS - 1 + more)),
            anyJson,
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

describe("what an upstream says besides its answer", () => {
  it("is told within its bounds, to those it is for, and nothing of it throws", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(message, anyJson), { maxLength: 30 }), (messages) => {
        const heard: Progress[] = [];
        const wanted = new WantedList();
        const hear = listenTo({ token: "ours", wanted, onProgress: (each) => heard.push(each) });
        for (const each of messages) {
          // As it comes over the wire: no number is one that JSON has not.
          const read = parseExactJson(JSON.stringify(each), { duplicates: "last" });
          const before = heard.length;
          const text = hear(read.ok ? read.value : undefined);
          const isTold = heard.length > before;
          const token = memberOf(memberOf(each, "params"), "progressToken");
          expect(isTold ? token : "ours").toBe("ours");
          if (text === undefined) continue;
          expect(isTold).toBe(false);
          const passed: unknown = JSON.parse(text);
          if (!isRecord(passed) || !isRecord(each)) throw new Error("passed what is no message");
          expect(passed).toEqual({ jsonrpc: "2.0", id: each["id"], method: each["method"] });
        }
        for (const { progress, total = 0, message: words = "" } of heard) {
          expect(Number.isFinite(progress) && Number.isFinite(total)).toBe(true);
          expect(words.length).toBeLessThanOrEqual(UPSTREAM_WORDS_MAX_CHARS);
          const said = messages.map((each) => memberOf(memberOf(each, "params"), "message"));
          expect(["", ...said]).toContain(words);
        }
        for (const { method } of wanted.all()) expect(method).not.toBe("ping");
      }),
    );
  });

  it("is told so many times and no more", () => {
    const heard: Progress[] = [];
    const hear = listenTo({ token: "t", wanted: new WantedList(), onProgress: (each) => heard.push(each) });
    for (let at = 0; at < 3 * UPSTREAM_PROGRESS_MAX_COUNT; at += 1)
      hear({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "t", progress: at },
      });
    expect(heard).toHaveLength(UPSTREAM_PROGRESS_MAX_COUNT);
  });
});
