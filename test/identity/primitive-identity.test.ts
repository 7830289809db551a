import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NamespaceMode } from "../../src/identity/namespace.ts";
import { parsePrimitiveId } from "../../src/identity/primitive-id.ts";
import { identifyPrompt, identifyResource } from "../../src/identity/primitive-identity.ts";
import { fail, ok } from "../../src/result.ts";
import { anyString, uglyNames } from "./arbitraries.ts";
import { PROMPTS, RESOURCES } from "./golden.ts";

const infer: NamespaceMode = { source: "infer" };
const docs: NamespaceMode = { source: "server", server: "Docs", namespace: "docs" };

function resourceId(mode: NamespaceMode, uri: string, name?: unknown): string {
  const identity = identifyResource(mode, { uri, name });
  return identity.ok ? identity.value.id : identity.reason;
}

function promptId(mode: NamespaceMode, name: string, argumentNames: readonly string[]): string {
  const identity = identifyPrompt(mode, {
    name,
    arguments: argumentNames.map((argument) => ({ name: argument })),
  });
  return identity.ok ? identity.value.id : identity.reason;
}

describe("resources' identities", () => {
  it.each(RESOURCES)("give $uri ($name) the recorded id", ({ uri, name, id }) => {
    expect(resourceId(infer, uri, name)).toBe(id);
  });

  it("take a configured server's namespace and the same hash", () => {
    expect(resourceId(docs, "file:///docs/readme.md", "README")).toBe("resource::docs:README#a8c506b1");
  });

  it.each([
    ["no-scheme", "mcp"],
    ["://x", "mcp"],
    ["--:x", "mcp"],
    ["Git+SSH://x", "git-ssh"],
    ["1pass://x", "mcp-1pass"],
    ["ünï:x", "n"],
    ["\u{1f600}a\u{1f600}b:x", "a-b"],
    [`${"s".repeat(100)}:x`, "s".repeat(64)],
  ])("find in %j the namespace %s", (uri, namespace) => {
    const identity = identifyResource(infer, { uri, name: "n" });
    expect(identity.ok && identity.value.namespace).toBe(namespace);
  });

  it.each([
    ["x:///a/b/", undefined, "b"],
    ["x://", undefined, "x_"],
    ["///", undefined, "item"],
    ["x:///a", "", "a"],
    ["x:///a", 7, "a"],
    ["x:///a", "...", "item"],
    ["x:///a", "2024 report", "r_2024_report"],
    ["x:///a", "日本", "__"],
    ["x:///a", "\u{1f600}", "_"],
    ["x:///a", "__proto__", "__proto__"],
    ["x:///a", "n".repeat(10_240), "n".repeat(128)],
    ["x:///items/{id}", undefined, "_id_"],
  ])("call %j, declared as %j, %s", (uri, declared, name) => {
    const identity = identifyResource(infer, { uri, name: declared });
    expect(identity.ok && identity.value.name).toBe(name);
  });

  it.each([
    ["", "blank_uri"],
    [" \n", "blank_uri"],
    ["x://\ud800", "ill_formed_uri"],
  ])("refuse the URI %j as %s", (uri, reason) => {
    expect(identifyResource(infer, { uri, name: "n" })).toEqual(fail(reason));
  });

  it("differ for URIs that read alike", () => {
    expect(resourceId(docs, "x://a/b c")).not.toBe(resourceId(docs, "x://a/b_c"));
  });
});

describe("prompts' identities", () => {
  it.each(PROMPTS)("give $name the recorded id", ({ name, argumentNames, id }) => {
    expect(promptId(infer, name, argumentNames)).toBe(id);
  });

  it("take a configured server's namespace, keep the whole name and the same hash", () => {
    expect(promptId(docs, "gh.summarize", [])).toBe("prompt::docs:gh.summarize#a3605d83");
  });

  it("depend on the set of argument names, not their order or prose", () => {
    const plain = identifyPrompt(infer, { name: "p", arguments: [{ name: "a" }, { name: "b" }] });
    const prose = [{ name: "b", description: "B", required: true }, { name: "a" }];
    expect(identifyPrompt(infer, { name: "p", arguments: prose })).toEqual(plain);
    expect(identifyPrompt(infer, { name: "p", arguments: [{ name: "a" }] })).not.toEqual(plain);
  });

  it.each([
    ["", "blank_name"],
    [" \t", "blank_name"],
    ["GitHub.summarize", "bad_namespace"],
    ["\ud800.x", "bad_namespace"],
  ])("refuse the name %j as %s", (name, reason) => {
    expect(identifyPrompt(infer, { name, arguments: undefined })).toEqual(fail(reason));
  });
});

describe("any resource or prompt", () => {
  const texts = fc.oneof(anyString, fc.constantFrom(...uglyNames), fc.webUrl());

  it("has a canonical id or a reason, and never throws", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(infer, docs),
        texts,
        fc.oneof(texts, fc.jsonValue()),
        (mode, text, other) => {
          const identities = [
            identifyResource(mode, { uri: text, name: other }),
            identifyPrompt(mode, { name: text, arguments: other }),
          ];
          for (const identity of identities) {
            const reason = identity.ok ? "" : identity.reason;
            expect(reason).toMatch(/^(?:blank_uri|ill_formed_uri|blank_name|bad_namespace)?$/);
            if (!identity.ok) continue;
            const { id, ...parts } = identity.value;
            expect(parsePrimitiveId(id)).toEqual(ok(parts));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
