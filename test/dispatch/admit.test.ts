import { describe, expect, it } from "vitest";
import { askOf } from "../../src/dispatch/admit.ts";
import { TOOL_EXECUTE } from "../../src/dispatch/verb.ts";
import { configOf } from "../support/fake-gateway.ts";

const TOOL = {
  id: "a:b#00000000",
  upstreamName: "b",
  server: "a",
  target: "configured",
  card: { tags: [], safety: "", side_effects: true },
} as const;

interface Differing {
  schemaHash?: string;
  args?: object;
  toolId?: string;
  generation?: number;
  sessionKey?: string;
}

function journalOf(more: Differing = {}) {
  const {
    schemaHash = "1",
    args = { amount: 1 },
    toolId = TOOL.id,
    generation = 1,
    sessionKey = "blue",
  } = more;
  const call = {
    verb: TOOL_EXECUTE,
    tool: { ...TOOL, id: toolId },
    definition: { definition: {}, schemaHash, schemaBytes: 2 },
    catalogVersion: { catalog: "c", generation },
    permitted: { rule: "r", why: undefined },
    args: { ...args },
  };
  const asking = {
    attempt: "1",
    origin: { requestKey: null, idempotencyKey: "k" },
    replay: "never_replay",
    timeoutMs: 1000,
    dryRun: false,
    sessionKey,
  } as const;
  const config = configOf({});
  return askOf(call, asking, { gateway: config.gateway, server: () => undefined });
}

describe("what a call is known by when it comes again", () => {
  const known = journalOf().journal?.fingerprint;

  it("is its tool and its arguments, whatever their order", () => {
    expect(known).toMatch(/^[0-9a-f]{64}$/);
    expect(journalOf({ args: { amount: 2 } }).journal?.fingerprint).not.toBe(known);
    expect(journalOf({ toolId: "a:c#00000000" }).journal?.fingerprint).not.toBe(known);
    const two = journalOf({ args: { a: 1, b: 2 } }).journal?.fingerprint;
    expect(journalOf({ args: { b: 2, a: 1 } }).journal?.fingerprint).toBe(two);
  });

  it("is the same though the schema's wording has changed, or its server was replaced", () => {
    expect(journalOf({ schemaHash: "2", generation: 2 }).journal?.fingerprint).toBe(known);
    expect(journalOf({ sessionKey: "green" }).journal?.fingerprint).toBe(known);
  });

  it("does not loosen what a person has consented to: that is bound to the schema, and to where the call goes", () => {
    expect(journalOf({ schemaHash: "2" }).approval?.schemaHash).toBe("2");
    expect(journalOf({ sessionKey: "green" }).approval?.target).toBe("green");
  });
});
