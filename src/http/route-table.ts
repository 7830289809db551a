import type { Handler, Hono } from "hono";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { registerOperations } from "../spine/replay/registry.ts";
import type { HttpEnv } from "./bindings.ts";

/** One route, and what it promises about being asked twice. `ALL` answers every method. */
export interface Route {
  readonly method: "ALL" | "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly contract: ReplayContract;
  readonly handler: Handler<HttpEnv>;
}

/** Mounts routes in their order; a table with a route that has no contract, or has one twice, mounts nothing. */
export function mountRoutes(app: Hono<HttpEnv>, surface: string, routes: readonly Route[]): void {
  const registered = registerOperations(
    routes.map(({ method, path, contract }) => ({ surface, operation: `${method} ${path}`, contract })),
  );
  // Our own source is wrong, and every request would be.
  if (!registered.ok) throw new Error(`routes refused: ${JSON.stringify(registered.reason)}`);
  for (const { method, path, handler } of routes) {
    if (method === "ALL") app.all(path, handler);
    else app.on(method, path, handler);
  }
}
