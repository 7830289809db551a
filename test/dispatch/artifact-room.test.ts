import { describe, expect, it } from "vitest";
import type { ArtifactQuota, DispatchAdmission } from "../../src/dispatch/admission.ts";
import { askOf, judgeAdmission, refusalOf } from "../../src/dispatch/admit.ts";
import { toWire } from "../../src/errors.ts";
import { JOURNAL_LEASE_GRACE_MS } from "../../src/limits.ts";
import { ok } from "../../src/result.ts";
import { TOOL_EXECUTE } from "../../src/dispatch/verb.ts";
import { configOf } from "../support/fake-gateway.ts";

const QUOTA: ArtifactQuota = { maxBytes: 1000, maxCount: 10, onFull: "refuse", bytes: 64, count: 3 };
const CALL = {
  verb: TOOL_EXECUTE,
  tool: {
    id: "a:b#00000000",
    upstreamName: "b",
    server: "a",
    target: "configured",
    card: { tags: [], safety: "", side_effects: true },
  },
  definition: { definition: {}, schemaHash: "1", schemaBytes: 2 },
  catalogVersion: { catalog: "c", generation: 1 },
  permitted: { rule: null, why: undefined },
  args: {},
} as const;
const ADMITTED = { admitted: true, stale: false, newestGeneration: 1, upstreamSessions: [] } as const;

function asked(artifactQuota: ArtifactQuota | undefined, dryRun = false) {
  const origin = { requestKey: null, idempotencyKey: null };
  const asking = { attempt: "1", origin, replay: "convergent", timeoutMs: 30_000, dryRun } as const;
  return askOf(
    CALL,
    { ...asking, sessionKey: "s", artifactQuota },
    { gateway: configOf({}).gateway, server: () => undefined },
  );
}

const admittedBy = (admission: DispatchAdmission) =>
  judgeAdmission(asked(QUOTA), admission, CALL, "convergent", {
    admit: async () => admission,
    askApproval: async () => ok(undefined),
  });

describe("room for what is kept of a result", () => {
  it("is asked for under the attempt's name, until the call's deadline and the time for its report are over", () => {
    const reserve = { ...QUOTA, leaseMs: 30_000 + JOURNAL_LEASE_GRACE_MS };
    expect(asked(QUOTA)).toMatchObject({ attempt: "1", reserve });
    expect(asked(QUOTA)).not.toHaveProperty("dry");
    expect(asked(QUOTA, true)).toMatchObject({ attempt: "1", dry: true, reserve });
  });

  it("is not asked for where there is no quota: the call is then as it was", () => {
    for (const dryRun of [false, true]) {
      expect(Object.keys(asked(undefined, dryRun)).toSorted()).toEqual(["catalogVersion", "upstreams"]);
    }
  });

  it("is handed on as far as it was given, and nothing where an older object says nothing of it", async () => {
    const artifactAllowance = { bytes: 7, count: 1 };
    expect(await admittedBy({ ...ADMITTED, artifactAllowance })).toMatchObject({
      value: { admitted: { allowance: artifactAllowance } },
    });
    expect(await admittedBy(ADMITTED)).toMatchObject({ value: { admitted: { allowance: undefined } } });
  });

  it("that a dry call would not find is a limit that it would meet", async () => {
    expect(await admittedBy({ ...ADMITTED, artifactsFull: { retryAfterMs: 5 } })).toMatchObject({
      value: { admitted: { exceeded: { scope: "artifacts", retryAfterMs: 5 } } },
    });
    expect(await admittedBy({ ...ADMITTED, artifactsFull: null })).toMatchObject({
      value: { admitted: { exceeded: null } },
    });
  });

  it("that is not there is a limit that was reached, for as long as is known", () => {
    const wire = (retryAfterMs: number | null) =>
      toWire(refusalOf({ reason: "artifacts_full", retryAfterMs }, "a:b#00000000", "tool_execute"));
    expect(wire(90_000)).toEqual({
      error: "RATE_LIMITED",
      message: "what is kept of results has reached its quota",
      path: "a:b#00000000",
      retryable: true,
      details: {
        scope: "artifacts",
        retry_after: 90,
        try: "wait, or ask the operator to free what is kept, to raise artifacts.max_bytes, or to set on_full to evict",
      },
    });
    expect(wire(null).details).toMatchObject({ scope: "artifacts", retry_after: null });
  });
});
