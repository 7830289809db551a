import { describe, expect, it } from "vitest";
import type { DispatchTool, UpstreamCall, UpstreamReport } from "../../src/dispatch/ports.ts";
import { send } from "../../src/dispatch/send.ts";
import { toWire } from "../../src/errors.ts";
import { fail, ok } from "../../src/result.ts";
import type { Progress } from "../../src/surface.ts";
import { configOf } from "../support/fake-gateway.ts";
import { refused } from "./retry-kit.ts";

const TOOL: DispatchTool = {
  id: "resource::a:b#00000000",
  upstreamName: "file:///b",
  server: "a",
  target: "configured",
  card: { tags: [], safety: "", side_effects: false },
};
const DEFINITION = { definition: { uri: "file:///b" }, schemaHash: "h", schemaBytes: 2 };
const RETRY = { gateway: { retry: { max_attempts: 3, retryable_codes: ["UPSTREAM_UNAVAILABLE"] } } };
const FINE: UpstreamReport = { answer: ok({ contents: [] }), session: null };
const UNSENT: UpstreamReport = { answer: fail(refused), session: null };
const ASK = { method: "elicitation/create", message: "Which account?" };

/** Sends once, against these reports, the last one again and again. */
async function sending(
  reports: readonly UpstreamReport[],
  over: {
    readonly mayRetry?: (requestId: string) => Promise<boolean>;
    readonly onProgress?: (progress: Progress) => void;
  } = {},
) {
  const calls: UpstreamCall[] = [];
  const refreshes: string[] = [];
  const upstream = {
    sessionKey: "k",
    timeoutMs: 30_000,
    call: async (call: UpstreamCall) => {
      calls.push(call);
      return reports[Math.min(calls.length, reports.length) - 1] ?? FINE;
    },
    cancel: async () => undefined,
  };
  const never = async () => fail({ detail: "not asked" });
  const catalog = {
    version: { catalog: "c", generation: 1 },
    find: () => undefined,
    page: () => ({ tools: [] }),
    similar: () => ["resource::a:c#00000000"],
    definition: never,
  };
  const sent = await send(
    { catalog, tool: TOOL, definition: DEFINITION, schema: {} },
    { page: 1 },
    "attempt",
    upstream,
    undefined,
    "convergent",
    {
      catalogs: {
        current: never,
        atLeast: never,
        newest: never,
        refreshSoon: (reason) => refreshes.push(reason),
      },
      sees: () => true,
      controls: { gateway: configOf(RETRY).gateway, server: () => undefined },
      request: (tool, { definition }, args) => ({
        method: "resources/read",
        params: { uri: tool.upstreamName, definition, args },
      }),
      now: () => 0,
      random: () => 0,
      sleep: async () => undefined,
      ...over,
    },
  );
  return { sent, calls, refreshes };
}

describe("sending a call", () => {
  it("asks in the words of its verb, under ids that are made of the attempt, one for each try", async () => {
    const { sent, calls } = await sending([UNSENT, UNSENT, FINE]);
    expect(sent).toMatchObject({ attempts: 3, result: { ok: true } });
    expect(calls.map(({ requestId }) => requestId)).toEqual(["attempt", "attempt:2", "attempt:3"]);
    for (const { method, params } of calls) {
      expect(method).toBe("resources/read");
      expect(params).toEqual({ uri: "file:///b", definition: DEFINITION.definition, args: { page: 1 } });
    }
  });

  it("asks for no progress and offers no sinks where nobody has any", async () => {
    const { calls } = await sending([FINE]);
    expect(calls.flatMap((call) => Object.keys(call)).toSorted()).toEqual([
      "method",
      "params",
      "requestId",
      "session",
      "timeoutMs",
    ]);
  });

  it("hands progress on from every try", async () => {
    const heard: Progress[] = [];
    const { calls } = await sending([UNSENT, FINE], { onProgress: (each) => heard.push(each) });
    calls.forEach(({ onProgress }, at) => onProgress?.({ progress: at }));
    expect(heard).toEqual([{ progress: 0 }, { progress: 1 }]);
  });

  it("is not sent again once it was taken back, and asks by the next try's id", async () => {
    const asked: string[] = [];
    const { sent, calls } = await sending([UNSENT], {
      mayRetry: async (requestId) => asked.push(requestId) < 2,
    });
    expect([calls.length, asked]).toEqual([2, ["attempt:2", "attempt:3"]]);
    expect(sent).toMatchObject({ attempts: 2, knowledge: "not_dispatched", result: { ok: false } });
  });

  it("says what the upstream wanted with the answer, and in the details of a failure", async () => {
    const { sent } = await sending([{ ...FINE, wanted: [ASK] }]);
    expect(sent.wanted).toEqual([ASK]);
    const failed = await sending([
      {
        answer: fail({ reason: "rpc_error", code: -1, outcome: "completed", detail: "secret" }),
        session: null,
        wanted: [ASK],
      },
    ]);
    if (failed.sent.result.ok) throw new Error("it did not fail");
    const wire = toWire(failed.sent.result.reason);
    expect(wire.details).toEqual({ outcome: "completed", wanted: [ASK] });
    expect(JSON.stringify(wire)).not.toContain("secret");
  });

  it("a failure without wishes has the details that it always had", async () => {
    const { sent } = await sending([
      {
        answer: fail({ reason: "rpc_error", code: -1, outcome: "completed", detail: "" }),
        session: null,
      },
    ]);
    expect(sent.result.ok ? undefined : toWire(sent.result.reason).details).toEqual({ outcome: "completed" });
  });

  it("what the upstream does not know is refreshed, and near misses are named", async () => {
    const { sent, refreshes } = await sending([
      { answer: fail({ reason: "unknown_tool", outcome: "completed", detail: "" }), session: null },
    ]);
    expect(refreshes).toHaveLength(1);
    expect(sent.result.ok ? undefined : sent.result.reason).toMatchObject({
      didYouMean: ["resource::a:c#00000000"],
    });
  });
});
