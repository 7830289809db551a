import { describe, expect, it } from "vitest";
import { JOURNAL_LAPSE_DELAY_MS, TAKEN_BACK_LEASE_MS } from "../../src/limits.ts";
import { memberOf } from "../../src/json.ts";
import { executed, textOf } from "../outbox/entry-kit.ts";
import { flying, LEASE_MS, told, whose, write } from "./journal-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { idlePrincipal } from "./idle-principal.ts";
import { alarmOf, outboxOf } from "./ledger-seam.ts";
import { type Ask, evictedPrincipal, freshAttempt } from "./principal-client.ts";

const DAY_MS = 86_400_000;
const { startMs: START_MS, at } = farAheadClock();
const life = idlePrincipal("ada", START_MS);
const { alarm, idleUntil } = life;
const tells = ({ attempt }: Ask) => ({ told: [textOf(executed(attempt ?? ""))] });

describe("a call that is taken back and that nobody reports on", () => {
  const ENDS_MS = TAKEN_BACK_LEASE_MS;
  const cancel: Ask = { cancel: { requestKey: "1" } };
  /** Under way and in the journal, as a write under a key is. */
  const paying = (): Ask & { attempt: string } => {
    const { attempt, flight } = flying(whose.toolId, freshAttempt(), { contract: "never_replay" });
    return { ...write({ ...whose }), attempt, flight };
  };

  it("is told as taken back soon after, once, long before its lease", async () => {
    const ada = evictedPrincipal("ada");
    for (const call of [flying(), paying()]) {
      const startMs = Date.now() - START_MS;
      await ada.admit(call);
      await ada.admit(cancel);
      await idleUntil(startMs + ENDS_MS + JOURNAL_LAPSE_DELAY_MS);
      const told = (await outboxOf("ada")).filter(({ key }) => key === call.attempt);
      expect(told).toMatchObject([
        { event: { attributes: { outcome: "unknown", cancelled: true } }, upstreams: [] },
      ]);
    }
    await idleUntil(DAY_MS);
    expect(life.ledger.counted.length).toBe(2);
  });

  it("holds its key no longer: a repetition is told that nobody knows, and one that may run runs", async () => {
    const ada = evictedPrincipal("ada");
    await ada.admit(paying());
    await ada.admit(cancel);
    expect(told(await ada.admit(write({ ...whose })))).toBe(`wait ${ENDS_MS}`);
    at(ENDS_MS);
    expect(told(await ada.admit(write({ ...whose })))).toBe("outcome_unknown");
    const twice = { ...whose, contract: "convergent", idempotencyKey: "twice" } as const;
    await ada.admit({ ...write(twice), ...flying() });
    await ada.admit(cancel);
    at(2 * ENDS_MS);
    expect(told(await ada.admit(write(twice)))).toBe("run");
    await alarm();
    const words = (await outboxOf("ada")).map(({ event }) => memberOf(event.attributes, "cancelled"));
    expect(words).toEqual([true, true]);
  });

  it("holds no room for what it might have kept", async () => {
    const ada = evictedPrincipal("ada", async () => undefined);
    const reserve = {
      maxBytes: 10,
      maxCount: 10,
      onFull: "refuse",
      bytes: 10,
      count: 1,
      leaseMs: LEASE_MS,
    } as const;
    await ada.admit({ ...flying(), reserve });
    await ada.admit(cancel);
    expect(await ada.admit({ attempt: freshAttempt(), reserve })).toMatchObject({ reason: "artifacts_full" });
    at(ENDS_MS);
    expect(await ada.admit({ attempt: freshAttempt(), reserve })).toMatchObject({ admitted: true });
  });

  it("hears that it was taken back until its own deadline, and is found by nobody else's word", async () => {
    const ada = evictedPrincipal("ada");
    const first = flying();
    await ada.admit(first);
    await ada.admit(cancel);
    at(ENDS_MS + 1000);
    await alarm();
    expect(await ada.note({ attempt: first.attempt })).toMatchObject({ cancelled: true });
    expect(await ada.admit(cancel)).toMatchObject({ cancelled: null });
    const second = flying();
    await ada.admit(second);
    expect(await ada.admit(cancel)).toMatchObject({ cancelled: { attempt: second.attempt } });
  });

  it("is not told again by its Worker that waited on, however late", async () => {
    const ada = evictedPrincipal("ada");
    const first = flying(whose.toolId, freshAttempt(), { leaseMs: 600_000 });
    await ada.admit(first);
    await ada.admit(cancel);
    await idleUntil(500_000);
    await ada.settle({ attempt: first.attempt, ...tells(first) });
    await idleUntil(DAY_MS);
    expect(life.ledger.counted).toEqual([first.attempt]);
    expect(await alarmOf("ada")).toBeNull();
  });
});
