import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord, parsedJson } from "../../../src/json.ts";
import { LISTED_FORMS, listedAs } from "../../../src/identity/listed-form.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool, UNAVAILABLE } from "../../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, jsonOf, listOf, textOf } from "../../support/fake-gateway.ts";
import { sameJson } from "../../support/same-json.ts";
import { proxied, refusedCaller, withDefinition } from "./proxied.ts";

const CREATE: FakeTool = {
  namespace: "github",
  name: "create_issue",
  description: "Create an issue.",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  annotations: { destructiveHint: true },
};
const CLOSE: FakeTool = { namespace: "github", name: "close_issue" };
const CATALOG = fakeCatalog([CREATE, CLOSE]);
const ID = fakeId(CREATE);

const json = fc.jsonValue({ maxDepth: 4 });
const definitions = fc
  .tuple(
    fc.dictionary(
      fc.oneof(
        fc.constantFrom("inputSchema", "outputSchema", "$defs", "icons", "_meta", "annotations", "execution"),
        fc.constantFrom("__proto__", "constructor", "toString", "loomgate/envelope", ""),
        fc.string(),
      ),
      json,
      { noNullPrototype: true },
    ),
    json,
  )
  // Parsed, as from the wire: `__proto__` is a member like any other.
  .map(([members, schema]) =>
    parsedJson(JSON.stringify({ name: "create_issue", inputSchema: schema, ...members })),
  )
  .filter(isRecord);

describe("tool_hydrate", () => {
  it("answers with the definition as the upstream gave it, once as text and once for programs", async () => {
    const { hydrate, caller, calls } = proxied({ catalog: CATALOG });
    const answer = await hydrate(ID);
    expect(Object.keys(answer ?? {})).toEqual(["content", "_meta"]);
    expect(answer?.content.length).toBe(1);
    expect(jsonOf(answer)).toEqual({ ...CREATE });
    expect(envelopeOf(answer)).toEqual({ ...CREATE });
    expect([caller.asks.length, calls.length]).toEqual([1, 0]);
  });

  it("is deep-equal for any definition", async () => {
    await fc.assert(
      fc.asyncProperty(definitions, async (definition) => {
        const { hydrate } = proxied({ catalog: withDefinition(CATALOG, ID, definition) });
        const answer = await hydrate(ID);
        expect(sameJson(parsedJson(textOf(answer)), definition)).toBe(true);
        expect(sameJson(envelopeOf(answer), definition)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes a tool by every form that a list may have named it in", async () => {
    for (const form of LISTED_FORMS) {
      for (const names of LISTED_FORMS) {
        const { hydrate } = proxied({ catalog: CATALOG, names });
        expect(jsonOf(await hydrate(listedAs(form, ID)))).toEqual({ ...CREATE });
      }
    }
  });

  it("marks nothing as seen and tells of itself", async () => {
    const { hydrate, caller } = proxied({ catalog: CATALOG, cacheStable: true });
    await hydrate(ID);
    expect(caller.reports).toEqual([]);
    expect(caller.told.map(({ event }) => event)).toMatchObject([
      {
        event: "hydrate.completed",
        tool_id: ID,
        namespace: "github",
        attributes: { generation: 1, schema_bytes: JSON.stringify(CREATE.inputSchema).length },
      },
    ]);
  });

  it.each([
    ["no id", {}],
    ["an id that is none", { tool_id: 7 }],
    ["an argument too many", { tool_id: ID, render: "json" }],
    ["no object", [ID]],
    ["null", null],
  ])("is ARGS_INVALID for %s", async (_, args) => {
    const { call, caller } = proxied({ catalog: CATALOG });
    const error = jsonOf(await call("tool_hydrate", args));
    expect(error).toMatchObject({ error: "ARGS_INVALID", details: { schema: { required: ["tool_id"] } } });
    expect(caller.asks.length).toBe(1);
    expect(caller.told.map(({ event }) => event)).toMatchObject([
      { event: "hydrate.failed", tool_id: null, attributes: { error_code: "ARGS_INVALID" } },
    ]);
  });

  it("says HYDRATE_FAILED with what may be meant, for an unknown id and for an unseen one alike", async () => {
    const hidden = proxied({ catalog: CATALOG }, fakeCaller({ sees: (id) => id !== ID }));
    const absent = proxied({ catalog: fakeCatalog([CLOSE]) });
    for (const form of LISTED_FORMS) {
      const asked = listedAs(form, ID);
      const error = textOf(await hidden.hydrate(asked));
      expect(error).toBe(textOf(await absent.hydrate(asked)));
      expect(JSON.parse(error)).toMatchObject({ error: "HYDRATE_FAILED", retryable: false });
    }
    const near = jsonOf(await proxied({ catalog: CATALOG }).hydrate("github:create_isue#00000000"));
    expect(listOf(near["details"], "did_you_mean")).toContain(ID);
    expect(hidden.caller.asks.length).toBe(3);
  });

  it("never offers an unseen tool, and throws on nothing", async () => {
    const { hydrate } = proxied({ catalog: CATALOG }, fakeCaller({ sees: (id) => id !== ID }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.constantFrom("create", "%", ID)), async (asked) => {
        const error = jsonOf(await hydrate(asked));
        expect(error["error"]).toBe("HYDRATE_FAILED");
        expect(listOf(error["details"], "did_you_mean")).not.toContain(ID);
      }),
      { numRuns: 300 },
    );
  });

  it("finds in the newest catalog what this isolate's does not have", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([CLOSE], 1)), ok(fakeCatalog([CLOSE, CREATE], 2)));
    const { hydrate, caller } = proxied({ catalogs });
    expect(jsonOf(await hydrate(ID))).toEqual({ ...CREATE });
    expect(caller.asks).toEqual([{ catalogVersion: { catalog: "fake", generation: 2 } }]);
  });

  it("answers from no older catalog than the caller has met", async () => {
    const old = withDefinition(CATALOG, ID, { name: "create_issue", old: true });
    const catalogs = fakeCatalogs(ok(old), ok(fakeCatalog([CREATE], 2)));
    const { hydrate, caller } = proxied({ catalogs }, fakeCaller({ newestGeneration: 2 }));
    expect(jsonOf(await hydrate(ID))).toEqual({ ...CREATE });
    expect(caller.asks.map(({ catalogVersion }) => catalogVersion?.generation)).toEqual([1, 2]);
  });

  it("is not ready where the catalog is not, and says nothing of why", async () => {
    const { hydrate, log, caller } = proxied({ catalogs: fakeCatalogs(UNAVAILABLE) });
    const answer = await hydrate(ID);
    expect(jsonOf(answer)).toMatchObject({ error: "UPSTREAM_UNAVAILABLE", retryable: true });
    expect(textOf(answer)).not.toContain("secret-detail");
    expect([log.length, caller.asks.length]).toEqual([1, 1]);
  });

  it("is an answer where a port throws", async () => {
    const catalogs = { ...fakeCatalogs(UNAVAILABLE), current: () => Promise.reject(new Error("kv")) };
    const { hydrate, caller } = proxied({ catalogs });
    expect(jsonOf(await hydrate(ID))["error"]).toBe("UPSTREAM_ERROR");
    expect(caller.asks.length).toBe(1);
    expect(caller.told.length).toBe(1);
  });

  it("leaves no configured secret in a definition", async () => {
    const definition = { name: "create_issue", _meta: { key: "hunter22" }, hunter22: ["x hunter22"] };
    const { hydrate } = proxied({
      catalog: withDefinition(CATALOG, ID, definition),
      secrets: ["hunter22"],
    });
    expect(JSON.stringify(await hydrate(ID))).not.toContain("hunter22");
  });
});

describe("tool_hydrate under the operator's rules", () => {
  const waitsFor = { reason: "approval_required", approvalId: "a-1", expiresAtMs: 0, created: true } as const;
  const rule = (match: object, action: string) => ({
    config: { gateway: { policy: [{ match, action, reason: "no" }] } },
  });

  it.each([
    ["tool_hydrate", { meta_tool: "tool_hydrate" }],
    ["tool_execute", { meta_tool: "tool_execute" }],
    ["the tool altogether", { tool: "github:create_*" }],
  ])("shows nothing where %s is denied", async (_, match) => {
    const { hydrate, caller } = proxied({ catalog: CATALOG, ...rule(match, "deny") });
    for (const form of LISTED_FORMS) {
      const answer = await hydrate(listedAs(form, ID));
      expect(jsonOf(answer)).toMatchObject({ error: "POLICY_DENIED", path: ID, details: { reason: "no" } });
      expect(textOf(answer)).not.toContain("title");
      expect(answer?.["_meta"]).toBeUndefined();
    }
    expect(caller.told.map(({ event }) => event.event)).toEqual(Array(3).fill("hydrate.failed"));
    expect(caller.told[0]?.event).toMatchObject({ tool_id: ID, attributes: { error_code: "POLICY_DENIED" } });
  });

  it.each([
    ["tool_view is denied", { meta_tool: "tool_view" }, "deny"],
    ["its execution needs a person", { meta_tool: "tool_execute" }, "require_approval"],
    ["another tool is denied", { tool: "github:close_*" }, "deny"],
  ])("shows everything where %s", async (_, match, action) => {
    const { hydrate } = proxied({ catalog: CATALOG, ...rule(match, action) });
    expect(jsonOf(await hydrate(ID))).toEqual({ ...CREATE });
  });

  it("waits for a person where a rule says so of itself, in one admission, and shows it once granted", async () => {
    const rules = rule({ meta_tool: "tool_hydrate" }, "require_approval");
    const refusing = refusedCaller(waitsFor);
    const waits = proxied({ catalog: CATALOG, ...rules }, refusing);
    const error = jsonOf(await waits.hydrate(listedAs("safe", ID)));
    expect(error).toMatchObject({ error: "AUTH_REQUIRED", details: { meta_tool: "tool_hydrate" } });
    expect(waits.waiting).toMatchObject([
      { id: "a-1", metaTool: "tool_hydrate", toolId: ID, server: "github", reason: "no" },
    ]);
    expect(refusing.asks).toMatchObject([
      { attempt: "id-1", approval: { metaTool: "tool_hydrate", toolId: ID } },
    ]);
    const granted = proxied({ catalog: CATALOG, ...rules });
    expect(jsonOf(await granted.hydrate(ID))).toEqual({ ...CREATE });
    // The consent is to the tool, whichever of its names was used.
    expect(granted.caller.asks[0]?.approval).toEqual(refusing.asks[0]?.approval);
  });

  it("shows nothing where nobody could ask, or the principal's object knows no approvals", async () => {
    const rules = rule({ meta_tool: "tool_hydrate" }, "require_approval");
    const refusing = refusedCaller(waitsFor);
    const noDesk = proxied({ catalog: CATALOG, noDesk: true, ...rules }, refusing);
    expect(jsonOf(await noDesk.hydrate(ID))["error"]).toBe("UPSTREAM_UNAVAILABLE");
    const old = fakeCaller({
      answer: () => ({
        version: 1,
        admitted: true,
        newestGeneration: null,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        rowsWritten: 0,
      }),
    });
    const overlooked = proxied({ catalog: CATALOG, ...rules }, old);
    expect(jsonOf(await overlooked.hydrate(ID))["error"]).toBe("UPSTREAM_UNAVAILABLE");
  });

  it("counts in its own quota, once however often it is asked", async () => {
    const config = { gateway: { rate_limits: { tool_hydrate: { max_calls_per_minute: 2 } } } };
    const catalogs = fakeCatalogs(ok(CATALOG), ok(fakeCatalog([CREATE], 2)));
    const { hydrate, caller } = proxied({ catalogs, config }, fakeCaller({ newestGeneration: 2 }));
    await hydrate(ID);
    expect(caller.asks.map(({ quota }) => quota)).toEqual(
      Array.from({ length: 2 }, () => ({
        per: "session",
        buckets: [{ name: "tool_hydrate", perMinute: 2 }],
      })),
    );
    expect(new Set(caller.asks.map(({ attempt }) => attempt)).size).toBe(1);
  });

  it("is RATE_LIMITED where that is used up", async () => {
    const scope = "tool_hydrate/minute";
    const exceeded = { scope, retryAfterMs: 1_500 };
    const caller = refusedCaller({ reason: "rate_limited", ...exceeded });
    const config = { gateway: { rate_limits: { tool_hydrate: { max_calls_per_minute: 1 } } } };
    const { hydrate } = proxied({ catalog: CATALOG, config }, caller);
    expect(jsonOf(await hydrate(ID))).toMatchObject({
      error: "RATE_LIMITED",
      details: { scope, retry_after: 1.5 },
    });
    expect(caller.told.map(({ event }) => event.event)).toEqual(["hydrate.failed"]);
  });

  it("does not take place for a bearer that is turned away", async () => {
    const caller = refusedCaller({ reason: "token_revoked" });
    const { hydrate } = proxied({ catalog: CATALOG }, caller);
    expect(textOf(await hydrate(ID))).not.toContain("title");
    expect([caller.asks.length, caller.told.length]).toEqual([1, 0]);
  });
});
