import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeOfFailure } from "../../src/fault-of-failure.ts";
import type { UpstreamFailure } from "../../src/errors.ts";
import { busy, FIRST, lost, play, refused, type Script, scripts, SETTINGS, step } from "./retry-kit.ts";

const script = (over: Partial<Script>): Script => ({
  contract: "convergent",
  settings: SETTINGS,
  timeoutMs: 30_000,
  kept: undefined,
  steps: [step(null)],
  chance: 0,
  ...over,
});

describe("a call that is tried again", () => {
  it("is sent once, and with no time of its own, where one try is all there is", async () => {
    const settings = { ...SETTINGS, max_attempts: 1 };
    const { tried, sent, waits } = await play(script({ settings, steps: [step(refused)], kept: FIRST }));
    expect(sent).toEqual([{ session: FIRST, limitMs: undefined }]);
    expect(waits).toEqual([]);
    expect(tried).toEqual({
      answer: { ok: false, reason: refused },
      session: FIRST,
      attempts: 1,
      overcome: [],
      knowledge: "not_dispatched",
    });
  });

  it.each(["convergent", "probe_required", "never_replay"] as const)(
    "goes out again under any contract while it is proven that nothing was sent: %s",
    async (contract) => {
      const { tried } = await play(script({ contract, steps: [step(refused), step(refused), step(null)] }));
      expect(tried).toMatchObject({ answer: { ok: true }, attempts: 3, knowledge: "completed" });
    },
  );

  it.each([
    ["convergent", 2, "completed"],
    ["probe_required", 1, "outcome_unknown"],
    ["never_replay", 1, "outcome_unknown"],
  ] as const)(
    "after a lost answer, by its contract: %s is sent %i times",
    async (contract, times, knowledge) => {
      const { tried } = await play(script({ contract, steps: [step(lost), step(null)] }));
      expect(tried).toMatchObject({ attempts: times, knowledge });
    },
  );

  it("never repeats what a tool answered, an error of its own included", async () => {
    const { sent } = await play(script({ steps: [step(null)] }));
    expect(sent).toHaveLength(1);
  });

  it("says that the outcome is unknown where a try after a lost one is turned away unread", async () => {
    const settings = { ...SETTINGS, max_attempts: 2 };
    const { tried } = await play(script({ settings, steps: [step(lost), step(refused)] }));
    expect(tried).toMatchObject({
      answer: { reason: { reason: "unreachable", outcome: "unknown" } },
      attempts: 2,
      knowledge: "outcome_unknown",
    });
  });

  it("has its answer where a try after a lost one is answered with an error", async () => {
    const no: UpstreamFailure = { reason: "rpc_error", code: -1, outcome: "completed", detail: "no" };
    const { tried } = await play(script({ steps: [step(lost), step(no), step(null)] }));
    expect(tried).toMatchObject({ answer: { reason: no }, attempts: 2, knowledge: "completed" });
  });

  it.each([
    [{ reason: "unauthorized" }],
    [{ reason: "unknown_tool" }],
    [{ reason: "refused_redirect" }],
    [{ reason: "cancelled" }],
    [{ reason: "http_status", status: 500 }],
  ] as const)("is not for a failure whose code nobody named: %j", async (failure) => {
    const { sent } = await play(
      script({ steps: [step({ ...failure, outcome: "not_dispatched", detail: "" }), step(null)] }),
    );
    expect(sent).toHaveLength(1);
  });

  it("asks whether it may before each try but the first, behind the wait, and not before a last one", async () => {
    const steps = [step(refused), step(refused), step(null)];
    const { tried, asked, waits } = await play(script({ steps }), {}, { mayTry: () => true });
    expect([tried.attempts, asked, waits.length]).toEqual([3, [2, 3], 2]);
    const once = await play(script({ steps: [step(null)] }), {}, { mayTry: () => true });
    expect(once.asked).toEqual([]);
    const settings = { ...SETTINGS, max_attempts: 2 };
    const last = await play(script({ settings, steps: [step(refused)] }), {}, { mayTry: () => true });
    expect([last.sent.length, last.asked]).toEqual([2, [2]]);
  });

  it("ends with the last failure where it may not, or where asking took the time that was left", async () => {
    const taken = await play(script({ steps: [step(refused), step(null)] }), {}, { mayTry: () => false });
    expect(taken.tried).toMatchObject({
      answer: { reason: refused },
      attempts: 1,
      knowledge: "not_dispatched",
    });
    const lostOne = await play(script({ steps: [step(lost), step(null)] }), {}, { mayTry: () => false });
    expect(lostOne.tried).toMatchObject({ answer: { reason: lost }, knowledge: "outcome_unknown" });
    const slow = await play(
      script({ steps: [step(refused), step(null)] }),
      {},
      {
        mayTry: (_nth, tickMs) => {
          tickMs(60_000);
          return true;
        },
      },
    );
    expect(slow.sent).toHaveLength(1);
  });

  it("tells what the upstream wanted in all tries, each thing once", async () => {
    const roots = { method: "roots/list" };
    const ask = { method: "elicitation/create", message: "Which?" };
    const { tried } = await play(
      script({ steps: [step(refused), step(refused), step(null)] }),
      {},
      { wanted: [[roots], [ask, roots], []] },
    );
    expect(tried).toMatchObject({ answer: { ok: true }, wanted: [roots, ask] });
  });

  it("waits twice as long each time, up to the longest wait", async () => {
    const settings = { ...SETTINGS, max_attempts: 6, max_delay_ms: 500 };
    const { waits } = await play(script({ settings, steps: [step(refused)] }));
    expect(waits).toEqual([100, 200, 400, 500, 500]);
  });

  it("lets chance shorten a wait by no more than its share", async () => {
    const settings = { ...SETTINGS, max_attempts: 3, jitter: 0.5 };
    const { waits } = await play(script({ settings, steps: [step(refused)], chance: 1 }));
    expect(waits).toEqual([50, 100]);
  });

  it("waits as long as the server asks, its own longest wait notwithstanding", async () => {
    const settings = { ...SETTINGS, retryable_codes: ["RATE_LIMITED" as const] };
    const steps = [step(busy(7)), step(busy(null)), step(null)];
    expect((await play(script({ settings, steps }))).waits).toEqual([7000, 200]);
  });

  it("does not wait for a server that asks for more time than is left", async () => {
    const settings = { ...SETTINGS, retryable_codes: ["RATE_LIMITED" as const] };
    const asked = { settings, steps: [step(busy(7), FIRST, 0), step(null)] };
    expect(await play(script({ ...asked, timeoutMs: 7000 }))).toMatchObject({
      waits: [],
      tried: { attempts: 1 },
    });
    expect(await play(script({ ...asked, timeoutMs: 7001 }))).toMatchObject({
      waits: [7000],
      tried: { attempts: 2 },
    });
  });

  it("ignores what a server asks for where its limit is none to try again on", async () => {
    const { sent } = await play(script({ steps: [step(busy(1)), step(null)] }));
    expect(sent).toHaveLength(1);
  });

  it("gives every try what is left of one deadline", async () => {
    const steps = [step(refused, FIRST, 400), step(refused, FIRST, 300), step(null, FIRST, 500)];
    const { sent, tried, spentMs } = await play(script({ steps, timeoutMs: 1000, contract: "never_replay" }));
    expect(sent.map(({ limitMs }) => limitMs)).toEqual([1000, 500]);
    expect(tried).toMatchObject({ answer: { ok: false }, attempts: 2 });
    expect(spentMs).toBe(800);
  });

  it("gives a call that may run again a share of it, so that a server that hangs leaves time for another try", async () => {
    const steps = [step(refused, FIRST, 100), step(null, FIRST, 50)];
    const { sent, tried } = await play(script({ steps, timeoutMs: 1000, contract: "convergent" }));
    expect(sent[0]?.limitMs).toBeLessThanOrEqual(500);
    expect(tried).toMatchObject({ answer: { ok: true }, attempts: 2 });
  });

  it("goes on with the session that the last try left", async () => {
    const second = { sessionId: "second", protocolVersion: "1" };
    const steps = [step(refused, second), step(refused, null), step(null, FIRST)];
    const { sent, tried } = await play(script({ steps, kept: FIRST }));
    expect(sent.map(({ session }) => session)).toEqual([FIRST, second, undefined]);
    expect(tried.session).toEqual(FIRST);
  });

  it("ends with its caller: a wait at once, and no try after it", async () => {
    const caller = new AbortController();
    const steps = [step(refused), step(null)];
    const heard: unknown[] = [];
    const during = await play(script({ steps }), {
      signal: caller.signal,
      sleep: async (_, signal) => {
        heard.push(signal);
        caller.abort();
      },
    });
    expect(heard).toEqual([caller.signal]);
    expect(during.tried).toMatchObject({ answer: { ok: false }, attempts: 1 });
    const before = await play(script({ steps }), { signal: caller.signal });
    expect(before).toMatchObject({ waits: [], tried: { attempts: 1 } });
  });

  it("sends nothing more where a wait took longer than it should have", async () => {
    let nowMs = 0;
    const steps = [step(refused), step(null)];
    const { sent } = await play(script({ steps, timeoutMs: 1000, contract: "never_replay" }), {
      now: () => nowMs,
      sleep: async () => {
        nowMs = 1000;
      },
    });
    expect(sent).toHaveLength(1);
  });

  it("gives a try no more time than its server has, even where the clock was stepped back", async () => {
    let nowMs = 10_000;
    const steps = [step(refused), step(null)];
    const { sent } = await play(script({ steps, timeoutMs: 1000, contract: "never_replay" }), {
      now: () => (nowMs -= 500),
    });
    expect(sent.map(({ limitMs }) => limitMs)).toEqual([1000, 1000]);
  });
});

describe("whatever upstreams do", () => {
  it("a call that may not run again goes out again only after proof that it never left", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { told } = await play(any);
        if (any.contract === "convergent") return;
        for (const { failure } of told.slice(0, -1)) expect(failure?.outcome).toBe("not_dispatched");
      }),
    );
  });

  it("an answer, a finished failure or one whose code was not named ends the trying", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { told } = await play(any);
        for (const { failure } of told.slice(0, -1)) {
          if (failure === null) throw new Error("tried again after an answer");
          expect(failure.outcome).not.toBe("completed");
          expect(any.settings.retryable_codes).toContain(codeOfFailure(failure));
        }
      }),
    );
  });

  it("dispatches stay within their number and all of it within the deadline", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { sent, tried, waits, spentMs } = await play(any);
        expect(sent.length).toBeGreaterThan(0);
        expect(sent.length).toBeLessThanOrEqual(any.settings.max_attempts);
        expect(tried.attempts).toBe(sent.length);
        expect(waits).toHaveLength(sent.length - 1);
        expect(spentMs).toBeLessThanOrEqual(any.timeoutMs + 1e-6);
        for (const { limitMs } of sent) expect(limitMs ?? 1).toBeGreaterThan(0);
      }),
    );
  });

  it("every wait is between its bounds", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { waits, told } = await play(any);
        const { base_delay_ms: base, max_delay_ms: max, jitter } = any.settings;
        for (const [index, wait] of waits.entries()) {
          const failure = told[index]?.failure;
          const asked = failure?.reason === "rate_limited" ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
          const full = Math.min(max, base * 2 ** index);
          expect(wait).toBeGreaterThanOrEqual(Math.max(full * (1 - jitter), asked));
          expect(wait).toBeLessThanOrEqual(Math.max(full, asked));
        }
      }),
    );
  });

  it("each try has the session that the one before it left", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { sent, told, tried } = await play(any);
        const before = [any.kept, ...told.map(({ session }) => session ?? undefined)];
        expect(sent.map(({ session }) => session)).toEqual(before.slice(0, sent.length));
        expect(tried.session ?? undefined).toEqual(before.at(sent.length));
      }),
    );
  });

  it("what is told at the end is never more than the tries have shown", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (any) => {
        const { told, tried } = await play(any);
        const outcomes = told.map(({ failure }) => failure?.outcome ?? "completed");
        const last = outcomes.at(-1);
        const expected =
          last === "completed"
            ? "completed"
            : outcomes.includes("unknown")
              ? "outcome_unknown"
              : "not_dispatched";
        expect(tried.knowledge).toBe(expected);
        if (tried.answer.ok) return;
        expect(tried.answer.reason.outcome).toBe(expected === "outcome_unknown" ? "unknown" : expected);
      }),
    );
  });
});
