import { describe, expect, it } from "vitest";
import { judgeRoute, needsGrant } from "../../src/access/routes.ts";
import type { CallerKind, RouteClass } from "../../src/access/routes.ts";

const CALLERS: readonly CallerKind[] = ["none", "client", "package", "owner", "operator"];
const STATUS = { allowed: 200, unauthorized: 401, forbidden: 403 } as const;

/** The contract's table; `[a, b]` is without and with a grant. */
const CONTRACT: Readonly<Record<RouteClass, readonly (number | readonly [number, number])[]>> = {
  mcp: [401, 200, 403, 403, 403],
  mcp_proxy: [401, 200, 403, 403, 403],
  api: [401, 200, 403, 403, 403],
  mcp_records: [401, [403, 200], 200, 403, 403],
  v1_read: [401, [403, 200], 200, 200, 403],
  v1_ingest: [401, 403, 403, 200, 403],
  admin: [401, 403, 403, 403, 200],
  metrics: [401, 403, 403, 403, 200],
  public: [200, 200, 200, 200, 200],
};

const isRoute = (name: string): name is RouteClass => name in CONTRACT;
const routes = Object.keys(CONTRACT).filter(isRoute);
const cells = routes.flatMap((route) =>
  CALLERS.map((caller, column) => ({ route, caller, cell: CONTRACT[route][column] ?? 0 })),
);

describe("who may use a route", () => {
  it.each(cells)("$route for $caller is $cell", ({ route, caller, cell }) => {
    const [without, withGrant] = typeof cell === "number" ? [cell, cell] : cell;
    expect(STATUS[judgeRoute(route, caller, false)]).toBe(without);
    expect(STATUS[judgeRoute(route, caller, true)]).toBe(withGrant);
    expect(needsGrant(route, caller)).toBe(without !== withGrant);
  });
});
