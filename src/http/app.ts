import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Env } from "../env.ts";
import { REQUEST_BODY_MAX_BYTES } from "../limits.ts";
import { configSource } from "./config-source.ts";
import { health } from "./health.ts";

/** `configText` is the bundled `loomgate.jsonc`; the variable `LOOMGATE_CONFIG` replaces it. */
export function createApp({ configText }: { readonly configText: string }): Hono<{ Bindings: Env }> {
  const config = configSource(configText);
  const app = new Hono<{ Bindings: Env }>();
  app.use(
    bodyLimit({ maxSize: REQUEST_BODY_MAX_BYTES, onError: (c) => c.json({ error: "too_large" }, 413) }),
  );
  app.get("/health", health(config));
  app.notFound((c) => c.json({ error: "not_found" }, 404));
  return app;
}
