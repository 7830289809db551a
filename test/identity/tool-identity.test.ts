import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NamespaceMode } from "../../src/identity/namespace.ts";
import { parseToolId } from "../../src/identity/tool-id.ts";
import { identifyTool } from "../../src/identity/tool-identity.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, uglyNames } from "./arbitraries.ts";
import { TOOL_IDS, TOOL_IDS_INPUT_SCHEMA, VERSIONED_ID } from "./golden.ts";

const infer: NamespaceMode = { source: "infer" };
const gitHub: NamespaceMode = { source: "server", server: "Git Hub", namespace: "git-hub" };

function tool(name: string, meta?: unknown): { name: string; inputSchema: unknown; meta: unknown } {
  return { name, inputSchema: TOOL_IDS_INPUT_SCHEMA, meta };
}

function nameUnder(mode: NamespaceMode, upstreamName: string): string {
  const identity = identifyTool(mode, tool(upstreamName));
  return identity.ok ? identity.value.name : identity.reason;
}

describe("tools' identities by inferred namespace", () => {
  it.each(TOOL_IDS)("give $upstreamName the recorded id or the reason for none", (recorded) => {
    const { upstreamName, namespace, name, hash8, id, reason } = recorded;
    expect(identifyTool(infer, tool(upstreamName))).toEqual(
      id === null ? fail(reason) : ok({ id, namespace, name, version: null, hash8, upstreamName }),
    );
  });
});

describe("tools' identities under a configured server", () => {
  it("take the server's namespace and hash over the name as the upstream has it", () => {
    const github: NamespaceMode = { source: "server", server: "github", namespace: "github" };
    expect(identifyTool(github, tool("github.create_issue"))).toEqual(
      ok({
        id: "github:create_issue#aea9ce2a",
        namespace: "github",
        name: "create_issue",
        version: null,
        hash8: "aea9ce2a",
        upstreamName: "github.create_issue",
      }),
    );
  });

  it.each([
    ["create_issue", "create_issue"],
    ["Git Hub.create_issue", "create_issue"],
    ["Git Hub/create_issue", "create_issue"],
    ["git-hub.create_issue", "create_issue"],
    ["git-hub/create/issue", "create.issue"],
    ["git-hub.git-hub.x", "git-hub.x"],
    ["git-hub_create_issue", "git-hub_create_issue"],
    ["gitlab.create_issue", "gitlab.create_issue"],
    ["issues/create/draft", "issues.create.draft"],
    ["a.b/c", "a.b.c"],
    ["git-hub.", "git-hub."],
    ["git-hub", "git-hub"],
    ["GIT-HUB.x", "GIT-HUB.x"],
  ])("call %j %j", (upstreamName, name) => {
    expect(nameUnder(gitHub, upstreamName)).toBe(name);
  });

  it.each([
    ["/abs", "abs"],
    ["get weather", "get_weather"],
    ["git-hub.1pass", "_1pass"],
    ["git-hub./x", "x"],
    ["a:b", "a_b"],
    ["a#b", "a_b"],
    ["2fa", "_2fa"],
    ["-x.", "x"],
    ["查询", "__"],
    ["...", "item"],
    [`1${"x".repeat(127)}`, `_1${"x".repeat(126)}`],
  ])("make %j legal: %j", (upstreamName, name) => {
    expect(nameUnder(gitHub, upstreamName)).toBe(name);
  });

  it.each(["", " ", "\ud800", "a\u0000b", "a\u202eb", "a\nb", "x".repeat(129)])(
    "refuse %j, which no person would read",
    (upstreamName) => {
      expect(nameUnder(gitHub, upstreamName)).toBe("bad_name");
    },
  );

  it("have the hash beside the version where the name had to be made legal", () => {
    const one = identifyTool(gitHub, tool("2fa", { version: "1.0" }));
    const other = identifyTool(gitHub, tool("_2fa", { version: "1.0" }));
    expect(one.ok && one.value.id).toMatch(/^git-hub:_2fa@1\.0#[0-9a-f]{8}$/);
    expect(other.ok && other.value.id).toBe("git-hub:_2fa@1.0");
  });

  it("keep the ids of two names apart by the hash where only the separator differs", () => {
    const [slash, dot] = [identifyTool(gitHub, tool("a/b")), identifyTool(gitHub, tool("a.b"))];
    expect(slash.ok && dot.ok && slash.value.name === dot.value.name).toBe(true);
    expect(slash.ok && dot.ok && slash.value.id !== dot.value.id).toBe(true);
  });
});

describe("declared versions", () => {
  it("stand in the id instead of the hash", () => {
    expect(identifyTool(infer, tool("github.create_issue", { version: "1.4.0" }))).toEqual(
      ok({
        id: VERSIONED_ID,
        namespace: "github",
        name: "create_issue",
        version: "1.4.0",
        hash8: null,
        upstreamName: "github.create_issue",
      }),
    );
  });

  it.each([
    undefined,
    null,
    "1.4.0",
    ["1.4.0"],
    {},
    { version: "" },
    { version: 1 },
    { version: true },
    { version: ["1"] },
    { version: "1 0" },
    { version: "1.0+build" },
    { version: "1.0\n" },
    { version: "9".repeat(33) },
  ])("count as none in the _meta %j", (meta) => {
    expect(identifyTool(infer, tool("github.create_issue", meta))).toEqual(
      identifyTool(infer, tool("github.create_issue")),
    );
  });
});

describe("any definition", () => {
  it("has a canonical id with its upstream name, or a reason, and never throws", () => {
    const names = fc.oneof(
      anyString,
      fc.constantFrom(...uglyNames),
      fc.stringMatching(/^[a-z]{1,4}[._/][a-zA-Z]{1,6}$/),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(infer, gitHub),
        names,
        fc.jsonValue(),
        fc.oneof(fc.jsonValue(), fc.record({ version: fc.oneof(fc.string(), fc.jsonValue()) })),
        (mode, name, inputSchema, meta) => {
          const identity = identifyTool(mode, { name, inputSchema, meta });
          expect(identity.ok ? "" : identity.reason).toMatch(/^(?:bad_name|bad_namespace)?$/);
          if (!identity.ok) return;
          const { id, upstreamName, ...parts } = identity.value;
          expect(upstreamName).toBe(name);
          expect(parseToolId(id)).toEqual(ok(parts));
          const mayHaveBoth = mode === gitHub && parts.version !== null;
          expect(parts.hash8 === null && parts.version === null).toBe(false);
          expect(parts.hash8 !== null && parts.version !== null && !mayHaveBoth).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
