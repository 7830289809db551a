import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FLIGHT_ROWS_MAX_COUNT, FLIGHTS_MAX_COUNT, TAKEN_BACK_LEASE_MS } from "../../src/limits.ts";
import type { AdmitDecision, FoundFlight } from "../../src/principal/admit-contract.ts";
import { type Ask, evictedPrincipal, freshAttempt, sql, stubOf, withTablesOf } from "./principal-client.ts";
import { freshPrincipal } from "./worker-rig.ts";
import { farAheadClock } from "./far-ahead.ts";

const DAY_MS = 86_400_000;
const LEASE_MS = 35_000;
const { startMs: START_MS, at } = farAheadClock();
const SESSION = { sessionId: "up-1", protocolVersion: "2025-06-18" };

const inSession = (key: string, intent: "open" | "use" | "end" = "use") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});

const PLACE = { upstream: "upstream-1", server: "bank", target: "configured" };

/** A call that is about to be sent. */
const send = (requestKey: string, scope: Ask = {}, attempt = freshAttempt()): Ask & { attempt: string } => ({
  ...scope,
  attempt,
  flight: { ...PLACE, requestKey, requestId: attempt, leaseMs: LEASE_MS },
});
const cancel = (requestKey: string, scope: Ask = {}): Ask => ({ ...scope, cancel: { requestKey } });

/** What a cancellation found; `undefined` where the object says nothing of it. */
function found(decision: AdmitDecision): FoundFlight | null | undefined {
  if (!decision.admitted) throw new Error(`refused: ${decision.reason}`);
  return decision.cancelled;
}

async function ada(sessions: readonly string[] = [], before?: () => Promise<unknown>) {
  const name = freshPrincipal("ada");
  const principal = evictedPrincipal(name, before);
  for (const key of sessions) await principal.admit(inSession(key, "open"));
  return { name, ...principal };
}

describe("a call that is under way, with an eviction before every step", () => {
  it("is found by its request key, with all that it takes to cancel it", async () => {
    const { admit, note } = await ada(["s1"]);
    const call = send("k", inSession("s1"));
    await admit(call);
    const expected = { ...PLACE, attempt: call.attempt, requestId: call.attempt, session: null };
    expect(found(await admit(cancel("k", inSession("s1"))))).toEqual(expected);
    expect(await note({ attempt: call.attempt, session: SESSION })).toMatchObject({ cancelled: true });
    expect(found(await admit(cancel("k", inSession("s1"))))).toEqual({ ...expected, session: SESSION });
  });

  it("has the session that is kept of its upstream from the beginning", async () => {
    const { admit, settle } = await ada(["s1"]);
    await settle({ opened: [{ key: PLACE.upstream, ...SESSION }] });
    await admit(send("k", inSession("s1")));
    expect(found(await admit(cancel("k", inSession("s1"))))).toMatchObject({ session: SESSION });
  });

  it("is known by the id of its latest try", async () => {
    const { admit, note } = await ada(["s1"]);
    const call = send("k", inSession("s1"));
    await admit(call);
    const noted = await note({ attempt: call.attempt, requestId: `${call.attempt}:2` });
    expect(noted).toMatchObject({ cancelled: false });
    const cancelled = found(await admit(cancel("k", inSession("s1"))));
    expect(cancelled).toMatchObject({ requestId: `${call.attempt}:2` });
  });

  it("is not found from another session, without one, or by another token", async () => {
    const { admit } = await ada(["s1", "s2"]);
    await admit(send("k", inSession("s1")));
    expect(found(await admit(cancel("k", inSession("s2"))))).toBeNull();
    expect(found(await admit(cancel("k")))).toBeNull();
    expect(found(await admit(cancel("k", inSession("s1"))))).not.toBeNull();
  });

  it("is not found once it is settled, refused, answered from the journal, or never took off", async () => {
    const { admit, settle } = await ada(["s1"]);
    const call = send("k", inSession("s1"));
    await admit(call);
    await settle({ attempt: call.attempt });
    expect(found(await admit(cancel("k", inSession("s1"))))).toBeNull();
    await admit({ ...send("dry", inSession("s1")), dry: true });
    expect(found(await admit(cancel("dry", inSession("s1"))))).toBeNull();
    const quota = { per: "session" as const, buckets: [{ name: "b", perMinute: 1 }] };
    await admit({ ...inSession("s1"), attempt: freshAttempt(), quota });
    expect(await admit({ ...send("full", inSession("s1")), quota })).toMatchObject({
      reason: "rate_limited",
    });
    expect(found(await admit(cancel("full", inSession("s1"))))).toBeNull();
  });

  it("is forgotten with its lease, whatever is noted of it later", async () => {
    const { name, admit, note } = await ada(["s1"]);
    const call = send("k", inSession("s1"));
    await admit(call);
    at(LEASE_MS);
    expect(found(await admit(cancel("k", inSession("s1"))))).toBeNull();
    expect(await note({ attempt: call.attempt, session: SESSION })).toEqual({
      version: 1,
      cancelled: false,
      rowsWritten: 0,
    });
    at(DAY_MS);
    await runDurableObjectAlarm(stubOf(name));
    expect(await sql(name, "SELECT name FROM sqlite_master WHERE name = 'flights'")).toEqual([]);
  });

  it("is cancelled neither of two that share a key, and again once one is over", async () => {
    const { admit, note, settle } = await ada();
    const calls = [send("k"), send("k")] as const;
    for (const call of calls) await admit(call);
    expect(found(await admit(cancel("k")))).toBeNull();
    for (const { attempt } of calls) expect(await note({ attempt })).toMatchObject({ cancelled: false });
    await settle({ attempt: calls[0].attempt });
    expect(found(await admit(cancel("k")))).toMatchObject({ requestId: calls[1].attempt });
  });

  it("cannot be cancelled in a session that has ended", async () => {
    const { admit } = await ada(["s1"]);
    await admit(send("k", inSession("s1")));
    await admit(inSession("s1", "end"));
    expect(await admit(cancel("k", inSession("s1")))).toMatchObject({ reason: "session_ended" });
  });
});

describe("what flights cost in rows", () => {
  const version = { catalogVersion: { catalog: "c", generation: 1 } };

  it("is one before a call and one behind it, and nothing where there is none", async () => {
    const { name, admit, settle, note } = await ada(["s1"]);
    await admit({ ...inSession("s1"), ...version });
    await admit(send("first", inSession("s1")));
    const plain = { ...inSession("s1"), ...version, attempt: freshAttempt() };
    expect(await admit(plain)).toMatchObject({ rowsWritten: 0 });
    expect(await settle({ attempt: plain.attempt })).toMatchObject({ rowsWritten: 0 });
    const call = send("k", { ...inSession("s1"), ...version });
    expect(await admit(call)).toMatchObject({ rowsWritten: 1 });
    expect(await admit(call)).toMatchObject({ rowsWritten: 0 });
    expect(await note({ attempt: call.attempt, session: SESSION })).toMatchObject({ rowsWritten: 1 });
    expect(await note({ attempt: call.attempt, session: SESSION })).toMatchObject({ rowsWritten: 0 });
    // The alarm that ends what is not reported on soon.
    expect(await admit(cancel("k", inSession("s1")))).toMatchObject({ rowsWritten: 2 });
    expect(await admit(cancel("k", inSession("s1")))).toMatchObject({ rowsWritten: 0 });
    expect(await admit(cancel("none", inSession("s1")))).toMatchObject({ rowsWritten: 0 });
    expect(await settle({ attempt: call.attempt })).toMatchObject({ rowsWritten: 1 });
    expect(await settle({ attempt: call.attempt })).toMatchObject({ rowsWritten: 0 });
    expect(await sql(name, "SELECT attempt FROM flights WHERE request_key = 'k'")).toEqual([]);
  });

  it("is no room beyond the bound: one more is refused and has cost nothing, until one has ended or lapsed", async () => {
    const { name, admit, settle } = await ada(["s1"]);
    const quota = { per: "session" as const, buckets: [{ name: "b", perMinute: 1 }] };
    const first = send("first", inSession("s1"));
    await admit(first);
    await sql(
      name,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLIGHTS_MAX_COUNT - 1})
       INSERT INTO flights SELECT 'x' || i, 'x', 'x', 'x', 'x', 'x', 'x', NULL, NULL, 0, ${START_MS + 1000}, NULL, NULL,
         NULL, 0 FROM n`,
    );
    const more = send("more", inSession("s1"));
    const refused = {
      admitted: false,
      reason: "rate_limited",
      scope: "principal/in_flight",
      retryAfterMs: 1000,
    };
    expect(await admit({ ...more, quota })).toMatchObject({ ...refused, rowsWritten: 0 });
    expect(found(await admit(cancel("more", inSession("s1"))))).toBeNull();
    // One that was let in is let in again, and what sends nothing is none of them.
    expect(await admit(first)).toMatchObject({ admitted: true });
    expect(await admit(inSession("s1"))).toMatchObject({ admitted: true });
    await settle({ attempt: "x1" });
    expect(await admit({ ...more, quota })).toMatchObject({ admitted: true });
    expect(await admit(send("next", inSession("s1")))).toMatchObject(refused);
    at(1000);
    await admit(send("later", inSession("s1")));
    expect(found(await admit(cancel("later", inSession("s1"))))).not.toBeNull();
    expect(await sql(name, "SELECT count(*) AS n FROM flights")).toEqual([{ n: 3 }]);
  });

  it("takes no room of a call's once it was taken back and told of, whose row waits for its Worker", async () => {
    const { name, admit, settle } = await ada(["s1"]);
    await admit(send("first", inSession("s1")));
    await sql(
      name,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLIGHT_ROWS_MAX_COUNT - 2})
       INSERT INTO flights SELECT 'x' || i, 'x', 'x', 'x', 'x', 'x', 'x', NULL, NULL, 1, ${START_MS + 1000}, NULL, NULL,
         ${START_MS}, 1 FROM n`,
    );
    expect(await admit(send("more", inSession("s1")))).toMatchObject({ admitted: true });
    const refused = { admitted: false, reason: "rate_limited", scope: "principal/in_flight" };
    expect(await admit(send("next", inSession("s1")))).toMatchObject(refused);
    await settle({ attempt: "x1" });
    expect(await admit(send("next", inSession("s1")))).toMatchObject({ admitted: true });
  });

  it("comes to an object that an older version wrote, with the first call that can be cancelled", async () => {
    const { name, admit, note, settle } = await ada(["s1"]);
    await withTablesOf(name, 6);
    expect(found(await admit(cancel("k", inSession("s1"))))).toBeNull();
    expect(await note({ attempt: "a" })).toMatchObject({ cancelled: false, rowsWritten: 0 });
    expect(await settle({ attempt: "a" })).toMatchObject({ accepted: true, rowsWritten: 0 });
    await admit(send("k", inSession("s1")));
    expect(found(await admit(cancel("k", inSession("s1"))))).not.toBeNull();
  });
});

describe("flights, whatever comes in whatever order", () => {
  // Few, so that calls meet.
  const KEYS = ["k1", "k1", "k1", "k2"] as const;
  const SCOPES: readonly { readonly name: string; readonly ask: Ask }[] = [
    { name: "s1", ask: inSession("s1") },
    { name: "s2", ask: inSession("s2") },
    { name: "token", ask: {} },
    { name: "other token", ask: { tokenId: "other" } },
  ];
  interface Modelled {
    readonly attempt: string;
    readonly scope: number;
    readonly key: string;
    readonly endsMs: number;
    foundUntilMs: number;
    requestId: string;
    session: typeof SESSION | null;
    cancelled: boolean;
  }
  const scope = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: SCOPES.length - 1 }));
  const key = fc.constantFrom(...KEYS);
  const which = fc.nat({ max: 5 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("send" as const), scope, key }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("cancel" as const), scope, key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("open" as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("retry" as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const), which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const), which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat({ max: LEASE_MS }) }) },
  );

  const where = ({ attempt, requestId, session }: Modelled) => ({ attempt, requestId, session });

  type Step = typeof step extends fc.Arbitrary<infer Taken> ? Taken : never;

  /** Takes the steps with a principal of its own: what it was told, and what it should have been. */
  async function told(steps: readonly Step[]) {
    at(0);
    const { admit, note, settle } = await ada(["s1", "s2"], async () => undefined);
    let passedMs = 0;
    const model: Modelled[] = [];
    const [said, expected]: [unknown[], unknown[]] = [[], []];
    const living = () => model.filter(({ endsMs }) => endsMs > passedMs);
    const findable = () => model.filter(({ foundUntilMs }) => foundUntilMs > passedMs);
    const askOf = (index: number) => SCOPES[index]?.ask ?? {};
    for (const taken of steps) {
      const flight = "which" in taken ? model[taken.which % Math.max(1, model.length)] : undefined;
      const lives = flight !== undefined && living().includes(flight);
      switch (taken.do) {
        case "evict":
          await abortAllDurableObjects();
          break;
        case "pass":
          passedMs += taken.ms;
          at(passedMs);
          break;
        case "send": {
          const call = send(taken.key, askOf(taken.scope));
          await admit(call);
          const { attempt } = call;
          const fresh = { requestId: attempt, session: null, cancelled: false };
          const endsMs = passedMs + LEASE_MS;
          model.push({ attempt, scope: taken.scope, key: taken.key, endsMs, foundUntilMs: endsMs, ...fresh });
          break;
        }
        case "repeat":
          // The platform repeats an ask within moments, while its call lives.
          if (lives) await admit(send(flight.key, askOf(flight.scope), flight.attempt));
          break;
        case "cancel": {
          const meant = findable().filter((one) => one.scope === taken.scope && one.key === taken.key);
          const one = meant.length === 1 ? meant[0] : undefined;
          if (one !== undefined && !one.cancelled) {
            one.cancelled = true;
            one.foundUntilMs = Math.min(one.endsMs, passedMs + TAKEN_BACK_LEASE_MS);
          }
          expected.push(one ? { ...PLACE, ...where(one) } : null);
          said.push(found(await admit(cancel(taken.key, askOf(taken.scope)))));
          break;
        }
        case "open":
        case "retry": {
          if (flight === undefined) break;
          const news = taken.do === "retry" ? { requestId: `${flight.requestId}:2` } : { session: SESSION };
          expected.push(lives && flight.cancelled);
          said.push((await note({ attempt: flight.attempt, ...news })).cancelled);
          if (lives) Object.assign(flight, news);
          break;
        }
        case "settle":
          if (flight === undefined) break;
          await settle({ attempt: flight.attempt });
          model.splice(model.indexOf(flight), 1);
          break;
      }
    }
    return { said, expected };
  }

  it("a cancellation finds the one living call of its own scope and key, and nobody else is told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: "max" }), async (steps) => {
        const { said, expected } = await told(steps);
        expect(said).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
