import { VERSION } from "../version.ts";
import type { HttpContext } from "./bindings.ts";
import type { ConfigSource } from "./config-source.ts";

/** `GET /health`: whether this Worker can serve. It tells nothing of what is configured. */
export function health(config: ConfigSource) {
  return function health(c: HttpContext): Response {
    const status = config(c.env).ok ? "ok" : "misconfigured";
    return c.json({ status, version: VERSION });
  };
}
