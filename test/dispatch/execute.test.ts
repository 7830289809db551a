import { describe, expect, it } from "vitest";
import { execute } from "../../src/dispatch/execute.ts";
import type { DispatchAdmission, KeptSession } from "../../src/dispatch/admission.ts";
import type { ResultFigures } from "../../src/dispatch/call-account.ts";
import { ResultCache } from "../../src/dispatch/cache/result-cache.ts";
import type { DispatchCatalog, DispatchTool, ExecutePorts, Remains } from "../../src/dispatch/ports.ts";
import { TOOL_EXECUTE } from "../../src/dispatch/verb.ts";
import { configOf } from "../support/fake-gateway.ts";
import type { LargeSinks } from "../../src/large-result.ts";
import { fail, ok } from "../../src/result.ts";
import { createValidatorCache } from "../../src/schema/validator-cache.ts";

const TOOL: DispatchTool = {
  id: "a:b#00000000",
  upstreamName: "b",
  server: "a",
  target: "configured",
  card: { tags: [], safety: "", side_effects: true },
};
const UNNAMED = { requestKey: null, idempotencyKey: null };
const OPERATION = {
  verb: TOOL_EXECUTE,
  toolId: TOOL.id,
  path: TOOL.id,
  args: {},
  dryRun: false,
  origin: UNNAMED,
};
const ADMITTED: DispatchAdmission = {
  admitted: true,
  stale: false,
  newestGeneration: 1,
  upstreamSessions: [],
};
const FIGURES: ResultFigures = {
  status: "ok",
  rawBytes: 4,
  rawTokens: 1,
  shownBytes: 4,
  shownTokens: 1,
  artifactCount: 0,
  artifactBytes: 0,
};
const NO_SINKS: LargeSinks = {
  open: () => {
    throw new Error("nothing here is large");
  },
};
const KEPT: KeptSession = { sessionId: "s", protocolVersion: "1" };

const catalogOf = (generation: number): DispatchCatalog<DispatchTool> => ({
  version: { catalog: "c", generation },
  find: (id) => (id === TOOL.id ? TOOL : undefined),
  page: () => ({ tools: [TOOL] }),
  similar: () => [],
  definition: async () =>
    ok({ definition: { inputSchema: { type: "object" } }, schemaHash: "h", schemaBytes: 9 }),
});

/** Ports that note every step they are asked for. */
function rig(overrides: Partial<ExecutePorts<DispatchTool, string>> = {}, after: KeptSession | null = KEPT) {
  const steps: string[] = [];
  const settled: unknown[] = [];
  const ended: Remains<DispatchTool, string>[] = [];
  const ports: ExecutePorts<DispatchTool, string> = {
    catalogs: {
      current: async () => {
        steps.push("current");
        return ok(catalogOf(1));
      },
      atLeast: async (generation) => {
        steps.push(`atLeast ${generation}`);
        return ok(catalogOf(generation));
      },
      newest: async () => {
        steps.push("newest");
        return ok(catalogOf(1));
      },
      refreshSoon: () => undefined,
    },
    validators: createValidatorCache(),
    controls: { gateway: configOf({}).gateway, server: () => undefined },
    results: new ResultCache({ ttlMs: 1, maxEntries: 1 }),
    principal: "ada",
    newId: () => "id",
    now: () => 0,
    random: () => 0,
    sleep: async () => undefined,
    askApproval: async () => ok(undefined),
    keepAnswer: async () => ({ answer: { text: "kept" }, kept: [] }),
    sees: () => true,
    admit: async () => {
      steps.push("admit");
      return ADMITTED;
    },
    upstream: () =>
      ok({
        sessionKey: "k",
        timeoutMs: 1000,
        call: async () => {
          steps.push("send");
          return { answer: ok({}), session: after };
        },
        cancel: async () => undefined,
      }),
    request: (tool, _definition, args) => ({
      method: "tools/call",
      params: { name: tool.upstreamName, arguments: args },
    }),
    largeSinks: () => NO_SINKS,
    present: async () => {
      steps.push("present");
      return ok({ answer: "answer", kept: [], figures: FIGURES });
    },
    settle: (remains) => {
      const { opened, lost } = remains;
      steps.push("settle");
      settled.push({ opened, lost });
      ended.push(remains);
    },
    waitUntil: () => {
      steps.push("waitUntil");
    },
    ...overrides,
  };
  return { ports, steps, settled, ended };
}

describe("the execute pipeline", () => {
  it("goes through its stages in order, once each", async () => {
    const { ports, steps } = rig();
    expect(await execute(OPERATION, ports)).toEqual({ kind: "answer", answer: "answer" });
    expect(steps.filter((step) => step !== "waitUntil")).toEqual([
      "current",
      "admit",
      "send",
      "present",
      "settle",
    ]);
    expect(steps).toContain("waitUntil");
  });

  it("sends nothing on a dry run", async () => {
    const { ports, steps } = rig();
    expect(await execute({ ...OPERATION, dryRun: true }, ports)).toMatchObject({ kind: "report" });
    expect(steps).toEqual(["current", "admit", "settle"]);
  });

  it("stops at the first stage that says no", async () => {
    const unknown = rig();
    await execute({ ...OPERATION, toolId: "a:c#00000000" }, unknown.ports);
    expect(unknown.steps).toEqual(["current", "newest", "settle"]);
    const refused = rig({ admit: async () => ({ admitted: false, reason: "token_revoked" }) });
    expect(await execute(OPERATION, refused.ports)).toMatchObject({
      kind: "failed",
      failure: { reason: "not_ready", what: "principal" },
    });
    expect(refused.steps).toEqual(["current", "settle"]);
    const invalid = rig({
      validators: { size: 0, compile: () => fail({ code: "ref_cycle", path: "", fatal: true }) },
    });
    expect(await execute(OPERATION, invalid.ports)).toMatchObject({ failure: { reason: "schema" } });
    expect(invalid.steps).toEqual(["current", "settle"]);
  });

  it("begins anew, once, from the catalog that the principal has met", async () => {
    const admissions = [{ ...ADMITTED, stale: true, newestGeneration: 7 }, ADMITTED];
    const once = rig({ admit: async () => admissions.shift() ?? ADMITTED });
    expect(await execute(OPERATION, once.ports)).toMatchObject({ kind: "answer" });
    expect(once.steps).toContain("atLeast 7");
    const always = rig({ admit: async () => ({ ...ADMITTED, stale: true, newestGeneration: 7 }) });
    expect(await execute(OPERATION, always.ports)).toMatchObject({ failure: { reason: "not_ready" } });
    expect(always.steps).not.toContain("send");
  });

  it("accounts for the catalog that decided, and for nothing of the one before it", async () => {
    const empty = { ...catalogOf(7), find: () => undefined };
    const none = ok(empty);
    const { ports, ended } = rig({ admit: async () => ({ ...ADMITTED, stale: true, newestGeneration: 7 }) });
    const catalogs = { ...ports.catalogs, atLeast: async () => none, newest: async () => none };
    expect(await execute(OPERATION, { ...ports, catalogs })).toMatchObject({
      failure: { reason: "unknown_id" },
    });
    expect(ended).toMatchObject([{ seen: null, account: { tool: null, generation: null, attempts: 0 } }]);
  });

  it.each([
    ["a call", {}, { attempts: 1, argsValid: true, argCount: 0, repairs: 0, figures: FIGURES }],
    ["a dry run", { dryRun: true }, { attempts: 0, dryRun: true, argsValid: true, figures: null }],
    ["a wrong call", { args: 5 }, { attempts: 0, argsValid: false, argCount: null }],
    ["an unknown tool", { toolId: "a:c#00000000" }, { attempts: 0, tool: null, replay: null }],
  ])("accounts for %s once", async (_, operation, account) => {
    const { ports, ended } = rig();
    const executed = await execute({ ...OPERATION, ...operation }, ports);
    expect(ended).toMatchObject([{ executed, account: { attempt: "id", ...account } }]);
  });

  it("says that the tool has run where presenting its result throws", async () => {
    const { ports, steps } = rig({ present: () => Promise.reject(new Error("out of memory")) });
    expect(await execute(OPERATION, ports)).toMatchObject({
      kind: "failed",
      failure: { reason: "internal", outcome: "completed" },
    });
    expect(steps).toContain("settle");
  });

  it.each([
    ["opened", undefined, KEPT, { opened: [{ key: "k", ...KEPT }], lost: [] }],
    ["unchanged", KEPT, KEPT, { opened: [], lost: [] }],
    ["replaced", { ...KEPT, sessionId: "old" }, KEPT, { opened: [{ key: "k", ...KEPT }], lost: [] }],
    ["lost", KEPT, null, { opened: [], lost: [{ key: "k", sessionId: "s" }] }],
    ["never there", undefined, null, { opened: [], lost: [] }],
    [
      "one that the upstream does not keep",
      undefined,
      { sessionId: "", protocolVersion: "1" },
      { opened: [{ key: "k", sessionId: "", protocolVersion: "1" }], lost: [] },
    ],
  ])("settles a session that was %s", async (_, before, after, report) => {
    const upstreamSessions = before === undefined ? [] : [{ key: "k", ...before }];
    const { ports, settled } = rig({ admit: async () => ({ ...ADMITTED, upstreamSessions }) }, after);
    await execute(OPERATION, ports);
    expect(settled).toEqual([report]);
  });
});
