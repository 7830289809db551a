import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ArtifactQuota } from "../../src/dispatch/admission.ts";
import { ResultCache } from "../../src/dispatch/cache/result-cache.ts";
import { execute } from "../../src/dispatch/execute.ts";
import { TOOL_EXECUTE } from "../../src/dispatch/verb.ts";
import type { CallNotes, DispatchTool, ExecutePorts, KeptArtifact } from "../../src/dispatch/ports.ts";
import { ok } from "../../src/result.ts";
import { createValidatorCache } from "../../src/schema/validator-cache.ts";
import { configOf } from "../support/fake-gateway.ts";
import { EVICT, principal, REFUSE, row } from "./artifact-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { sql } from "./principal-client.ts";

farAheadClock();

const TOOL: DispatchTool = {
  id: "a:b#00000000",
  target: "configured",
  upstreamName: "b",
  server: "a",
  card: { tags: [], safety: "", side_effects: true },
};
const OPERATION = {
  toolId: TOOL.id,
  path: TOOL.id,
  args: {},
  verb: TOOL_EXECUTE,
  dryRun: false,
  origin: { requestKey: null, idempotencyKey: null },
};
const VERSION = { catalog: "c", generation: 1 };
const FIGURES = {
  status: "ok",
  rawBytes: 0,
  rawTokens: 0,
  shownBytes: 0,
  shownTokens: 0,
  artifactCount: 0,
  artifactBytes: 0,
} as const;

/**
 * The execute pipeline over a principal's real object. Every answer is kept whole, in one artifact of so many bytes, where
 * that is allowed.
 */
function calls(name: string, quota: ArtifactQuota, sizeBytes: number) {
  const ada = principal(name);
  const sent: string[] = [];
  const kept: KeptArtifact[] = [];
  const work: Promise<unknown>[] = [];
  let upstreamEnds = Promise.resolve();
  const keep = ({ allowance }: Pick<CallNotes, "allowance">): KeptArtifact[] => {
    if (allowance === undefined || allowance.bytes < sizeBytes || allowance.count < 1) return [];
    const artifact = row(kept.length + 1, { sizeBytes });
    kept.push(artifact);
    return [artifact];
  };
  const ports: ExecutePorts<DispatchTool, string> = {
    catalogs: {
      current: async () =>
        ok({
          version: VERSION,
          find: () => TOOL,
          page: () => ({ tools: [TOOL] }),
          similar: () => [],
          definition: async () =>
            ok({ definition: { inputSchema: { type: "object" } }, schemaHash: "h", schemaBytes: 9 }),
        }),
      atLeast: async () => ports.catalogs.current(),
      newest: async () => ports.catalogs.current(),
      refreshSoon: () => undefined,
    },
    validators: createValidatorCache(),
    controls: { gateway: configOf({}).gateway, server: () => undefined },
    results: new ResultCache({ ttlMs: 1, maxEntries: 1 }),
    principal: name,
    artifactQuota: quota,
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    random: () => 0,
    sleep: async () => undefined,
    askApproval: async () => ok(undefined),
    keepAnswer: async () => ({ answer: null, kept: [] }),
    sees: () => true,
    admit: async ({ catalogVersion, attempt, dry, reserve }) =>
      ada.admit({ catalogVersion, attempt, dry, reserve }),
    largeSinks: () => ({
      open: () => {
        throw new Error("no answer here is large");
      },
    }),
    upstream: () =>
      ok({
        sessionKey: "k",
        timeoutMs: 30_000,
        call: async () => {
          sent.push("call");
          await upstreamEnds;
          return { answer: ok({}), session: null };
        },
        cancel: async () => undefined,
      }),
    request: (tool, _definition, args) => ({
      method: "tools/call",
      params: { name: tool.upstreamName, arguments: args },
    }),
    present: async (_tool, _result, notes) => {
      const artifacts = keep(notes);
      return ok({ answer: artifacts.length === 0 ? "not kept" : "kept", kept: artifacts, figures: FIGURES });
    },
    settle: ({ kept: artifacts, account }) => {
      work.push(ada.settle({ attempt: account.attempt, artifacts: [...artifacts], artifactQuota: quota }));
    },
    waitUntil: (more) => {
      work.push(more);
    },
  };
  return {
    sent,
    kept,
    /** What a call is answered with, or the reason why there is none, when all that it left behind is reported. */
    call: async (operation: Partial<typeof OPERATION> = {}): Promise<string> => {
      const executed = await execute({ ...OPERATION, ...operation }, ports);
      while (work.length > 0) await work.pop();
      if (executed.kind === "answer") return executed.answer;
      if (executed.kind === "report") return JSON.stringify(executed.report.checks);
      return executed.kind === "failed" ? executed.failure.reason : executed.kind;
    },
    holdUpstream: (): (() => void) => {
      let release = (): void => undefined;
      upstreamEnds = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        release();
      };
    },
  };
}

describe("calls against a quota of what is kept", () => {
  it("are made until it is full, all of what they answer is kept, and none is sent after", async () => {
    const { call, sent, kept } = calls("ada", { ...REFUSE, bytes: 200, count: 2 }, 100);
    const answers: string[] = [];
    for (let made = 0; made < 20; made += 1) answers.push(await call());
    expect(answers).toEqual([
      ...Array.from({ length: 16 }, () => "kept"),
      ...Array.from({ length: 4 }, () => "artifacts_full"),
    ]);
    expect([sent.length, kept.length]).toEqual([16, 16]);
    expect(await call({ dryRun: true })).toContain('"rate_limit","status":"fail","code":"RATE_LIMITED"');
    expect(sent).toHaveLength(16);
  });

  it("are still made where they keep nothing: nearly full is not full", async () => {
    const { call, sent } = calls("ada", { ...REFUSE, bytes: 200, count: 2 }, 201);
    const answers: string[] = [];
    for (let made = 0; made < 40; made += 1) answers.push(await call());
    expect(new Set(answers)).toEqual(new Set(["not kept"]));
    expect(sent).toHaveLength(40);
  });

  it("hold their room while they are under way, those of one principal in all its Workers together", async () => {
    const quota = { ...REFUSE, bytes: 1600, count: 16 };
    const [left, right] = [calls("ada", quota, 1000), calls("ada", quota, 1000)];
    const release = left.holdUpstream();
    const first = left.call();
    while (left.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await right.call()).toBe("artifacts_full");
    release();
    expect(await first).toBe("kept");
    // What is left is less than what one call has kept already.
    expect(await right.call()).toBe("artifacts_full");
  });

  it("go on over an object that dies between them, where the oldest answers give way", async () => {
    const { call, sent } = calls("ada", { ...EVICT, bytes: 200, count: 2 }, 100);
    for (let made = 0; made < 20; made += 1) {
      expect(await call()).toBe("kept");
      await abortAllDurableObjects();
    }
    expect(sent).toHaveLength(20);
    const gone = await sql("ada", "SELECT handle FROM gone_artifacts ORDER BY handle");
    expect(gone.map(({ handle }) => Number(handle))).toEqual([1, 2, 3, 4]);
  });
});
