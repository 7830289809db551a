import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  deriveName,
  inferNamespace,
  serverNamespace,
  serverNamespaces,
} from "../../src/identity/namespace.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, over, uglyNames } from "./arbitraries.ts";
import { TOOL_IDS } from "./golden.ts";

describe("inferred namespaces", () => {
  it.each(TOOL_IDS)("splits $upstreamName as recorded", ({ upstreamName, namespace, name }) => {
    expect(inferNamespace(upstreamName)).toBe(namespace);
    expect(deriveName(upstreamName)).toBe(name);
  });

  it.each([
    ["server__tool", "server", "server__tool"],
    ["search_database", "mcp", "search_database"],
    ["a/b/c", "a", "b/c"],
    ["./a", ".", "a"],
    ["a/.", "a/", "."],
    ["", "mcp", ""],
    [".", "mcp", "."],
  ])("splits %j into %j and %j", (upstreamName, namespace, name) => {
    expect([inferNamespace(upstreamName), deriveName(upstreamName)]).toEqual([namespace, name]);
  });

  it("lose nothing where the namespace is legal: the whole is the name, or namespace, separator and name", () => {
    const dotted = over("a._/", 0, 12);
    fc.assert(
      fc.property(fc.oneof(dotted, anyString, fc.constantFrom(...uglyNames)), (upstreamName) => {
        const namespace = inferNamespace(upstreamName);
        const name = deriveName(upstreamName);
        expect(namespace).not.toBe("");
        fc.pre(/^[a-z][a-z0-9_-]*$/.test(namespace));
        expect([name, `${namespace}.${name}`, `${namespace}/${name}`]).toContain(upstreamName);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("configured servers' namespaces", () => {
  it.each([
    ["github", "github"],
    ["GitHub", "github"],
    ["My Server", "my-server"],
    ["my_server-2", "my_server-2"],
    ["a - b", "a---b"],
    ["1password", "password"],
    ["--x--", "x"],
    ["x (beta)", "x-beta"],
    ["__proto__", "proto__"],
    ["über.tool", "ber-tool"],
    ["x".repeat(100), "x".repeat(64)],
    [`${"x".repeat(63)} y`, "x".repeat(63)],
    ["x\ud800\0y", "x-y"],
  ])("calls the server %j %s", (server, namespace) => {
    expect(serverNamespace(server)).toEqual(ok(namespace));
  });

  it.each(["", "42", "---", "日本語", "\ud800"])(
    "refuses the server name %j, which has no letter",
    (server) => {
      expect(serverNamespace(server)).toEqual(fail({ reason: "empty_namespace", server }));
    },
  );

  it("makes a legal namespace that is its own namespace, or none", () => {
    const near = over("aA0_- .", 0, 90);
    fc.assert(
      fc.property(fc.oneof(near, anyString, fc.constantFrom(...uglyNames)), (server) => {
        const namespace = serverNamespace(server);
        if (!namespace.ok) return;
        expect(namespace.value).toMatch(/^[a-z](?:[a-z0-9_-]{0,62}[a-z0-9_])?$/);
        expect(serverNamespace(namespace.value)).toEqual(namespace);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are given together, by server name", () => {
    expect(serverNamespaces(["__proto__", "GitHub"])).toEqual(
      ok(
        new Map([
          ["__proto__", "proto__"],
          ["GitHub", "github"],
        ]),
      ),
    );
  });

  it("are refused together where one is empty or several are equal, every problem at once", () => {
    expect(serverNamespaces(["git hub", "1", "x", "Git-Hub", "X", "git.hub", "y"])).toEqual(
      fail([
        { reason: "empty_namespace", server: "1" },
        { reason: "equal_namespaces", namespace: "git-hub", servers: ["Git-Hub", "git hub", "git.hub"] },
        { reason: "equal_namespaces", namespace: "x", servers: ["X", "x"] },
      ]),
    );
  });
});
