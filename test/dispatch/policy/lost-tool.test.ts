import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsOfLostTool, type NamedServer, type ToolFacts } from "../../../src/dispatch/policy/facts.ts";
import { judgePolicy } from "../../../src/dispatch/policy/judge.ts";
import { type NamespaceMode, serverNamespace } from "../../../src/identity/namespace.ts";
import { identifyTool } from "../../../src/identity/tool-identity.ts";
import { DELETE_REPO, rule, rules, someTags } from "./rules.ts";

const SERVERS: NamedServer[] = [
  { name: "GitHub", namespace: "server" },
  { name: "slack", namespace: "server" },
  { name: "git hub/x", namespace: "server" },
  { name: "many", namespace: "infer" },
];

function modeOf({ name, namespace }: NamedServer): NamespaceMode {
  const slug = serverNamespace(name);
  return namespace === "infer" || !slug.ok
    ? { source: "infer" }
    : { source: "server", server: name, namespace: slug.value };
}

const LOST: ToolFacts = factsOfLostTool("github:delete_repo#aea9ce2a", SERVERS);
const lost = { ...DELETE_REPO, ...LOST };

describe("a tool that is in the catalog no more", () => {
  it("may have come from the server with its namespace and from any that infers them", () => {
    expect(LOST).toEqual({
      toolId: "github:delete_repo#aea9ce2a",
      upstreamName: null,
      servers: ["GitHub", "many"],
      serverKnown: false,
      tags: [],
      readOnly: false,
      destructive: false,
      hintsTrusted: false,
    });
    expect(factsOfLostTool("git-hub-x:a@1", SERVERS).servers).toEqual(["git hub/x", "many"]);
  });

  it("may have come from every server if its id says nothing", () => {
    const names = SERVERS.map(({ name }) => name);
    for (const id of ["", "__proto__", "github:delete_repo#aea9ce2a~2", "x".repeat(10_240), "\ud800:\0"]) {
      expect(factsOfLostTool(id, SERVERS).servers).toEqual(names);
    }
  });

  it.each([
    [{ server: "GitHub" }],
    [{ server: "many" }],
    [{ tool: "delete_*" }],
    [{ tool: "github:delete_repo" }],
    [{ tool: "GitHub/delete_*" }],
    [{ tool: "github.delete_*" }],
    [{ tags: ["destructive"] }],
    [{ tags: ["anything"] }],
    [{ read_only: false }],
  ])("is denied by a rule that it may fit: %j", (match) => {
    expect(judgePolicy([rule(match)], lost).action).toBe("deny");
  });

  it.each([[{ server: "slack" }], [{ tool: "get_*" }], [{ read_only: true }], [{ tags: ["read-only"] }]])(
    "is not denied by a rule that it cannot fit: %j",
    (match) => {
      expect(judgePolicy([rule(match)], lost).action).toBe("allow");
    },
  );

  it.each([[{ server: "GitHub" }], [{ tool: "delete_*" }], [{ tags: ["mcp"] }], [{ read_only: false }]])(
    "is not allowed by a rule that it only may fit: %j",
    (match) => {
      expect(judgePolicy([rule(match, "allow"), rule({})], lost).action).toBe("deny");
    },
  );

  it("is denied by a rule over upstream names with the server's own prefix, slashes and all", () => {
    const subject = { ...DELETE_REPO, ...factsOfLostTool("git-hub-x:a.b#aea9ce2a", SERVERS) };
    expect(judgePolicy([rule({ tool: "git hub/x/a/*" })], subject).action).toBe("deny");
    expect(judgePolicy([rule({ tool: "git hub/y/a/*" })], subject).action).toBe("allow");
  });

  it("is never allowed where the same tool was not, whatever it was", () => {
    const truths = fc
      .record({
        server: fc.constantFrom(...SERVERS),
        prefix: fc.constantFrom("", "GitHub.", "github/", "slack.", "git hub/x/", "git-hub-x."),
        name: fc.constantFrom("delete_repo", "get_me", "a/b.c", "x/a", "delete_a_b"),
        tags: fc.subarray(someTags),
        readOnly: fc.boolean(),
        destructive: fc.boolean(),
        hintsTrusted: fc.boolean(),
      })
      .map(({ server, prefix, name, ...hints }) => {
        const identity = identifyTool(modeOf(server), {
          name: `${prefix}${name}`,
          inputSchema: {},
          meta: undefined,
        });
        return { server, identity, hints };
      });
    // By the contract, rules about read-only tools alone do not speak of a tool whose hints are not believed.
    const aboutWriters = rules.map((rules) =>
      rules.filter(
        ({ match, action }) =>
          action === "allow" ||
          (match.read_only !== true && !match.tags?.some((tag) => /^read[-_]only$/i.test(tag))),
      ),
    );
    let restricted = 0;
    fc.assert(
      fc.property(truths, aboutWriters, ({ server, identity, hints }, rules) => {
        if (!identity.ok) return;
        const { id, upstreamName } = identity.value;
        const was = {
          ...DELETE_REPO,
          ...hints,
          toolId: id,
          upstreamName,
          servers: [server.name],
          serverKnown: true,
        };
        const then = judgePolicy(rules, was).action;
        const now = judgePolicy(rules, { ...DELETE_REPO, ...factsOfLostTool(id, SERVERS) }).action;
        if (then === "allow") return;
        restricted += 1;
        expect(now).not.toBe("allow");
      }),
      { numRuns: 2000 },
    );
    expect(restricted).toBeGreaterThan(200);
  });
});
