import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bad, fakeSource } from "../../support/records/fake-source.ts";
import { hostileText, hostileValue } from "../../support/records/hostile-records.ts";
import { at, bytes, callTool } from "../../support/records/tool-call.ts";

const calls = [
  ["schema", {}],
  ["schema", { stream: "messages" }],
  ["schema", { stream: "messages", detail: "full" }],
  ["query_records", { stream: "messages" }],
  ["aggregate", { stream: "messages", metric: "count" }],
  ["search", { q: "x" }],
  ["fetch", { id: "cin_a/messages:m1" }],
] as const;

describe.each(calls)("%s %j", (name, args) => {
  it.each([
    [401, "authentication_error"],
    [403, "grant_revoked"],
    [403, "field_not_granted"],
    [404, "stream_not_declared"],
    [409, "ambiguous_connection"],
    [410, "cursor_expired"],
    [429, "rate_limit_exceeded"],
    [500, "http_500"],
    [400, "unsupported_by_source"],
  ])(
    "passes a source's %d %s on as it is, with status and request id, after one read",
    async (status, code) => {
      const more = { param: "x", retry_with: "connection_id", alternative: "other", nested: { a: [1] } };
      const source = fakeSource(() => bad(status, code, more));
      const { isError, structured, text } = await callTool(name, args, source);
      expect(isError).toBe(true);
      expect(structured).toEqual({
        error: { type: "invalid_request_error", code, message: `no: ${code}`, ...more },
        http_status: status,
        request_id: "req_2",
      });
      expect(JSON.parse(text)).toEqual(structured);
      expect(source.requests).toHaveLength(1);
    },
  );

  it("has no status where the source was never reached", async () => {
    const error = { type: "api_error", code: "source_unavailable", message: "x" };
    const source = fakeSource(() => ({ ok: false, status: 0, error, requestId: null }));
    const { structured, text } = await callTool(name, args, source);
    expect(structured).toEqual({ error, request_id: null });
    expect(JSON.parse(text)).toEqual(structured);
  });

  it("bounds an error, whatever it says, and keeps its code and what to retry with", async () => {
    const source = fakeSource(() =>
      bad(400, "invalid_request", {
        message: "M".repeat(1_000_000),
        retry_with: "connection_id",
        extra: "x".repeat(50_000),
      }),
    );
    const { text, error } = await callTool(name, args, source);
    expect(bytes(text)).toBeLessThanOrEqual(8_000);
    expect(error).toMatchObject({ code: "invalid_request", retry_with: "connection_id", truncated: true });
  });

  it("is one line of JSON for any error", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileValue, async (message, extra) => {
        const { text, structured } = await callTool(
          name,
          args,
          fakeSource(() => bad(400, "x", { message, extra })),
        );
        expect(text).not.toMatch(/[\n\r\u2028\u202e]/);
        expect(bytes(text)).toBeLessThanOrEqual(8_000);
        expect(at(JSON.parse(text), "error", "code")).toBe(at(structured, "error", "code"));
      }),
      { numRuns: 30 },
    );
  });
});
