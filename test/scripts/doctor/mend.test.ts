import { describe, expect, it } from "vitest";
import { reportOf } from "../../../scripts/doctor/report.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
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
      "accounts begun anew",
      status({ as_of: NOON, ledger: { restarted: 1, lost_at: NOON } }),
      ["warn operator.ledger"],
    ],
    [
      "accounts begun anew days ago",
      status({ as_of: NOON, ledger: { restarted: 1, lost_at: "2026-01-29T12:00:00.000Z" } }),
      [],
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

  describe("with a pin that keeps everything from being published", () => {
    const [expected, actual] = ["a1".repeat(32), "b2".repeat(32)];
    const unpublished = (pin: object) => ({
      ...status({
        status: "failing",
        reasons: [
          "no catalog has been published: the catalog does not match gateway.pin",
          `the servers offer another catalog than the pinned one (strict): ${expected} is pinned and nothing is served, ${actual} was found`,
        ],
        catalog: { generation: 0, hash: null, failure: "the catalog does not match gateway.pin", pin },
      }),
      "/admin/catalog": answers.json({ error: "unavailable" }, 503),
    });

    it("is told of from the status, with both hashes whole and what to do", async () => {
      const { findings } = await visit(unpublished({ mode: "strict", expected, actual, matches: false }));
      expect(asks(findings)).toContain("fail catalog.pin");
      const { checks } = reportOf(findings, createScrubber([]));
      for (const check of ["catalog.pin", "operator.status"]) {
        const words = checks.filter((finding) => finding.check === check).map(({ what }) => what);
        expect(words.join("\n")).toContain(expected);
        expect(words.join("\n")).toContain(actual);
        // Nor any other beginning of one.
        expect(words.join("\n")).not.toMatch(/(?<![0-9a-f])(?![0-9a-f]{64}(?![0-9a-f]))[0-9a-f]{12,}/);
      }
      expect(checks.find(({ check }) => check === "catalog.pin")?.mend).toMatch(/pin .*look at the servers/);
      const tools = checks.find(({ check }) => check === "catalog.tools");
      expect(tools).toMatchObject({ level: "fail", mend: expect.stringContaining("catalog.pin") as unknown });
      expect(JSON.stringify(tools)).not.toContain("ask again");
    });

    it("is no matter of the pin where a required server is missing", async () => {
      const { findings } = await visit(
        unpublished({ mode: "strict", expected, actual: null, matches: false }),
      );
      const pin = findings.find(({ check }) => check === "catalog.pin");
      expect(pin).toMatchObject({ level: "fail", what: expect.stringContaining("is missing") as unknown });
      expect(JSON.stringify(pin)).not.toContain("null");
    });

    it("is asked again only where the status knows of a catalog", async () => {
      const { findings } = await visit({ "/admin/catalog": answers.json({ error: "unavailable" }, 503) });
      expect(findings.find(({ check }) => check === "catalog.tools")?.mend).toContain("ask again");
      expect(findings.some(({ check }) => check === "catalog.pin")).toBe(false);
    });
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
