import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/version.ts";
import { answers, CLIENT_BEARER, type Handler, HEALTHY_STATUS, NOW_MS } from "./fake-deployment.ts";
import { asks, visit } from "./visit.ts";

const NOON = "2026-01-31T12:00:00.000Z";

describe("a deployment with something to mend", () => {
  const status = (changes: object): Readonly<Record<string, Handler>> => ({
    "/admin/status": answers.json({ ...HEALTHY_STATUS, ...changes }),
  });
  const server = (changes: object): Readonly<Record<string, Handler>> =>
    status({ servers: [{ ...HEALTHY_STATUS.servers[0], ...changes }] });
  const expiring = (seconds: number): Readonly<Record<string, Handler>> => ({
    "/admin/tokens": answers.json({
      tokens: [
        { id: "1", name: "x", kind: "client", expires_at_s: NOW_MS / 1000 + seconds, revoked_at_s: null },
        { id: "2", name: "y", kind: "client", expires_at_s: NOW_MS / 1000 + 900_000, revoked_at_s: null },
      ],
    }),
  });

  it.each<[string, Readonly<Record<string, Handler>>, readonly string[]]>([
    [
      "misconfigured",
      { "/health": answers.json({ status: "misconfigured", version: VERSION }) },
      ["fail deployment.health"],
    ],
    [
      "another version",
      { "/health": answers.json({ status: "ok", version: "0.0.1" }) },
      ["warn deployment.version"],
    ],
    ["degraded", status({ status: "degraded", reasons: ["a: stale"] }), ["warn operator.status"]],
    ["failing", status({ status: "failing" }), ["fail operator.status"]],
    [
      "no status at all",
      { "/admin/status": answers.json([]) },
      ["fail operator.status", "warn operator.ledger"],
    ],
    ["a failed server", server({ status: "failed", reason: "timeout" }), ["fail operator.servers"]],
    ["a stale server", server({ status: "stale", reason: "timeout" }), ["warn operator.servers"]],
    ["an unknown server", server({ status: "unknown" }), ["warn operator.servers"]],
    ["a server of no known standing", server({ status: "fine" }), ["fail operator.servers"]],
    ["a disabled server", server({ status: "disabled", skipped: 3, health: { state: "recovering" } }), []],
    [
      "a server in recovery",
      server({ health: { state: "recovering", consecutive_failures: 2, last_fault: { code: "timeout" } } }),
      ["warn operator.servers"],
    ],
    ["tools left out", server({ skipped: 2 }), ["warn operator.servers"]],
    ["nothing told to the ledger", status({ as_of: null }), ["warn operator.ledger"]],
    [
      "entries lost",
      status({ as_of: NOON, ledger: { dropped: 1, unreadable: 2, refused: 3, lost_at: NOON } }),
      ["warn operator.ledger", "warn operator.ledger", "warn operator.ledger"],
    ],
    [
      "entries lost days ago",
      status({ as_of: NOON, ledger: { dropped: 1, lost_at: "2026-01-29T12:00:00.000Z" } }),
      [],
    ],
    ["nothing published", status({ catalog: { failure: "store" } }), ["fail operator.status"]],
    [
      "a strict pin that does not match",
      status({ catalog: { pin: { mode: "strict", expected: "0", actual: "1", matches: false } } }),
      ["fail catalog.pin"],
    ],
    [
      "a pin that does not match",
      status({ catalog: { pin: { mode: "warn", expected: "0", actual: "1", matches: false } } }),
      ["warn catalog.pin"],
    ],
    ["a pin that matches", status({ catalog: { pin: { mode: "strict", matches: true } } }), []],
    ["no tools", { "/admin/catalog": answers.json({ tools: [], next: null }) }, ["fail catalog.tools"]],
    [
      "no servers",
      { ...status({ servers: [] }), "/admin/catalog": answers.json({ tools: [], next: null }) },
      ["warn catalog.tools"],
    ],
    ["no token", { "/admin/tokens": answers.json({ tokens: [] }) }, ["warn operator.tokens"]],
    ["a token about to expire", expiring(86_400), ["warn operator.tokens"]],
    ["an expired token", expiring(-86_400), ["warn operator.tokens"]],
    ["tokens that last", expiring(8 * 86_400), []],
    ["no list of tokens", { "/admin/tokens": answers.json({}) }, ["fail operator.tokens"]],
    [
      "a call that waits",
      { "/admin/approvals": answers.json({ approvals: [{ state: "pending" }, { state: "granted" }] }) },
      ["warn operator.approvals"],
    ],
    [
      "calls that were decided",
      { "/admin/approvals": answers.json({ approvals: [{ state: "refused" }] }) },
      [],
    ],
    ["metrics cut off", { "/metrics": answers.text("loomgate_up 1\n") }, ["fail operator.metrics"]],
    [
      "metrics that only mention an end",
      { "/metrics": answers.text("x # EOF\n") },
      ["fail operator.metrics"],
    ],
    [
      "a route that is not there",
      { "/metrics": answers.json({ error: "not_found" }, 404) },
      ["fail operator.metrics"],
    ],
    [
      "a fault of its own",
      { "/admin/tokens": answers.json({ error: "internal" }, 500) },
      ["fail operator.tokens"],
    ],
  ])("%s", async (_name, overrides, expected) => {
    expect(asks((await visit(overrides)).findings)).toEqual(expected);
  });

  it("says what a refused operator's bearer means, once", async () => {
    const { findings: wrong } = await visit({}, { operatorBearer: "not the operator's" });
    expect(asks(wrong)).toEqual(["fail operator.bearer"]);
    expect(JSON.stringify(wrong)).toContain("401: this is not the deployment's OPERATOR_TOKEN");
    const { findings: swapped } = await visit({}, { operatorBearer: CLIENT_BEARER });
    expect(asks(swapped)).toEqual(["fail operator.bearer"]);
    expect(JSON.stringify(swapped)).toContain("403: this bearer may not");
  });

  it("says so where a client's bearer is refused", async () => {
    expect(asks((await visit({}, { clientBearer: "revoked" })).findings)).toEqual(["fail client.session"]);
  });
});
