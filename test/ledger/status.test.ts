import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Accounts, foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import type { LedgerView } from "../../src/ledger/ledger-contract.ts";
import { LOSS_DEGRADES_SECONDS } from "../../src/limits.ts";
import { readHealthSnapshot } from "../../src/spine/health/snapshot.ts";
import { answered, browsed, entry, executed, listed, NOON_MS, refreshed, unreachable } from "./entries.ts";
import { anyReport, reportOf, viewOf } from "./views.ts";

const accountsOf = (...texts: readonly string[]): Accounts => foldEntries(NO_ACCOUNTS, texts).accounts;
const GOOD = accountsOf(entry(executed(), [answered("github")]));
const refresh = refreshed({ servers: [listed("github")] });

const [HASH, OTHER_HASH] = ["aa".repeat(32), "bb".repeat(32)];

const standing = (servers: Parameters<typeof reportOf>[0], view: ReturnType<typeof viewOf>) => {
  const { status, reasons } = reportOf(servers, view).status;
  return { status, reasons };
};

describe("the overall status", () => {
  it("is ok where everything is", () => {
    expect(standing(["github"], viewOf(GOOD, { refresh }))).toEqual({ status: "ok", reasons: [] });
    expect(standing([], viewOf(GOOD, { refresh: refreshed() })).status).toBe("ok");
  });

  it.each([
    [
      "nothing was told of this configuration",
      { refresh: null },
      "no refresh of this configuration has been told",
    ],
    [
      "no catalog was ever published",
      { refresh: { ...refresh, generation: 0 } },
      "no catalog has been published",
    ],
    [
      "none could be published",
      { refresh: { ...refresh, generation: 0, failure: "the catalog does not match gateway.pin" } },
      "no catalog has been published: the catalog does not match gateway.pin",
    ],
    [
      "a strict pin was never met",
      {
        refresh: {
          ...refresh,
          generation: 0,
          pin: { mode: "strict" as const, expected: HASH, actual: OTHER_HASH, matches: false },
        },
      },
      `the servers offer another catalog than the pinned one (strict): ${HASH} is pinned and nothing is served, ${OTHER_HASH} was found`,
    ],
    [
      "no server is ok",
      { refresh: refreshed({ servers: [listed("github", { status: "failed" })] }) },
      "no server is ok",
    ],
  ])("is failing where %s", (_, change, reason) => {
    const told = standing(["github"], viewOf(GOOD, change));
    expect(told.status).toBe("failing");
    expect(told.reasons).toContain(reason);
  });

  it.each<[string, Partial<LedgerView>, string]>([
    [
      "a server is stale",
      {
        refresh: refreshed({
          servers: [listed("github"), listed("b", { status: "stale", reason: "it timed out" })],
        }),
      },
      "b: stale, it timed out",
    ],
    [
      "the pin does not match",
      {
        refresh: {
          ...refresh,
          pin: { mode: "warn" as const, expected: HASH, actual: OTHER_HASH, matches: false },
        },
      },
      `the catalog is not the pinned one (warn): ${HASH} is pinned, ${OTHER_HASH} was found`,
    ],
    [
      "a strict pin does not match",
      {
        refresh: {
          ...refresh,
          pin: { mode: "strict" as const, expected: HASH, actual: OTHER_HASH, matches: false },
        },
      },
      `the servers offer another catalog than the pinned one (strict): ${HASH} is pinned and served on, ${OTHER_HASH} was found`,
    ],
    ...(["warn", "strict"] as const).map((mode): [string, Partial<LedgerView>, string] => [
      `nothing could be held against a pin (${mode})`,
      { refresh: { ...refresh, pin: { mode, expected: HASH, actual: null, matches: false } } },
      "the catalog could not be compared with the pin: a required server is missing",
    ]),
    [
      "no refresh can publish",
      { refresh: { ...refresh, failure: "the catalog would become too large" } },
      "the catalog is frozen at generation 3: the catalog would become too large",
    ],
    [
      "an account began anew lately",
      {
        refresh,
        ledger: { sources: 1, dropped: 0, lost_at_ms: NOON_MS, unreadable: 0, refused: 0, restarted: 2 },
      },
      "not everything is counted: 0 dropped, 0 unreadable, 0 refused, 2 begun anew, the last at 2026-01-31T12:00:00.000Z",
    ],
    [
      "a refresh is overdue",
      { refresh: { ...refresh, refreshed_at_ms: NOON_MS - 900_000 } },
      "the last refresh was 901 s ago; one is due every 300 s",
    ],
    [
      "entries were dropped lately",
      {
        refresh,
        ledger: { sources: 1, dropped: 7, lost_at_ms: NOON_MS, unreadable: 0, refused: 0, restarted: 0 },
      },
      "not everything is counted: 7 dropped, 0 unreadable, 0 refused, 0 begun anew, the last at 2026-01-31T12:00:00.000Z",
    ],
  ])("is degraded where %s", (_, change, reason) => {
    expect(standing(["github", "b"], viewOf(GOOD, change))).toEqual({
      status: "degraded",
      reasons: [reason],
    });
  });

  it("is degraded while a server recovers, and ok after its next success", () => {
    const down = accountsOf(entry(executed(), [unreachable("github"), unreachable("github")]));
    expect(standing(["github"], viewOf(down, { refresh }))).toEqual({
      status: "degraded",
      reasons: ["github: 2 failure(s) since a success, the last unreachable"],
    });
    const { accounts: up } = foldEntries(down, [entry(executed(), [answered("github")])]);
    expect(standing(["github"], viewOf(up, { refresh })).status).toBe("ok");
  });

  it("forgives what was dropped a day ago and a refresh just not overdue", () => {
    const ledger = {
      sources: 1,
      dropped: 7,
      lost_at_ms: NOON_MS + 1000 - LOSS_DEGRADES_SECONDS * 1000,
      unreadable: 0,
      refused: 0,
      restarted: 0,
    };
    const due = { ...refresh, refreshed_at_ms: NOON_MS + 1000 - 900_000 };
    expect(standing(["github"], viewOf(GOOD, { refresh: due, ledger })).status).toBe("ok");
  });

  it("does not mind what a disabled server was", () => {
    const servers = ["github", { name: "old", disabled: true }];
    const told = refreshed({ servers: [listed("github"), listed("old", { status: "failed" })] });
    const { status } = reportOf(servers, viewOf(GOOD, { refresh: told }));
    expect([status.status, status.servers.map((server) => server.status)]).toEqual([
      "ok",
      ["ok", "disabled"],
    ]);
  });
});

describe("what is told of servers", () => {
  it.each([
    ["nothing", [], "cold", "absent"],
    ["an answer", [answered("github")], "ready", "ready"],
    ["a fault", [answered("github"), unreachable("github")], "recovering", "failed"],
    [
      "an error of ours and no answer yet",
      [{ ...answered("github"), operations: [{ record: "request" as const, method: "tools/call" }] }],
      "starting",
      "starting",
    ],
  ])("after %s", (_, records, state, handshake) => {
    const [server] = reportOf(["github"], viewOf(accountsOf(entry(browsed(), records)))).status.servers;
    expect(server?.health).toMatchObject({ state, worker_handshake: handshake, uptime_ms: 5000 });
    expect(server?.status).toBe("unknown");
  });

  it("keeps the configuration's order and tells servers apart whose names look alike to an object", () => {
    const names = ["b", "__proto__", "a", "constructor"];
    const accounts = accountsOf(entry(executed(), [answered("__proto__")]));
    const { servers } = reportOf(names, viewOf(accounts, { refresh })).status;
    expect(servers.map(({ name, health }) => [name, health.state])).toEqual([
      ["b", "cold"],
      ["__proto__", "ready"],
      ["a", "cold"],
      ["constructor", "cold"],
    ]);
  });

  it("takes secrets out of every foreign text", () => {
    const secret = "s3cret-s3cret";
    const accounts = accountsOf(entry(executed(), [unreachable(`x-${secret}`, `said ${secret}`)]));
    const told = refreshed({
      failure: secret,
      servers: [
        listed(`x-${secret}`, {
          status: "stale",
          reason: secret,
          findings: [{ tool: secret, code: "too_deep" }],
          finding_count: 1,
        }),
      ],
      diff: {
        added: [secret],
        removed: [secret],
        changed: [{ id: secret, change: "wording" }],
        replaced: [{ id: secret, was: secret }],
      },
    });
    const { status } = reportOf([`x-${secret}`], viewOf(accounts, { refresh: told }), (text) =>
      text.replaceAll(secret, "[gone]"),
    );
    expect(JSON.stringify(status)).not.toContain(secret);
    expect(status.servers[0]).toMatchObject({ name: "x-[gone]", status: "stale", finding_count: 1 });
    expect(status.catalog?.diff?.replaced).toEqual([{ id: "[gone]", was: "[gone]" }]);
  });

  it("says where the calls go, and what the other target would change", () => {
    const candidate = { status: "listed", comparison: "compatible", tools: 5 } as const;
    const moved = listed("github", { target: "candidate", generation: 2, rollout: "pending", candidate });
    const { status } = reportOf(["github"], viewOf(GOOD, { refresh: refreshed({ servers: [moved] }) }));
    expect(status.servers[0]).toMatchObject({
      target: "candidate",
      candidate,
      health: { rollout: "pending" },
    });
    expect(status.status).toBe("ok");
    const many = refreshed({ servers: [listed("github")], omitted_servers: 12 });
    expect(standing(["github"], viewOf(GOOD, { refresh: many }))).toEqual({
      status: "degraded",
      reasons: ["12 server(s) are too many to be told of: POST /admin/refresh has all"],
    });
    const rejected = { status: "rejected", reason: "the server could not be reached" } as const;
    const old = refreshed({ servers: [listed("github", { target: "candidate", candidate: rejected })] });
    expect(standing(["github"], viewOf(GOOD, { refresh: old })).status).toBe("ok");
    const bad = refreshed({ servers: [listed("github", { candidate: rejected })] });
    expect(standing(["github"], viewOf(GOOD, { refresh: bad }))).toEqual({
      status: "degraded",
      reasons: ["github: its candidate was rejected, the server could not be reached"],
    });
  });

  it("counts calls of tools for each server, which a good listing does not make good", () => {
    const listing = [
      { record: "request" as const, method: "tools/list" },
      { record: "success" as const, method: "tools/list", latency_ms: 5 },
    ];
    const accounts = accountsOf(
      entry(executed(), [unreachable("github"), answered("github"), unreachable("github")]),
      entry(browsed(), [{ ...answered("github"), operations: listing }]),
    );
    const { status, servers } = reportOf(["github", "new"], viewOf(accounts, { refresh })).status;
    expect(servers.map(({ calls, health }) => [calls, health.consecutive_failures])).toEqual([
      [{ requests: 3, errors: 2 }, 0],
      [{ requests: 0, errors: 0 }, 0],
    ]);
    expect(status).toBe("ok");
  });

  it("shows health that every reader of health accepts", () => {
    fc.assert(
      fc.property(anyReport, ({ names, report }) => {
        expect(report.status.servers).toHaveLength(names.length);
        for (const { health } of report.status.servers) {
          expect(readHealthSnapshot(JSON.parse(JSON.stringify(health)))).toEqual({ ok: true, value: health });
        }
      }),
      { numRuns: 40 },
    );
  });

  it("shows an account that another version wrote as nothing yet", () => {
    const view = { ...viewOf(GOOD), gateway: { ...viewOf(GOOD).gateway, restart_count: -1 } };
    expect(reportOf(["github"], view).status.telemetry.totals.request_count).toBe(0);
  });
});

describe("the catalog's part", () => {
  it("counts stale servers and findings, and dates the last change", () => {
    const told = refreshed({
      servers: [listed("a", { status: "stale", finding_count: 2 }), listed("b", { finding_count: 3 })],
      diff: { added: ["x:y@1#00000000"], removed: [], changed: [], replaced: [], omitted: 4 },
      diff_generation: 2,
    });
    expect(reportOf(["a", "b"], viewOf(GOOD, { refresh: told })).status.catalog).toEqual({
      generation: 3,
      hash: "ab".repeat(32),
      tools: 12,
      refreshed_at: "2026-01-31T12:00:00.000Z",
      age_s: 1,
      stale: ["a"],
      findings: 5,
      diff: { generation: 2, added: ["x:y@1#00000000"], removed: [], changed: [], replaced: [], omitted: 4 },
    });
  });

  it("is null before anything was told, and the gateway is cold", () => {
    const { status } = reportOf([], viewOf(NO_ACCOUNTS, { heard_at_ms: null }));
    expect(status).toMatchObject({ catalog: null, as_of: null, telemetry: { state: "cold" } });
  });
});
