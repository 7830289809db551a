import { describe, expect, it } from "vitest";
import type { AdmitDecision } from "../../src/principal/admit-contract.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { principalPort } from "../../src/principal/principals-store.ts";

const ADMITTED: AdmitDecision = {
  version: 1,
  admitted: true,
  newestGeneration: null,
  stale: false,
  arrangement: null,
  upstreamSessions: [],
  rowsWritten: 0,
};
const REQUEST = { version: 1, tokenId: "t" } as const;

/** A namespace whose stubs fail as told, one after another, then answer; a stub that threw is dead, as on the platform. */
function failing(failures: readonly unknown[]) {
  const names: string[] = [];
  const left = [...failures];
  const answer = <Answer>(value: Answer) => {
    let dead = false;
    return async (): Promise<Answer> => {
      if (dead) throw new Error("the stub is dead");
      if (left.length === 0) return value;
      dead = true;
      return Promise.reject(left.shift());
    };
  };
  const nothing = { state: null, expiresAtMs: null, rowsWritten: 0 };
  const verdict = { version: 1, outcome: "unknown", ...nothing } as const;
  const settled = { version: 1, accepted: true, rowsWritten: 0 } as const;
  const noted = { version: 1, cancelled: false, rowsWritten: 0 } as const;
  const getByName = (name: string) => {
    names.push(name);
    return {
      admit: answer(ADMITTED),
      settle: answer(settled),
      noteFlight: answer(noted),
      revoke: answer(settled),
      decideApproval: answer(verdict),
      reviewArtifacts: answer(settled),
    };
  };
  return { names, getByName };
}

const error = (flags: { readonly retryable?: unknown; readonly overloaded?: unknown }) =>
  Object.assign(new Error("lost"), flags);

describe("the way to a principal's object", () => {
  it("names the object by the principal", async () => {
    const namespace = failing([]);
    expect(await principalPort(namespace, "ada").admit(REQUEST)).toEqual({ ok: true, value: ADMITTED });
    expect(namespace.names).toEqual([principalObjectName("ada")]);
  });

  it.each([
    ["a retryable error, once", [error({ retryable: true })], 2, true],
    ["a second retryable error", [error({ retryable: true }), error({ retryable: true })], 2, false],
    ["an overloaded object", [error({ retryable: true, overloaded: true })], 1, false],
    ["an error of the object's own", [error({})], 1, false],
    ["a flag that is no boolean", [error({ retryable: "yes" })], 1, false],
    ["what is no error", ["text"], 1, false],
    ["nothing thrown", [null], 1, false],
  ])("after %s asks with a new stub or gives up, and never throws", async (_, failures, asked, ok) => {
    for (const call of ["admit", "settle", "revoke", "decideApproval", "reviewArtifacts"] as const) {
      const namespace = failing(failures);
      const port = principalPort(namespace, "ada");
      const answers = {
        admit: () => port.admit(REQUEST),
        settle: () => port.settle({ version: 1 }),
        revoke: () => port.revoke({ ...REQUEST, expiresAtMs: 1 }),
        decideApproval: () => port.decideApproval({ version: 1, approvalId: "a", decision: "grant" }),
        reviewArtifacts: () => port.reviewArtifacts({ version: 1 }),
      };
      expect((await answers[call]()).ok).toBe(ok);
      expect(namespace.names).toHaveLength(asked);
    }
  });
});
