import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpEnv } from "../../../src/http/bindings.ts";
import { logFor } from "../../../src/http/log.ts";
import { LOG_RECORD_MAX_CHARS } from "../../../src/limits.ts";

const app = new Hono<HttpEnv>().post("/", async (c) => {
  logFor(c)(await c.req.text());
  return c.body(null, 204);
});

async function logged(text: string): Promise<string> {
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  await app.request("/", { method: "POST", body: text }, { ...env, LOOMGATE_KEY: "k".repeat(40) });
  return String(error.mock.calls[0]?.[0]);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the operator's log", () => {
  it("shows no secret that a server has quoted of its caller", async () => {
    const text = await logged(
      `backend says Bearer SECRETXYZ123456 for ghp_${"a".repeat(36)} and {"password":"hunter22"}`,
    );
    expect(text).toContain("backend says Bearer [REDACTED-SECRET] for [REDACTED-SECRET]");
    expect(text).not.toMatch(/SECRETXYZ|ghp_|hunter22/);
  });

  it("is one bounded line without our own keys", async () => {
    const text = await logged(`a\nb${"x".repeat(10 * LOG_RECORD_MAX_CHARS)}${"k".repeat(40)}`);
    expect(text).toMatch(/^a\\nbx+/);
    expect(text.length).toBeLessThanOrEqual(LOG_RECORD_MAX_CHARS + 10);
    expect(await logged("k".repeat(40))).not.toContain("kkkk");
  });
});
