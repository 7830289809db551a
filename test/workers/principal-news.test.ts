import { describe, expect, it } from "vitest";
import type { AdmitDecision } from "../../src/principal/admit-contract.ts";
import { type Ask, evictedPrincipal, freshAttempt, withTablesOf } from "./principal-client.ts";
import { farAheadClock } from "./far-ahead.ts";
import { freshPrincipal } from "./worker-rig.ts";

const DAY_MS = 86_400_000;
const { startMs: START_MS } = farAheadClock();

const inSession = (key: string, intent: "open" | "use" = "use") => ({
  session: { key, expiresAtMs: START_MS + DAY_MS, intent },
});

async function ada(sessions: readonly string[] = []) {
  const name = freshPrincipal("ada");
  const principal = evictedPrincipal(name);
  for (const key of sessions) await principal.admit(inSession(key, "open"));
  return { name, ...principal };
}

describe("the catalog's news to a session, with an eviction before every look", () => {
  const look = (generation: number, more: Ask = {}): Ask => ({
    ...inSession("s1"),
    catalogVersion: { catalog: "c", generation },
    browses: true,
    attempt: freshAttempt(),
    ...more,
  });
  const changedFrom = (decision: AdmitDecision) =>
    decision.admitted ? (decision.changedFrom ?? null) : decision.reason;

  it("is none at its first look, and one at the first look at each newer generation", async () => {
    const { admit } = await ada(["s1"]);
    const told: unknown[] = [];
    for (const generation of [3, 3, 5, 5, 9]) told.push(changedFrom(await admit(look(generation))));
    expect(told).toEqual([null, null, 3, null, 5]);
  });

  it("comes to a session that never looked, of any generation newer than it began with", async () => {
    const { admit } = await ada();
    const beginsWith = { catalog: "c", generation: 3 };
    const opening = { ...inSession("s1", "open"), beginsWith };
    expect(await admit(opening)).toMatchObject({ admitted: true });
    expect(await admit(opening)).toMatchObject({ rowsWritten: 0 });
    await admit(look(4, { browses: false }));
    expect(changedFrom(await admit(look(4)))).toBe(3);
    expect(changedFrom(await admit(look(4)))).toBeNull();
    await admit({ ...inSession("s2", "open"), beginsWith: { catalog: "c", generation: 4 } });
    expect(await admit(look(4, inSession("s2")))).not.toHaveProperty("changedFrom");
    await admit({ ...inSession("s3", "open"), beginsWith: { catalog: "other", generation: 1 } });
    expect(changedFrom(await admit(look(4, inSession("s3"))))).toBeNull();
  });

  it("costs no row where a session says what it begins with, and spares the first look one", async () => {
    const { admit } = await ada(["s0"]);
    await admit(look(3, inSession("s0")));
    const beginsWith = { catalog: "c", generation: 3 };
    expect(await admit({ ...inSession("s1", "open"), beginsWith })).toMatchObject({ rowsWritten: 1 });
    expect(await admit(look(3))).toMatchObject({ rowsWritten: 0 });
  });

  it("is told again to the same look alone, whose first answer may have been lost", async () => {
    const { admit } = await ada(["s1"]);
    await admit(look(1));
    const second = look(2);
    expect(changedFrom(await admit(second))).toBe(1);
    expect(changedFrom(await admit(second))).toBe(1);
    expect(changedFrom(await admit(look(2)))).toBeNull();
  });

  it("waits for a look: what is called meanwhile takes nothing away", async () => {
    const { admit } = await ada(["s1"]);
    await admit(look(1));
    expect(changedFrom(await admit(look(2, { browses: false })))).toBeNull();
    expect(changedFrom(await admit(look(2, { dry: true })))).toBeNull();
    expect(changedFrom(await admit(look(2)))).toBe(1);
  });

  it("is each session's own", async () => {
    const { admit } = await ada(["s1", "s2"]);
    await admit(look(1));
    expect(changedFrom(await admit(look(2, inSession("s2"))))).toBeNull();
    expect(changedFrom(await admit(look(2)))).toBe(1);
  });

  it("is none without a session, of another configuration's catalog, and to a look that is stale", async () => {
    const { admit } = await ada(["s1"]);
    const { session: _, ...sessionless } = look(1);
    expect(changedFrom(await admit(sessionless))).toBeNull();
    await admit(look(1));
    const other = { catalogVersion: { catalog: "other", generation: 7 } };
    expect(changedFrom(await admit(look(7, other)))).toBeNull();
    await admit(look(2, { browses: false }));
    expect(await admit(look(1))).toMatchObject({ stale: true });
    expect(changedFrom(await admit(look(2)))).toBeNull();
  });

  it("costs a row where there is something to remember, and none else", async () => {
    const { admit } = await ada(["s1"]);
    await admit(look(1, { browses: false }));
    expect(await admit(look(1))).toMatchObject({ rowsWritten: 1 });
    expect(await admit(look(1))).toMatchObject({ rowsWritten: 0 });
    await admit(look(2, { browses: false }));
    expect(await admit(look(2))).toMatchObject({ rowsWritten: 1, changedFrom: 1 });
  });

  it("comes to a session that an older version opened, from its first look on", async () => {
    const { name, admit } = await ada(["s1"]);
    await withTablesOf(name, 6);
    expect(changedFrom(await admit(look(1)))).toBeNull();
    expect(changedFrom(await admit(look(2)))).toBe(1);
  });
});
