import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../src/errors.ts";
import type { Result } from "../../src/result.ts";
import type { UpstreamTarget } from "../../src/upstream/upstream-io.ts";
import { answerWith, generatedAnswer, type GeneratedAnswer } from "../support/hostile-upstream/generated.ts";
import { startHostileUpstream } from "../support/hostile-upstream/server.ts";
import { callTool, io, KEPT, targetOf, listEntries } from "./rig.ts";

const CALL = { name: "echo", args: {} };
/** For answers that never end. All others end by themselves, and a deadline that strikes would show a silent wait. */
const TINY_MS = 60;
const OUTCOMES: ReadonlySet<string> = new Set(["not_dispatched", "completed", "unknown"]);
const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504]);

type Answer = Result<unknown, UpstreamFailure>;

/**
 * Operates against generated ways to answer `rpcMethod`. Each must give a typed outcome for which `allows` holds, throw
 * nothing, leave nothing open at the server and wait for its deadline only where the answer never ends. Gives the number
 * of requests that arrived by GET.
 */
async function holdTheLaw(
  rpcMethod: string,
  operate: (target: UpstreamTarget) => Promise<{ answer: Answer }>,
  allows: (failure: UpstreamFailure) => boolean = () => true,
): Promise<number> {
  let current: GeneratedAnswer | undefined;
  const upstream = await startHostileUpstream(answerWith(rpcMethod, () => current));
  const lawful = ({ ending, status }: GeneratedAnswer, answer: Answer): boolean => {
    if (answer.ok) return true;
    const { reason, outcome } = answer.reason;
    const mayWait = ending === "hang" || TIMEOUT_STATUSES.has(status);
    return OUTCOMES.has(outcome) && (reason !== "timeout" || mayWait) && allows(answer.reason);
  };
  try {
    await fc.assert(
      fc.asyncProperty(generatedAnswer, async (generated) => {
        current = generated;
        const patience = generated.ending === "hang" ? { timeoutMs: TINY_MS } : {};
        const { answer } = await operate(targetOf(upstream.url, patience));
        await upstream.idle();
        return lawful(generated, answer);
      }),
      { numRuns: 100 },
    );
    return upstream.count("GET");
  } finally {
    await upstream.close();
  }
}

describe("an upstream that answers at random", { timeout: 60_000 }, () => {
  it("gives a typed outcome to a call on a kept session", async () => {
    expect(await holdTheLaw("tools/call", (target) => callTool(target, KEPT, CALL, io()))).toBe(0);
  });

  it("gives a typed outcome to a handshake, and nothing was dispatched", async () => {
    const call = (target: UpstreamTarget) => callTool(target, undefined, CALL, io());
    expect(await holdTheLaw("initialize", call, ({ outcome }) => outcome === "not_dispatched")).toBe(0);
  });

  it("gives a typed outcome to a listing", async () => {
    expect(await holdTheLaw("tools/list", (target) => listEntries(target, KEPT, io()))).toBe(0);
  });
});
