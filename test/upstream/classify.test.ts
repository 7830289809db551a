import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyFault } from "../../src/upstream/classify.ts";
import {
  faultOf,
  networkFault,
  WireError,
  type RpcError,
  type WireFault,
} from "../../src/upstream/wire-fault.ts";

const status = (code: number, rpc: RpcError | null = null): WireFault => ({
  kind: "status",
  status: code,
  retryAfterSeconds: null,
  rpc,
  challenged: false,
  speaksOfSession: false,
  detail: "d",
});
const rpcFault = (code: number, message = ""): WireFault => ({
  kind: "rpc",
  error: { code, message, ours: true },
  detail: "d",
});
const sent = { sent: true, asked: { method: "tools/call", name: "echo" } } as const;

describe("classification", () => {
  it("what failed before the request was sent is not dispatched, whatever it was", () => {
    const faults: WireFault[] = [
      { kind: "deadline", detail: "" },
      { kind: "cancelled", detail: "" },
      { kind: "network", connected: true, detail: "" },
      { kind: "too_large", drained: true, detail: "" },
      { kind: "protocol", answered: true, detail: "" },
      { kind: "refused_redirect", status: 303, detail: "" },
      rpcFault(-32603),
      status(500),
      status(504),
    ];
    for (const fault of faults) expect(classifyFault(fault, { sent: false }).outcome).toBe("not_dispatched");
  });

  it.each([
    [400, "unknown"],
    [401, "not_dispatched"],
    [403, "not_dispatched"],
    [404, "not_dispatched"],
    [405, "not_dispatched"],
    [408, "unknown"],
    [409, "unknown"],
    [413, "not_dispatched"],
    [415, "not_dispatched"],
    [422, "unknown"],
    [429, "not_dispatched"],
    [500, "unknown"],
    [502, "unknown"],
    [503, "unknown"],
    [504, "unknown"],
    [521, "unknown"],
  ] as const)("HTTP %i leaves the side effect %s", (code, outcome) => {
    expect(classifyFault(status(code), sent).outcome).toBe(outcome);
  });

  it("a 400 of the transport itself ran nothing; one that answers our request completed", () => {
    const error = { code: -32000, message: "" };
    expect(classifyFault(status(400, { ...error, ours: false }), sent)).toMatchObject({
      reason: "http_status",
      outcome: "not_dispatched",
    });
    expect(classifyFault(status(400, { ...error, ours: true }), sent)).toMatchObject({
      reason: "rpc_error",
      outcome: "completed",
    });
  });

  it("a status that says more than its body's error decides", () => {
    const ours = { code: -32000, message: "", ours: true };
    expect(classifyFault(status(401, ours), sent).reason).toBe("unauthorized");
    expect(classifyFault(status(429, ours), sent).reason).toBe("rate_limited");
    expect(classifyFault(status(503, ours), sent).reason).toBe("unreachable");
  });

  it("no words make a reason: only kinds, statuses and codes do", () => {
    const words = fc.constantFrom(
      "401",
      "unauthorized",
      "timeout",
      "rate limit",
      "429",
      "port 4010 refused",
      "forbidden",
    );
    fc.assert(
      fc.property(fc.array(words), fc.integer(), (texts, code) => {
        const message = texts.join(" ");
        fc.pre(code !== -32601);
        expect(classifyFault(rpcFault(code, message), sent).reason).toBe("rpc_error");
        expect(classifyFault({ ...status(418), detail: message }, sent).reason).toBe("http_status");
        expect(classifyFault(faultOf(new Error(message)), sent).reason).toBe("protocol");
        expect(classifyFault(networkFault(new Error(message)), sent)).toMatchObject({
          reason: "unreachable",
          outcome: "unknown",
        });
      }),
    );
  });

  it.each([
    ["Unknown tool: echo", true],
    ["MCP error -32602: Tool echo not found", true],
    ["MCP error -32602: Tool 'echo' not found.", true],
    ["unknown tool", true],
    ["Unknown tool: other", false],
    ["Invalid arguments for tool echo: unknown tool: echo", false],
    ["", false],
  ])("−32602 with %j is about the tool's name: %s", (message, expected) => {
    expect(classifyFault(rpcFault(-32602, message), sent).reason === "unknown_tool").toBe(expected);
  });

  it.each([
    ["resources/read", "file:///a b", -32002, "Resource not found", true],
    ["resources/read", "file:///a b", -32002, "", true],
    ["resources/read", "file:///a b", -32602, "MCP error -32602: Resource file:///a b not found", true],
    ["resources/read", "file:///a b", 0, "Unknown resource: file:///a b", true],
    ["resources/read", "file:///a b", 0, "Error reading resource file:///a b", false],
    ["resources/read", "file:///a b", -32602, "Resource file:///a not found", false],
    ["resources/read", "file:///a b", -32602, "Unknown tool: file:///a b", false],
    ["resources/read", "file:///a b", -32601, "Method not found", true],
    ["resources/read", "file:///a b", -32603, "Unknown resource: file:///a b", false],
    ["prompts/get", "greet", -32602, "Prompt greet not found", true],
    ["prompts/get", "greet", -32602, "Unknown prompt: greet", true],
    ["prompts/get", "greet", -32602, "Missing required argument: name", false],
    ["prompts/get", "greet", 0, "Unknown prompt: greet", true],
    ["tools/call", "echo", 0, "Unknown tool: echo", false],
    ["tools/call", "echo", -32002, "Resource not found", false],
  ] as const)("%s of %s with %i %j: unknown is %s", (method, name, code, message, expected) => {
    const context = { sent: true, asked: { method, name } };
    expect(classifyFault(rpcFault(code, message), context).reason === "unknown_tool").toBe(expected);
  });

  it("an unknown tool is only for calls", () => {
    expect(classifyFault(rpcFault(-32601), { sent: true }).reason).toBe("rpc_error");
    expect(classifyFault(rpcFault(-32601), sent).reason).toBe("unknown_tool");
  });

  it("a network error without proof counts as after sending", () => {
    const coded = (code: string) => Object.assign(new Error("x"), { code });
    const outer = (cause: unknown) => new TypeError("fetch failed", { cause });
    expect(networkFault(outer(coded("ECONNREFUSED")))).toMatchObject({ connected: false });
    expect(networkFault(outer(coded("ENOTFOUND")))).toMatchObject({ connected: false });
    for (const thrown of [
      outer(coded("ECONNRESET")),
      outer(undefined),
      coded("UND_ERR_SOCKET"),
      "lost",
      null,
    ]) {
      expect(networkFault(thrown)).toMatchObject({ connected: true });
    }
    const mixed = Object.assign(outer(coded("ECONNRESET")), { code: "ENOTFOUND" });
    expect(networkFault(mixed)).toMatchObject({ connected: true });
  });

  it("a fault survives being thrown", () => {
    const fault: WireFault = { kind: "deadline", detail: "late" };
    expect(faultOf(new WireError(fault))).toBe(fault);
    expect(faultOf(undefined)).toMatchObject({ kind: "protocol", answered: false });
  });
});
