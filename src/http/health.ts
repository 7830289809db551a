import type { Context } from "hono";
import type { Env } from "../env.ts";
import { VERSION } from "../version.ts";
import type { ConfigSource } from "./config-source.ts";

/** `GET /health`: whether this Worker can serve. It tells nothing of what is configured. */
export function health(config: ConfigSource) {
  return function health(c: Context<{ Bindings: Env }>): Response {
    const status = config(c.env).ok ? "ok" : "misconfigured";
    return c.json({ status, version: VERSION });
  };
}
