import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../src/access/keys.ts";
import { SESSIONS_EVICTION_COUNT, SESSIONS_LIVE_MAX_COUNT } from "../../src/limits.ts";
import type { AdmitDecision, AdmitRequest, SettleReport } from "../../src/principal/admit-contract.ts";
import type { BrowseCard } from "../../src/principal/browse-state.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { PrincipalObject } from "../../src/principal/principal-object.ts";
import { principalPort } from "../../src/principal/principals-store.ts";
import { mintSessionId, verifySessionId } from "../../src/principal/session-id.ts";
import { freshStorage } from "./fresh-storage.ts";

const DAY_MS = 86_400_000;
const VERSION = { catalog: "c1", generation: 1 };
const ring = await deriveKeyRings({ LOOMGATE_KEY: "k".repeat(32) }).then((rings) => {
  if (!rings.ok) throw new Error(rings.reason.reason);
  return rings.value.session;
});

const card = (id: string, score = 0.5): BrowseCard => ({
  id,
  kind: "tool",
  json: JSON.stringify({ id, score }),
  line: `${id} — ${score}`,
});

const stubOf = (principal: string) => env.PRINCIPALS.getByName(principalObjectName(principal));

afterEach(async () => {
  await freshStorage();
});

/** Changes rows behind the object's back, as time would. */
async function sql(principal: string, query: string): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stubOf(principal), (_, state) => state.storage.sql.exec(query).toArray());
}

const admitted = (decision: AdmitDecision) => {
  if (!decision.admitted) throw new Error(`refused: ${decision.reason}`);
  return decision;
};
const verdict = (decision: AdmitDecision) => (decision.admitted ? "admitted" : decision.reason);

/** One principal, called as the Worker calls it; with `evict`, its object loses its memory before every call. */
function principalFor(evict: boolean) {
  return (principal: string) => {
    const port = principalPort(env.PRINCIPALS, principal);
    const wake = async () => {
      if (evict) await abortAllDurableObjects();
    };
    return {
      principal,
      admit: async (request: Partial<AdmitRequest> = {}): Promise<AdmitDecision> => {
        await wake();
        const answer = await port.admit({ version: 1, tokenId: "token", ...request });
        if (!answer.ok) throw new Error(answer.reason.detail);
        return answer.value;
      },
      settle: async (report: Omit<SettleReport, "version">) => {
        await wake();
        const answer = await port.settle({ version: 1, ...report });
        if (!answer.ok) throw new Error(answer.reason.detail);
        return answer.value;
      },
      revoke: async (tokenId: string, expiresAtMs = Date.now() + DAY_MS) => {
        await wake();
        const answer = await port.revoke({ version: 1, tokenId, expiresAtMs });
        if (!answer.ok) throw new Error(answer.reason.detail);
        return answer.value;
      },
    };
  };
}

/** A session as the Worker makes and checks one. */
async function newSession(principal: string) {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const { id, session } = await mintSessionId(ring, principal, random, Date.now());
  return { id, ...session };
}

describe.each([
  ["in one life", false],
  ["with an eviction before every call", true],
])("a principal's object, %s", (_, evict) => {
  const principal = principalFor(evict);

  it("is what this run says it is: the same instance throughout, or a new one for each call", async () => {
    const instanceOf = () => runInDurableObject(stubOf("ada"), (instance) => instance);
    const before = await instanceOf();
    await principal("ada").admit();
    expect((await instanceOf()) === before).toBe(!evict);
  });

  it("admits a call that asks for nothing, and stores nothing for it", async () => {
    const ada = principal("ada");
    expect(await ada.admit()).toEqual({
      version: 1,
      admitted: true,
      newestGeneration: null,
      stale: false,
      arrangement: null,
      upstreamSessions: [],
      rowsWritten: 0,
    });
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(false);
  });

  it("refuses a revoked token from the next call on, and only that token", async () => {
    const ada = principal("ada");
    expect((await ada.revoke("token")).accepted).toBe(true);
    expect(verdict(await ada.admit())).toBe("token_revoked");
    expect(verdict(await ada.admit({ tokenId: "other" }))).toBe("admitted");
    expect(verdict(await principal("eve").admit())).toBe("admitted");
    expect((await ada.revoke("token")).rowsWritten).toBe(0);
    expect((await ada.revoke("long gone", Date.now() - 1)).rowsWritten).toBe(0);
  });

  it("keeps a session from its opening to its end, and an ended id never comes back", async () => {
    const ada = principal("ada");
    const { key, expiresAtMs } = await newSession("ada");
    const call = async (intent: "open" | "use" | "end") =>
      verdict(await ada.admit({ session: { key, expiresAtMs, intent } }));
    expect(await call("use")).toBe("session_unknown");
    expect(await call("end")).toBe("session_unknown");
    expect(await call("open")).toBe("admitted");
    expect(await call("open")).toBe("admitted");
    expect(await call("use")).toBe("admitted");
    expect(await call("end")).toBe("admitted");
    expect(await call("use")).toBe("session_ended");
    expect(await call("end")).toBe("session_ended");
    expect(await call("open")).toBe("session_ended");
    expect(await sql("ada", "SELECT count(*) AS n FROM sessions")).toEqual([{ n: 1 }]);
  });

  it("refuses an expired session, opening it included", async () => {
    const session = { key: "k", expiresAtMs: Date.now() - 1 };
    for (const intent of ["open", "use", "end"] as const) {
      expect(verdict(await principal("ada").admit({ session: { ...session, intent } }))).toBe(
        "session_expired",
      );
    }
  });

  it("keeps a revoked token from opening or ending a session", async () => {
    const ada = principal("ada");
    const { key, expiresAtMs } = await newSession("ada");
    await ada.admit({ session: { key, expiresAtMs, intent: "open" } });
    await ada.revoke("token");
    expect(verdict(await ada.admit({ session: { key, expiresAtMs, intent: "end" } }))).toBe("token_revoked");
    expect(verdict(await ada.admit({ tokenId: "t2", session: { key, expiresAtMs, intent: "use" } }))).toBe(
      "admitted",
    );
  });

  it("keeps principals apart: a session of one is forged for another, and unknown behind that", async () => {
    const session = await newSession("ada");
    const open = { key: session.key, expiresAtMs: session.expiresAtMs, intent: "open" as const };
    await principal("ada").admit({ session: open });
    expect((await verifySessionId(ring, "eve", session.id, Date.now())).ok).toBe(false);
    expect(verdict(await principal("eve").admit({ session: { ...open, intent: "use" } }))).toBe(
      "session_unknown",
    );
  });

  it("remembers what a session has seen, as it was first shown", async () => {
    const ada = principal("ada");
    const { key, expiresAtMs } = await newSession("ada");
    const browse = async (cards: BrowseCard[], intent: "open" | "use" = "use", topK = 2) =>
      admitted(
        await ada.admit({
          session: { key, expiresAtMs, intent },
          catalogVersion: VERSION,
          browse: { cards, topK },
        }),
      );
    const first = await browse([card("b:x", 0.9), card("c:x", 0.8), card("d:x", 0.7)], "open");
    expect(first.arrangement).toEqual({ cards: [card("b:x", 0.9), card("c:x", 0.8)], breakpointAt: null });
    const second = await browse([card("a:x", 0.6), card("c:x", 0.1)]);
    expect(second.arrangement).toEqual({ cards: [card("c:x", 0.8), card("a:x", 0.6)], breakpointAt: 1 });
    // The card that the limit cut in the first browse is still new.
    const third = await browse([card("d:x", 0.2), card("a:x", 0.2)]);
    expect(third.arrangement).toEqual({ cards: [card("a:x", 0.6), card("d:x", 0.2)], breakpointAt: 1 });
    expect((await browse([card("a:x"), card("b:x")])).rowsWritten).toBe(0);
  });

  it("keeps what one session has seen from another, and from the principal's own browsing", async () => {
    const ada = principal("ada");
    const session = await newSession("ada");
    const other = await newSession("ada");
    const browse = async (of: { key: string; expiresAtMs: number } | null, cards: BrowseCard[]) => {
      const opened =
        of === null ? null : { key: of.key, expiresAtMs: of.expiresAtMs, intent: "open" as const };
      const decision = await ada.admit({ session: opened, catalogVersion: VERSION, browse: { cards } });
      return admitted(decision).arrangement?.breakpointAt;
    };
    await browse(session, [card("a:x")]);
    expect(await browse(other, [card("a:x"), card("b:x")])).toBeNull();
    expect(await browse(null, [card("a:x"), card("b:x")])).toBeNull();
    expect(await browse(session, [card("a:x"), card("b:x")])).toBe(1);
    expect(await browse(null, [card("b:x"), card("c:x")])).toBe(1);
  });

  it("clears the seen set with a new generation, and turns an older isolate back", async () => {
    const ada = principal("ada");
    const browse = async (generation: number, cards: BrowseCard[], catalog = "c1") =>
      admitted(await ada.admit({ catalogVersion: { catalog, generation }, browse: { cards } }));
    await browse(4, [card("a:x", 0.1)]);
    expect(await browse(5, [card("a:x", 0.2), card("b:x")])).toMatchObject({
      newestGeneration: 5,
      stale: false,
      arrangement: { cards: [card("a:x", 0.2), card("b:x")], breakpointAt: null },
    });
    expect(await browse(4, [card("a:x", 0.3)])).toMatchObject({
      newestGeneration: 5,
      stale: true,
      arrangement: null,
      rowsWritten: 0,
    });
    // Another configuration counts its own generations.
    expect(await browse(1, [card("a:x", 0.4)], "c2")).toMatchObject({ newestGeneration: 1, stale: false });
  });

  it("records hydrated cards, but not after the session's end, for an unknown one or out of an old catalog", async () => {
    const ada = principal("ada");
    const { key, expiresAtMs } = await newSession("ada");
    const use = { key, expiresAtMs, intent: "use" as const };
    const seen = (sessionKey: string | null, generation = 2) =>
      ada.settle({
        seen: { sessionKey, catalogVersion: { catalog: "c1", generation }, cards: [card("a:x", 0)] },
      });
    const catalogVersion = { catalog: "c1", generation: 2 };
    await ada.admit({ session: { ...use, intent: "open" }, catalogVersion });
    expect((await seen(key, 1)).rowsWritten).toBe(0);
    expect((await seen("unknown")).rowsWritten).toBe(0);
    expect((await seen(key)).rowsWritten).toBe(1);
    expect((await seen(key)).rowsWritten).toBe(0);
    const cards = [card("a:x"), card("b:x")];
    const decision = admitted(await ada.admit({ session: use, catalogVersion, browse: { cards } }));
    expect(decision.arrangement).toEqual({ cards: [card("a:x", 0), card("b:x")], breakpointAt: 1 });
    await ada.admit({ session: { ...use, intent: "end" } });
    expect((await seen(key)).rowsWritten).toBe(0);
    expect(await sql("ada", "SELECT key FROM browse_states")).toEqual([]);
    expect((await seen(null)).rowsWritten).toBe(1);
  });

  it("keeps upstream sessions, forgets exactly the one that was lost, and writes nothing twice", async () => {
    const ada = principal("ada");
    const of = (key: string, sessionId: string) => ({ key, sessionId, protocolVersion: "2025-11-25" });
    const read = async () => admitted(await ada.admit({ upstreams: ["u1", "u2"] })).upstreamSessions;
    expect(await read()).toEqual([]);
    await ada.settle({ opened: [of("u1", "s1"), of("u2", "s2")] });
    expect(await read()).toEqual([of("u1", "s1"), of("u2", "s2")]);
    expect((await ada.settle({ opened: [of("u1", "s1")] })).rowsWritten).toBe(0);
    await ada.settle({
      lost: [
        { key: "u1", sessionId: "s0" },
        { key: "u2", sessionId: "s2" },
      ],
    });
    expect(await read()).toEqual([of("u1", "s1")]);
    await ada.settle({ lost: [{ key: "u1", sessionId: "s1" }], opened: [of("u1", "s3")] });
    expect(await read()).toEqual([of("u1", "s3")]);
    expect(admitted(await principal("eve").admit({ upstreams: ["u1", "u2"] })).upstreamSessions).toEqual([]);
  });

  it("writes rows only when something changes", async () => {
    const ada = principal("ada");
    const { key, expiresAtMs } = await newSession("ada");
    const other = await newSession("ada");
    const session = { key, expiresAtMs, intent: "use" as const };
    await ada.admit({ session: { ...session, intent: "open" } });
    const cost = async (request: Partial<AdmitRequest>) => (await ada.admit(request)).rowsWritten;
    expect(await cost({ session: { ...session, intent: "open" } })).toBe(0);
    expect(await cost({ session })).toBe(0);
    expect(await cost({ session: { key: other.key, expiresAtMs: other.expiresAtMs, intent: "open" } })).toBe(
      1,
    );
    expect(await cost({ session, catalogVersion: VERSION })).toBe(1);
    expect(await cost({ session, catalogVersion: VERSION })).toBe(0);
    expect(await cost({ session, catalogVersion: VERSION, browse: { cards: [card("a:x")] } })).toBe(1);
    expect(await cost({ session, catalogVersion: VERSION, browse: { cards: [card("a:x", 1)] } })).toBe(0);
    expect(await cost({ session: { ...session, intent: "end" } })).toBe(2);
  });

  it("lets the oldest sessions give way at its bound, and locks nobody out", async () => {
    const ada = principal("ada");
    const base = Date.now() + DAY_MS;
    const request = (index: number, intent: "open" | "use") => ({
      session: { key: `k${index}`, expiresAtMs: base + index, intent },
    });
    const call = (index: number, intent: "open" | "use") => ada.admit(request(index, intent));
    await runInDurableObject(stubOf("ada"), async (instance) => {
      for (let index = 0; index < SESSIONS_LIVE_MAX_COUNT; index += 1) {
        await instance.admit({ version: 1, tokenId: "token", ...request(index, "open") });
      }
    });
    expect(verdict(await call(SESSIONS_LIVE_MAX_COUNT, "open"))).toBe("admitted");
    expect(await sql("ada", "SELECT count(*) AS n FROM sessions")).toEqual([
      { n: SESSIONS_LIVE_MAX_COUNT - SESSIONS_EVICTION_COUNT + 1 },
    ]);
    expect(verdict(await call(SESSIONS_EVICTION_COUNT - 1, "use"))).toBe("session_unknown");
    expect(verdict(await call(SESSIONS_EVICTION_COUNT, "use"))).toBe("admitted");
    expect(verdict(await call(SESSIONS_LIVE_MAX_COUNT, "use"))).toBe("admitted");
  });

  it("sweeps what has expired, and with the last row deletes itself and goes on as new", async () => {
    const ada = principal("ada");
    const first = await newSession("ada");
    const second = await newSession("ada");
    const open = (session: { key: string; expiresAtMs: number }) =>
      ada.admit({ session: { key: session.key, expiresAtMs: session.expiresAtMs, intent: "open" } });
    await open(first);
    await open(second);
    await ada.settle({ opened: [{ key: "u1", sessionId: "s1", protocolVersion: "" }] });
    await sql("ada", `UPDATE sessions SET expires_at_ms = 1 WHERE key = '${first.key}'`);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([{ key: second.key }]);
    await sql("ada", "UPDATE sessions SET expires_at_ms = 1");
    await sql("ada", "UPDATE upstream_sessions SET expires_at_ms = 1");
    expect(admitted(await ada.admit({ upstreams: ["u1"] })).upstreamSessions).toEqual([]);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(await sql("ada", "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(false);
    const third = await newSession("ada");
    expect(verdict(await open(third))).toBe("admitted");
    expect(await runDurableObjectAlarm(stubOf("ada"))).toBe(true);
    expect(await sql("ada", "SELECT key FROM sessions")).toEqual([{ key: third.key }]);
  });

  it("sets its alarm for the first row to expire, not for a far one set before", async () => {
    const ada = principal("ada");
    const alarmOf = () => runInDurableObject(stubOf("ada"), (_, state) => state.storage.getAlarm());
    const { key, expiresAtMs } = await newSession("ada");
    const yearMs = Date.now() + 365 * DAY_MS;
    await ada.revoke("token", yearMs);
    expect(await alarmOf()).toBe(yearMs);
    await ada.admit({ tokenId: "t2", session: { key, expiresAtMs, intent: "open" } });
    expect(await alarmOf()).toBe(expiresAtMs);
  });

  it("answers what it cannot read with a refusal, and changes nothing", async () => {
    const requests = [null, 1, "x", {}, [], { version: 2, tokenId: "t" }, { version: "1", tokenId: 5 }];
    const answers = await runInDurableObject(stubOf("ada"), async (instance) => {
      const asked = requests.flatMap((request) =>
        (["admit", "settle", "revoke", "decideApproval"] as const).map((name): unknown =>
          Reflect.apply(instance[name], instance, [request]),
        ),
      );
      return Promise.all(asked);
    });
    const refused = [
      { version: 1, admitted: false, reason: "malformed", rowsWritten: 0 },
      { version: 1, accepted: false, rowsWritten: 0 },
      { version: 1, accepted: false, rowsWritten: 0 },
      { version: 1, outcome: "unknown", state: null, expiresAtMs: null, rowsWritten: 0 },
    ];
    expect(answers).toEqual(requests.flatMap(() => refused));
  });
});

describe("what a principal's object shows", () => {
  it("is seven methods and nothing of its state", async () => {
    const names = Object.getOwnPropertyNames(PrincipalObject.prototype).toSorted();
    expect(names).toEqual([
      "admit",
      "alarm",
      "constructor",
      "decideApproval",
      "noteFlight",
      "reviewArtifacts",
      "revoke",
      "settle",
    ]);
    const own = await runInDurableObject(stubOf("ada"), (instance) => Object.keys(instance));
    expect(own.filter((name) => !["ctx", "env"].includes(name))).toEqual([]);
  });
});
