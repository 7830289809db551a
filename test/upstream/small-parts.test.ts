import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../src/errors.ts";
import { createExchange, requestHead } from "../../src/upstream/exchange.ts";
import { messageOfFailure } from "../../src/fault-of-failure.ts";
import { oneLineDetail } from "../../src/spine/fault/one-line.ts";
import { createRequestIds } from "../../src/upstream/request-ids.ts";
import { retryAfterSeconds } from "../../src/upstream/retry-after.ts";

describe("request ids", () => {
  it("map back once each: an unknown id and a second answer map to nothing", () => {
    let next = 0;
    const ids = createRequestIds(() => `id-${(next += 1)}`);
    const first = ids.assign(0);
    const second = ids.assign(1);
    expect(ids.take(second)).toBe(1);
    expect(ids.take(second)).toBeUndefined();
    for (const foreign of [0, 1, null, undefined, "0", "__proto__", {}])
      expect(ids.take(foreign)).toBeUndefined();
    expect(ids.take(first)).toBe(0);
  });
});

const DEAF = { hear: () => undefined, exactBody: undefined };

describe("an exchange", () => {
  it("knows its body by the head, and no answer to the server by its id", () => {
    const exchange = createExchange("u", "tools/call", () => "end", DEAF);
    expect(
      exchange.matches(JSON.stringify({ jsonrpc: "2.0", id: "u", method: "tools/call", params: {} })),
    ).toBe(true);
    expect(
      exchange.matches(JSON.stringify({ jsonrpc: "2.0", id: "u", error: { code: 1, message: "" } })),
    ).toBe(false);
    expect(exchange.matches(JSON.stringify({ jsonrpc: "2.0", id: "v", method: "tools/call" }))).toBe(false);
    expect(requestHead('"', "m")).toBe(String.raw`{"jsonrpc":"2.0","id":"\"","method":"m"`);
  });

  it("counts no fault after its answer", () => {
    const exchange = createExchange("u", "m", () => "end", DEAF);
    exchange.answer();
    exchange.note({ kind: "deadline", detail: "" });
    expect(exchange.fault()).toBeUndefined();
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-27T00:00:00Z");
  it.each([
    ["0", 0],
    [" 17 ", 17],
    ["999999999999", 86_400],
    ["Fri, 27 Nov 2026 00:00:30 GMT", 30],
    ["Thu, 26 Nov 2026 00:00:00 GMT", 0],
    ["Fri, 27 Nov 2099 00:00:00 GMT", 86_400],
    ["Fri, 99 Nov 2026 00:00:00 GMT", null],
    ["-1", null],
    ["1.5", null],
    ["4010 ms", null],
    ["2026-11-27T00:01:00Z", null],
    ["", null],
    [null, null],
  ])("%j means %j seconds", (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it("is null or a whole number of seconds within a day, for anything", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)),
        fc.integer(),
        (header, at) => {
          const seconds = retryAfterSeconds(header, at);
          if (seconds === null) return;
          expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400).toBe(true);
        },
      ),
    );
  });
});

describe("a detail made public", () => {
  it.each([
    ["a\n\tb\u001b[31mred", "a b [31mred"],
    ["x".repeat(300), `${"x".repeat(255)}…`],
    ["x".repeat(256), "x".repeat(256)],
    ["😀".repeat(257), `${"😀".repeat(255)}…`],
    [" \u0000 a \u2028\u202e b \u009f", "a b"],
    ["\ud800", "\ufffd"],
    ["", ""],
  ])("%j becomes %j", (text, line) => {
    expect(oneLineDetail(text)).toBe(line);
  });

  it("is one line of at most 256 code points without controls, and a fixed point, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        const line = oneLineDetail(text);
        expect(Array.from(line).length).toBeLessThanOrEqual(256);
        expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029]/u);
        expect(oneLineDetail(line)).toBe(line);
      }),
    );
  });

  it("has nothing of the backend's words in the message of a failure", () => {
    const base = { outcome: "unknown" as const, detail: "token=hunter2 at 10.0.0.1" };
    const failures: UpstreamFailure[] = [
      { ...base, reason: "timeout" },
      { ...base, reason: "cancelled" },
      { ...base, reason: "unreachable" },
      { ...base, reason: "unauthorized" },
      { ...base, reason: "forbidden" },
      { ...base, reason: "unknown_tool" },
      { ...base, reason: "too_large" },
      { ...base, reason: "refused_address" },
      { ...base, reason: "refused_redirect" },
      { ...base, reason: "protocol" },
      { ...base, reason: "rate_limited", retryAfterSeconds: 1 },
      { ...base, reason: "http_status", status: 500 },
      { ...base, reason: "rpc_error", code: -32603 },
    ];
    const messages = failures.map((failure) => messageOfFailure(failure));
    expect(new Set(messages).size).toBe(failures.length);
    for (const message of messages) {
      expect(message).not.toMatch(/hunter2|10\.0/);
      expect(oneLineDetail(message)).toBe(message);
    }
  });
});
