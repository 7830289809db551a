import type { MiddlewareHandler } from "hono";
import { deriveKeyRings } from "../access/keys.ts";
import { configTextOf } from "../bundled-config.ts";
import { refuse } from "./answers.ts";
import type { HttpEnv } from "./bindings.ts";
import type { ConfigSource } from "./config-source.ts";

/** Puts the configuration and the keys before every route that needs them; without either nothing is served. */
export function settings(config: ConfigSource, bundledText: string): MiddlewareHandler<HttpEnv> {
  return async function settings(c, next) {
    const judged = config(c.env);
    if (!judged.ok) return refuse(c, "unavailable");
    const keys = await deriveKeyRings(c.env);
    if (!keys.ok) {
      console.error(`the secret ${keys.reason.secret} is not usable: ${keys.reason.reason}`);
      return refuse(c, "unavailable");
    }
    c.set("config", judged.value);
    c.set("configText", configTextOf(c.env, bundledText));
    c.set("keys", keys.value);
    return next();
  };
}
