import { describe, expect, it, vi } from "vitest";
import { flightKey } from "../../src/dispatch/flight.ts";
import type { KeptSession } from "../../src/dispatch/admission.ts";
import { fail, ok } from "../../src/result.ts";
import {
  JOURNAL_LEASE_GRACE_MS,
  TAKEN_BACK_GRACE_MS,
  TAKEN_BACK_LOOK_MS,
  UPSTREAM_TIMEOUT_MAX_MS,
} from "../../src/limits.ts";
import {
  fakeCaller,
  type FakeCall,
  fakeGateway,
  type FakeGatewayOptions,
  jsonOf,
} from "../support/fake-gateway.ts";
import { CATALOG, getCall, server } from "./controlled.ts";

const ORIGIN = { requestKey: "7", idempotencyKey: null };
const OPENED: KeptSession = { sessionId: "up-1", protocolVersion: "2025-06-18" };
const FINE = ok({ content: [{ type: "text", text: "fine" }] });
const REFUSED = fail({
  reason: "rate_limited",
  outcome: "not_dispatched",
  retryAfterSeconds: null,
  detail: "slow down",
} as const);

/** One call, and what the upstream does with each try of it. */
async function callOnce(
  tries: readonly ((call: FakeCall) => typeof FINE | typeof REFUSED)[],
  {
    origin = ORIGIN,
    args = {},
    caller = fakeCaller(),
  }: {
    readonly origin?: typeof ORIGIN | { readonly requestKey: null; readonly idempotencyKey: null };
    readonly args?: object;
    readonly caller?: ReturnType<typeof fakeCaller>;
  } = {},
) {
  let made = 0;
  const gateway = { retry: { max_attempts: 3, base_delay_ms: 1, retryable_codes: ["RATE_LIMITED"] } };
  const fake = fakeGateway({
    catalog: CATALOG,
    config: { mcpServers: server(), gateway },
    answer: (call) => (tries[made++] ?? (() => FINE))(call),
  });
  const answer = await fake.surface.call("tool_execute", { ...getCall, ...args }, caller.context, origin);
  await Promise.all(caller.background);
  return { ...fake, caller, answer };
}

const opens = (call: FakeCall) => {
  call.request.onSession?.(OPENED);
  return FINE;
};
const opensAndRefuses = (call: FakeCall) => {
  call.request.onSession?.(OPENED);
  return REFUSED;
};

describe("a call that can be taken back", () => {
  it("is noted with admit, before it is sent: where it goes, and by which id", async () => {
    const { caller, calls } = await callOnce([]);
    const [ask] = caller.asks;
    expect(ask?.flight).toEqual({
      requestKey: flightKey("7"),
      upstream: "key of github",
      server: "github",
      target: "configured",
      requestId: ask?.attempt,
      leaseMs: 30_000 + JOURNAL_LEASE_GRACE_MS,
      toolId: getCall.tool_id,
      contract: "never_replay",
    });
    expect(calls.map(({ request }) => request.requestId)).toEqual([ask?.attempt]);
    expect([caller.asks.length, caller.notes.length]).toEqual([1, 0]);
    expect(caller.settled).toEqual([ask?.attempt]);
  });

  it("is nothing that its caller cannot name, and nothing that is not sent", async () => {
    const unnamed = await callOnce([opens], { origin: { requestKey: null, idempotencyKey: null } });
    const dry = await callOnce([], { args: { dry_run: true } });
    for (const { caller } of [unnamed, dry]) {
      expect(caller.asks.map(({ flight }) => flight)).toEqual([undefined]);
      expect(caller.notes).toEqual([]);
    }
  });

  it("is nothing that the cache answers: that costs no row, and is let in all the same", async () => {
    const config = { mcpServers: server({ trust_hints: true }), gateway: { cache: { read_only: true } } };
    const { surface, calls } = fakeGateway({ catalog: CATALOG, config });
    const caller = fakeCaller();
    const ask = async (args: object) => {
      const answer = await surface.call("tool_execute", { ...getCall, ...args }, caller.context, ORIGIN);
      await Promise.all(caller.background);
      return answer;
    };
    const first = await ask({});
    const hit = await ask({});
    await ask({ dry_run: true });
    expect(hit?.content).toEqual(first?.content);
    expect(caller.asks.map(({ flight }) => flight !== undefined)).toEqual([true, false, false]);
    expect(calls.length).toBe(1);
  });

  it("is nothing that a block of the configuration answers by itself", async () => {
    const { surface, calls } = fakeGateway({
      catalog: CATALOG,
      config: { mcpServers: server() },
      isLocal: true,
    });
    const caller = fakeCaller();
    await surface.call("tool_execute", getCall, caller.context, ORIGIN);
    await Promise.all(caller.background);
    expect(caller.asks.map(({ flight }) => flight)).toEqual([undefined]);
    expect(calls.length).toBe(1);
  });

  it("has its session noted once it is open, and goes on meanwhile", async () => {
    const { caller, cancels, answer } = await callOnce([opens]);
    const attempt = caller.asks[0]?.attempt;
    expect(caller.notes).toEqual([{ attempt, requestId: attempt, session: OPENED }]);
    expect([cancels, answer?.isError]).toEqual([[], undefined]);
  });

  it("is cancelled by whoever opened its session, where it was taken back before anybody knew of that", async () => {
    const { caller, cancels } = await callOnce([opens], { caller: fakeCaller({ cancelled: true }) });
    const requestId = caller.asks[0]?.attempt;
    expect(cancels).toEqual([{ server: "github", requestId, reason: undefined, session: OPENED }]);
  });

  it("is asked about before it is sent again, each time by the next try's id", async () => {
    const { caller, calls } = await callOnce([() => REFUSED, () => REFUSED]);
    const attempt = caller.asks[0]?.attempt;
    expect(calls.map(({ request }) => request.requestId)).toEqual([attempt, `${attempt}:2`, `${attempt}:3`]);
    expect(caller.notes).toEqual([
      { attempt, requestId: `${attempt}:2` },
      { attempt, requestId: `${attempt}:3` },
    ]);
  });

  it("is not sent again once it is taken back, and fails as it had failed by then", async () => {
    const { calls, answer, caller } = await callOnce([() => REFUSED], {
      caller: fakeCaller({ cancelled: true }),
    });
    expect(calls.length).toBe(1);
    expect(jsonOf(answer)).toMatchObject({ error: "RATE_LIMITED", retryable: true });
    expect(caller.settled.length).toBe(1);
  });

  it("is not asked about twice where it is known to be taken back", async () => {
    const { caller, calls } = await callOnce([opensAndRefuses], { caller: fakeCaller({ cancelled: true }) });
    expect([calls.length, caller.notes.length]).toEqual([1, 1]);
  });

  it("goes on where nobody can tell: the object does not answer", async () => {
    const caller = fakeCaller();
    const context = {
      ...caller.context,
      noteFlight: () => Promise.reject(new Error("gone")),
    };
    const { calls, answer, log } = await callOnce([opensAndRefuses], { caller: { ...caller, context } });
    expect([calls.length, answer?.isError]).toEqual([2, undefined]);
    expect(log.every((line) => line.startsWith("a call could not be noted"))).toBe(true);
  });
});

describe("a call that is taken back while its server is at work", () => {
  const ended = fail({ reason: "cancelled", outcome: "unknown", detail: "the caller went away" } as const);

  /** Ends with its signal alone. */
  const untilEnded = ({ request: { signal } }: FakeCall) =>
    new Promise<typeof ended>((resolve) => {
      signal?.addEventListener("abort", () => {
        resolve(ended);
      });
    });

  async function begun(
    { hasNeighbours = false, cancelled = false } = {},
    answer: FakeGatewayOptions["answer"] = untilEnded,
  ) {
    const caller = fakeCaller({ cancelled });
    const fake = fakeGateway({ catalog: CATALOG, config: { mcpServers: server() }, answer });
    const origin = { ...ORIGIN, ...(hasNeighbours ? { hasNeighbours } : {}) };
    const work = fake.surface.call("tool_execute", getCall, caller.context, origin);
    await vi.waitUntil(() => fake.calls.length === 1);
    return { ...fake, caller, work, attempt: caller.asks[0]?.attempt ?? "" };
  }

  it("ends behind a grace, where that is heard in its isolate", async () => {
    const { ports, work, attempt, clock, calls } = await begun();
    const startedMs = clock.nowMs;
    ports.running.takeBack("another");
    await Promise.resolve();
    expect(calls[0]?.request.signal?.aborted).toBe(false);
    ports.running.takeBack(attempt);
    expect(jsonOf(await work)).toMatchObject({ error: "UPSTREAM_ERROR", details: { outcome: "unknown" } });
    expect(clock.nowMs - startedMs).toBe(TAKEN_BACK_GRACE_MS);
  });

  it("is cancelled at its server also where its object says so only when it has ended here", async () => {
    let say: (cancelled: boolean) => void = () => undefined;
    const caller = fakeCaller();
    const context = {
      ...caller.context,
      noteFlight: () =>
        new Promise<boolean>((resolve) => {
          say = resolve;
        }),
    };
    const fake = fakeGateway({
      catalog: CATALOG,
      config: { mcpServers: server() },
      answer: (call) => {
        call.request.onSession?.(OPENED);
        return untilEnded(call);
      },
    });
    const work = fake.surface.call("tool_execute", getCall, context, ORIGIN);
    await vi.waitUntil(() => fake.calls.length === 1);
    const attempt = caller.asks[0]?.attempt ?? "";
    fake.ports.running.takeBack(attempt);
    await work;
    expect(fake.cancels).toEqual([]);
    say(true);
    await Promise.all(caller.background);
    expect(fake.cancels).toMatchObject([{ requestId: attempt, session: OPENED }]);
  });

  it("ends so where its own question finds that out, which it asks for the sake of its neighbours alone", async () => {
    const { work, caller, attempt, clock } = await begun({ hasNeighbours: true, cancelled: true });
    expect(jsonOf(await work)).toMatchObject({ details: { outcome: "unknown" } });
    expect(caller.notes).toEqual([{ attempt }]);
    expect(clock.nowMs - Date.parse("2026-11-27T00:00:00Z")).toBe(TAKEN_BACK_LOOK_MS + TAKEN_BACK_GRACE_MS);
    const alone = await begun({ cancelled: true });
    alone.ports.running.takeBack(alone.attempt);
    await alone.work;
    expect(alone.caller.notes).toEqual([]);
  });

  it("asks ever more rarely, so that what else its request has to ask finds room", async () => {
    const caller = fakeCaller();
    const fake = fakeGateway({ catalog: CATALOG, config: { mcpServers: server() }, answer: untilEnded });
    const startedMs = fake.clock.nowMs;
    let asked = 0;
    const noteFlight = async () => {
      asked += 1;
      return fake.clock.nowMs - startedMs >= UPSTREAM_TIMEOUT_MAX_MS;
    };
    const origin = { ...ORIGIN, hasNeighbours: true };
    await fake.surface.call("tool_execute", getCall, { ...caller.context, noteFlight }, origin);
    expect(asked).toBeLessThanOrEqual(25);
  });

  it("is forgotten where it has ended: nothing is ended later, and nobody asks any more", async () => {
    const { work, ports, attempt, calls, caller } = await begun({ hasNeighbours: true }, () => FINE);
    await work;
    const asked = caller.notes.length;
    ports.running.takeBack(attempt);
    await vi.waitUntil(() => caller.settled.length === 1);
    expect([calls[0]?.request.signal?.aborted, caller.notes.length]).toEqual([false, asked]);
  });
});
