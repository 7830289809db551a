import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../src/errors.ts";
import { readFault } from "../src/spine/fault/fault.ts";
import { GENESIS } from "../src/spine/fault/generation.ts";
import { surfaceFault } from "../src/spine/fault/surface.ts";
import {
  faultOfFailure,
  knowledgeOfFailure,
  messageOfFailure,
  messageOfListing,
} from "../src/fault-of-failure.ts";
import { allowance } from "./spine/replay/unwrap.ts";

const BASE = { outcome: "not_dispatched", detail: "token=hunter2\nat 10.0.0.1" } as const;

const CASES: readonly (readonly [
  UpstreamFailure,
  kind: string,
  code: string,
  surfaced: string,
  words: string,
])[] = [
  [
    { ...BASE, reason: "timeout" },
    "timeout",
    "deadline",
    "UPSTREAM_TIMEOUT",
    "the upstream server did not answer in time",
  ],
  [
    { ...BASE, reason: "cancelled" },
    "transport",
    "cancelled",
    "UPSTREAM_ERROR",
    "the call was cancelled before the upstream server answered",
  ],
  [
    { ...BASE, reason: "unreachable" },
    "transport",
    "unreachable",
    "UPSTREAM_UNAVAILABLE",
    "the upstream server is unavailable",
  ],
  [
    { ...BASE, reason: "rate_limited", retryAfterSeconds: 3 },
    "downstream",
    "rate_limited",
    "RATE_LIMITED",
    "the upstream server limits the rate of calls",
  ],
  [
    { ...BASE, reason: "unauthorized" },
    "downstream",
    "unauthorized",
    "AUTH_FAILED",
    "the upstream server refused the gateway's credentials",
  ],
  [
    { ...BASE, reason: "forbidden" },
    "downstream",
    "forbidden",
    "PERMISSION_DENIED",
    "the upstream server does not permit this call",
  ],
  [
    { ...BASE, reason: "unknown_tool" },
    "downstream",
    "unknown_tool",
    "HYDRATE_FAILED",
    "the upstream server no longer has this tool",
  ],
  [
    { ...BASE, reason: "too_large" },
    "resource",
    "too_large",
    "UPSTREAM_ERROR",
    "the upstream server's answer is too large",
  ],
  [
    { ...BASE, reason: "refused_address" },
    "transport",
    "refused_address",
    "UPSTREAM_ERROR",
    "the upstream server's address is not allowed",
  ],
  [
    { ...BASE, reason: "refused_redirect" },
    "downstream",
    "refused_redirect",
    "UPSTREAM_ERROR",
    "the upstream server redirects to where the gateway does not follow",
  ],
  [
    { ...BASE, reason: "protocol" },
    "protocol",
    "illegal_answer",
    "UPSTREAM_ERROR",
    "the upstream server's answer is not a legal MCP answer",
  ],
  [
    { ...BASE, reason: "http_status", status: 500 },
    "downstream",
    "http_status_500",
    "UPSTREAM_ERROR",
    "the upstream server answered with HTTP status 500",
  ],
  [
    { ...BASE, reason: "rpc_error", code: -32603 },
    "downstream",
    "rpc_error_minus_32603",
    "UPSTREAM_ERROR",
    "the upstream server answered with JSON-RPC error -32603",
  ],
];

const scrub = (text: string) => text.replaceAll("hunter2", "***");
const REPEATABLE = new Set(["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE", "RATE_LIMITED"]);

describe("an upstream's failure as a fault", () => {
  it.each(CASES)("%j is %s, %s, told as %s", (failure, kind, code, surfaced, words) => {
    const fault = faultOfFailure(failure, GENESIS, scrub);
    expect(fault).toEqual({ generation: 1, class: kind, code, detail: "token=*** at 10.0.0.1" });
    expect(readFault(fault)).toEqual({ ok: true, value: fault });
    for (const outcome of ["not_dispatched", "completed", "unknown"] as const) {
      const knowledge = knowledgeOfFailure({ outcome });
      const told = surfaceFault(fault, { knowledge, contract: "never_replay", allowance: allowance(0, 1) });
      const retryable = outcome === "not_dispatched" && REPEATABLE.has(surfaced);
      expect(told).toMatchObject({ code: surfaced, message: words, retryable, outcome });
    }
  });

  it("has its secrets taken out before its detail is cut", () => {
    const detail = `${"x".repeat(250)}hunter2`;
    const fault = faultOfFailure({ ...BASE, reason: "timeout", detail }, GENESIS, scrub);
    expect(fault.detail).toBe(`${"x".repeat(250)}***`);
  });

  it("of a listing says which bound a list passed, and nothing else in the server's words", () => {
    const tooLarge = { reason: "too_large", outcome: "completed", detail: "tools/list: too many" } as const;
    expect(messageOfListing(tooLarge)).toBe(`${messageOfFailure(tooLarge)}: tools/list: too many`);
    for (const [failure] of CASES.filter(([{ reason }]) => reason !== "too_large"))
      expect(messageOfListing(failure)).toBe(messageOfFailure(failure));
  });
});
