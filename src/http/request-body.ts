import type { MiddlewareHandler } from "hono";
import { DRAIN_MAX_BYTES, REQUEST_BODY_MAX_BYTES } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { refuse } from "./answers.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";

/** Refuses a body that says itself that it is too large, before anything else is looked at. */
export const limitBody: MiddlewareHandler<HttpEnv> = async function limitBody(c, next) {
  if (Number(c.req.header("content-length") ?? 0) > REQUEST_BODY_MAX_BYTES) return refuse(c, "too_large");
  return next();
};

/**
 * Reads a body that nobody answers for any more. On Workers the platform does that; `wrangler dev` passes requests on over
 * pooled connections, and what is left unread on one makes the next client's request fail.
 */
export const drainInDevelopment: MiddlewareHandler<HttpEnv> = async function drainInDevelopment(c, next) {
  await next();
  const { body } = c.req.raw;
  if (c.env.LOOMGATE_DEVELOPMENT === undefined || body === null || body.locked) return;
  const reader = body.getReader();
  try {
    for (let read = 0; read < DRAIN_MAX_BYTES;) {
      const chunk = await nextChunk(reader);
      if (chunk === undefined) return;
      read += chunk.length;
    }
  } catch {
    // The client has gone: nothing is left to read.
  }
};

/**
 * The body as text, counted while it comes: one without a declared length is bounded too, and only a caller who may use
 * the route gets here. `malformed` is what is no UTF-8.
 */
export async function readBody(c: HttpContext): Promise<Result<string, "too_large" | "malformed">> {
  const { body } = c.req.raw;
  if (body === null) return ok("");
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(reader);
      if (chunk === undefined) return ok(text + decoder.decode());
      bytes += chunk.length;
      if (bytes > REQUEST_BODY_MAX_BYTES) return fail("too_large");
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    return fail("malformed");
  } finally {
    reader.releaseLock();
  }
}

/** A body as JSON; what is none is `null`, which no route takes. */
export async function readJson(c: HttpContext): Promise<Result<unknown, "too_large">> {
  const text = await readBody(c);
  if (!text.ok) return text.reason === "too_large" ? fail(text.reason) : ok(null);
  try {
    return ok(JSON.parse(text.value));
  } catch {
    return ok(null);
  }
}

/** The platform types a body's chunks as anything; they are bytes. */
async function nextChunk(reader: ReadableStreamDefaultReader<unknown>): Promise<Uint8Array | undefined> {
  const { done, value } = await reader.read();
  return !done && value instanceof Uint8Array ? value : undefined;
}
