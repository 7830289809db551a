import { abortAllDurableObjects } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AdmitDecision, SettleReport } from "../../src/principal/admit-contract.ts";
import type { UpstreamRecord } from "../../src/outbox/entry.ts";
import { readFaultCode } from "../../src/spine/fault/fault-code.ts";
import { executed, textOf } from "../outbox/entry-kit.ts";
import { told as dispositionOf, write } from "./journal-client.ts";
import { outboxOf } from "./ledger-seam.ts";
import { type Ask, evictedPrincipal, freshAttempt } from "./principal-client.ts";
import { freshPrincipal } from "./worker-rig.ts";
import { farAheadClock } from "./far-ahead.ts";

farAheadClock();
const LEASE_MS = 35_000;
const PLACE = { upstream: "upstream-1", server: "bank", target: "configured" };

const flightOf = (requestKey: string, attempt: string) => ({
  attempt,
  flight: { ...PLACE, requestKey, requestId: attempt, leaseMs: LEASE_MS },
});
const send = (key: string): Ask & { attempt: string } => flightOf(key, freshAttempt());
const cancel = (requestKey: string): Ask => ({ cancel: { requestKey } });

/** The upstream's request that a cancellation found. */
function found(decision: AdmitDecision): string | null {
  if (!decision.admitted) throw new Error(`refused: ${decision.reason}`);
  return decision.cancelled?.requestId ?? null;
}

describe("clients of one token that count their ids alike, come back and begin anew", () => {
  const step = fc.record({
    client: fc.nat(2),
    does: fc.constantFrom("call", "call", "cancel", "cancel", "end", "reconnect", "evict"),
    back: fc.nat(2),
  });
  interface Made {
    /** Which client, in which of its connections. */
    readonly of: string;
    readonly id: number;
    readonly attempt: string;
    runs: boolean;
  }

  it("cancel what alone runs under the id, and while their own call runs never another's", async () => {
    let cancelled = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: "max" }), async (steps) => {
        const { admit, settle } = evictedPrincipal(freshPrincipal("ada"), async () => undefined);
        const made: Made[] = [];
        const clients = [0, 1, 2].map(() => ({ connection: 0, nextId: 0 }));
        const answers: (readonly [string | null, string | null])[] = [];
        const owners: boolean[] = [];
        for (const { client, does, back } of steps) {
          const state = clients[client] ?? { connection: 0, nextId: 0 };
          const of = `${client}/${state.connection}`;
          const id = state.nextId - 1 - back;
          const own = made.find((one) => one.of === of && one.id === id);
          if (does === "call") {
            const { attempt, ...ask } = send(String(state.nextId));
            await admit({ ...ask, attempt });
            made.push({ of, id: state.nextId, attempt, runs: true });
            state.nextId += 1;
          } else if (does === "reconnect") {
            state.connection += 1;
            state.nextId = 0;
          } else if (does === "evict") {
            await abortAllDurableObjects();
          } else if (own !== undefined && does === "end") {
            await settle({ attempt: own.attempt });
            own.runs = false;
          } else if (own !== undefined) {
            const running = made.filter((one) => one.id === id && one.runs);
            const said = found(await admit(cancel(String(id))));
            answers.push([said, running.length === 1 ? (running[0]?.attempt ?? null) : null]);
            if (said === null) continue;
            cancelled += 1;
            if (own.runs) owners.push(own.attempt === said);
          }
        }
        expect(answers.map(([said]) => said)).toEqual(answers.map(([, expected]) => expected));
        expect(owners).not.toContain(false);
      }),
      { numRuns: 40 },
    );
    expect(cancelled).toBeGreaterThan(0);
  });
});

describe("a call that was taken back and then ends, with an eviction before every step", () => {
  const generation = 1;
  const code = readFaultCode("rpc_error_minus_32800");
  if (!code.ok) throw new Error(code.reason);
  const account = (...operations: UpstreamRecord["operations"]): UpstreamRecord => ({
    server: "bank",
    generation,
    operations: [{ record: "request", method: "tools/call" }, ...operations],
  });
  const ended = { method: "tools/call", latency_ms: 5 };
  const REFUSED = account({ record: "response_error", ...ended, error: code.value });
  const ANSWERED = account({ record: "success", ...ended });

  /** A payment under a key, taken back or not, and what its Worker reports of it. */
  async function payment({ takenBack = true, report }: { takenBack?: boolean; report: "failed" | "result" }) {
    const name = freshPrincipal("ada");
    const ada = evictedPrincipal(name);
    const attempt = freshAttempt();
    await ada.admit({ ...write(), ...flightOf("3", attempt) });
    if (takenBack) await ada.admit(cancel("3"));
    const upstreams = report === "failed" ? [REFUSED] : [ANSWERED];
    const settled: Omit<SettleReport, "version"> = {
      attempt,
      journal: {
        attempt,
        outcome: "completed",
        answer: { text: report },
        ...(report === "failed" ? { failed: true } : {}),
      },
      told: [textOf({ ...executed(attempt), upstreams })],
    };
    await ada.settle(settled);
    return { name, ...ada, settled, again: async () => dispositionOf(await ada.admit(write())) };
  }

  it("is unknown where its server answered an error, also when the report comes again", async () => {
    const { again, settle, settled } = await payment({ report: "failed" });
    expect(await again()).toBe("outcome_unknown");
    expect(await settle(settled)).toMatchObject({ accepted: true, rowsWritten: 0 });
    expect(await again()).toBe("outcome_unknown");
  });

  it("is completed where a result came all the same, and an error counts of one that nobody took back", async () => {
    expect(await (await payment({ report: "result" })).again()).toBe('answered {"text":"result"}');
    const waited = await payment({ report: "failed", takenBack: false });
    expect(await waited.again()).toBe('answered {"text":"failed"}');
  });

  it("is told without its server's failure, and with all else", async () => {
    const { name, settle, settled } = await payment({ report: "failed" });
    await settle(settled);
    const attempt = settled.attempt ?? "";
    const { event, ...entry } = executed(attempt);
    const cancelled = { ...event, attributes: { ...event.attributes, cancelled: true } };
    expect(await outboxOf(name)).toEqual([{ ...entry, event: cancelled, upstreams: [] }]);
    const result = await payment({ report: "result" });
    expect((await outboxOf(result.name))[0]?.upstreams).toEqual([ANSWERED]);
    const waited = await payment({ report: "failed", takenBack: false });
    expect((await outboxOf(waited.name))[0]?.upstreams).toEqual([REFUSED]);
  });
});
