import type { ServerResponse } from "node:http";
import { afterEach } from "vitest";
import { memberOf } from "../../../../src/json.ts";
import { Adapter } from "./adapter.ts";
import { json, type Post, startEndpoint } from "./records-endpoint.ts";

export type Endpoint = Awaited<ReturnType<typeof startEndpoint>>;
export type Serve = (message: unknown, response: ServerResponse, post: Post) => void;

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (let next = endings.pop(); next !== undefined; next = endings.pop()) await next();
});

/** Has something end with the test. */
export function endWith(ending: () => unknown): void {
  endings.push(ending);
}

/** A server that takes the bearer at set-up; what comes after it is told by `serve`. */
export function endpoint(serve: Serve): Promise<Endpoint> {
  return rawEndpoint((message, response, post) => {
    if (memberOf(message, "method") === "ping" && memberOf(message, "id") === "loomgate-records") {
      json(response, { jsonrpc: "2.0", id: "loomgate-records", result: {} });
    } else serve(message, response, post);
  });
}

/** A server that is told by `serve` what to do with all that comes. */
export async function rawEndpoint(serve: Serve): Promise<Endpoint> {
  const started = await startEndpoint((post, response) => serve(JSON.parse(post.text), response, post));
  endWith(() => started.stop());
  return started;
}

export function adapter(args: readonly string[], environment?: Record<string, string>): Adapter {
  const made = new Adapter(args, environment);
  endWith(() => made.child.kill("SIGKILL"));
  return made;
}

export const call = (id: unknown, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params,
});
export const result = (id: unknown, value: object = {}) => ({ jsonrpc: "2.0", id, result: value });
export const idOf = (message: unknown) => memberOf(message, "id");
