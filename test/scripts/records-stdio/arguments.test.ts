import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArguments, USAGE } from "../../../scripts/records-stdio/arguments.ts";

function endpointOf(url: string): string | number {
  const read = readArguments(["--url", url]);
  if (!read.ok) return read.reason.exitCode;
  return read.value.kind === "serve" ? read.value.endpoint.href : "help";
}

describe("the address", () => {
  it.each([
    ["https://gate.example", "https://gate.example/mcp/records"],
    ["https://gate.example/", "https://gate.example/mcp/records"],
    ["https://gate.example/base/", "https://gate.example/base/mcp/records"],
    ["https://gate.example/mcp/records", "https://gate.example/mcp/records"],
    ["https://gate.example/mcp/records/", "https://gate.example/mcp/records"],
    ["http://127.0.0.1:8787", "http://127.0.0.1:8787/mcp/records"],
    ["http://localhost:8787/mcp/records", "http://localhost:8787/mcp/records"],
    ["http://[::1]:8787", "http://[::1]:8787/mcp/records"],
  ])("%s is the read surface at %s", (url, endpoint) => {
    expect(endpointOf(url)).toBe(endpoint);
  });

  it.each([
    "http://gate.example",
    "http://127.0.0.1.example",
    "http://localhost.example",
    "http://10.0.0.1",
    "ftp://127.0.0.1",
    "file:///etc/passwd",
    "https://user:secret@gate.example",
    "https://gate.example/?token=secret",
    "https://gate.example/#secret",
    "gate.example",
    "",
  ])("%j is none", (url) => {
    expect(endpointOf(url)).toBe(64);
  });

  it("leads to https or to this machine, whatever is written", () => {
    const isClosed = fc.property(fc.oneof(fc.webUrl(), fc.string()), (url) => {
      const endpoint = endpointOf(url);
      return typeof endpoint === "number" || /^https:\/\/.*\/mcp\/records$/.test(endpoint);
    });
    expect(fc.check(isClosed).failed).toBe(false);
  });
});

describe("the command line", () => {
  it.each([
    [[]],
    [["--profile", "core", "--url", "https://gate.example"]],
    [["--url"]],
    [["https://gate.example"]],
    [["--token", "secret", "--url", "https://gate.example"]],
  ])("%j is a usage error", (argv) => {
    const read = readArguments(argv);
    expect(read.ok ? undefined : read.reason).toMatchObject({ exitCode: 64, reason: "usage" });
  });

  it("helps when asked", () => {
    expect(readArguments(["--help"])).toEqual({ ok: true, value: { kind: "help" } });
  });

  it("offers one option and no choice of what is served", () => {
    expect([...USAGE.matchAll(/--[\w-]+ [A-Z]+/g)].map(String)).toEqual(["--url URL", "--url URL"]);
    expect(USAGE).not.toMatch(/profile|toolset|events|full/i);
  });
});
