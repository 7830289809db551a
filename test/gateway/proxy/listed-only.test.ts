import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { LISTED_FORMS, listedAs } from "../../../src/identity/listed-form.ts";
import { listedName } from "../../../src/identity/listed-name.ts";
import { formatToolId } from "../../../src/identity/tool-id.ts";
import { ok } from "../../../src/result.ts";
import { anyString, legalParts, nearIds } from "../../identity/arbitraries.ts";
import { fakeCatalog, fakeCatalogs, fakeId, UNAVAILABLE } from "../../support/fake-catalog.ts";
import { fakeCaller, jsonOf, textOf } from "../../support/fake-gateway.ts";
import { proxied, refusedCaller } from "./proxied.ts";

const CREATE = { namespace: "github", name: "create_issue" };
const CATALOG = fakeCatalog([CREATE]);
const ID = fakeId(CREATE);

const toolIds = legalParts.map((parts) => {
  const id = formatToolId(parts);
  return id.ok ? id.value : "a:b#00000000";
});

/** A catalog that finds tools of any ids, by the id and by the safe name. */
function catalogOf(ids: readonly string[]): Catalog {
  const [template] = CATALOG.page(undefined, 1, () => true).tools;
  const byName = new Map(ids.flatMap((id) => [[id, id] as const, [listedName(id), id] as const]));
  return {
    ...CATALOG,
    find: (asked) => {
      const id = byName.get(asked);
      return id === undefined || template === undefined ? undefined : { ...template, id };
    },
  };
}

describe("a call by a listed tool's own name", () => {
  it.each(LISTED_FORMS)("in the %s form is told how the tool is run, and runs nothing", async (form) => {
    for (const names of LISTED_FORMS) {
      const { call, calls, caller } = proxied({ catalog: CATALOG, names });
      const answer = await call(listedAs(form, ID), { title: "hunter22" });
      expect(answer?.isError).toBe(true);
      expect(textOf(answer)).toBe(
        JSON.stringify({
          error: "ARGS_INVALID",
          message: `this tool is run with tool_execute: {"tool_id":"${ID}","args":{…}}`,
          path: ID,
          retryable: false,
          details: {
            errors: [{ path: "", keyword: "tool_execute" }],
            try: { name: "tool_execute", arguments: { tool_id: ID, args: {} } },
          },
        }),
      );
      expect([calls.length, caller.asks.length]).toEqual([0, 1]);
      expect(caller.told.map(({ event }) => event)).toMatchObject([
        { event: "execute.failed", tool_id: ID, attributes: { error_code: "ARGS_INVALID", attempts: 0 } },
      ]);
    }
  });

  it("is the typed error for any id in any form, and reaches no upstream", async () => {
    await fc.assert(
      fc.asyncProperty(toolIds, fc.constantFrom(...LISTED_FORMS), fc.anything(), async (id, form, args) => {
        const { call, calls } = proxied({ catalog: catalogOf([id]) });
        const answer = await call(listedAs(form, id), args);
        expect(jsonOf(answer)).toMatchObject({ error: "ARGS_INVALID", path: id });
        expect(calls).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is as unknown as any other name where nobody has the tool, or the scopes hide it", async () => {
    const hidden = proxied({ catalog: CATALOG }, fakeCaller({ sees: () => false }));
    for (const form of LISTED_FORMS) {
      expect(await hidden.call(listedAs(form, ID))).toBeUndefined();
      expect(await proxied({ catalog: fakeCatalog([]) }).call(listedAs(form, ID))).toBeUndefined();
    }
    expect([hidden.caller.asks.length, hidden.caller.told.length, hidden.calls.length]).toEqual([3, 0, 0]);
  });

  it("is unknown for any text that is no tool's, the gateway's other tools among them", async () => {
    const { call, calls } = proxied({ catalog: CATALOG });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyString,
          nearIds,
          fc.constantFrom("tool_browse", "tool_view", "create_issue", "__proto__", "%"),
        ),
        async (name) => {
          expect(await call(name)).toBeUndefined();
        },
      ),
      { numRuns: 1_000 },
    );
    expect(calls).toEqual([]);
  });

  it("is judged by no older catalog than the caller has met", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([], 1)), ok(fakeCatalog([CREATE], 2)));
    const { call } = proxied({ catalogs }, fakeCaller({ newestGeneration: 2 }));
    expect(jsonOf(await call(ID))["error"]).toBe("ARGS_INVALID");
    expect(catalogs.asked).toEqual(["current", "atLeast 2"]);
  });

  it("is an answer where the catalog is not there, and where its port throws", async () => {
    const throwing = { ...fakeCatalogs(UNAVAILABLE), current: () => Promise.reject(new Error("kv")) };
    const absent = proxied({ catalogs: fakeCatalogs(UNAVAILABLE) });
    expect(jsonOf(await absent.call(ID))["error"]).toBe("UPSTREAM_UNAVAILABLE");
    const thrown = proxied({ catalogs: throwing });
    expect(jsonOf(await thrown.call(ID))["error"]).toBe("UPSTREAM_ERROR");
    expect([absent, thrown].map(({ caller }) => [caller.asks.length, caller.told.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it("tells nothing to a bearer that is turned away", async () => {
    const caller = refusedCaller({ reason: "token_revoked" });
    const { call } = proxied({ catalog: CATALOG }, caller);
    expect(JSON.stringify(await call(ID))).not.toContain("tool_execute");
    expect(caller.told).toEqual([]);
  });
});
