import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SQL_VALUES_MAX_COUNT } from "../../../src/limits/records.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import type { ServerPorts, Statement } from "../../../src/records/server/ports.ts";
import { answerRead } from "../../../src/records/server/route.ts";
import { fail } from "../../../src/result.ts";
import { feedOf, stream } from "./aggregate/query-rig.ts";

const NAMES = Array.from({ length: 40 }, (_, index) => `f${index}`);

/** A stream with enough fields for any number of filters, searched in one of them. */
const wide = {
  ...stream,
  cursorField: "at",
  consentTimeField: "at",
  lexicalFields: ["who"],
  fields: new Map([
    ...stream.fields,
    ...NAMES.map((name) => [name, { name, kind: "text", schema: {}, required: false }] as const),
  ]),
};

interface Asked {
  readonly connections: number;
  readonly connectors: number;
  readonly filters: number;
  readonly path: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  readonly since: string | null;
  readonly resources: readonly string[] | null;
}

const SEARCH = { path: ["search"], query: [["q", "invoice"] as const, ["streams", "things"] as const] };
const RECORDS = ["streams", "things", "records"];
const AGGREGATE = ["streams", "things", "aggregate"];

/** The columns of fields differ between connectors, as their slots would. */
function feedsOf({ connections, connectors, since, resources }: Asked): readonly CoveredFeed[] {
  return Array.from({ length: connections }, (_, index) => {
    const connector = index % connectors;
    const slots = new Map(
      NAMES.slice(connector, connector + 12).map((name, at) => [name, `t${at + 1}`] as const),
    );
    const key = `k${connector}`;
    const feed = { feedId: index + 1, connectionId: `cin_${index}`, connectorKey: key, connectorId: key };
    return feedOf({ ...feed, stream: wide, slots, since, until: since, resources });
  });
}

/** What is answered where D1 has no row, and what it is asked. */
async function ask(asked: Asked) {
  const statements: Statement[] = [];
  const errors: unknown[] = [];
  const ports: ServerPorts = {
    coverage: { holder: { kind: "owner", tokenId: "t" }, feeds: feedsOf(asked) },
    sql: {
      read: async (some) => {
        statements.push(...some);
        // As search asks: each word is somewhere, and is weighed.
        return some.map(() => [{ n: 0, documents: 1, terms: 1, places: 1, last: 1, count: 0 }]);
      },
    },
    bodies: { read: async () => undefined },
    seal: { close: async () => "cursor", open: async () => fail("invalid") },
    now: () => 0,
    log: (error) => errors.push(error),
  };
  const filters = NAMES.slice(0, asked.filters).map((name) => [`filter[${name}]`, "x"] as const);
  const answer = await answerRead({ path: asked.path, query: [...asked.query, ...filters] }, ports);
  return { outcome: answer.ok ? "ok" : answer.reason.code, most: mostValues(statements), errors };
}

function mostValues(statements: readonly Statement[]): number {
  return Math.max(0, ...statements.map(({ values }) => values.length));
}

const base: Asked = {
  ...SEARCH,
  connections: 1,
  connectors: 1,
  filters: 0,
  since: null,
  resources: null,
};

describe("D1's bound of values in a statement", () => {
  it.each([
    [20, 1, 4, "ok"],
    [112, 1, 32, "ok"],
    [6, 3, 20, "ok"],
    [3, 3, 32, "invalid_request"],
  ])(
    "of %i connections of %i connectors, a search with %i filters: %s",
    async (connections, connectors, filters, outcome) => {
      const answered = await ask({ ...base, connections, connectors, filters });
      expect(answered).toMatchObject({ outcome, errors: [] });
      expect(answered.most).toBeLessThanOrEqual(SQL_VALUES_MAX_COUNT);
    },
  );

  it("is kept by every request, and what would pass it is refused as one that asks for too much", async () => {
    const routes = fc.constantFrom<Pick<Asked, "path" | "query">>(
      SEARCH,
      { path: RECORDS, query: [] },
      { path: RECORDS, query: [["count", "exact"]] },
      { path: AGGREGATE, query: [["metric", "count"]] },
      {
        path: AGGREGATE,
        query: [
          ["metric", "sum"],
          ["field", "size"],
        ],
      },
      {
        path: AGGREGATE,
        query: [
          ["metric", "count"],
          ["group_by", "who"],
        ],
      },
      {
        path: AGGREGATE,
        query: [
          ["metric", "count_distinct"],
          ["field", "who"],
        ],
      },
    );
    const narrowed = { since: fc.constantFrom(null, "2026-01-01"), resources: fc.constantFrom(null, ["a"]) };
    await fc.assert(
      fc.asyncProperty(
        routes,
        fc.record({
          connections: fc.integer({ min: 1, max: 40 }),
          connectors: fc.integer({ min: 1, max: 40 }),
          filters: fc.integer({ min: 0, max: 33 }),
          ...narrowed,
        }),
        async (route, over) => {
          const { outcome, most, errors } = await ask({ ...over, ...route });
          expect(errors).toEqual([]);
          expect(["ok", "invalid_request", "ambiguous_connection"]).toContain(outcome);
          expect(most).toBeLessThanOrEqual(SQL_VALUES_MAX_COUNT);
        },
      ),
    );
  });
});
